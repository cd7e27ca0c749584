/* binding_play.c - the module's second half: models, players, judging, self-play and duels. */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "duel.h"
#include "selfplay.h"

/* ---- models ------------------------------------------------------------------------------------- */

static void free_model(PyObject *capsule)
{
    PyObject *tables = PyCapsule_GetContext(capsule);
    nd_model_destroy(PyCapsule_GetPointer(capsule, ND_MODEL_HANDLE));
    Py_XDECREF(tables);
}

/* Reads [(weight, bias, inputs, outputs), ...]; views[2 * i] and [2 * i + 1] must be released. */
static bool read_layers(PyObject *list, nd_layer *layers, Py_buffer *views, int *count)
{
    const Py_ssize_t size = PyList_Size(list);
    *count = 0;
    if (size < 0 || size > ND_MAX_LAYERS) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a net has at most 16 layers");
        return false;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *weight, *bias, *item = PyList_GetItem(list, i);
        nd_layer *layer = &layers[i];
        if (!item || !PyArg_ParseTuple(item, "OOii", &weight, &bias, &layer->inputs, &layer->outputs)) return false;
        if (layer->inputs < 1 || layer->outputs < 1 || layer->inputs > ND_MAX_WIDTH || layer->outputs > ND_MAX_WIDTH) {
            PyErr_SetString(PyExc_ValueError, "a layer has 1 to 4096 inputs and outputs");
            return false;
        }
        if (!nd_view(weight, "weight", 4, (Py_ssize_t)layer->inputs * layer->outputs, &views[2 * i])) return false;
        if (!nd_view(bias, "bias", 4, layer->outputs, &views[2 * i + 1])) {
            PyBuffer_Release(&views[2 * i]);
            return false;
        }
        layer->weight = views[2 * i].buf;
        layer->bias = views[2 * i + 1].buf;
        *count = (int)i + 1;
    }
    return true;
}

static nd_net *read_net(PyObject *module, nd_encoding encoding, PyObject *list)
{
    nd_layer layers[ND_MAX_LAYERS];
    Py_buffer views[2 * ND_MAX_LAYERS];
    int count;
    const char *fault = NULL;
    nd_net *net = NULL;
    if (read_layers(list, layers, views, &count)) {
        net = nd_net_create(encoding, layers, count, &fault);
        if (!net) PyErr_Format(nd_input_error(module), "bad net: %s", fault);
    }
    for (int i = 0; i < 2 * count; i++) PyBuffer_Release(&views[i]);
    return net;
}

/* The nets in 8 bits, by the boards that their ranges are taken from. */
static bool quantise(PyObject *module, nd_model *model, PyObject *boards, PyObject *seats, PyObject *turns)
{
    nd_batch batch;
    if (!nd_batch_open(&batch, boards, seats, turns)) return false;
    bool fine = nd_batch_check(module, &batch, &model->rules, false);
    if (fine && !nd_model_quantise(model, batch.boards, batch.seats, (size_t)batch.count)) {
        PyErr_NoMemory();
        fine = false;
    }
    nd_batch_close(&batch);
    return fine;
}

/* model(rules, encoding, [layers or None for each class and the scout], outcome of each logit (bytes), kernels or None,
 * bear-off tables or None[, boards, seats, turns]): with boards the nets are quantised. The tables live as long as the
 * model. */
