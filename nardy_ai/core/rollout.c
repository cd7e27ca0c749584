#include "rollout.h"

#include <stdlib.h>
#include <string.h>

#include "game.h"
#include "random.h"

/* What is known of a position that trials pass through: the chosen plays, and what luck each roll is. */
typedef struct known_turn {
    bool judged;     /* mean and after are there */
    uint32_t chosen; /* bit i: the choice for roll i is there */
    nd_packed choices[ND_ROLLS];
    float mean[ND_MAX_OUTCOMES];
    float after[ND_ROLLS][ND_MAX_OUTCOMES]; /* after the best play by the net, for its maker */
} known_turn;

enum { EARLY_TURNS = 1 + ND_ROLLS, PAIRS = 36 };

/* The first turns of all trials meet in a few positions, which are looked at once. */
typedef struct worker {
    nd_search *search;
    const nd_rollout_plan *plan;
    nd_expectation expectation;
    nd_plays plays;
    known_turn *early; /* [0]: the first turn; [1 + r]: the second after roll r */
    known_turn later;
    uint64_t round;    /* whose order of second rolls is held; UINT64_MAX: none */
    uint8_t second[PAIRS];
    nd_rollout_counts *counts;
} worker;

/* ---- dice --------------------------------------------------------------------------------------- */

/* Counters of the orders lie above those of any turn. */
static const uint32_t ORDER_COUNTER = 0x80000000u;

static void order_second_rolls(worker *work, uint64_t round)
{
    if (work->round == round) return;
    for (uint32_t i = 0; i < PAIRS; i++) work->second[i] = (uint8_t)i;
    for (uint32_t i = PAIRS - 1; i > 0; i--) {
        const uint32_t other = nd_uniform(work->plan->seed, ND_DICE_ROLLOUT, round, ORDER_COUNTER + i, i + 1);
        const uint8_t swapped = work->second[i];
        work->second[i] = work->second[other];
        work->second[other] = swapped;
    }
    work->round = round;
}

static int roll_dice(worker *work, uint64_t trial, uint32_t turn)
{
    uint8_t dice[2];
    if (turn > 1) {
        nd_dice(work->plan->seed, ND_DICE_ROLLOUT, trial, turn, false, dice);
        return nd_roll_of(dice[0], dice[1]);
    }
    uint32_t pair = (uint32_t)(trial % PAIRS);
    if (turn == 1) {
        order_second_rolls(work, trial / (PAIRS * PAIRS));
        pair = work->second[(pair + trial / PAIRS) % PAIRS];
    }
    return nd_roll_of((int)(pair / 6) + 1, (int)(pair % 6) + 1);
}

/* ---- turns -------------------------------------------------------------------------------------- */

static bool judge_luck(worker *work, known_turn *known, const nd_game *game)
{
    const nd_rules *rules = &work->search->model->rules;
    const nd_expectation *expectation = &work->expectation;
    nd_mean mean = {{0}, 0};
    if (!nd_expectation_fill(&work->expectation, &game->board, game->seat, game->turns_had[game->seat])) return false;
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        const size_t best = nd_expectation_best(expectation, roll);
        memcpy(known->after[roll], expectation->judge.outcomes + best * rules->outcomes, rules->outcomes * sizeof(float));
        nd_mean_add(&mean, rules, nd_roll_at(roll).weight, known->after[roll]);
        if (work->plan->plies == 0) known->choices[roll] = expectation->results.results[best];
    }
    if (work->plan->plies == 0) known->chosen = (1u << ND_ROLLS) - 1;
    nd_mean_take(&mean, rules, known->mean);
    known->judged = true;
    return true;
}

static bool choose(worker *work, known_turn *known, const nd_game *game, int roll)
{
    const nd_roll dice = nd_roll_at(roll);
    const int turns = game->turns_had[game->seat];
    if (!nd_plays_generate(&work->plays, &work->search->model->rules, &game->board, game->seat, turns, dice.high, dice.low))
        return false;
    const size_t best = nd_search_best(work->search, &game->board, game->seat, turns, &work->plays, work->plan->plies);
    if (best == SIZE_MAX) return false;
    known->choices[roll] = work->plays.results[best];
    known->chosen |= 1u << roll;
    return true;
}

/* Adds outcomes to what the root's player sees; `turned`: they are the other player's. */
static void add_seen(const nd_rules *rules, double *seen, const float *outcomes, bool turned, double weight)
{
    for (int k = 0; k < rules->outcomes; k++) seen[turned ? nd_outcome_turned(rules, k) : k] += weight * (double)outcomes[k];
}

/* ---- trials ------------------------------------------------------------------------------------- */

static bool judge_end(worker *work, const nd_game *game, int root_seat, double *seen)
{
    float outcomes[ND_MAX_OUTCOMES];
    if (!nd_search_value(work->search, &game->board, game->seat, game->turns_had[game->seat], 0, outcomes)) return false;
    add_seen(&work->search->model->rules, seen, outcomes, game->seat != root_seat, 1);
    return true;
}

static bool play_trial(worker *work, const nd_state *start, uint64_t trial, double *seen)
{
    const nd_rollout_plan *plan = work->plan;
    const nd_rules *rules = &work->search->model->rules;
    nd_game game = {.board = nd_pack(&start->board), .seat = start->seat};
    game.turns_had[start->seat] = start->turns;
    game.turns_had[1 - start->seat] = (uint8_t)nd_turns_after(start->seat, start->turns);
    known_turn *known = &work->early[0];
    for (int k = 0; k < rules->outcomes; k++) seen[k] = 0;
    for (;;) {
        const int roll = roll_dice(work, trial, game.turn);
        const bool turned = game.seat != start->seat;
        if (plan->take_luck && !known->judged && !judge_luck(work, known, &game)) return false;
        if (!(known->chosen >> roll & 1) && !choose(work, known, &game, roll)) return false;
        if (plan->take_luck) {
            add_seen(rules, seen, known->after[roll], turned, -1);
            add_seen(rules, seen, known->mean, turned, 1);
        }
        const int result = nd_game_play(&game, rules, &known->choices[roll]);
        work->counts->turns++;
        if (result >= 0) {
            seen[game.seat == start->seat ? result : nd_outcome_turned(rules, result)] += 1;
            return true;
        }
        const bool truncated = game.turn == plan->truncate, cut = !truncated && game.turn == plan->max_turns;
        if (truncated || cut) {
            work->counts->truncated += truncated;
            work->counts->cut += cut;
            return judge_end(work, &game, start->seat, seen);
        }
        known = game.turn == 1 ? &work->early[1 + roll] : &work->later;
        if (game.turn > 1) {
            known->judged = false;
            known->chosen = 0;
        }
    }
}

bool nd_rollout(nd_search *search, const nd_rollout_plan *plan, const nd_state *start, uint64_t first, uint32_t count,
                double *values, nd_rollout_counts *counts)
{
    worker work = {.search = search, .plan = plan, .round = UINT64_MAX, .counts = counts};
    memset(counts, 0, sizeof *counts);
    work.early = calloc(EARLY_TURNS, sizeof *work.early);
    bool fine = work.early && nd_plays_create(&work.plays);
    if (fine && !nd_expectation_create(&work.expectation, search->model)) {
        nd_plays_destroy(&work.plays);
        fine = false;
    }
    if (fine) {
        for (uint32_t i = 0; fine && i < count; i++)
            fine = play_trial(&work, start, first + i, values + (size_t)i * search->model->rules.outcomes);
        nd_expectation_destroy(&work.expectation);
        nd_plays_destroy(&work.plays);
    }
    free(work.early);
    return fine;
}
