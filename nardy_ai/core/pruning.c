#include "pruning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNSEEN, WANTED, SEEN, PASSES = 2 };

void nd_pruner_destroy(nd_pruner *pruner)
{
    nd_correction_destroy(&pruner->correction);
    free(pruner->marks);
    free(pruner->scouted);
    free(pruner->corrected);
    free(pruner->lead);
    free(pruner->equities);
    free(pruner->outcomes);
    free(pruner->asked.results);
    free(pruner->asked_at);
    memset(pruner, 0, sizeof *pruner);
}

static bool make_room(nd_pruner *pruner, size_t count)
{
    if (count <= pruner->room) return true;
    const size_t room = 2 * count;
    nd_pruner_destroy(pruner);
    pruner->marks = malloc(room);
    pruner->scouted = malloc(room * sizeof(float));
    pruner->corrected = malloc(room * sizeof(float));
    pruner->lead = malloc(room * sizeof(float));
    pruner->equities = malloc(room * sizeof(float));
    pruner->outcomes = malloc(room * ND_MAX_OUTCOMES * sizeof(float));
    pruner->asked.results = malloc(room * sizeof *pruner->asked.results);
    pruner->asked_at = malloc(room * sizeof *pruner->asked_at);
    if (!pruner->marks || !pruner->scouted || !pruner->corrected || !pruner->lead || !pruner->equities || !pruner->outcomes ||
        !pruner->asked.results || !pruner->asked_at) {
        nd_pruner_destroy(pruner);
        return false;
    }
    pruner->room = room;
    return true;
}

/* ---- which results ------------------------------------------------------------------------------ */

/* Wants the best of a roll's places by what the scout says of them. */
static void want_best(nd_pruner *pruner, const uint32_t *places, size_t count, nd_pruning pruning)
{
    const float *equities = pruner->scouted;
    uint32_t best[ND_MOST_KEPT];
    size_t held = 0;
    for (size_t i = 0; i < count; i++) {
        const float equity = equities[places[i]];
        if (held == pruning.keep && !(equity > equities[best[held - 1]])) continue;
        size_t at = held < pruning.keep ? held++ : held - 1;
        for (; at > 0 && equity > equities[best[at - 1]]; at--) best[at] = best[at - 1];
        best[at] = places[i];
    }
    for (size_t i = 0; i < held && equities[best[i]] >= equities[best[0]] - pruning.margin; i++)
        if (pruner->marks[best[i]] == UNSEEN) pruner->marks[best[i]] = WANTED;
}

/* By how much each result of this worth would be the best play of the roll where it fares best, against the best of
 * the roll's rivals. */
static void find_leads(nd_pruner *pruner, const nd_rolled *rolled, const float *worth, const float *rivals)
{
    for (size_t place = 0; place < rolled->results->count; place++) pruner->lead[place] = -INFINITY;
    for (int roll = 0; roll < rolled->rolls; roll++) {
        float best = -INFINITY;
        for (size_t i = rolled->starts[roll]; i < rolled->starts[roll + 1]; i++) {
            const float rival = rivals[rolled->places[i]];
            best = rival > best ? rival : best;
        }
        for (size_t i = rolled->starts[roll]; i < rolled->starts[roll + 1]; i++) {
            const uint32_t place = rolled->places[i];
            const float lead = worth[place] - best;
            if (lead > pruner->lead[place]) pruner->lead[place] = lead;
        }
    }
}

static size_t wanted(const nd_pruner *pruner, size_t count)
{
    size_t found = 0;
    for (size_t place = 0; place < count; place++) found += pruner->marks[place] == WANTED;
    return found;
}

/* Wants the unseen results with the greatest leads besides, as many as the last block of the nets has room for. */
static void fill_block(nd_pruner *pruner, size_t count)
{
    const size_t room = (ND_BLOCK - wanted(pruner, count) % ND_BLOCK) % ND_BLOCK;
    uint32_t next[ND_BLOCK];
    size_t held = 0;
    for (size_t place = 0; place < count && room; place++) {
        if (pruner->marks[place] != UNSEEN) continue;
        const float lead = pruner->lead[place];
        if (held == room && !(lead > pruner->lead[next[held - 1]])) continue;
        size_t at = held < room ? held++ : held - 1;
        for (; at > 0 && lead > pruner->lead[next[at - 1]]; at--) next[at] = next[at - 1];
        next[at] = (uint32_t)place;
    }
    for (size_t i = 0; i < held; i++) pruner->marks[next[i]] = WANTED;
}

