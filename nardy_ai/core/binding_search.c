/* binding_search.c - the module's third part: search and rollouts. A search belongs to one thread at a time;
 * one that is at work is refused, since its lock is the interpreter's and that is released meanwhile. */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "rollout.h"

#define ND_SEARCH_HANDLE "nardy_ai.core.search"

typedef struct held_search {
    nd_search search;
    PyObject *model; /* the capsule whose model it uses */
    bool busy;
} held_search;

static void free_search(PyObject *capsule)
{
    held_search *held = PyCapsule_GetPointer(capsule, ND_SEARCH_HANDLE);
    nd_search_destroy(&held->search);
    Py_DECREF(held->model);
    free(held);
}

enum { STAGES = 2 * ND_MAX_PLIES };

/* The stages as Python lists them: those of the root, the inner ones, the scout's. */
static nd_stage *stage_at(nd_filters *filters, int i)
{
    if (i < ND_MAX_PLIES) return &filters->root[i];
    return i < STAGES - 1 ? &filters->inner[i - ND_MAX_PLIES] : &filters->scout;
}

bool nd_read_filters(PyObject *keeps, PyObject *margins, nd_filters *filters)
{
    Py_buffer keep, margin;
    if (!nd_view(keeps, "keep", sizeof(uint32_t), STAGES, &keep)) return false;
    if (!nd_view(margins, "margin", sizeof(float), STAGES + 1, &margin)) {
        PyBuffer_Release(&keep);
        return false;
    }
    for (int i = 0; i < STAGES; i++) {
        nd_stage *stage = stage_at(filters, i);
        stage->keep = ((const uint32_t *)keep.buf)[i];
        stage->margin = ((const float *)margin.buf)[i];
    }
    filters->doubt = ((const float *)margin.buf)[STAGES];
    PyBuffer_Release(&keep);
    PyBuffer_Release(&margin);
    return true;
}

/* search(model, keeps uint32 [6], margins float32 [7], cache bytes): see nd_read_filters */
static PyObject *py_search(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle, *keeps, *margins;
    Py_ssize_t cache_bytes;
    nd_filters filters;
    if (!PyArg_ParseTuple(args, "OOOn", &handle, &keeps, &margins, &cache_bytes)) return NULL;
    const nd_model *model = nd_handle(handle, ND_MODEL_HANDLE);
    if (!model || !nd_read_filters(keeps, margins, &filters)) return NULL;
    if (cache_bytes < 0) return PyErr_Format(PyExc_ValueError, "a cache cannot have %zd bytes", cache_bytes);
    held_search *held = calloc(1, sizeof *held);
    if (!held) return PyErr_NoMemory();
    if (!nd_search_create(&held->search, model, &filters, (size_t)cache_bytes)) {
        free(held);
        return PyErr_NoMemory();
    }
    PyObject *capsule = PyCapsule_New(held, ND_SEARCH_HANDLE, free_search);
    if (!capsule) {
        nd_search_destroy(&held->search);
        free(held);
        return NULL;
    }
    held->model = Py_NewRef(handle);
    return capsule;
}

/* The filters that are the default: [(keep, margin), ...] in the order of stage_at, and the doubt */
static PyObject *py_default_filters(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    nd_filters filters = nd_filters_default;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < STAGES; i++) {
        const nd_stage *stage = stage_at(&filters, i);
        PyObject *pair = Py_BuildValue("(If)", stage->keep, stage->margin);
        if (!pair || PyList_Append(list, pair) < 0) Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list ? Py_BuildValue("(Nd)", list, (double)filters.doubt) : NULL;
}

/* What every question is about. */
typedef struct question {
    held_search *held;
    const nd_rules *rules;
    nd_batch batch;
    int plies;
} question;

static bool open_question(PyObject *module, question *question, PyObject *handle, PyObject *const columns[3], int plies,
                          int lowest, bool playing)
{
    question->held = nd_handle(handle, ND_SEARCH_HANDLE);
    if (!question->held) return false;
    question->rules = &question->held->search.model->rules;
    question->plies = plies;
    if (plies < lowest || plies > ND_MAX_PLIES) {
        PyErr_Format(nd_input_error(module), "plies cannot be %d: give a whole number from %d to %d", plies, lowest, ND_MAX_PLIES);
        return false;
    }
    if (question->held->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this search is at work in another thread");
        return false;
    }
    if (!nd_batch_open(&question->batch, columns[0], columns[1], columns[2])) return false;
    if (nd_batch_check(module, &question->batch, question->rules, playing)) {
        question->held->busy = true;
        return true;
    }
    nd_batch_close(&question->batch);
    return false;
}