static PyObject *py_model(PyObject *module, PyObject *args)
{
    PyObject *handle, *nets, *tables, *boards = NULL, *seats = NULL, *turns = NULL;
    int encoding;
    const char *outcome_of, *kernels;
    Py_ssize_t outputs;
    if (!PyArg_ParseTuple(args, "OiO!y#zO|OOO", &handle, &encoding, &PyList_Type, &nets, &outcome_of, &outputs, &kernels,
                          &tables, &boards, &seats, &turns))
        return NULL;
    const nd_rules *rules = nd_handle(handle, ND_RULES_HANDLE);
    if (!rules) return NULL;
    if (encoding < 0 || encoding >= ND_ENCODINGS || outputs < 1 || outputs > ND_MAX_OUTCOMES || PyList_Size(nets) != ND_NET_COUNT)
        return PyErr_Format(PyExc_ValueError, "a model needs an encoding, 1 to 9 outcomes and a place for each net");
    nd_model *model = calloc(1, sizeof *model);
    if (!model) return PyErr_NoMemory();
    model->rules = *rules;
    model->encoding = (nd_encoding)encoding;
    model->outputs = (int)outputs;
    model->kernels = kernels ? nd_kernels_named(kernels) : nd_kernels_best();
    memcpy(model->outcome_of, outcome_of, (size_t)outputs);
    bool fine = model->kernels != NULL;
    if (!fine) PyErr_Format(nd_input_error(module), "this processor does not run the kernels %s", kernels);
    for (int i = 0; fine && i < ND_NET_COUNT; i++) {
        PyObject *layers = PyList_GetItem(nets, i);
        if (layers == Py_None && i != ND_CONTACT) continue;
        const nd_encoding seen = i == ND_SCOUT ? nd_encoding_of_scout(model->encoding) : model->encoding;
        model->nets[i] = read_net(module, seen, layers);
        fine = model->nets[i] != NULL;
        if (fine && nd_net_outputs(model->nets[i]) != model->outputs) {
            PyErr_SetString(nd_input_error(module), "bad net: its outputs differ from the number of outcomes");
            fine = false;
        }
        if (fine && nd_net_width(model->nets[i]) > model->width) model->width = nd_net_width(model->nets[i]);
    }
    for (Py_ssize_t i = 0; fine && i < outputs; i++) {
        fine = model->outcome_of[i] >= -1 && model->outcome_of[i] < rules->outcomes;
        if (!fine) PyErr_SetString(PyExc_ValueError, "an outcome of the model is not one of the rules");
    }
    if (fine && tables != Py_None) {
        const nd_bearoff_kind kind = nd_bearoff_kind_of(rules);
        model->bearoff = nd_handle(tables, ND_BEAROFF_HANDLE);
        fine = model->bearoff != NULL;
        if (fine && !nd_bearoff_kind_equal(&kind, &model->bearoff->kind)) {
            PyErr_SetString(nd_input_error(module), "the bear-off tables are those of other rules");
            fine = false;
        }
    }
    if (fine && turns) fine = quantise(module, model, boards, seats, turns);
    PyObject *capsule = fine ? PyCapsule_New(model, ND_MODEL_HANDLE, free_model) : NULL;
    if (!capsule) nd_model_destroy(model);
    else if (tables != Py_None) {
        Py_INCREF(tables);
        PyCapsule_SetContext(capsule, tables);
    }
    return capsule;
}

