/* Four threads at work on the same rules and models, each with scratch of its own: built with ThreadSanitizer,
 * which tells any word of memory that two of them touch. What each finds must be what one thread alone found.
 *
 *     threads          exit code 0 when all agree
 *     threads --race   two threads share one judge, against the rules: the sanitizer must tell
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duel.h"
#include "random.h"
#include "rollout.h"
#include "selfplay.h"

enum { THREADS = 4, GAMES = 2, HIDDEN = 16, KINDS = 6, JOBS = GAMES * KINDS, POSITIONS = 12 };

typedef struct shared {
    nd_model *models[GAMES]; /* short and long nardy, so that configurations differ between neighbours */
    nd_state states[GAMES][POSITIONS];
    uint64_t expected[JOBS];
} shared;

typedef struct worker {
    const shared *shared;
    int number, wrong;
} worker;

static void fail(const char *what)
{
    fprintf(stderr, "threads: %s\n", what);
    exit(2);
}

/* FNV-1a over whatever was found. */
static uint64_t mixed(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

static float *random_numbers(size_t count, uint32_t stream)
{
    float *numbers = malloc(count * sizeof *numbers);
    if (!numbers) fail("out of memory");
    for (size_t i = 0; i < count; i++)
        numbers[i] = ((float)nd_uniform(1, ND_TEST, stream, (uint32_t)i, 2001) - 1000.0f) / 4000.0f;
    return numbers;
}

static nd_net *random_net(const nd_rules *rules, nd_encoding encoding, uint32_t stream)
{
    const int sizes[4] = {nd_encoding_inputs(encoding), HIDDEN, HIDDEN, rules->outcomes};
    nd_layer layers[3];
    float *numbers[6];
    const char *fault;
    for (int i = 0; i < 3; i++) {
        numbers[2 * i] = random_numbers((size_t)(sizes[i] * sizes[i + 1]), stream++);
        numbers[2 * i + 1] = random_numbers((size_t)sizes[i + 1], stream++);
        layers[i] = (nd_layer){sizes[i], sizes[i + 1], numbers[2 * i], numbers[2 * i + 1]};
    }
    nd_net *net = nd_net_create(encoding, layers, 3, &fault);
    if (!net) fail(fault);
    for (int i = 0; i < 6; i++) free(numbers[i]);
    return net;
}

static nd_model *random_model(nd_family family)
{
    nd_model *model = calloc(1, sizeof *model);
    if (!model) fail("out of memory");
    model->rules = nd_rules_default(family);
    if (nd_rules_finish(&model->rules)) fail("bad rules");
    model->encoding = nd_encoding_for(&model->rules);
    model->outputs = model->rules.outcomes;
    for (int i = 0; i < model->outputs; i++) model->outcome_of[i] = (int8_t)i;
    model->kernels = nd_kernels_best();
    for (int class = 0; class < ND_CLASS_COUNT; class++) {
        model->nets[class] = random_net(&model->rules, model->encoding, 100 * (uint32_t)(class + 2 * (family == ND_LONG)));
        if (nd_net_width(model->nets[class]) > model->width) model->width = nd_net_width(model->nets[class]);
    }
    return model;
}

/* ---- jobs --------------------------------------------------------------------------------------- */

static uint64_t list_plays(const shared *shared, int game)
{
    nd_plays plays;
    uint64_t hash = 1;
    if (!nd_plays_create(&plays)) fail("out of memory");
    for (int i = 0; i < POSITIONS; i++)
        for (int roll = 0; roll < ND_ROLLS; roll++) {
            const nd_state *state = &shared->states[game][i];
            const nd_packed board = nd_pack(&state->board);
            const nd_roll dice = nd_roll_at(roll);
            if (!nd_plays_generate(&plays, &shared->models[game]->rules, &board, state->seat, state->turns, dice.high, dice.low))
                fail("out of memory");
            hash = mixed(hash, plays.results, plays.count * sizeof *plays.results);
        }
    nd_plays_destroy(&plays);
    return hash;
}

static uint64_t evaluate_with(nd_judge *judge, const shared *shared, int game)
{
    nd_board boards[POSITIONS];
    uint8_t seats[POSITIONS];
    float outcomes[POSITIONS * ND_MAX_OUTCOMES], equities[POSITIONS];
    for (int i = 0; i < POSITIONS; i++) {
        boards[i] = shared->states[game][i].board;
        seats[i] = shared->states[game][i].seat;
    }
    nd_judge_boards(judge, boards, seats, POSITIONS, true, outcomes, equities);
    return mixed(2, outcomes, POSITIONS * shared->models[game]->rules.outcomes * sizeof *outcomes);
}

static uint64_t evaluate(const shared *shared, int game)
{
    nd_judge judge;
    if (!nd_judge_create(&judge, shared->models[game])) fail("out of memory");
    const uint64_t hash = evaluate_with(&judge, shared, game);
    nd_judge_destroy(&judge);
    return hash;
}

static uint64_t search(const shared *shared, int game)
{
    nd_search search;
    nd_plays plays;
    uint64_t hash = 3;
    if (!nd_search_create(&search, shared->models[game], &nd_filters_default, 1 << 16) || !nd_plays_create(&plays))
        fail("out of memory");
    for (int i = 0; i < 2; i++) {
        const nd_state *state = &shared->states[game][i];
        const nd_packed board = nd_pack(&state->board);
        float outcomes[ND_MAX_OUTCOMES];
        if (!nd_search_value(&search, &board, state->seat, state->turns, 1, outcomes) ||
            !nd_plays_generate(&plays, &shared->models[game]->rules, &board, state->seat, state->turns, 6, 5))
            fail("out of memory");
        hash = mixed(hash, outcomes, shared->models[game]->rules.outcomes * sizeof *outcomes);
        const size_t best = nd_search_best(&search, &board, state->seat, state->turns, &plays, 1);
        if (best == SIZE_MAX) fail("out of memory");
        hash = mixed(hash, &plays.results[best], sizeof plays.results[best]);
    }
    nd_plays_destroy(&plays);
    nd_search_destroy(&search);
    return hash;
}

static uint64_t roll_out(const shared *shared, int game)
{
    nd_search search;
    nd_rollout_counts counts;
    double values[ND_BLOCK_TRIALS * ND_MAX_OUTCOMES];
    const nd_rollout_plan plan = {7, 2, 100, 0, true};
    memset(&counts, 0, sizeof counts);
    if (!nd_search_create(&search, shared->models[game], &nd_filters_default, 0) ||
        !nd_rollout(&search, &plan, &shared->states[game][0], 0, ND_BLOCK_TRIALS, values, &counts))
        fail("out of memory");
    nd_search_destroy(&search);
    return mixed(4 + counts.turns, values, (size_t)ND_BLOCK_TRIALS * shared->models[game]->rules.outcomes * sizeof *values);
}

static uint64_t play_itself(const shared *shared, int game)
{
    nd_samples samples;
    const nd_selfplay_plan plan = {.seed = 5, .games = 2, .targets = ND_TARGETS_SAMPLED, .stride = 1, .max_turns = 60};
    if (!nd_selfplay(shared->models[game], &plan, &samples)) fail("out of memory");
    uint64_t hash = mixed(5, samples.boards, samples.count * sizeof *samples.boards);
    hash = mixed(hash, samples.targets, samples.count * shared->models[game]->rules.outcomes * sizeof *samples.targets);
    nd_samples_destroy(&samples);
    return hash;
}

static uint64_t fight(const shared *shared, int game)
{
    nd_player *players = calloc(2, sizeof *players);
    const nd_duel_plan plan = {.seed = 6, .pairs = 2, .max_turns = 60};
    int8_t outcomes[4];
    uint32_t plies[4];
    if (!players) fail("out of memory");
    players[0].kind = ND_PLAYER_NET;
    players[0].model = shared->models[game];
    players[1].kind = ND_PLAYER_RANDOM;
    if (!nd_duel(&shared->models[game]->rules, &players[0], &players[1], &plan, outcomes, plies)) fail("out of memory");
    free(players);
    return mixed(mixed(6, outcomes, sizeof outcomes), plies, sizeof plies);
}

static uint64_t do_job(const shared *shared, int job)
{
    static uint64_t (*const KIND[KINDS])(const struct shared *, int) = {list_plays, evaluate, search, roll_out, play_itself, fight};
    return KIND[job / GAMES](shared, job % GAMES);
}

/* ---- threads ------------------------------------------------------------------------------------ */

static void *work(void *argument)
{
    worker *worker = argument;
    for (int i = 0; i < JOBS; i++) {
        /* Each begins elsewhere, so that different jobs meet. */
        const int job = (i + worker->number * JOBS / THREADS) % JOBS;
        if (do_job(worker->shared, job) != worker->shared->expected[job]) worker->wrong++;
    }
    return NULL;
}

static int work_together(const shared *shared)
{
    pthread_t threads[THREADS];
    worker workers[THREADS];
    int wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){shared, i, 0};
        if (pthread_create(&threads[i], NULL, work, &workers[i])) fail("no thread");
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        wrong += workers[i].wrong;
    }
    return wrong;
}

