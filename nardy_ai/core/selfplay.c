#include "selfplay.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

enum { CACHE_BYTES = 1 << 22 }; /* of a search for targets */

typedef struct player_at_work {
    const nd_model *model;
    const nd_selfplay_plan *plan;
    nd_judge judge;
    nd_plays plays;
    nd_expectation expectation; /* exact targets only */
    nd_search search;           /* searched targets only */
    nd_samples *samples;
    float *after; /* [turn of the game][outcomes]: value of what each play left, for its maker */
    uint32_t *sample_of; /* the sample of a turn, UINT32_MAX: none */
    size_t turns_room;
} player_at_work;

void nd_samples_destroy(nd_samples *samples)
{
    free(samples->boards);
    free(samples->seats);
    free(samples->turns);
    free(samples->targets);
    memset(samples, 0, sizeof *samples);
}

static bool grow(void **memory, size_t bytes)
{
    void *larger = realloc(*memory, bytes);
    if (larger) *memory = larger;
    return larger != NULL;
}

static bool samples_room(nd_samples *samples, size_t outcomes)
{
    if (samples->count < samples->room) return true;
    const size_t room = samples->room ? 2 * samples->room : 4096;
    if (!grow((void **)&samples->boards, room * sizeof *samples->boards) || !grow((void **)&samples->seats, room) ||
        !grow((void **)&samples->turns, room) ||
        !grow((void **)&samples->targets, room * outcomes * sizeof *samples->targets))
        return false;
    samples->room = room;
    return true;
}

static bool turns_room(player_at_work *work, size_t turn)
{
    if (turn < work->turns_room) return true;
    const size_t room = work->turns_room ? 2 * work->turns_room : 256;
    if (!grow((void **)&work->after, room * ND_MAX_OUTCOMES * sizeof *work->after) ||
        !grow((void **)&work->sample_of, room * sizeof *work->sample_of))
        return false;
    work->turns_room = room;
    return true;
}

/* The target of a position that does not wait for the rest of the game. */
static bool label(player_at_work *work, const nd_game *game, float *target)
{
    const nd_selfplay_plan *plan = work->plan;
    const int turns = game->turns_had[game->seat];
    const bool pair = game->turn == 0 && work->model->rules.opening_roll == ND_OPENING_PAIR;
    if (plan->targets == ND_TARGETS_SAMPLED) return true;
    /* A search knows no opening of two different dice: that one position gets its exact target. */
    nd_expectation *expectation = plan->targets == ND_TARGETS_EXACT ? &work->expectation : &work->search.levels[0];
    if (plan->targets == ND_TARGETS_EXACT || pair)
        return nd_expectation_value(expectation, &game->board, game->seat, turns, pair, target);
    return nd_search_value(&work->search, &game->board, game->seat, turns, plan->plies, target);
}

static bool add_sample(player_at_work *work, const nd_game *game)
{
    nd_samples *samples = work->samples;
    const nd_rules *rules = &work->model->rules;
    if (!samples_room(samples, rules->outcomes)) return false;
    nd_unpack(&game->board, &samples->boards[samples->count]);
    samples->seats[samples->count] = game->seat;
    samples->turns[samples->count] = game->turns_had[game->seat];
    if (!label(work, game, samples->targets + samples->count * rules->outcomes)) return false;
    samples->count++;
    return true;
}

/* From the last turn back: the target of a turn is the value after its play, mixed with the next turn's. */
static void fill_sampled(player_at_work *work, uint32_t turns)
{
    const nd_rules *rules = &work->model->rules;
    const float trace = work->plan->trace;
    float later[ND_MAX_OUTCOMES], mixed[ND_MAX_OUTCOMES];
    for (uint32_t turn = turns; turn-- > 0;) {
        const float *after = work->after + (size_t)turn * ND_MAX_OUTCOMES;
        if (turn == turns - 1) memcpy(mixed, after, sizeof mixed);
        else {
            nd_outcomes_turned(rules, mixed, later);
            for (int k = 0; k < rules->outcomes; k++) mixed[k] = (1 - trace) * after[k] + trace * later[k];
        }
        if (work->sample_of[turn] != UINT32_MAX)
            memcpy(work->samples->targets + (size_t)work->sample_of[turn] * rules->outcomes, mixed,
                   rules->outcomes * sizeof *mixed);
    }
}