/* The kernels that this processor runs, fastest first. */
static PyObject *py_kernels(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    static const char *const NAMES[] = {"avx512", "avx2", "neon", "plain"};
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < 4; i++) {
        if (!nd_kernels_named(NAMES[i])) continue;
        PyObject *name = PyUnicode_FromString(NAMES[i]);
        if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* judge(model, boards, seats, turns, by_rule) -> (outcomes, equities) */
static PyObject *py_judge(PyObject *module, PyObject *args)
{
    PyObject *handle, *boards, *seats, *turns, *outcomes = NULL, *equities = NULL;
    int by_rule;
    nd_batch batch;
    nd_judge judge;
    float *probabilities, *worths;
    if (!PyArg_ParseTuple(args, "OOOOp", &handle, &boards, &seats, &turns, &by_rule)) return NULL;
    const nd_model *model = nd_handle(handle, ND_MODEL_HANDLE);
    if (!model || !nd_batch_open(&batch, boards, seats, turns)) return NULL;
    if (nd_batch_check(module, &batch, &model->rules, false)) {
        outcomes = nd_bytes_new(batch.count * model->rules.outcomes * 4, &probabilities);
        equities = nd_bytes_new(batch.count * 4, &worths);
        if (outcomes && equities && nd_judge_create(&judge, model)) {
            Py_BEGIN_ALLOW_THREADS
            nd_judge_boards(&judge, batch.boards, batch.seats, (size_t)batch.count, by_rule, probabilities, worths);
            nd_judge_destroy(&judge);
            Py_END_ALLOW_THREADS
        } else if (!PyErr_Occurred()) PyErr_NoMemory();
    }
    nd_batch_close(&batch);
    if (!PyErr_Occurred()) return Py_BuildValue("(NN)", outcomes, equities);
    Py_XDECREF(outcomes);
    Py_XDECREF(equities);
    return NULL;
}

/* ---- players ------------------------------------------------------------------------------------ */

typedef struct held_player {
    nd_player player;
    PyObject *model; /* the capsule whose model the player uses */
} held_player;

static void free_player(PyObject *capsule)
{
    held_player *held = PyCapsule_GetPointer(capsule, ND_PLAYER_HANDLE);
    Py_XDECREF(held->model);
    free(held);
}

/* player(kind, model or None, weights float32, noise[, plies, keeps, margins]): the last three of a search */
static PyObject *py_player(PyObject *module, PyObject *args)
{
    (void)module;
    int kind;
    int plies = 0;
    double noise;
    PyObject *model, *keeps = NULL, *margins = NULL;
    const char *weights;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "iOy#d|iOO", &kind, &model, &weights, &size, &noise, &plies, &keeps, &margins)) return NULL;
    held_player *held = calloc(1, sizeof *held);
    if (!held) return PyErr_NoMemory();
    held->player.kind = (nd_player_kind)kind;
    held->player.noise = noise;
    bool fine = kind >= ND_PLAYER_NET && kind <= ND_PLAYER_SEARCH && size >= 0 && (size_t)size <= sizeof held->player.weights;
    if (!fine) PyErr_SetString(PyExc_ValueError, "no such kind of player, or too many weights");
    if (fine) memcpy(held->player.weights, weights, (size_t)size);
    if (fine && noise != 0 && (!(noise > 0 && noise < ND_MAX_NOISE) || kind == ND_PLAYER_RANDOM || kind == ND_PLAYER_SEARCH)) {
        PyErr_SetString(PyExc_ValueError, "noise is a finite number of at least 0, of a player that judges without search");
        fine = false;
    }
    if (fine && kind == ND_PLAYER_SEARCH) {
        held->player.plies = plies;
        fine = keeps && margins && plies >= 0 && plies <= ND_MAX_PLIES;
        if (!fine) PyErr_SetString(PyExc_ValueError, "a player that searches needs plies from 0 to 3 and filters");
        fine = fine && nd_read_filters(keeps, margins, &held->player.filters);
    }
    if (fine && (kind == ND_PLAYER_NET || kind == ND_PLAYER_SEARCH)) {
        held->player.model = nd_handle(model, ND_MODEL_HANDLE);
        fine = held->player.model != NULL;
        if (fine) held->model = Py_NewRef(model);
    }
    PyObject *capsule = fine ? PyCapsule_New(held, ND_PLAYER_HANDLE, free_player) : NULL;
    if (!capsule) {
        Py_XDECREF(held->model);
        free(held);
    }
    return capsule;
}

static const nd_player *player_of(PyObject *capsule)
{
    const held_player *held = nd_handle(capsule, ND_PLAYER_HANDLE);
    return held ? &held->player : NULL;
}

typedef struct choose_job {
    const nd_rules *rules;
    const nd_player *player;
    const nd_batch *batch;
    const uint8_t *dice;
    const uint64_t *luck; /* [n][3]: seed, game, turn */
    nd_board *chosen;
} choose_job;

static bool choose_all(const choose_job *job)
{
    nd_plays plays;
    nd_chooser chooser;
    if (!nd_plays_create(&plays)) return false;
    bool fine = nd_chooser_create(&chooser, job->player, job->rules);
    if (!fine) {
        nd_plays_destroy(&plays);
        return false;
    }
    for (Py_ssize_t i = 0; fine && i < job->batch->count; i++) {
        const nd_packed board = nd_pack(nd_batch_board(job->batch, i));
        const int seat = nd_batch_seat(job->batch, i);
        const nd_luck luck = {job->luck[3 * i], job->luck[3 * i + 1], (uint32_t)job->luck[3 * i + 2]};
        fine = nd_plays_generate(&plays, job->rules, &board, seat, nd_batch_turns(job->batch, i), job->dice[2 * i], job->dice[2 * i + 1]);
        const size_t chosen = fine ? nd_choose(&chooser, &board, seat, nd_batch_turns(job->batch, i), &plays, luck) : SIZE_MAX;
        fine = fine && chosen != SIZE_MAX;
        if (fine) nd_unpack(&plays.results[chosen], &job->chosen[i]);
    }
    nd_chooser_destroy(&chooser);
    nd_plays_destroy(&plays);
    return fine;
}

