/* What the C library finds, as text that a run on another kind of processor can be compared with:
 *
 *     portable KERNELS [NET_FILE ...]
 *
 * Numbers of plays, values and games of both games; by random nets of several shapes and by the files. Values stand
 * there by a hash of their bits: two machines whose kernels promise the same bits print the same lines after the
 * first. Exit code 1 where these kernels are further from the plain ones than the header says or a value depends on
 * its neighbours, 3 where the processor lacks them. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nardy.h"

enum { POSITIONS = 600, SEARCHED = 2, PAIRS = 1, MOST_TURNS = 400, MOST_LAYERS = 6 };

static const float CLOSE = 1e-5f;

typedef struct shape {
    int hidden[MOST_LAYERS];
} shape;

/* Widths that fill vectors, that leave a rest, and one layer alone. */
static const shape SHAPES[] = {{{80}}, {{7}}, {{128, 64}}, {{33, 17, 5}}, {{256, 128, 64, 32}}};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0] };

static nardy_message message;

static void need(nardy_status status)
{
    if (status == NARDY_OK) return;
    fprintf(stderr, "portable: %s\n", message.text);
    exit(2);
}

static void *room(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory) return memory;
    fprintf(stderr, "portable: out of memory\n");
    exit(2);
}

static uint64_t hashed(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001B3u;
    return hash;
}

static const uint64_t START = 0xCBF29CE484222325u;

/* ---- plays -------------------------------------------------------------------------------------- */

/* How many courses `depth` turns can take, each distinct result of each of the 21 rolls a branch. */
static uint64_t courses(const nardy_rules *rules, const nardy_position *position, int depth)
{
    uint64_t count = 0;
    int outcome;
    need(nardy_result(rules, position, &outcome, &message));
    if (outcome >= 0) return 0;
    for (int high = 1; high <= 6; high++)
        for (int low = 1; low <= high; low++) {
            nardy_play *plays;
            size_t found;
            need(nardy_list_plays(rules, position, high, low, &plays, &found, &message));
            if (depth == 1) count += found;
            for (size_t i = 0; depth > 1 && i < found; i++) {
                nardy_position next;
                need(nardy_next(rules, position, &plays[i].board, &next, &message));
                count += courses(rules, &next, depth - 1);
            }
            nardy_free(plays);
        }
    return count;
}

static void count_plays(const char *name, const nardy_rules *rules, int depth)
{
    nardy_position start;
    need(nardy_start(rules, &start, &message));
    printf("courses %s", name);
    for (int turns = 1; turns <= depth; turns++) printf(" %llu", (unsigned long long)courses(rules, &start, turns));
    printf("\n");
}

/* ---- positions ---------------------------------------------------------------------------------- */

/* Of games in which a hash picks the plays. */
static void fill(const nardy_rules *rules, nardy_position *positions)
{
    nardy_position position;
    uint64_t game = 0;
    uint32_t turn = 0;
    need(nardy_start(rules, &position, &message));
    for (int i = 0; i < POSITIONS; i++, turn++) {
        int dice[2], outcome;
        nardy_play *plays;
        size_t count;
        positions[i] = position;
        need(nardy_dice(rules, 1, game, turn, dice, &message));
        need(nardy_list_plays(rules, &position, dice[0], dice[1], &plays, &count, &message));
        const size_t chosen = (size_t)(hashed(START, &position, sizeof position) >> 20) % count;
        need(nardy_next(rules, &position, &plays[chosen].board, &position, &message));
        nardy_free(plays);
        need(nardy_result(rules, &position, &outcome, &message));
        if (outcome < 0) continue;
        need(nardy_start(rules, &position, &message));
        turn = (uint32_t)-1;
        game++;
    }
}

/* ---- nets --------------------------------------------------------------------------------------- */