typedef struct racer {
    const shared *shared;
    nd_judge *judge;
} racer;

static void *race(void *argument)
{
    const racer *racer = argument;
    for (int i = 0; i < 20; i++) evaluate_with(racer->judge, racer->shared, 0);
    return NULL;
}

static void race_on(const shared *shared)
{
    pthread_t threads[2];
    nd_judge judge;
    if (!nd_judge_create(&judge, shared->models[0])) fail("out of memory");
    racer racer = {shared, &judge};
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, race, &racer)) fail("no thread");
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    nd_judge_destroy(&judge);
}

/* Positions of a game played at random. */
static void fill_states(const nd_rules *rules, nd_state *states)
{
    nd_game game;
    nd_plays plays;
    if (!nd_plays_create(&plays)) fail("out of memory");
    nd_game_begin(&game, rules);
    for (int i = 0; i < POSITIONS * 3; i++) {
        uint8_t dice[2];
        if (i % 3 == 0) {
            nd_unpack(&game.board, &states[i / 3].board);
            states[i / 3].seat = game.seat;
            states[i / 3].turns = game.turns_had[game.seat];
        }
        nd_game_roll(&game, rules, 3, ND_TEST, 0, dice);
        if (!nd_plays_generate(&plays, rules, &game.board, game.seat, game.turns_had[game.seat], dice[0], dice[1])) fail("out of memory");
        if (nd_game_play(&game, rules, &plays.results[nd_uniform(4, ND_TEST, 0, game.turn, (uint32_t)plays.count)]) >= 0)
            fail("the game is over too soon");
    }
    nd_plays_destroy(&plays);
}

int main(int count, char **words)
{
    static shared shared;
    int wrong = 0;
    for (int game = 0; game < GAMES; game++) {
        shared.models[game] = random_model(game ? ND_LONG : ND_SHORT);
        fill_states(&shared.models[game]->rules, shared.states[game]);
    }
    if (count > 1 && strcmp(words[1], "--race") == 0) {
        race_on(&shared);
    } else {
        for (int job = 0; job < JOBS; job++) shared.expected[job] = do_job(&shared, job);
        for (int job = 0; job < JOBS; job++)
            for (int other = 0; other < job; other++)
                if (shared.expected[job] == shared.expected[other]) fail("two jobs found the same");
        wrong = work_together(&shared);
        printf("%d jobs on %d threads, %d wrong\n", JOBS * THREADS, THREADS, wrong);
    }
    for (int game = 0; game < GAMES; game++) nd_model_destroy(shared.models[game]);
    return wrong ? 1 : 0;
}
