/* Two fixed workloads, of which callgrind counts the instructions:
 *
 *     workloads plays    lists the plays of all 21 rolls on fixed positions of both games
 *     workloads judge    judges the results of fixed rolls and one expectation by a fixed random net, with the
 *                        plain kernels, so that the count does not depend on the processor
 *
 * Only what runs within `measured` counts; a checksum shows that the work was the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expectation.h"
#include "game.h"
#include "random.h"

enum { GAMES = 2, POSITIONS = 100, SIZES = 4 };

typedef struct fixed {
    nd_model *models[GAMES];
    nd_state states[GAMES][POSITIONS];
    nd_plays plays;
    nd_judge judges[GAMES];
    nd_expectation expectations[GAMES];
} fixed;

static void need(bool truth)
{
    if (truth) return;
    fprintf(stderr, "workloads: out of memory, or bad rules\n");
    exit(2);
}

static nd_net *fixed_net(const nd_rules *rules, nd_encoding encoding, uint32_t stream)
{
    const int sizes[SIZES] = {nd_encoding_inputs(encoding), 64, 32, rules->outcomes};
    nd_layer layers[SIZES - 1];
    float *numbers[SIZES - 1];
    const char *fault;
    for (int i = 0; i < SIZES - 1; i++) {
        const size_t weights = (size_t)sizes[i] * (size_t)sizes[i + 1], count = weights + (size_t)sizes[i + 1];
        numbers[i] = malloc(count * sizeof(float));
        need(numbers[i] != NULL);
        for (size_t k = 0; k < count; k++)
            numbers[i][k] = ((float)nd_uniform(1, ND_TEST, stream + (uint32_t)i, (uint32_t)k, 2001) - 1000.0f) / 4000.0f;
        layers[i] = (nd_layer){sizes[i], sizes[i + 1], numbers[i], numbers[i] + weights};
    }
    nd_net *net = nd_net_create(encoding, layers, SIZES - 1, &fault);
    need(net != NULL);
    for (int i = 0; i < SIZES - 1; i++) free(numbers[i]);
    return net;
}

static nd_model *fixed_model(nd_family family)
{
    nd_model *model = calloc(1, sizeof *model);
    need(model != NULL);
    model->rules = nd_rules_default(family);
    need(nd_rules_finish(&model->rules) == NULL);
    model->encoding = nd_encoding_for(&model->rules);
    model->outputs = model->rules.outcomes;
    for (int i = 0; i < model->outputs; i++) model->outcome_of[i] = (int8_t)i;
    model->kernels = &nd_kernels_plain;
    model->nets[ND_CONTACT] = fixed_net(&model->rules, model->encoding, 10 * (uint32_t)family);
    model->width = nd_net_width(model->nets[ND_CONTACT]);
    return model;
}

/* Positions of games played at random, from the start on. */
static void fill_states(const nd_rules *rules, nd_plays *plays, nd_state *states)
{
    nd_game game;
    uint64_t number = 0;
    nd_game_begin(&game, rules);
    for (int i = 0; i < POSITIONS; i++) {
        uint8_t dice[2];
        nd_unpack(&game.board, &states[i].board);
        states[i].seat = game.seat;
        states[i].turns = game.turns_had[game.seat];
        nd_game_roll(&game, rules, 1, ND_TEST, number, dice);
        need(nd_plays_generate(plays, rules, &game.board, game.seat, game.turns_had[game.seat], dice[0], dice[1]));
        const uint32_t chosen = nd_uniform(2, ND_TEST, number, game.turn, (uint32_t)plays->count);
        if (nd_game_play(&game, rules, &plays->results[chosen]) < 0) continue;
        nd_game_begin(&game, rules);
        number++;
    }
}

static uint64_t list_plays(fixed *fixed)
{
    uint64_t count = 0;
    for (int game = 0; game < GAMES; game++)
        for (int i = 0; i < POSITIONS; i++)
            for (int roll = 0; roll < ND_ROLLS; roll++) {
                const nd_state *state = &fixed->states[game][i];
                const nd_packed board = nd_pack(&state->board);
                const nd_roll dice = nd_roll_at(roll);
                need(nd_plays_generate(&fixed->plays, &fixed->models[game]->rules, &board, state->seat, state->turns,
                                       dice.high, dice.low));
                count += fixed->plays.count;
            }
    return count;
}

static uint64_t judge(fixed *fixed)
{
    uint64_t sum = 0;
    for (int game = 0; game < GAMES; game++) {
        for (int i = 0; i < POSITIONS; i++) {
            const nd_state *state = &fixed->states[game][i];
            const nd_packed board = nd_pack(&state->board);
            need(nd_plays_generate(&fixed->plays, &fixed->models[game]->rules, &board, state->seat, state->turns, 6, 3) &&
                 nd_judge_plays(&fixed->judges[game], &board, state->seat, &fixed->plays));
            sum += fixed->plays.count + nd_judge_best(&fixed->judges[game], &fixed->plays);
        }
        for (int i = 5; i < POSITIONS; i += 30) {
            float outcomes[ND_MAX_OUTCOMES];
            const nd_state *state = &fixed->states[game][i];
            const nd_packed board = nd_pack(&state->board);
            need(nd_expectation_value(&fixed->expectations[game], &board, state->seat, state->turns, false, outcomes));
            sum += fixed->expectations[game].results.count;
        }
    }
    return sum;
}

/* Kept whole, so that callgrind can be told to count within it. */
#if defined(__clang__)
__attribute__((noinline))
#elif defined(__GNUC__)
__attribute__((noinline, noclone))
#endif
uint64_t measured(fixed *fixed, bool plays);

uint64_t measured(fixed *fixed, bool plays)
{
    return plays ? list_plays(fixed) : judge(fixed);
}

int main(int count, char **words)
{
    static fixed fixed;
    const bool plays = count > 1 && strcmp(words[1], "plays") == 0;
    need(nd_plays_create(&fixed.plays));
    for (int game = 0; game < GAMES; game++) {
        fixed.models[game] = fixed_model(game ? ND_SHORT : ND_LONG);
        fill_states(&fixed.models[game]->rules, &fixed.plays, fixed.states[game]);
        need(nd_judge_create(&fixed.judges[game], fixed.models[game]));
        need(nd_expectation_create(&fixed.expectations[game], fixed.models[game]));
    }
    printf("%llu\n", (unsigned long long)measured(&fixed, plays));
    for (int game = 0; game < GAMES; game++) {
        nd_expectation_destroy(&fixed.expectations[game]);
        nd_judge_destroy(&fixed.judges[game]);
        nd_model_destroy(fixed.models[game]);
    }
    nd_plays_destroy(&fixed.plays);
    return 0;
}
