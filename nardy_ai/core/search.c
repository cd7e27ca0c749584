#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const nd_filters nd_filters_off = {{{0, INFINITY}, {0, INFINITY}, {0, INFINITY}}, {{0, INFINITY}, {0, INFINITY}}, {0, INFINITY}, 0};
const nd_filters nd_filters_default = {{{8, 0.16f}, {4, 0.08f}, {3, 0.06f}}, {{1, 0}, {1, 0}}, {4, 0.3f}, 2};

/* ---- workspace ---------------------------------------------------------------------------------- */

bool nd_search_create(nd_search *search, const nd_model *model, const nd_filters *filters, size_t cache_bytes)
{
    memset(search, 0, sizeof *search);
    search->model = model;
    search->filters = *filters;
    bool fine = nd_cache_create(&search->cache, cache_bytes, model->rules.outcomes) && nd_judge_create(&search->judge, model);
    for (int i = 0; fine && i < ND_MAX_PLIES; i++) fine = nd_expectation_create(&search->levels[i], model);
    if (model->nets[ND_SCOUT] && filters->scout.keep <= ND_MOST_KEPT)
        for (int i = 0; fine && i < ND_MAX_PLIES; i++)
            search->levels[i].pruning = (nd_pruning){filters->scout.keep, filters->scout.margin, filters->doubt};
    if (!fine) nd_search_destroy(search);
    return fine;
}

void nd_search_destroy(nd_search *search)
{
    for (int i = 0; i < ND_MAX_PLIES; i++) {
        nd_expectation_destroy(&search->levels[i]);
        free(search->candidates[i].list);
    }
    free(search->ranking.list);
    nd_judge_destroy(&search->judge);
    nd_cache_destroy(&search->cache);
    memset(search, 0, sizeof *search);
}

uint64_t nd_search_evaluations(const nd_search *search)
{
    uint64_t evaluations = search->judge.evaluations;
    for (int i = 0; i < ND_MAX_PLIES; i++) evaluations += search->levels[i].judge.evaluations;
    return evaluations;
}

int nd_turns_after(int seat, int turns)
{
    /* Players alternate and seat 0 begins: before seat 0's turn both have had as many. */
    return turns + seat < 3 ? turns + seat : 3;
}

/* ---- candidates --------------------------------------------------------------------------------- */

static bool make_room(nd_candidates *candidates, size_t count)
{
    candidates->count = count;
    if (count <= candidates->room) return true;
    nd_candidate *list = realloc(candidates->list, 2 * count * sizeof *list);
    if (!list) return false;
    candidates->list = list;
    candidates->room = 2 * count;
    return true;
}

/* Fills in a play as the judge saw it. */
static void enter(nd_candidate *candidate, const nd_judge *judge, uint32_t place)
{
    const size_t outcomes = judge->model->rules.outcomes;
    candidate->place = place;
    candidate->plies = 0;
    candidate->equity = judge->equities[place];
    memcpy(candidate->outcomes, judge->outcomes + place * outcomes, outcomes * sizeof *candidate->outcomes);
}

static bool before(const nd_candidate *a, const nd_candidate *b, const nd_plays *results)
{
    if (a->equity != b->equity) return a->equity > b->equity;
    return nd_result_before(results, a->place, b->place);
}

/* Brings the best of the first `count` to the front in order, at most `wanted` of them and none that lies
 * more than `margin` behind the best; returns how many they are. */
static size_t best_first(nd_candidate *list, size_t count, const nd_plays *results, size_t wanted, float margin)
{
    size_t done = 0;
    while (done < wanted && done < count) {
        size_t best = done;
        for (size_t i = done + 1; i < count; i++)
            if (before(&list[i], &list[best], results)) best = i;
        if (done > 0 && !(list[0].equity - list[best].equity <= margin)) break;
        const nd_candidate swapped = list[done];
        list[done] = list[best];
        list[best] = swapped;
        done++;
    }
    return done;
}