static bool dice_fine(PyObject *module, const uint8_t *dice, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < 2 * count; i++) {
        if (dice[i] >= 1 && dice[i] <= 6) continue;
        PyErr_Format(nd_input_error(module), "bad dice at index %zd: %d is not a number from 1 to 6", i / 2, (int)dice[i]);
        return false;
    }
    return true;
}

/* choose(player, rules, boards, seats, turns, dice, luck uint64 [n, 3]) -> boards, mover in row 0 */
static PyObject *py_choose(PyObject *module, PyObject *args)
{
    PyObject *player, *handle, *boards, *seats, *turns, *rolls, *lucks, *bytes = NULL;
    nd_batch batch;
    Py_buffer dice, luck;
    if (!PyArg_ParseTuple(args, "OOOOOOO", &player, &handle, &boards, &seats, &turns, &rolls, &lucks)) return NULL;
    choose_job job = {.rules = nd_handle(handle, ND_RULES_HANDLE), .batch = &batch};
    if (!job.rules || !(job.player = player_of(player)) || !nd_batch_open(&batch, boards, seats, turns)) return NULL;
    if (nd_view(rolls, "dice", 2, batch.count, &dice)) {
        if (nd_view(lucks, "luck", 24, batch.count, &luck)) {
            job.dice = dice.buf;
            job.luck = luck.buf;
            if (nd_batch_check(module, &batch, job.rules, true) && dice_fine(module, dice.buf, batch.count) &&
                (bytes = nd_bytes_new(batch.count * (Py_ssize_t)sizeof(nd_board), &job.chosen)) != NULL) {
                bool fine;
                Py_BEGIN_ALLOW_THREADS
                fine = choose_all(&job);
                Py_END_ALLOW_THREADS
                if (!fine) {
                    Py_CLEAR(bytes);
                    PyErr_NoMemory();
                }
            }
            PyBuffer_Release(&luck);
        }
        PyBuffer_Release(&dice);
    }
    nd_batch_close(&batch);
    return bytes;
}

static PyObject *ranked(const nd_judge *judge, const nd_plays *plays)
{
    const nd_rules *rules = &judge->model->rules;
    nd_board *board_out;
    float *outcome_out, *equity_out;
    PyObject *boards = nd_bytes_new((Py_ssize_t)(plays->count * sizeof *board_out), &board_out);
    PyObject *outcomes = nd_bytes_new((Py_ssize_t)(plays->count * rules->outcomes * sizeof(float)), &outcome_out);
    PyObject *equities = nd_bytes_new((Py_ssize_t)(plays->count * sizeof(float)), &equity_out);
    PyObject *lists = PyList_New(0);
    for (size_t i = 0; boards && outcomes && equities && lists && i < plays->count; i++) {
        nd_movement movements[ND_MAX_MOVEMENTS];
        const size_t count = nd_play_movements(plays, i, movements);
        nd_unpack(&plays->results[i], &board_out[i]);
        memcpy(outcome_out + i * rules->outcomes, judge->outcomes + i * rules->outcomes, rules->outcomes * sizeof(float));
        equity_out[i] = judge->equities[i];
        PyObject *list = PyList_New(0);
        for (size_t m = 0; list && m < count; m++) {
            PyObject *pair = Py_BuildValue("(ii)", movements[m].from, movements[m].to);
            if (!pair || PyList_Append(list, pair) < 0) Py_CLEAR(list);
            Py_XDECREF(pair);
        }
        if (!list || PyList_Append(lists, list) < 0) Py_CLEAR(lists);
        Py_XDECREF(list);
    }
    if (boards && outcomes && equities && lists) return Py_BuildValue("(NNNN)", boards, lists, outcomes, equities);
    Py_XDECREF(boards);
    Py_XDECREF(outcomes);
    Py_XDECREF(equities);
    Py_XDECREF(lists);
    return NULL;
}

/* judge_plays(model, boards[1], seats, turns, dice) -> (boards, movements, outcomes, equities), unsorted,
 * seen by the mover */
