/* self_game.c - a net plays a game against itself and shows what it thinks of its plays.
 *
 *     self_game [NET_FILE [SEED [PLIES]]]
 *
 * NET_FILE is what nardy-ai exports (.nardynet). Without one a small net with random weights plays short nardy,
 * which shows how a model is made from layers in memory. Compile it with
 *
 *     cc -std=c11 self_game.c $(pkg-config --cflags --libs nardy) -o self_game
 */
#include <stdio.h>
#include <stdlib.h>

#include "nardy.h"

enum { HIDDEN = 32, SHOWN = 3, MOST_TURNS = 2000 };

static int failed(const nardy_message *message)
{
    fprintf(stderr, "self_game: %s\n", message->text);
    return 1;
}

/* Weights that need not be good, only the same each time. */
static float *random_weights(size_t count, uint32_t *state, float scale)
{
    float *weights = malloc(count * sizeof *weights);
    for (size_t i = 0; weights && i < count; i++) {
        *state = *state * 1664525u + 1013904223u;
        weights[i] = scale * ((float)(*state >> 8) / 8388608.0f - 1.0f);
    }
    return weights;
}

static nardy_status make_model(nardy_model **model, nardy_message *message)
{
    nardy_rules *rules;
    nardy_status status = nardy_rules_create("family = short", &rules, message);
    if (status != NARDY_OK) return status;
    const char *encoding = nardy_encoding_for(rules);
    const int inputs = nardy_encoding_inputs(encoding), outputs = nardy_outcome_count(rules);
    uint32_t state = 1;
    float *first = random_weights((size_t)inputs * HIDDEN, &state, 0.3f), *first_bias = random_weights(HIDDEN, &state, 0.1f);
    float *second = random_weights((size_t)outputs * HIDDEN, &state, 0.3f), *second_bias = random_weights((size_t)outputs, &state, 0.1f);
    if (first && first_bias && second && second_bias) {
        const nardy_layer layers[2] = {{inputs, HIDDEN, first, first_bias}, {HIDDEN, outputs, second, second_bias}};
        status = nardy_model_create(rules, encoding, layers, 2, NULL, 0, NULL, 0, NULL, model, message);
    } else {
        snprintf(message->text, sizeof message->text, "out of memory");
        status = NARDY_NO_MEMORY;
    }
    free(first);
    free(first_bias);
    free(second);
    free(second_bias);
    nardy_rules_destroy(rules);
    return status;
}

static void print_point(int point)
{
    if (point == 25) printf("bar");
    else if (point == 0) printf("off");
    else printf("%d", point);
}

static void print_play(const nardy_play *play)
{
    printf("    %+.4f  at %d plies ", play->value.equity, play->plies);
    if (play->movements == 0) printf(" pass");
    for (int i = 0; i < play->movements; i++) {
        printf(" ");
        print_point(play->movement[i].from);
        printf("/");
        print_point(play->movement[i].to);
    }
    printf("\n");
}

/* Plays to the end; *outcome is seen by the player on roll in *position. */
static nardy_status play_game(nardy_search *search, const nardy_rules *rules, uint64_t seed, int plies,
                              nardy_position *position, int *outcome, nardy_message *message)
{
    nardy_status status = nardy_start(rules, position, message);
    *outcome = -1;
    for (uint32_t turn = 0; status == NARDY_OK && *outcome < 0 && turn < MOST_TURNS; turn++) {
        int dice[2];
        nardy_play *plays;
        size_t count;
        status = nardy_dice(rules, seed, 0, turn, dice, message);
        if (status == NARDY_OK) status = nardy_rank(search, position, dice[0], dice[1], plies, &plays, &count, message);
        if (status != NARDY_OK) return status;
        printf("turn %u, %s rolls %d-%d, %zu plays\n", (unsigned)turn + 1, position->seat ? "second" : "starter", dice[0],
               dice[1], count);
        for (size_t i = 0; i < count && i < SHOWN; i++) print_play(&plays[i]);
        status = nardy_next(rules, position, &plays[0].board, position, message);
        if (status == NARDY_OK) status = nardy_result(rules, position, outcome, message);
        nardy_free(plays);
    }
    return status;
}

int main(int count, char **words)
{
    nardy_message message;
    nardy_model *model;
    nardy_search *search = NULL;
    nardy_position position;
    int outcome = -1;
    const uint64_t seed = count > 2 ? strtoull(words[2], NULL, 10) : 1;
    const int plies = count > 3 ? atoi(words[3]) : 0;
    nardy_status status = count > 1 ? nardy_model_load(words[1], NULL, NULL, &model, &message) : make_model(&model, &message);
    if (status != NARDY_OK) return failed(&message);
    const nardy_rules *rules = nardy_model_rules(model);
    printf("nardy %s, encoding %s, kernels %s\n", nardy_version_text(), nardy_model_encoding(model), nardy_model_kernels(model));
    status = nardy_search_create(model, NARDY_FILTERS_DEFAULT, (uint64_t)1 << 20, &search, &message);
    if (status == NARDY_OK) status = play_game(search, rules, seed, plies, &position, &outcome, &message);
    if (status == NARDY_OK && outcome >= 0)
        printf("%s: %s, %+g points\n", position.seat ? "second" : "starter", nardy_outcome_name(rules, outcome),
               (double)nardy_outcome_points(rules, outcome));
    nardy_search_destroy(search);
    nardy_model_destroy(model);
    return status == NARDY_OK ? 0 : failed(&message);
}