/* How many of the first `count` go on; they come to the front. */
static size_t pass_filter(nd_candidate *list, size_t count, const nd_plays *results, nd_stage stage)
{
    if (stage.keep == 0 && stage.margin == INFINITY) return count;
    return best_first(list, count, results, stage.keep ? stage.keep : count, stage.margin);
}

static bool look_deeper(nd_search *search, nd_candidate *candidate, const nd_plays *results, int seat, int turns, int plies)
{
    const nd_rules *rules = &search->model->rules;
    const nd_packed next = nd_packed_turned(&results->results[candidate->place]);
    float outcomes[ND_MAX_OUTCOMES];
    if (!nd_search_value(search, &next, 1 - seat, nd_turns_after(seat, turns), plies, outcomes)) return false;
    nd_outcomes_turned(rules, outcomes, candidate->outcomes);
    candidate->equity = -nd_equity(rules, outcomes);
    candidate->plies = (uint8_t)plies;
    return true;
}

/* Looks at the plays with 1, 2, .. `plies` plies, fewer of them at each stage; the best is first in the end.
 * A lone survivor is judged at the last level at once, or not at all where only the choice is `wanted`. */
static bool deepen(nd_search *search, nd_candidates *candidates, const nd_plays *results, int seat, int turns, int plies,
                   const nd_stage *stages, bool choice_only)
{
    nd_candidate *list = candidates->list;
    size_t count = candidates->count;
    for (int reached = 0; reached < plies;) {
        count = pass_filter(list, count, results, stages[reached]);
        if (count == 1 && choice_only) return true;
        reached = count == 1 ? plies : reached + 1;
        for (size_t i = 0; i < count; i++)
            if (!look_deeper(search, &list[i], results, seat, turns, reached)) return false;
    }
    best_first(list, count, results, 1, 0);
    return true;
}

/* ---- positions ---------------------------------------------------------------------------------- */

/* Turns and seat are kept only where something depends on them, so that more positions are equal. */
static nd_cache_key key_of(const nd_model *model, const nd_packed *board, int seat, int turns, int plies)
{
    const nd_rules *rules = &model->rules;
    nd_cache_key key;
    memset(&key, 0, sizeof key);
    key.board = *board;
    key.turns = (uint8_t)(nd_rules_use_turns(rules) ? turns : 3);
    const bool seat_counts = nd_rules_use_seat(rules) || nd_encoding_sees_seat(model->encoding) || key.turns < 3;
    key.seat = (uint8_t)(seat_counts ? seat : 0);
    key.plies = (uint8_t)plies;
    return key;
}

/* The worth of the best of some results, which a judge has seen; places NULL: all of them in order. */
static bool best_value(nd_search *search, const nd_judge *judge, const nd_plays *results, const uint32_t *places, size_t count,
                       int seat, int turns, int plies, float *outcomes)
{
    nd_candidates *candidates = &search->candidates[plies - 1];
    if (!make_room(candidates, count)) return false;
    candidates->count = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t place = places ? places[i] : (uint32_t)i;
        if (judge->equities[place] != -INFINITY) enter(&candidates->list[candidates->count++], judge, place); /* not pruned */
    }
    if (!deepen(search, candidates, results, seat, turns, plies - 1, search->filters.inner, false)) return false;
    memcpy(outcomes, candidates->list[0].outcomes, search->model->rules.outcomes * sizeof *outcomes);
    return true;
}

static bool expected_value(nd_search *search, const nd_packed *board, int seat, int turns, int plies, float *outcomes)
{
    const nd_rules *rules = &search->model->rules;
    if (search->rolled.plies == plies) search->rolled.plies = 0;
    if (plies == 1) return nd_expectation_value(&search->levels[0], board, seat, turns, false, outcomes);
    nd_expectation *level = &search->levels[plies - 1];
    nd_mean mean = {{0}, 0};
    if (!nd_expectation_fill(level, board, seat, turns)) return false;
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        float best[ND_MAX_OUTCOMES];
        const size_t start = level->starts[roll], end = level->starts[roll + 1];
        if (!best_value(search, &level->judge, &level->results, level->places + start, end - start, seat, turns, plies, best))
            return false;
        nd_mean_add(&mean, rules, nd_roll_at(roll).weight, best);
    }
    nd_mean_take(&mean, rules, outcomes);
    return true;
}