static PyObject *py_judge_plays(PyObject *module, PyObject *args)
{
    PyObject *handle, *boards, *seats, *turns, *rolls, *result = NULL;
    nd_batch batch;
    Py_buffer dice;
    nd_plays plays;
    nd_judge judge;
    if (!PyArg_ParseTuple(args, "OOOOO", &handle, &boards, &seats, &turns, &rolls)) return NULL;
    const nd_model *model = nd_handle(handle, ND_MODEL_HANDLE);
    if (!model || !nd_batch_open(&batch, boards, seats, turns)) return NULL;
    if (batch.count != 1) PyErr_SetString(PyExc_ValueError, "judge_plays takes one board");
    else if (nd_view(rolls, "dice", 2, 1, &dice)) {
        const uint8_t *die = dice.buf;
        if (nd_batch_check(module, &batch, &model->rules, true) && dice_fine(module, die, 1) && nd_plays_create(&plays)) {
            if (nd_judge_create(&judge, model)) {
                const nd_packed board = nd_pack(nd_batch_board(&batch, 0));
                const int seat = nd_batch_seat(&batch, 0);
                if (nd_plays_generate(&plays, &model->rules, &board, seat, nd_batch_turns(&batch, 0), die[0], die[1]) &&
                    nd_judge_plays(&judge, &board, seat, &plays))
                    result = ranked(&judge, &plays);
                nd_judge_destroy(&judge);
            }
            nd_plays_destroy(&plays);
        }
        if (!result && !PyErr_Occurred()) PyErr_NoMemory();
        PyBuffer_Release(&dice);
    }
    nd_batch_close(&batch);
    return result;
}

/* ---- self-play and duels ------------------------------------------------------------------------ */

static PyObject *samples_dict(const nd_model *model, const nd_samples *samples)
{
    const size_t outcomes = model->rules.outcomes, count = samples->count;
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:K,s:K,s:K,s:N}", "boards",
                         PyByteArray_FromStringAndSize((const char *)samples->boards, (Py_ssize_t)(count * sizeof(nd_board))), "seats",
                         PyByteArray_FromStringAndSize((const char *)samples->seats, (Py_ssize_t)count), "turns",
                         PyByteArray_FromStringAndSize((const char *)samples->turns, (Py_ssize_t)count), "targets",
                         PyByteArray_FromStringAndSize((const char *)samples->targets, (Py_ssize_t)(count * outcomes * sizeof(float))),
                         "plies", (unsigned long long)samples->plies, "evaluations", (unsigned long long)samples->evaluations,
                         "cut", (unsigned long long)samples->cut, "outcomes",
                         PyByteArray_FromStringAndSize((const char *)samples->outcomes, (Py_ssize_t)(outcomes * sizeof(uint64_t))));
}

/* What a pruning asks for: at most ND_MOST_KEPT plays, a margin, a doubt, and a scout to choose them. */
static bool check_pruning(PyObject *module, const nd_model *model, nd_pruning pruning)
{
    if (pruning.keep == 0) return true;
    if (!(pruning.doubt >= 0 && pruning.doubt <= ND_MOST_DOUBT))
        PyErr_Format(nd_input_error(module), "a pruning's doubt lies between 0 and %d standard deviations", ND_MOST_DOUBT);
    else if (pruning.keep > ND_MOST_KEPT || !(pruning.margin >= 0))
        PyErr_Format(nd_input_error(module), "a pruning keeps 1 to %d plays within a margin of at least 0 points", ND_MOST_KEPT);
    else if (!model->nets[ND_SCOUT])
        PyErr_SetString(nd_input_error(module), "a pruning needs a model with a scout, a small net that orders the plays");
    return !PyErr_Occurred();
}

/* self_play(model, seed, first_game, games, targets, trace, stride, max_turns, keep, margin, doubt, plies,
 * share and margin of straying) */
