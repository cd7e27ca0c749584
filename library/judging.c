/* judging.c - searches: what positions and plays are worth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "level.h"

enum { BATCH = 64 };

nardy_status nardy_search_create(const nardy_model *model, nardy_filters filters, uint64_t cache_bytes, nardy_search **out,
                                 nardy_message *message)
{
    if (!out) return nardy_fail_null(message, "search");
    *out = NULL;
    if (!model) return nardy_fail_null(message, "model");
    if (filters != NARDY_FILTERS_DEFAULT && filters != NARDY_FILTERS_OFF)
        return nardy_fail(message, NARDY_BAD_INPUT, "filters cannot be %d: give NARDY_FILTERS_DEFAULT or NARDY_FILTERS_OFF",
                          (int)filters);
    if (cache_bytes > (uint64_t)64 << 30 || cache_bytes > SIZE_MAX)
        return nardy_fail(message, NARDY_BAD_INPUT, "a cache has at most 64 GiB");
    nardy_search *search = calloc(1, sizeof *search);
    if (!search) return nardy_fail_memory(message);
    search->model = model;
    const nd_filters *stages = filters == NARDY_FILTERS_OFF ? &nd_filters_off : &nd_filters_default;
    const bool plays = nd_plays_create(&search->plays);
    const bool judge = plays && nd_judge_create(&search->judge, model->model);
    if (judge && nd_search_create(&search->search, model->model, stages, (size_t)cache_bytes)) {
        *out = search;
        return NARDY_OK;
    }
    if (judge) nd_judge_destroy(&search->judge);
    if (plays) nd_plays_destroy(&search->plays);
    free(search);
    return nardy_fail_memory(message);
}

void nardy_search_destroy(nardy_search *search)
{
    if (!search) return;
    nd_search_destroy(&search->search);
    nd_judge_destroy(&search->judge);
    nd_plays_destroy(&search->plays);
    free(search);
}

/* ---- positions ---------------------------------------------------------------------------------- */

static void value_out(const nd_rules *rules, const float *outcomes, float equity, nardy_value *value)
{
    memset(value, 0, sizeof *value);
    memcpy(value->outcomes, outcomes, rules->outcomes * sizeof *outcomes);
    value->equity = equity;
}

static void judge_some(nardy_search *search, const nardy_position *positions, size_t count, bool by_rule, nardy_value *values)
{
    const nd_rules *rules = &search->model->model->rules;
    nd_board boards[BATCH];
    uint8_t seats[BATCH];
    float outcomes[BATCH * ND_MAX_OUTCOMES], equities[BATCH];
    for (size_t i = 0; i < count; i++) {
        boards[i] = nardy_board_in(&positions[i].board);
        seats[i] = positions[i].seat;
    }
    nd_judge_boards(&search->judge, boards, seats, count, by_rule, outcomes, equities);
    for (size_t i = 0; i < count; i++) value_out(rules, outcomes + i * rules->outcomes, equities[i], &values[i]);
}

static void judge_all(nardy_search *search, const nardy_position *positions, size_t count, bool by_rule, nardy_value *values)
{
    for (size_t first = 0; first < count; first += BATCH)
        judge_some(search, positions + first, count - first < BATCH ? count - first : BATCH, by_rule, values + first);
}

static nardy_status check_positions(const nardy_search *search, const nardy_position *positions, size_t count,
                                    const nardy_value *values, nardy_message *message)
{
    nardy_message inner;
    if (!search) return nardy_fail_null(message, "search");
    if (count > 0 && !positions) return nardy_fail_null(message, "positions");
    if (count > 0 && !values) return nardy_fail_null(message, "values");
    for (size_t i = 0; i < count; i++) {
        const nardy_status status = nardy_check_position(&search->model->model->rules, &positions[i], false, &inner);
        if (status != NARDY_OK) return nardy_fail(message, status, "position %zu: %.200s", i, inner.text);
    }
    return NARDY_OK;
}

nardy_status nardy_evaluate(nardy_search *search, const nardy_position *positions, size_t count, int plies,
                            nardy_value *values, nardy_message *message)
{
    nardy_status status = nardy_check_plies(plies, message);
    if (status == NARDY_OK) status = check_positions(search, positions, count, values, message);
    if (status != NARDY_OK) return status;
    if (plies == 0) {
        judge_all(search, positions, count, true, values);
        return NARDY_OK;
    }
    const nd_rules *rules = &search->model->model->rules;
    for (size_t i = 0; i < count; i++) {
        float outcomes[ND_MAX_OUTCOMES];
        const nd_board board = nardy_board_in(&positions[i].board);
        const nd_packed packed = nd_pack(&board);
        if (!nd_search_value(&search->search, &packed, positions[i].seat, positions[i].turns, plies, outcomes))
            return nardy_fail_memory(message);
        value_out(rules, outcomes, nd_equity(rules, outcomes), &values[i]);
    }
    return NARDY_OK;
}