static void close_question(question *question)
{
    question->held->busy = false;
    nd_batch_close(&question->batch);
}

static nd_packed board_of(const question *question, Py_ssize_t i)
{
    return nd_pack(nd_batch_board(&question->batch, i));
}

static PyObject *pair_of(PyObject *outcomes, PyObject *equities, bool fine)
{
    if (fine && outcomes && equities) return Py_BuildValue("(NN)", outcomes, equities);
    Py_XDECREF(outcomes);
    Py_XDECREF(equities);
    return fine ? NULL : PyErr_NoMemory();
}

/* search_values(search, boards, seats, turns, plies) -> (outcomes, equities) for the players on roll */
static PyObject *py_search_values(PyObject *module, PyObject *args)
{
    PyObject *handle, *columns[3];
    int plies;
    question asked;
    float *outcome_out, *equity_out;
    if (!PyArg_ParseTuple(args, "OOOOi", &handle, &columns[0], &columns[1], &columns[2], &plies)) return NULL;
    if (!open_question(module, &asked, handle, columns, plies, 0, false)) return NULL;
    const Py_ssize_t count = asked.batch.count, size = asked.rules->outcomes;
    PyObject *outcomes = nd_bytes_new(count * size * (Py_ssize_t)sizeof(float), &outcome_out);
    PyObject *equities = nd_bytes_new(count * (Py_ssize_t)sizeof(float), &equity_out);
    bool fine = true;
    if (outcomes && equities) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; fine && i < count; i++) {
            const nd_packed board = board_of(&asked, i);
            fine = nd_search_value(&asked.held->search, &board, nd_batch_seat(&asked.batch, i), nd_batch_turns(&asked.batch, i),
                                   plies, outcome_out + i * size);
            if (fine) equity_out[i] = nd_equity(asked.rules, outcome_out + i * size);
        }
        Py_END_ALLOW_THREADS
    }
    close_question(&asked);
    return pair_of(outcomes, equities, fine);
}

/* search_rolls(search, boards, seats, turns, plies, rolls) -> outcomes of the best play of one roll (0 .. 20)
 * of each board, for its maker: what mean_of_rolls takes the mean of */
static PyObject *py_search_rolls(PyObject *module, PyObject *args)
{
    PyObject *handle, *columns[3], *rolls, *outcomes = NULL;
    int plies;
    question asked;
    Py_buffer roll;
    float *out;
    if (!PyArg_ParseTuple(args, "OOOOiO", &handle, &columns[0], &columns[1], &columns[2], &plies, &rolls)) return NULL;
    if (!open_question(module, &asked, handle, columns, plies, 1, true)) return NULL;
    const Py_ssize_t count = asked.batch.count, size = asked.rules->outcomes;
    bool fine = nd_view(rolls, "rolls", 1, count, &roll);
    if (fine) {
        const uint8_t *number = roll.buf;
        for (Py_ssize_t i = 0; fine && i < count; i++) fine = number[i] < ND_ROLLS;
        if (!fine) PyErr_SetString(PyExc_ValueError, "a roll has a number from 0 to 20");
        if (fine && (outcomes = nd_bytes_new(count * size * (Py_ssize_t)sizeof(float), &out)) != NULL) {
            Py_BEGIN_ALLOW_THREADS
            for (Py_ssize_t i = 0; fine && i < count; i++) {
                const nd_packed board = board_of(&asked, i);
                fine = nd_search_roll(&asked.held->search, &board, nd_batch_seat(&asked.batch, i),
                                      nd_batch_turns(&asked.batch, i), plies, number[i], out + i * size);
            }
            Py_END_ALLOW_THREADS
            if (!fine) {
                Py_CLEAR(outcomes);
                PyErr_NoMemory();
            }
        }
        PyBuffer_Release(&roll);
    }
    close_question(&asked);
    return outcomes;
}