static PyObject *py_self_play(PyObject *module, PyObject *args)
{
    PyObject *handle;
    unsigned long long seed, first;
    unsigned int games, stride, max_turns;
    int targets, plies;
    float trace;
    nd_pruning pruning;
    nd_straying straying;
    if (!PyArg_ParseTuple(args, "OKKIifIIIffiff", &handle, &seed, &first, &games, &targets, &trace, &stride, &max_turns,
                          &pruning.keep, &pruning.margin, &pruning.doubt, &plies, &straying.share, &straying.margin))
        return NULL;
    const nd_model *model = nd_handle(handle, ND_MODEL_HANDLE);
    if (!model || !check_pruning(module, model, pruning)) return NULL;
    if (!(trace >= 0 && trace <= 1) || stride == 0 || max_turns == 0)
        return PyErr_Format(PyExc_ValueError, "trace lies between 0 and 1, stride and max_turns are at least 1");
    if (targets < ND_TARGETS_SAMPLED || targets > ND_TARGETS_SEARCHED || plies < 1 || plies > ND_MAX_PLIES)
        return PyErr_Format(nd_input_error(module), "targets are searched with 1 to %d plies, not %d", ND_MAX_PLIES, plies);
    const nd_selfplay_plan plan = {seed, first, games, (nd_targets)targets, trace, stride, pruning, straying, plies, max_turns};
    if (!(straying.share >= 0 && straying.share <= 1 && straying.margin >= 0))
        return PyErr_Format(nd_input_error(module), "straying has a share of 0 to 1 and a margin of at least 0 points");
    if (straying.share > 0 && targets == ND_TARGETS_SAMPLED)
        return PyErr_Format(nd_input_error(module), "sampled targets learn from the plays made, so these must not stray");
    nd_samples samples;
    bool fine;
    Py_BEGIN_ALLOW_THREADS
    fine = nd_selfplay(model, &plan, &samples);
    Py_END_ALLOW_THREADS
    if (!fine) return PyErr_NoMemory();
    PyObject *dict = samples_dict(model, &samples);
    nd_samples_destroy(&samples);
    return dict;
}

/* exact_values(model, boards, seats, turns, keep, margin, doubt) -> outcomes: expectation over 21 rolls of the best play */
static PyObject *py_exact_values(PyObject *module, PyObject *args)
{
    PyObject *handle, *boards, *seats, *turns, *bytes = NULL;
    nd_batch batch;
    nd_expectation expectation;
    nd_pruning pruning;
    float *out;
    if (!PyArg_ParseTuple(args, "OOOOIff", &handle, &boards, &seats, &turns, &pruning.keep, &pruning.margin,
                          &pruning.doubt))
        return NULL;
    const nd_model *model = nd_handle(handle, ND_MODEL_HANDLE);
    if (!model || !check_pruning(module, model, pruning) || !nd_batch_open(&batch, boards, seats, turns)) return NULL;
    if (nd_batch_check(module, &batch, &model->rules, true) &&
        (bytes = nd_bytes_new(batch.count * model->rules.outcomes * 4, &out)) != NULL) {
        bool fine = nd_expectation_create(&expectation, model);
        if (fine) {
            expectation.pruning = pruning;
            Py_BEGIN_ALLOW_THREADS
            for (Py_ssize_t i = 0; fine && i < batch.count; i++) {
                const nd_packed board = nd_pack(nd_batch_board(&batch, i));
                fine = nd_expectation_value(&expectation, &board, nd_batch_seat(&batch, i), nd_batch_turns(&batch, i), false,
                                            out + i * model->rules.outcomes);
            }
            nd_expectation_destroy(&expectation);
            Py_END_ALLOW_THREADS
        }
        if (!fine) {
            Py_CLEAR(bytes);
            PyErr_NoMemory();
        }
    }
    nd_batch_close(&batch);
    return bytes;
}

