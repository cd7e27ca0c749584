#include "expectation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

nd_roll nd_roll_at(int roll)
{
    nd_roll found = {1, 1, 1};
    while (roll >= found.high) roll -= found.high++;
    found.low = roll + 1;
    found.weight = found.low == found.high ? 1 : 2;
    return found;
}

int nd_roll_of(int die1, int die2)
{
    const int high = die1 > die2 ? die1 : die2, low = die1 > die2 ? die2 : die1;
    return high * (high - 1) / 2 + low - 1;
}

void nd_mean_add(nd_mean *mean, const nd_rules *rules, int weight, const float *outcomes)
{
    for (int k = 0; k < rules->outcomes; k++) mean->sums[k] += (double)weight * (double)outcomes[k];
    mean->weight += weight;
}

void nd_mean_take(const nd_mean *mean, const nd_rules *rules, float *outcomes)
{
    for (int k = 0; k < rules->outcomes; k++) outcomes[k] = (float)(mean->sums[k] / mean->weight);
}

/* ---- workspace ---------------------------------------------------------------------------------- */

bool nd_expectation_create(nd_expectation *expectation, const nd_model *model)
{
    memset(expectation, 0, sizeof *expectation);
    expectation->results_room = 1024;
    expectation->places_room = 1024;
    expectation->slot_mask = 2047;
    expectation->results.results = malloc(expectation->results_room * sizeof *expectation->results.results);
    expectation->places = malloc(expectation->places_room * sizeof *expectation->places);
    expectation->slots = malloc((expectation->slot_mask + 1) * sizeof *expectation->slots);
    if (expectation->results.results && expectation->places && expectation->slots && nd_plays_create(&expectation->plays)) {
        if (nd_judge_create(&expectation->judge, model)) return true;
        nd_plays_destroy(&expectation->plays);
    }
    free(expectation->results.results);
    free(expectation->places);
    free(expectation->slots);
    memset(expectation, 0, sizeof *expectation);
    return false;
}

void nd_expectation_destroy(nd_expectation *expectation)
{
    nd_judge_destroy(&expectation->judge);
    nd_plays_destroy(&expectation->plays);
    free(expectation->results.results);
    free(expectation->places);
    free(expectation->slots);
    free(expectation->kept.results);
    free(expectation->marks);
    memset(expectation, 0, sizeof *expectation);
}

static bool grow(void **memory, size_t bytes)
{
    void *larger = realloc(*memory, bytes);
    if (larger) *memory = larger;
    return larger != NULL;
}

static size_t slot_of(const nd_expectation *expectation, const nd_packed *board)
{
    const nd_row *mine = &board->row[0], *his = &board->row[1];
    uint64_t h = mine->low * 0x9E3779B97F4A7C15u ^ mine->high * 0xC2B2AE3D27D4EB4Fu;
    h ^= (his->low ^ his->high << 17) * 0x165667B19E3779F9u;
    return (size_t)(h ^ h >> 29 ^ h >> 47) & expectation->slot_mask;
}

static const uint32_t EMPTY = UINT32_MAX;

static void clear_slots(nd_expectation *expectation)
{
    memset(expectation->slots, 0xff, (expectation->slot_mask + 1) * sizeof *expectation->slots);
}

/* Room for `more` results and places, with the slots at most half full. */
static bool make_room(nd_expectation *expectation, size_t more, size_t place_count)
{
    const size_t count = expectation->results.count;
    if (place_count + more > expectation->places_room) {
        const size_t room = 2 * (place_count + more);
        if (!grow((void **)&expectation->places, room * sizeof *expectation->places)) return false;
        expectation->places_room = room;
    }
    if (count + more > expectation->results_room) {
        const size_t room = 2 * (count + more);
        if (!grow((void **)&expectation->results.results, room * sizeof *expectation->results.results)) return false;
        expectation->results_room = room;
    }
    size_t slots = expectation->slot_mask + 1;
    while (2 * (count + more) > slots) slots *= 2;
    if (slots == expectation->slot_mask + 1) return true;
    if (!grow((void **)&expectation->slots, slots * sizeof *expectation->slots)) return false;
    expectation->slot_mask = slots - 1;
    clear_slots(expectation);
    for (size_t i = 0; i < count; i++) {
        size_t at = slot_of(expectation, &expectation->results.results[i]);
        while (expectation->slots[at] != EMPTY) at = (at + 1) & expectation->slot_mask;
        expectation->slots[at] = (uint32_t)i;
    }
    return true;
}

/* The place of a result, which is kept where it is new. */
static uint32_t place_of(nd_expectation *expectation, const nd_packed *result)
{
    size_t at = slot_of(expectation, result);
    while (expectation->slots[at] != EMPTY) {
        if (nd_packed_equal(&expectation->results.results[expectation->slots[at]], result)) return expectation->slots[at];
        at = (at + 1) & expectation->slot_mask;
    }
    expectation->slots[at] = (uint32_t)expectation->results.count;
    expectation->results.results[expectation->results.count] = *result;
    return (uint32_t)expectation->results.count++;
}