nardy_status nardy_net(nardy_search *search, const nardy_position *positions, size_t count, nardy_value *values,
                       nardy_message *message)
{
    const nardy_status status = check_positions(search, positions, count, values, message);
    if (status == NARDY_OK) judge_all(search, positions, count, false, values);
    return status;
}

/* ---- plays -------------------------------------------------------------------------------------- */

/* Checks everything and lists the plays of the roll in the search's workspace. */
static nardy_status begin_roll(nardy_search *search, const nardy_position *position, int die1, int die2, int plies,
                               nd_packed *packed, nardy_message *message)
{
    if (!search) return nardy_fail_null(message, "search");
    if (!position) return nardy_fail_null(message, "position");
    const nd_rules *rules = &search->model->model->rules;
    nardy_status status = nardy_check_plies(plies, message);
    if (status == NARDY_OK) status = nardy_check_dice(die1, die2, message);
    if (status == NARDY_OK) status = nardy_check_position(rules, position, true, message);
    if (status != NARDY_OK) return status;
    const nd_board board = nardy_board_in(&position->board);
    *packed = nd_pack(&board);
    if (!nd_plays_generate(&search->plays, rules, packed, position->seat, position->turns, die1, die2))
        return nardy_fail_memory(message);
    return NARDY_OK;
}

static void candidate_out(const nardy_search *search, const nd_candidate *candidate, nardy_play *play)
{
    nardy_play_out(&search->plays, candidate->place, play);
    play->plies = candidate->plies;
    value_out(&search->model->model->rules, candidate->outcomes, candidate->equity, &play->value);
}

nardy_status nardy_rank(nardy_search *search, const nardy_position *position, int die1, int die2, int plies,
                        nardy_play **plays, size_t *count, nardy_message *message)
{
    nd_packed packed;
    if (plays) *plays = NULL;
    if (count) *count = 0;
    if (!plays) return nardy_fail_null(message, "plays");
    if (!count) return nardy_fail_null(message, "count");
    const nardy_status status = begin_roll(search, position, die1, die2, plies, &packed, message);
    if (status != NARDY_OK) return status;
    if (!nd_search_rank(&search->search, &packed, position->seat, position->turns, &search->plays, plies))
        return nardy_fail_memory(message);
    nardy_play *list = malloc(search->plays.count * sizeof *list);
    if (!list) return nardy_fail_memory(message);
    for (size_t i = 0; i < search->plays.count; i++) candidate_out(search, &search->search.ranking.list[i], &list[i]);
    *plays = list;
    *count = search->plays.count;
    return NARDY_OK;
}

nardy_status nardy_choose(nardy_search *search, const nardy_position *position, int die1, int die2, int plies,
                          nardy_play *play, nardy_message *message)
{
    nd_packed packed;
    if (!play) return nardy_fail_null(message, "play");
    const nardy_status status = begin_roll(search, position, die1, die2, plies, &packed, message);
    if (status != NARDY_OK) return status;
    /* A forced play needs no search, but it is worth something. */
    const bool fine = search->plays.count == 1
                          ? nd_search_rank(&search->search, &packed, position->seat, position->turns, &search->plays, 0)
                          : nd_search_best(&search->search, &packed, position->seat, position->turns, &search->plays, plies) != SIZE_MAX;
    if (!fine) return nardy_fail_memory(message);
    candidate_out(search, &search->search.ranking.list[0], play);
    return NARDY_OK;
}

nardy_status nardy_choose_at(nardy_search *search, const nardy_position *position, int die1, int die2,
                             const nardy_level *level, uint64_t key, nardy_play *play, nardy_message *message)
{
    nd_packed packed;
    if (!play) return nardy_fail_null(message, "play");
    nardy_status status = nardy_check_level(level, message);
    if (status != NARDY_OK) return status;
    if (level->noise == 0) return nardy_choose(search, position, die1, die2, level->plies, play, message);
    status = begin_roll(search, position, die1, die2, 0, &packed, message);
    if (status != NARDY_OK) return status;
    const nd_rules *rules = &search->model->model->rules;
    nd_judge *judge = &search->judge;
    if (!nd_judge_plays(judge, &packed, position->seat, &search->plays)) return nardy_fail_memory(message);
    const size_t best = nd_best_seen(judge->equities, &search->plays, level->noise, key);
    nardy_play_out(&search->plays, best, play);
    value_out(rules, judge->outcomes + best * rules->outcomes, judge->equities[best], &play->value);
    return NARDY_OK;
}