/* duel(a, b, rules, seed, first_pair, pairs, max_turns) -> (outcomes int8 [pairs, 2], plies uint32 [pairs, 2]) */
static PyObject *py_duel(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *first, *second, *handle;
    unsigned long long seed, first_pair;
    unsigned int pairs, max_turns;
    int8_t *outcomes;
    uint32_t *plies;
    if (!PyArg_ParseTuple(args, "OOOKKII", &first, &second, &handle, &seed, &first_pair, &pairs, &max_turns)) return NULL;
    const nd_player *a = player_of(first), *b = a ? player_of(second) : NULL;
    const nd_rules *rules = b ? nd_handle(handle, ND_RULES_HANDLE) : NULL;
    if (!rules) return NULL;
    const nd_duel_plan plan = {seed, first_pair, pairs, max_turns};
    PyObject *outcome_bytes = nd_bytes_new(2 * (Py_ssize_t)pairs, &outcomes);
    PyObject *ply_bytes = nd_bytes_new(8 * (Py_ssize_t)pairs, &plies);
    bool fine = outcome_bytes && ply_bytes;
    if (fine) {
        Py_BEGIN_ALLOW_THREADS
        fine = nd_duel(rules, a, b, &plan, outcomes, plies);
        Py_END_ALLOW_THREADS
        if (!fine) PyErr_NoMemory();
    }
    if (fine) return Py_BuildValue("(NN)", outcome_bytes, ply_bytes);
    Py_XDECREF(outcome_bytes);
    Py_XDECREF(ply_bytes);
    return NULL;
}

/* ---- the greedy judgement ----------------------------------------------------------------------- */

/* [(name, description)] of a family's features */
static PyObject *py_greedy_names(PyObject *module, PyObject *arg)
{
    (void)module;
    const nd_family family = PyLong_AsLong(arg) ? ND_SHORT : ND_LONG;
    PyObject *list = PyErr_Occurred() ? NULL : PyList_New(0);
    for (size_t i = 0; list && i < nd_greedy_count(family); i++) {
        PyObject *pair = Py_BuildValue("(ss)", nd_greedy_name(family, i), nd_greedy_description(family, i));
        if (!pair || PyList_Append(list, pair) < 0) Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

/* greedy_features(rules, boards, seats, turns) -> float32 [n, features]; mover in row 0, after the play */
static PyObject *py_greedy_features(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle, *boards, *seats, *turns;
    nd_batch batch;
    float *out;
    if (!PyArg_ParseTuple(args, "OOOO", &handle, &boards, &seats, &turns)) return NULL;
    const nd_rules *rules = nd_handle(handle, ND_RULES_HANDLE);
    if (!rules || !nd_batch_open(&batch, boards, seats, turns)) return NULL;
    const size_t features = nd_greedy_count(rules->family);
    PyObject *bytes = nd_bytes_new(batch.count * (Py_ssize_t)(features * sizeof(float)), &out);
    for (Py_ssize_t i = 0; bytes && i < batch.count; i++) nd_greedy_features(rules, nd_batch_board(&batch, i), out + (size_t)i * features);
    nd_batch_close(&batch);
    return bytes;
}

/* pubeval_inputs(boards, seats, turns) -> float32 [n, 122]; mover in row 0, after the play */
static PyObject *py_pubeval_inputs(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *boards, *seats, *turns;
    nd_batch batch;
    float *out;
    if (!PyArg_ParseTuple(args, "OOO", &boards, &seats, &turns) || !nd_batch_open(&batch, boards, seats, turns)) return NULL;
    PyObject *bytes = nd_bytes_new(batch.count * ND_PUBEVAL_INPUTS * (Py_ssize_t)sizeof(float), &out);
    for (Py_ssize_t i = 0; bytes && i < batch.count; i++) {
        double inputs[ND_PUBEVAL_INPUTS];
        nd_pubeval_inputs(nd_batch_board(&batch, i), inputs);
        for (int k = 0; k < ND_PUBEVAL_INPUTS; k++) *out++ = (float)inputs[k];
    }
    nd_batch_close(&batch);
    return bytes;
}

PyMethodDef nd_play_methods[] = {
    {"model", py_model, METH_VARARGS, NULL},
    {"kernels", py_kernels, METH_NOARGS, NULL},
    {"judge", py_judge, METH_VARARGS, NULL},
    {"judge_plays", py_judge_plays, METH_VARARGS, NULL},
    {"player", py_player, METH_VARARGS, NULL},
    {"choose", py_choose, METH_VARARGS, NULL},
    {"self_play", py_self_play, METH_VARARGS, NULL},
    {"exact_values", py_exact_values, METH_VARARGS, NULL},
    {"duel", py_duel, METH_VARARGS, NULL},
    {"greedy_names", py_greedy_names, METH_O, NULL},
    {"greedy_features", py_greedy_features, METH_VARARGS, NULL},
    {"pubeval_inputs", py_pubeval_inputs, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