/* ---- pruning ------------------------------------------------------------------------------------ */

static bool pruning_room(nd_expectation *expectation)
{
    const size_t room = expectation->results_room;
    if (room <= expectation->pruning_room) return true;
    if (!grow((void **)&expectation->kept.results, room * sizeof *expectation->kept.results) ||
        !grow((void **)&expectation->marks, room))
        return false;
    expectation->pruning_room = room;
    return true;
}

/* Marks the best of a roll's places by what the scout says of them. */
static void mark_best(const nd_expectation *expectation, const uint32_t *places, size_t count)
{
    const float *equities = expectation->judge.equities;
    const nd_pruning pruning = expectation->pruning;
    uint32_t best[ND_MOST_KEPT];
    size_t held = 0;
    for (size_t i = 0; i < count; i++) {
        const float equity = equities[places[i]];
        if (held == pruning.keep && !(equity > equities[best[held - 1]])) continue;
        size_t at = held < pruning.keep ? held++ : held - 1;
        for (; at > 0 && equity > equities[best[at - 1]]; at--) best[at] = best[at - 1];
        best[at] = places[i];
    }
    for (size_t i = 0; i < held && equities[best[i]] >= equities[best[0]] - pruning.margin; i++) expectation->marks[best[i]] = 1;
}

/* The judge's answers for the kept results go to the places of these; the others count as the worst. */
static void spread_out(nd_expectation *expectation)
{
    const size_t outcomes = expectation->judge.model->rules.outcomes;
    float *equities = expectation->judge.equities, *values = expectation->judge.outcomes;
    size_t left = expectation->kept.count;
    /* From the back: an answer's place is never before where it stands. */
    for (size_t place = expectation->results.count; place-- > 0;) {
        if (expectation->marks[place]) {
            equities[place] = equities[--left];
            memmove(values + place * outcomes, values + left * outcomes, outcomes * sizeof *values);
        } else {
            equities[place] = -INFINITY;
            memset(values + place * outcomes, 0, outcomes * sizeof *values);
        }
    }
}

static bool judge_pruned(nd_expectation *expectation, const nd_packed *board, int seat)
{
    nd_plays *kept = &expectation->kept;
    const nd_plays *results = &expectation->results;
    if (!pruning_room(expectation) || !nd_judge_plays_scouted(&expectation->judge, board, seat, results)) return false;
    memset(expectation->marks, 0, results->count);
    for (int roll = 0; roll < ND_ROLLS; roll++)
        mark_best(expectation, expectation->places + expectation->starts[roll], expectation->starts[roll + 1] - expectation->starts[roll]);
    kept->count = 0;
    for (size_t place = 0; place < results->count; place++)
        if (expectation->marks[place]) kept->results[kept->count++] = results->results[place];
    if (!nd_judge_plays(&expectation->judge, board, seat, kept)) return false;
    spread_out(expectation);
    return true;
}

/* ---- the expectation ---------------------------------------------------------------------------- */

bool nd_expectation_fill(nd_expectation *expectation, const nd_packed *board, int seat, int turns)
{
    const nd_rules *rules = &expectation->judge.model->rules;
    nd_plays *plays = &expectation->plays;
    size_t place_count = 0;
    expectation->results.count = 0;
    clear_slots(expectation);
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        const nd_roll dice = nd_roll_at(roll);
        if (!nd_plays_generate(plays, rules, board, seat, turns, dice.high, dice.low) ||
            !make_room(expectation, plays->count, place_count))
            return false;
        expectation->starts[roll] = place_count;
        for (size_t i = 0; i < plays->count; i++) expectation->places[place_count++] = place_of(expectation, &plays->results[i]);
    }
    expectation->starts[ND_ROLLS] = place_count;
    if (expectation->pruning.keep) return judge_pruned(expectation, board, seat);
    return nd_judge_plays(&expectation->judge, board, seat, &expectation->results);
}

size_t nd_expectation_best(const nd_expectation *expectation, int roll)
{
    const float *equities = expectation->judge.equities;
    size_t best = expectation->places[expectation->starts[roll]];
    for (size_t i = expectation->starts[roll] + 1; i < expectation->starts[roll + 1]; i++) {
        const size_t place = expectation->places[i];
        if (equities[place] < equities[best]) continue;
        if (equities[place] > equities[best] || nd_result_before(&expectation->results, place, best)) best = place;
    }
    return best;
}

bool nd_expectation_value(nd_expectation *expectation, const nd_packed *board, int seat, int turns, bool opening_pair,
                          float *outcomes)
{
    const nd_rules *rules = &expectation->judge.model->rules;
    nd_mean mean = {{0}, 0};
    if (!nd_expectation_fill(expectation, board, seat, turns)) return false;
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        const nd_roll dice = nd_roll_at(roll);
        if (opening_pair && dice.high == dice.low) continue;
        nd_mean_add(&mean, rules, dice.weight, expectation->judge.outcomes + nd_expectation_best(expectation, roll) * rules->outcomes);
    }
    nd_mean_take(&mean, rules, outcomes);
    return true;
}