bool nd_search_value(nd_search *search, const nd_packed *board, int seat, int turns, int plies, float *outcomes)
{
    const nd_rules *rules = &search->model->rules;
    const int result = nd_result_packed(rules, board, seat);
    if (result >= 0) {
        memset(outcomes, 0, rules->outcomes * sizeof *outcomes);
        outcomes[result] = 1;
        return true;
    }
    if (plies == 0) {
        nd_board plain;
        const uint8_t own_seat = (uint8_t)seat;
        float equity;
        nd_unpack(board, &plain);
        nd_judge_boards(&search->judge, &plain, &own_seat, 1, true, outcomes, &equity);
        return true;
    }
    const nd_cache_key key = key_of(search->model, board, seat, turns, plies);
    if (nd_cache_find(&search->cache, &key, outcomes)) return true;
    if (!expected_value(search, board, seat, turns, plies, outcomes)) return false;
    nd_cache_keep(&search->cache, &key, outcomes);
    return true;
}

/* Fills the level of a position whose rolls are asked about, unless it was for the last one. */
static bool fill_level(nd_search *search, const nd_packed *board, int seat, int turns, int plies)
{
    const nd_cache_key key = key_of(search->model, board, seat, turns, plies);
    if (memcmp(&key, &search->rolled, sizeof key) == 0) return true;
    search->rolled.plies = 0;
    if (!nd_expectation_fill(&search->levels[plies - 1], board, seat, turns)) return false;
    search->rolled = key;
    return true;
}

bool nd_search_roll(nd_search *search, const nd_packed *board, int seat, int turns, int plies, int roll, float *outcomes)
{
    nd_expectation *level = &search->levels[plies - 1];
    if (level->pruning.keep) {
        /* What a scout lets pass hangs on all rolls of the position. */
        if (!fill_level(search, board, seat, turns, plies)) return false;
        const size_t start = level->starts[roll], count = level->starts[roll + 1] - start;
        return best_value(search, &level->judge, &level->results, level->places + start, count, seat, turns, plies, outcomes);
    }
    const nd_roll dice = nd_roll_at(roll);
    return nd_plays_generate(&level->plays, &search->model->rules, board, seat, turns, dice.high, dice.low) &&
           nd_judge_plays(&level->judge, board, seat, &level->plays) &&
           best_value(search, &level->judge, &level->plays, NULL, level->plays.count, seat, turns, plies, outcomes);
}

/* ---- the plays of a roll ------------------------------------------------------------------------ */

static bool judge_roll(nd_search *search, const nd_packed *board, int seat, const nd_plays *plays)
{
    if (!make_room(&search->ranking, plays->count) || !nd_judge_plays(&search->judge, board, seat, plays)) return false;
    for (size_t i = 0; i < plays->count; i++) enter(&search->ranking.list[i], &search->judge, (uint32_t)i);
    return true;
}

bool nd_search_rank(nd_search *search, const nd_packed *board, int seat, int turns, const nd_plays *plays, int plies)
{
    if (!judge_roll(search, board, seat, plays) ||
        !deepen(search, &search->ranking, plays, seat, turns, plies, search->filters.root, false))
        return false;
    /* Groups of one level stand together, the deepest first. */
    nd_candidate *list = search->ranking.list;
    for (size_t start = 0, end; start < plays->count; start = end) {
        for (end = start; end < plays->count && list[end].plies == list[start].plies; end++) continue;
        best_first(list + start, end - start, plays, end - start, INFINITY);
    }
    return true;
}

size_t nd_search_best(nd_search *search, const nd_packed *board, int seat, int turns, const nd_plays *plays, int plies)
{
    if (plays->count == 1) return 0;
    if (!judge_roll(search, board, seat, plays) ||
        !deepen(search, &search->ranking, plays, seat, turns, plies, search->filters.root, true))
        return SIZE_MAX;
    return search->ranking.list[0].place;
}