static float drawn(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

static size_t make_layers(const shape *shape, int inputs, int outputs, uint32_t seed, nardy_layer *layers)
{
    size_t count = 0;
    for (bool last = false; !last; count++) {
        last = count == MOST_LAYERS || shape->hidden[count] == 0;
        const int width = last ? outputs : shape->hidden[count];
        const size_t weights = (size_t)inputs * (size_t)width;
        float *numbers = room((weights + (size_t)width) * sizeof *numbers);
        const float scale = 2.5f / sqrtf((float)inputs);
        for (size_t i = 0; i < weights; i++) numbers[i] = scale * drawn(&seed);
        for (size_t i = weights; i < weights + (size_t)width; i++) numbers[i] = 0.2f * drawn(&seed);
        layers[count] = (nardy_layer){inputs, width, numbers, numbers + weights};
        inputs = width;
    }
    return count;
}

static void drop_layers(nardy_layer *layers, size_t count)
{
    for (size_t i = 0; i < count; i++) free((void *)layers[i].weight);
}

static nardy_model *random_model(const nardy_rules *rules, const shape *shape, const char *kernels)
{
    nardy_layer contact[MOST_LAYERS + 1], race[MOST_LAYERS + 1];
    nardy_model *model;
    const char *encoding = nardy_encoding_for(rules);
    const int inputs = nardy_encoding_inputs(encoding), outputs = nardy_outcome_count(rules);
    const size_t count = make_layers(shape, inputs, outputs, 1, contact);
    make_layers(shape, inputs, outputs, 2, race);
    need(nardy_model_create(rules, encoding, contact, count, race, count, NULL, 0, kernels, &model, &message));
    drop_layers(contact, count);
    drop_layers(race, count);
    return model;
}

/* ---- judging ------------------------------------------------------------------------------------ */

static float apart(const nardy_value *a, const nardy_value *b)
{
    float most = fabsf(a->equity - b->equity);
    for (int k = 0; k < NARDY_MAX_OUTCOMES; k++) most = fmaxf(most, fabsf(a->outcomes[k] - b->outcomes[k]));
    return most;
}

static nardy_search *search_of(const nardy_model *model)
{
    nardy_search *search;
    need(nardy_search_create(model, NARDY_FILTERS_DEFAULT, (uint64_t)1 << 20, &search, &message));
    return search;
}

/* Values of all positions; false where one differs when it is judged alone. */
static bool judge(nardy_search *search, const nardy_position *positions, nardy_value *values)
{
    bool same = true;
    memset(values, 0, POSITIONS * sizeof *values);
    need(nardy_net(search, positions, POSITIONS, values, &message));
    for (int i = 0; i < POSITIONS; i += 97) {
        nardy_value alone;
        memset(&alone, 0, sizeof alone);
        need(nardy_net(search, &positions[i], 1, &alone, &message));
        same = same && memcmp(&alone, &values[i], sizeof alone) == 0;
    }
    return same;
}

/* Ranks every play of some rolls: at one ply, and what is chosen at two. */
static uint64_t searched(nardy_search *search, const nardy_position *positions)
{
    uint64_t hash = START;
    for (int i = 0; i < SEARCHED; i++) {
        const nardy_position *position = &positions[i * (POSITIONS / SEARCHED)];
        nardy_play *plays, best;
        size_t count;
        need(nardy_rank(search, position, i % 6 + 1, (i + 2) % 6 + 1, 1, &plays, &count, &message));
        for (size_t k = 0; k < count; k++) {
            hash = hashed(hash, &plays[k].board, sizeof plays[k].board);
            hash = hashed(hash, &plays[k].value.equity, sizeof plays[k].value.equity);
        }
        nardy_free(plays);
        if (i % 4) continue;
        need(nardy_choose(search, position, i % 6 + 1, (i + 2) % 6 + 1, 2, &best, &message));
        hash = hashed(hash, &best.board, sizeof best.board);
    }
    return hash;
}

/* Whole games against a player of random plays, who makes them differ, and against itself. */
static uint64_t played(const nardy_model *model)
{
    const nardy_player net = {.model = model}, random = {.model = NULL};
    const nardy_rules *rules = nardy_model_rules(model);
    uint64_t hash = START;
    for (int other = 0; other < 2; other++) {
        int8_t outcomes[2 * PAIRS];
        uint32_t turns[2 * PAIRS];
        need(nardy_duel(rules, &net, other ? &random : &net, 7, 0, PAIRS, MOST_TURNS, outcomes, turns, &message));
        hash = hashed(hashed(hash, outcomes, sizeof outcomes), turns, sizeof turns);
    }
    return hash;
}

/* Prints what a model finds; false where it is not what the header says. */
static bool tell(const char *name, const nardy_model *model, const nardy_model *plain, const nardy_position *positions)
{
    nardy_value *values = room(POSITIONS * sizeof *values), *expected = room(POSITIONS * sizeof *expected);
    nardy_search *search = search_of(model), *reference = search_of(plain);
    const bool own = judge(search, positions, values), others = judge(reference, positions, expected), same = own && others;
    float most = 0;
    for (int i = 0; i < POSITIONS; i++) most = fmaxf(most, apart(&values[i], &expected[i]));
    printf("%s: values %016llx, searched %016llx, games %016llx, %.2g from plain%s\n", name,
           (unsigned long long)hashed(START, values, POSITIONS * sizeof *values),
           (unsigned long long)searched(search, positions), (unsigned long long)played(model), (double)most,
           same ? "" : ", NOT the same alone as in company");
    nardy_search_destroy(search);
    nardy_search_destroy(reference);
    free(values);
    free(expected);
    return same && most <= CLOSE;
}

static bool tell_game(const char *name, const char *options, int depth, const char *kernels)
{
    nardy_position *positions = room(POSITIONS * sizeof *positions);
    nardy_rules *rules;
    bool fine = true;
    need(nardy_rules_create(options, &rules, &message));
    count_plays(name, rules, depth);
    fill(rules, positions);
    for (int i = 0; i < SHAPE_COUNT; i++) {
        char shape[64];
        nardy_model *model = random_model(rules, &SHAPES[i], kernels), *plain = random_model(rules, &SHAPES[i], "plain");
        snprintf(shape, sizeof shape, "%s, net %d", name, i);
        fine = tell(shape, model, plain, positions) && fine;
        nardy_model_destroy(model);
        nardy_model_destroy(plain);
    }
    nardy_rules_destroy(rules);
    free(positions);
    return fine;
}

static bool tell_file(const char *path, const char *kernels)
{
    nardy_position *positions = room(POSITIONS * sizeof *positions);
    nardy_model *model, *plain;
    const char *slash = strrchr(path, '/');
    need(nardy_model_load(path, NULL, kernels, &model, &message));
    need(nardy_model_load(path, NULL, "plain", &plain, &message));
    fill(nardy_model_rules(model), positions);
    const bool fine = tell(slash ? slash + 1 : path, model, plain, positions);
    nardy_model_destroy(model);
    nardy_model_destroy(plain);
    free(positions);
    return fine;
}

int main(int count, char **words)
{
    nardy_rules *rules;
    const char *kernels = count > 1 ? words[1] : "plain";
    nardy_layer layers[2];
    nardy_model *model;
    need(nardy_rules_create("family = short", &rules, &message));
    const char *encoding = nardy_encoding_for(rules);
    make_layers(&SHAPES[1], nardy_encoding_inputs(encoding), nardy_outcome_count(rules), 1, layers);
    const nardy_status there = nardy_model_create(rules, encoding, layers, 2, NULL, 0, NULL, 0, kernels, &model, &message);
    nardy_rules_destroy(rules);
    drop_layers(layers, 2);
    if (there != NARDY_OK) {
        fprintf(stderr, "portable: %s\n", message.text);
        return 3;
    }
    printf("kernels %s\n", nardy_model_kernels(model));
    nardy_model_destroy(model);
    bool fine = tell_game("long/fns", "family = long", 3, kernels);
    fine = tell_game("short/standard", "family = short", 2, kernels) && fine;
    for (int i = 2; i < count; i++) fine = tell_file(words[i], kernels) && fine;
    return fine ? 0 : 1;
}