/* ---- asking ------------------------------------------------------------------------------------- */

/* Keeps what the judge has just said of the result at `from`. */
static void keep_answer(nd_pruner *pruner, const nd_judge *judge, size_t from, size_t place)
{
    const size_t outcomes = judge->model->rules.outcomes;
    pruner->marks[place] = SEEN;
    pruner->equities[place] = judge->equities[from];
    memcpy(pruner->outcomes + place * outcomes, judge->outcomes + from * outcomes, outcomes * sizeof(float));
}

/* The large nets see what is wanted, and the correction learns from it where it is under way. */
static bool ask(nd_pruner *pruner, nd_judge *judge, const nd_packed *board, int seat, const nd_plays *results, bool learning)
{
    nd_plays *asked = &pruner->asked;
    asked->count = 0;
    for (size_t place = 0; place < results->count; place++) {
        if (pruner->marks[place] != WANTED) continue;
        pruner->asked_at[asked->count] = (uint32_t)place;
        asked->results[asked->count++] = results->results[place];
    }
    if (!nd_judge_plays(judge, board, seat, asked)) return false;
    for (size_t i = 0; i < asked->count; i++) {
        const uint32_t place = pruner->asked_at[i];
        keep_answer(pruner, judge, i, place);
        if (learning) nd_correction_learn(&pruner->correction, place, judge->equities[i] - pruner->scouted[place]);
    }
    return true;
}

/* Wants what may be better than all that was seen of a roll; whether there is any. */
static bool want_doubtful(nd_pruner *pruner, const nd_rolled *rolled, float doubt)
{
    const nd_correction *correction = &pruner->correction;
    const size_t count = rolled->results->count;
    for (size_t place = 0; place < count; place++) pruner->corrected[place] = pruner->scouted[place] + correction->errors[place];
    find_leads(pruner, rolled, pruner->corrected, pruner->equities);
    bool any = false;
    for (size_t place = 0; place < count; place++) {
        if (pruner->marks[place] != UNSEEN || !(pruner->lead[place] + doubt * correction->spread > 0)) continue;
        pruner->marks[place] = WANTED;
        any = true;
    }
    return any;
}

/* The answers go to the judge, where those of nd_judge_plays would be. */
static void hand_over(const nd_pruner *pruner, nd_judge *judge, size_t count)
{
    memcpy(judge->equities, pruner->equities, count * sizeof *judge->equities);
    memcpy(judge->outcomes, pruner->outcomes, count * judge->model->rules.outcomes * sizeof *judge->outcomes);
}

bool nd_pruner_judge(nd_pruner *pruner, nd_judge *judge, const nd_packed *board, int seat, const nd_rolled *rolled, nd_pruning pruning)
{
    const nd_plays *results = rolled->results;
    const size_t count = results->count, outcomes = judge->model->rules.outcomes;
    if (!make_room(pruner, count) || !nd_judge_plays_scouted(judge, board, seat, results)) return false;
    memcpy(pruner->scouted, judge->equities, count * sizeof *pruner->scouted);
    memset(pruner->outcomes, 0, count * outcomes * sizeof *pruner->outcomes);
    for (size_t place = 0; place < count; place++) pruner->equities[place] = -INFINITY;
    const bool doubting = pruning.doubt > 0;
    if (doubting && !nd_correction_begin(&pruner->correction, judge->units, judge->unit_count, count)) return false;
    /* What needs no net has its worth already. */
    for (size_t place = 0; place < count; place++) {
        pruner->marks[place] = UNSEEN;
        if (doubting && judge->known[place]) keep_answer(pruner, judge, place, place);
    }
    for (int roll = 0; roll < rolled->rolls; roll++)
        want_best(pruner, rolled->places + rolled->starts[roll], rolled->starts[roll + 1] - rolled->starts[roll], pruning);
    if (doubting) {
        find_leads(pruner, rolled, pruner->scouted, pruner->scouted);
        fill_block(pruner, count);
    }
    if (!ask(pruner, judge, board, seat, results, doubting)) return false;
    for (int pass = 0; doubting && pass < PASSES && pruner->correction.learned > 0; pass++) {
        nd_correction_settle(&pruner->correction);
        if (!want_doubtful(pruner, rolled, pruning.doubt)) break;
        fill_block(pruner, count);
        if (!ask(pruner, judge, board, seat, results, true)) return false;
    }
    hand_over(pruner, judge, count);
    return true;
}