/* mean_of_rolls(rules, outcomes float32 [n, 21, k]) -> (outcomes, equities) */
static PyObject *py_mean_of_rolls(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle, *given;
    Py_buffer rolls;
    float *outcome_out, *equity_out;
    if (!PyArg_ParseTuple(args, "OO", &handle, &given)) return NULL;
    const nd_rules *rules = nd_handle(handle, ND_RULES_HANDLE);
    if (!rules || !nd_view(given, "outcomes", ND_ROLLS * rules->outcomes * (Py_ssize_t)sizeof(float), -1, &rolls)) return NULL;
    const Py_ssize_t size = rules->outcomes, count = rolls.len / (ND_ROLLS * size * (Py_ssize_t)sizeof(float));
    PyObject *outcomes = nd_bytes_new(count * size * (Py_ssize_t)sizeof(float), &outcome_out);
    PyObject *equities = nd_bytes_new(count * (Py_ssize_t)sizeof(float), &equity_out);
    for (Py_ssize_t i = 0; outcomes && equities && i < count; i++) {
        nd_mean mean = {{0}, 0};
        for (int roll = 0; roll < ND_ROLLS; roll++)
            nd_mean_add(&mean, rules, nd_roll_at(roll).weight, (const float *)rolls.buf + (i * ND_ROLLS + roll) * size);
        nd_mean_take(&mean, rules, outcome_out + i * size);
        equity_out[i] = nd_equity(rules, outcome_out + i * size);
    }
    PyBuffer_Release(&rolls);
    return pair_of(outcomes, equities, true);
}

static PyObject *ranking_of(const nd_search *search, const nd_plays *plays)
{
    const size_t size = search->model->rules.outcomes, count = search->ranking.count;
    nd_board *board_out;
    float *outcome_out, *equity_out;
    uint8_t *ply_out;
    PyObject *boards = nd_bytes_new((Py_ssize_t)(count * sizeof *board_out), &board_out), *moves = PyList_New(0);
    PyObject *outcomes = nd_bytes_new((Py_ssize_t)(count * size * sizeof(float)), &outcome_out);
    PyObject *equities = nd_bytes_new((Py_ssize_t)(count * sizeof(float)), &equity_out);
    PyObject *plies = nd_bytes_new((Py_ssize_t)count, &ply_out);
    for (size_t i = 0; boards && moves && outcomes && equities && plies && i < count; i++) {
        const nd_candidate *candidate = &search->ranking.list[i];
        nd_unpack(&plays->results[candidate->place], &board_out[i]);
        memcpy(outcome_out + i * size, candidate->outcomes, size * sizeof(float));
        equity_out[i] = candidate->equity;
        ply_out[i] = candidate->plies;
        PyObject *list = nd_movement_pairs(plays, candidate->place);
        if (!list || PyList_Append(moves, list) < 0) Py_CLEAR(moves);
        Py_XDECREF(list);
    }
    if (boards && moves && outcomes && equities && plies)
        return Py_BuildValue("(NNNNN)", boards, moves, outcomes, equities, plies);
    Py_XDECREF(boards);
    Py_XDECREF(moves);
    Py_XDECREF(outcomes);
    Py_XDECREF(equities);
    Py_XDECREF(plies);
    return NULL;
}

static bool rank_roll(const question *asked, nd_plays *plays, const uint8_t *dice)
{
    const nd_packed board = board_of(asked, 0);
    const int seat = nd_batch_seat(&asked->batch, 0), turns = nd_batch_turns(&asked->batch, 0);
    return nd_plays_generate(plays, asked->rules, &board, seat, turns, dice[0], dice[1]) &&
           nd_search_rank(&asked->held->search, &board, seat, turns, plays, asked->plies);
}

/* search_plays(search, boards [1], seats, turns, plies, dice) -> (boards, movements, outcomes, equities, plies),
 * in the order of their ranking, seen by the mover */