/* Which of `count` judged plays is made where `best` is the best; places NULL: all of them in order. */
static size_t stray(const nd_selfplay_plan *plan, uint64_t number, uint32_t turn, const float *equities,
                    const uint32_t *places, size_t count, size_t best)
{
    enum { LOTS = 1 << 24 };
    const nd_straying straying = plan->straying;
    if ((float)nd_uniform(plan->seed, ND_STRAY, number, 2 * turn, LOTS) >= straying.share * LOTS) return best;
    uint32_t near = 0;
    for (size_t i = 0; i < count; i++) near += equities[places ? places[i] : i] >= equities[best] - straying.margin;
    uint32_t lot = nd_uniform(plan->seed, ND_STRAY, number, 2 * turn + 1, near);
    for (size_t i = 0; i < count; i++) {
        const size_t place = places ? places[i] : i;
        if (equities[place] >= equities[best] - straying.margin && lot-- == 0) return place;
    }
    return best;
}

/* The play that is made, and the best one's value for fill_sampled. An exact target has just judged them. */
static bool choose(player_at_work *work, const nd_game *game, uint64_t number, const uint8_t dice[2], nd_packed *chosen)
{
    const nd_rules *rules = &work->model->rules;
    const nd_selfplay_plan *plan = work->plan;
    const nd_expectation *expectation = &work->expectation;
    if (plan->targets == ND_TARGETS_EXACT && work->sample_of[game->turn] != UINT32_MAX) {
        const int roll = nd_roll_of(dice[0], dice[1]);
        const size_t start = expectation->starts[roll], end = expectation->starts[roll + 1];
        const size_t place = stray(plan, number, game->turn, expectation->judge.equities, expectation->places + start,
                                   end - start, nd_expectation_best(expectation, roll));
        *chosen = expectation->results.results[place];
        return true;
    }
    if (!nd_plays_generate(&work->plays, rules, &game->board, game->seat, game->turns_had[game->seat], dice[0], dice[1]) ||
        !nd_judge_plays(&work->judge, &game->board, game->seat, &work->plays))
        return false;
    const size_t best = nd_judge_best(&work->judge, &work->plays);
    memcpy(work->after + (size_t)game->turn * ND_MAX_OUTCOMES, work->judge.outcomes + best * rules->outcomes,
           rules->outcomes * sizeof(float));
    *chosen = work->plays.results[stray(plan, number, game->turn, work->judge.equities, NULL, work->plays.count, best)];
    return true;
}

static bool play_game(player_at_work *work, uint64_t number)
{
    const nd_selfplay_plan *plan = work->plan;
    const nd_rules *rules = &work->model->rules;
    nd_samples *samples = work->samples;
    nd_game game;
    int result = -1;
    nd_game_begin(&game, rules);
    while (result < 0 && game.turn < plan->max_turns) {
        uint8_t dice[2];
        const uint32_t turn = game.turn;
        if (!turns_room(work, turn)) return false;
        work->sample_of[turn] = (turn + number) % plan->stride == 0 ? (uint32_t)samples->count : UINT32_MAX;
        if (work->sample_of[turn] != UINT32_MAX && !add_sample(work, &game)) return false;
        nd_game_roll(&game, rules, plan->seed, ND_DICE_TRAINING, number, dice);
        nd_packed chosen;
        if (!choose(work, &game, number, dice, &chosen)) return false;
        result = nd_game_play(&game, rules, &chosen);
    }
    if (plan->targets == ND_TARGETS_SAMPLED) fill_sampled(work, game.turn);
    samples->plies += game.turn;
    if (result < 0) samples->cut++;
    else samples->outcomes[game.seat == 0 ? result : nd_outcome_turned(rules, result)]++;
    return true;
}

bool nd_selfplay(const nd_model *model, const nd_selfplay_plan *plan, nd_samples *samples)
{
    player_at_work work;
    memset(&work, 0, sizeof work);
    memset(samples, 0, sizeof *samples);
    work.model = model;
    work.plan = plan;
    work.samples = samples;
    bool fine = nd_plays_create(&work.plays) && nd_judge_create(&work.judge, model) &&
                (plan->targets != ND_TARGETS_EXACT || nd_expectation_create(&work.expectation, model));
    if (fine) work.expectation.pruning = plan->pruning;
    nd_filters filters = nd_filters_default;
    filters.scout = (nd_stage){plan->pruning.keep, plan->pruning.margin};
    filters.doubt = plan->pruning.doubt;
    if (plan->targets == ND_TARGETS_SEARCHED) fine = fine && nd_search_create(&work.search, model, &filters, CACHE_BYTES);
    for (uint32_t game = 0; fine && game < plan->games; game++) fine = play_game(&work, plan->first_game + game);
    samples->evaluations = work.judge.evaluations + work.expectation.judge.evaluations + nd_search_evaluations(&work.search);
    nd_search_destroy(&work.search);
    nd_expectation_destroy(&work.expectation);
    nd_judge_destroy(&work.judge);
    nd_plays_destroy(&work.plays);
    free(work.after);
    free(work.sample_of);
    if (!fine) nd_samples_destroy(samples);
    return fine;
}