static PyObject *py_search_plays(PyObject *module, PyObject *args)
{
    PyObject *handle, *columns[3], *rolls, *result = NULL;
    int plies;
    question asked;
    Py_buffer dice;
    nd_plays plays;
    if (!PyArg_ParseTuple(args, "OOOOiO", &handle, &columns[0], &columns[1], &columns[2], &plies, &rolls)) return NULL;
    if (!open_question(module, &asked, handle, columns, plies, 0, true)) return NULL;
    if (asked.batch.count != 1) PyErr_SetString(PyExc_ValueError, "search_plays takes one board");
    else if (nd_view(rolls, "dice", 2, 1, &dice)) {
        const uint8_t *die = dice.buf;
        if (die[0] < 1 || die[0] > 6 || die[1] < 1 || die[1] > 6)
            PyErr_Format(nd_input_error(module), "bad dice: %d-%d is not two numbers from 1 to 6", die[0], die[1]);
        else if (nd_plays_create(&plays)) {
            bool fine;
            Py_BEGIN_ALLOW_THREADS
            fine = rank_roll(&asked, &plays, die);
            Py_END_ALLOW_THREADS
            if (fine) result = ranking_of(&asked.held->search, &plays);
            nd_plays_destroy(&plays);
        }
        if (!result && !PyErr_Occurred()) PyErr_NoMemory();
        PyBuffer_Release(&dice);
    }
    close_question(&asked);
    return result;
}

/* (positions that a net has judged, questions to the cache, answers from it, its entries) */
static PyObject *py_search_facts(PyObject *module, PyObject *capsule)
{
    (void)module;
    const held_search *held = nd_handle(capsule, ND_SEARCH_HANDLE);
    if (!held) return NULL;
    const nd_cache *cache = &held->search.cache;
    return Py_BuildValue("(KKKK)", (unsigned long long)nd_search_evaluations(&held->search), (unsigned long long)cache->asked,
                         (unsigned long long)cache->found, (unsigned long long)cache->entries);
}

/* rollout(search, boards [1], seats, turns, plies, seed, first, count, truncate, max_turns, take_luck) ->
 * (values float64 [count, k], turns, truncated, cut) */
static PyObject *py_rollout(PyObject *module, PyObject *args)
{
    PyObject *handle, *columns[3];
    int take_luck;
    unsigned long long first;
    unsigned int count;
    question asked;
    nd_rollout_plan plan;
    nd_rollout_counts counts;
    unsigned long long seed;
    double *out;
    if (!PyArg_ParseTuple(args, "OOOOiKKIIIp", &handle, &columns[0], &columns[1], &columns[2], &plan.plies, &seed, &first, &count,
                          &plan.truncate, &plan.max_turns, &take_luck))
        return NULL;
    plan.seed = seed;
    plan.take_luck = take_luck;
    if (plan.max_turns == 0) return PyErr_Format(PyExc_ValueError, "a trial has at least one turn");
    if (!open_question(module, &asked, handle, columns, plan.plies, 0, true)) return NULL;
    PyObject *values = NULL;
    if (asked.batch.count != 1) PyErr_SetString(PyExc_ValueError, "a rollout takes one board");
    else if ((values = nd_bytes_new((Py_ssize_t)count * asked.rules->outcomes * (Py_ssize_t)sizeof(double), &out)) != NULL) {
        const nd_state start = {*nd_batch_board(&asked.batch, 0), (uint8_t)nd_batch_seat(&asked.batch, 0),
                                (uint8_t)nd_batch_turns(&asked.batch, 0)};
        bool fine;
        Py_BEGIN_ALLOW_THREADS
        fine = nd_rollout(&asked.held->search, &plan, &start, first, count, out, &counts);
        Py_END_ALLOW_THREADS
        if (!fine) {
            Py_CLEAR(values);
            PyErr_NoMemory();
        }
    }
    close_question(&asked);
    if (!values) return NULL;
    return Py_BuildValue("(NKKK)", values, (unsigned long long)counts.turns, (unsigned long long)counts.truncated,
                         (unsigned long long)counts.cut);
}

PyMethodDef nd_search_methods[] = {
    {"search", py_search, METH_VARARGS, NULL},
    {"default_filters", py_default_filters, METH_NOARGS, NULL},
    {"search_values", py_search_values, METH_VARARGS, NULL},
    {"search_rolls", py_search_rolls, METH_VARARGS, NULL},
    {"mean_of_rolls", py_mean_of_rolls, METH_VARARGS, NULL},
    {"search_plays", py_search_plays, METH_VARARGS, NULL},
    {"search_facts", py_search_facts, METH_O, NULL},
    {"rollout", py_rollout, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
