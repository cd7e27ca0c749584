/* binding.c - the module: rules, boards, plays, encodings and dice. Checked buffers go in, bytearrays come
 * out; nardy_ai/core/__init__.py makes NumPy arrays of them. Players and nets are in binding_play.c. */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "encode.h"
#include "outcome.h"
#include "plays.h"
#include "random.h"

/* ---- rules -------------------------------------------------------------------------------------- */

static void free_rules(PyObject *capsule)
{
    free(PyCapsule_GetPointer(capsule, ND_RULES_HANDLE));
}

/* rules(values, start, points): values of the options in the order of rules_schema(); NULL where unset. */
static PyObject *py_rules(PyObject *module, PyObject *args)
{
    PyObject *values;
    Py_buffer start, points;
    if (!PyArg_ParseTuple(args, "O!y*y*", &PyList_Type, &values, &start, &points)) return NULL;
    PyObject *capsule = NULL;
    nd_rules *rules = malloc(sizeof *rules);
    if (!rules) {
        PyErr_NoMemory();
        goto done;
    }
    *rules = nd_rules_default((nd_family)PyLong_AsLong(PyList_GetItem(values, 0)));
    for (size_t i = 0; i < nd_option_count(); i++) {
        PyObject *value = PyList_GetItem(values, (Py_ssize_t)i);
        if (!value) goto done;
        if (value != Py_None) nd_option_set(rules, i, (int)PyLong_AsLong(value));
        if (PyErr_Occurred()) goto done;
    }
    if (start.len == 24) memcpy(rules->start, start.buf, 24);
    if (points.len == sizeof rules->points) memcpy(rules->points, points.buf, sizeof rules->points);
    const char *fault = nd_rules_finish(rules);
    if (fault) {
        PyErr_Format(nd_input_error(module), "bad rules: %s", fault);
        goto done;
    }
    capsule = PyCapsule_New(rules, ND_RULES_HANDLE, free_rules);
done:
    if (!capsule) free(rules);
    PyBuffer_Release(&start);
    PyBuffer_Release(&points);
    return capsule;
}

static PyObject *choice_list(const nd_option *option)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && option->choices && option->choices[i]; i++) {
        PyObject *name = PyUnicode_FromString(option->choices[i]);
        if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* [(name, kind, choices, low, high, family, default long, default short)] in the order of the core. */
static PyObject *py_rules_schema(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    static const char *const KINDS[] = {"bool", "choice", "count"};
    const nd_rules longs = nd_rules_default(ND_LONG), shorts = nd_rules_default(ND_SHORT);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < nd_option_count(); i++) {
        const nd_option *option = nd_option_at(i);
        PyObject *row = Py_BuildValue("(ssNiisii)", option->name, KINDS[option->kind], choice_list(option), option->low,
                                      option->high, option->family, nd_option_get(&longs, i), nd_option_get(&shorts, i));
        if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* (values, start, {defeat: points}, outcomes, worth, uses_seat, uses_turns) of a rules handle. */
static PyObject *py_rules_facts(PyObject *module, PyObject *capsule)
{
    (void)module;
    const nd_rules *rules = nd_handle(capsule, ND_RULES_HANDLE);
    if (!rules) return NULL;
    PyObject *values = PyList_New(0), *scores = PyDict_New(), *names = PyList_New(0), *worth = PyList_New(0);
    for (size_t i = 0; values && i < nd_option_count(); i++) {
        PyObject *value = PyLong_FromLong(nd_option_get(rules, i));
        if (!value || PyList_Append(values, value) < 0) Py_CLEAR(values);
        Py_XDECREF(value);
    }
    for (int kind = 0; scores && kind < ND_DEFEATS; kind++) {
        if (rules->points[kind] <= 0) continue;
        PyObject *points = PyFloat_FromDouble(rules->points[kind]);
        if (!points || PyDict_SetItemString(scores, nd_defeat_name(rules->family, (nd_defeat)kind), points) < 0) Py_CLEAR(scores);
        Py_XDECREF(points);
    }
    for (int i = 0; names && worth && i < rules->outcomes; i++) {
        PyObject *name = PyUnicode_FromString(nd_outcome_name(rules, i)), *points = PyFloat_FromDouble(rules->worth[i]);
        if (!name || !points || PyList_Append(names, name) < 0 || PyList_Append(worth, points) < 0) Py_CLEAR(names);
        Py_XDECREF(name);
        Py_XDECREF(points);
    }
    if (values && scores && names && worth)
        return Py_BuildValue("(Ny#NNNOO)", values, (const char *)rules->start, (Py_ssize_t)24, scores, names, worth,
                             nd_rules_use_seat(rules) ? Py_True : Py_False, nd_rules_use_turns(rules) ? Py_True : Py_False);
    Py_XDECREF(values);
    Py_XDECREF(scores);
    Py_XDECREF(names);
    Py_XDECREF(worth);
    return NULL;
}

/* (family, defeat names in the order of the points array) */
static PyObject *py_defeat_names(PyObject *module, PyObject *arg)
{
    (void)module;
    const long family = PyLong_AsLong(arg);
    if (family == -1 && PyErr_Occurred()) return NULL;
    PyObject *list = PyList_New(0);
    for (int kind = 0; list && kind < ND_DEFEATS; kind++) {
        const char *text = nd_defeat_name(family ? ND_SHORT : ND_LONG, (nd_defeat)kind);
        PyObject *name = text ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
        if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* ---- boards ------------------------------------------------------------------------------------- */

/* A function (rules, boards, seats, turns, *rest) that works on checked boards. */
typedef PyObject *(*board_job)(const nd_rules *rules, const nd_batch *batch);

static PyObject *on_boards(PyObject *module, PyObject *args, bool playing, board_job job)
{
    PyObject *handle, *boards, *seats, *turns, *result = NULL;
    nd_batch batch;
    if (!PyArg_ParseTuple(args, "OOOO", &handle, &boards, &seats, &turns)) return NULL;
    const nd_rules *rules = nd_handle(handle, ND_RULES_HANDLE);
    if (!rules || !nd_batch_open(&batch, boards, seats, turns)) return NULL;
    if (nd_batch_check(module, &batch, rules, playing)) result = job(rules, &batch);
    nd_batch_close(&batch);
    return result;
}

static PyObject *job_check(const nd_rules *rules, const nd_batch *batch)
{
    (void)rules, (void)batch;
    Py_RETURN_NONE;
}

static PyObject *py_check_boards(PyObject *module, PyObject *args)
{
    return on_boards(module, args, false, job_check);
}

static PyObject *job_results(const nd_rules *rules, const nd_batch *batch)
{
    int8_t *out;
    PyObject *bytes = nd_bytes_new(batch->count, &out);
    for (Py_ssize_t i = 0; bytes && i < batch->count; i++)
        out[i] = (int8_t)nd_result(rules, nd_batch_board(batch, i), nd_batch_seat(batch, i));
    return bytes;
}

static PyObject *py_results(PyObject *module, PyObject *args)
{
    return on_boards(module, args, false, job_results);
}

static PyObject *job_classes(const nd_rules *rules, const nd_batch *batch)
{
    uint8_t *out;
    PyObject *bytes = nd_bytes_new(batch->count, &out);
    for (Py_ssize_t i = 0; bytes && i < batch->count; i++) {
        const nd_packed packed = nd_pack(nd_batch_board(batch, i));
        out[i] = (uint8_t)nd_classify(rules, &packed);
    }
    return bytes;
}

static PyObject *py_classes(PyObject *module, PyObject *args)
{
    return on_boards(module, args, false, job_classes);
}

static PyObject *job_impossible(const nd_rules *rules, const nd_batch *batch)
{
    uint8_t *out;
    PyObject *bytes = nd_bytes_new(batch->count * rules->outcomes, &out);
    for (Py_ssize_t i = 0; bytes && i < batch->count; i++) {
        const nd_packed packed = nd_pack(nd_batch_board(batch, i));
        const uint32_t impossible = nd_impossible(rules, &packed);
        for (int k = 0; k < rules->outcomes; k++) out[i * rules->outcomes + k] = impossible >> k & 1;
    }
    return bytes;
}

static PyObject *py_impossible(PyObject *module, PyObject *args)
{
    return on_boards(module, args, false, job_impossible);
}

static PyObject *py_impossible_tests(PyObject *module, PyObject *capsule)
{
    (void)module;
    const nd_rules *rules = nd_handle(capsule, ND_RULES_HANDLE);
    nd_impossible_test tests[ND_MAX_TESTS];
    if (!rules) return NULL;
    const size_t count = nd_impossible_tests(rules, tests);
    char *weights, *thresholds, *outcomes;
    PyObject *w = nd_bytes_new((Py_ssize_t)(count * 52), &weights);
    PyObject *t = nd_bytes_new((Py_ssize_t)(count * 4), &thresholds);
    PyObject *o = nd_bytes_new((Py_ssize_t)count, &outcomes);
    for (size_t i = 0; w && t && o && i < count; i++) {
        memcpy(weights + 52 * i, tests[i].weight, 52);
        memcpy(thresholds + 4 * i, &tests[i].threshold, 4);
        outcomes[i] = (char)tests[i].outcome;
    }
    if (w && t && o) return Py_BuildValue("(NNN)", w, t, o);
    Py_XDECREF(w);
    Py_XDECREF(t);
    Py_XDECREF(o);
    return NULL;
}

/* ---- plays -------------------------------------------------------------------------------------- */

/* Packed while they are counted, so that a large batch is moved once. */
typedef struct result_list {
    nd_packed *results;
    size_t count, room;
} result_list;

static bool append_results(result_list *list, const nd_plays *plays)
{
    if (list->count + plays->count > list->room) {
        size_t room = 2 * (list->count + plays->count);
        nd_packed *results = realloc(list->results, room * sizeof *results);
        if (!results) return false;
        list->results = results;
        list->room = room;
    }
    memcpy(list->results + list->count, plays->results, plays->count * sizeof *plays->results);
    list->count += plays->count;
    return true;
}

static bool dice_fault(PyObject *module, const uint8_t *dice, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < 2 * count; i++) {
        if (dice[i] >= 1 && dice[i] <= 6) continue;
        PyErr_Format(nd_input_error(module), "bad dice at index %zd: %d is not a number from 1 to 6", i / 2, (int)dice[i]);
        return true;
    }
    return false;
}

static bool generate_all(const nd_rules *rules, const nd_batch *batch, const uint8_t *dice, result_list *list, int64_t *offsets)
{
    nd_plays plays;
    if (!nd_plays_create(&plays)) return false;
    bool fine = true;
    offsets[0] = 0;
    for (Py_ssize_t i = 0; fine && i < batch->count; i++) {
        const nd_packed packed = nd_pack(nd_batch_board(batch, i));
        fine = nd_plays_generate(&plays, rules, &packed, nd_batch_seat(batch, i), nd_batch_turns(batch, i), dice[2 * i],
                                 dice[2 * i + 1]) &&
               append_results(list, &plays);
        offsets[i + 1] = (int64_t)list->count;
    }
    nd_plays_destroy(&plays);
    return fine;
}

/* legal_boards(rules, boards, seats, turns, dice) -> (boards, offsets) */
static PyObject *py_legal_boards(PyObject *module, PyObject *args)
{
    PyObject *handle, *boards, *seats, *turns, *rolls, *offsets = NULL, *found = NULL;
    nd_batch batch;
    Py_buffer dice;
    result_list list = {NULL, 0, 0};
    if (!PyArg_ParseTuple(args, "OOOOO", &handle, &boards, &seats, &turns, &rolls)) return NULL;
    const nd_rules *rules = nd_handle(handle, ND_RULES_HANDLE);
    if (!rules || !nd_batch_open(&batch, boards, seats, turns)) return NULL;
    int64_t *starts;
    nd_board *out;
    if (nd_view(rolls, "dice", 2, batch.count, &dice)) {
        if (nd_batch_check(module, &batch, rules, true) && !dice_fault(module, dice.buf, batch.count) &&
            (offsets = nd_bytes_new((batch.count + 1) * 8, &starts)) != NULL) {
            bool fine;
            Py_BEGIN_ALLOW_THREADS
            fine = generate_all(rules, &batch, dice.buf, &list, starts);
            Py_END_ALLOW_THREADS
            if (!fine) PyErr_NoMemory();
            else if ((found = nd_bytes_new((Py_ssize_t)(list.count * sizeof *out), &out)) != NULL) {
                Py_BEGIN_ALLOW_THREADS
                for (size_t i = 0; i < list.count; i++) nd_unpack(&list.results[i], &out[i]);
                Py_END_ALLOW_THREADS
            }
        }
        PyBuffer_Release(&dice);
    }
    nd_batch_close(&batch);
    free(list.results);
    if (found) return Py_BuildValue("(NN)", found, offsets);
    Py_XDECREF(offsets);
    return NULL;
}

static PyObject *plays_tuple(const nd_plays *plays)
{
    nd_board *out;
    PyObject *boards = nd_bytes_new((Py_ssize_t)(plays->count * sizeof *out), &out), *lists = PyList_New(0);
    for (size_t i = 0; boards && lists && i < plays->count; i++) {
        nd_unpack(&plays->results[i], &out[i]);
        PyObject *moves = nd_movement_pairs(plays, i);
        if (!moves || PyList_Append(lists, moves) < 0) Py_CLEAR(lists);
        Py_XDECREF(moves);
    }
    if (boards && lists) return Py_BuildValue("(NN)", boards, lists);
    Py_XDECREF(boards);
    Py_XDECREF(lists);
    return NULL;
}

/* plays(rules, board, seat, turns, dice) -> (boards, movements of each) */
static PyObject *py_plays(PyObject *module, PyObject *args)
{
    PyObject *handle, *boards, *seats, *turns, *rolls, *result = NULL;
    nd_batch batch;
    Py_buffer dice;
    if (!PyArg_ParseTuple(args, "OOOOO", &handle, &boards, &seats, &turns, &rolls)) return NULL;
    const nd_rules *rules = nd_handle(handle, ND_RULES_HANDLE);
    if (!rules || !nd_batch_open(&batch, boards, seats, turns)) return NULL;
    if (batch.count == 1 && nd_view(rolls, "dice", 2, 1, &dice)) {
        const uint8_t *die = dice.buf;
        nd_plays plays;
        if (nd_batch_check(module, &batch, rules, true) && !dice_fault(module, die, 1)) {
            if (!nd_plays_create(&plays)) PyErr_NoMemory();
            else {
                const nd_packed packed = nd_pack(nd_batch_board(&batch, 0));
                if (nd_plays_generate(&plays, rules, &packed, nd_batch_seat(&batch, 0), nd_batch_turns(&batch, 0), die[0], die[1]))
                    result = plays_tuple(&plays);
                else PyErr_NoMemory();
                nd_plays_destroy(&plays);
            }
        }
        PyBuffer_Release(&dice);
    } else if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "plays takes one board");
    nd_batch_close(&batch);
    return result;
}

/* ---- encodings and dice ------------------------------------------------------------------------- */

static PyObject *py_encodings(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < ND_ENCODINGS; i++) {
        PyObject *name = PyUnicode_FromString(nd_encoding_name((nd_encoding)i));
        if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *py_encoding_for(PyObject *module, PyObject *capsule)
{
    (void)module;
    const nd_rules *rules = nd_handle(capsule, ND_RULES_HANDLE);
    return rules ? PyLong_FromLong(nd_encoding_for(rules)) : NULL;
}

static bool encoding_of(long number, nd_encoding_table *table)
{
    if (number < 0 || number >= ND_ENCODINGS) {
        PyErr_SetString(PyExc_ValueError, "no such encoding");
        return false;
    }
    nd_encoding_fill((nd_encoding)number, table);
    return true;
}

/* (inputs, seat input, family, index int16 [2, 26, 4], value float32 [2, 26, 16, 4], first shape input, the encoding
 * of scouts) */
static PyObject *py_encoding_table(PyObject *module, PyObject *arg)
{
    (void)module;
    nd_encoding_table table;
    const long number = PyLong_AsLong(arg);
    if (PyErr_Occurred() || !encoding_of(number, &table)) return NULL;
    return Py_BuildValue("(iiiy#y#ii)", table.inputs, table.seat_input, (int)nd_encoding_family((nd_encoding)number),
                         (const char *)table.index, (Py_ssize_t)sizeof table.index, (const char *)table.value,
                         (Py_ssize_t)sizeof table.value, table.shape_input, (int)nd_encoding_of_scout((nd_encoding)number));
}

/* encode(encoding, boards, seats, turns): counts outside 0..15 are refused, nothing else is checked. */
static PyObject *py_encode(PyObject *module, PyObject *args)
{
    PyObject *boards, *seats, *turns, *bytes = NULL;
    int number;
    nd_encoding_table table;
    nd_batch batch;
    float *out;
    if (!PyArg_ParseTuple(args, "iOOO", &number, &boards, &seats, &turns) || !encoding_of(number, &table)) return NULL;
    if (!nd_batch_open(&batch, boards, seats, turns)) return NULL;
    const int8_t *counts = (const int8_t *)batch.boards;
    bool fine = true;
    for (Py_ssize_t i = 0; fine && i < batch.count * (Py_ssize_t)sizeof(nd_board); i++) fine = counts[i] >= 0 && counts[i] <= ND_MAX_CHECKERS;
    if (!fine) PyErr_SetString(nd_input_error(module), "bad board: a count lies outside 0..15");
    else if ((bytes = nd_bytes_new(batch.count * table.inputs * (Py_ssize_t)sizeof *out, &out)) != NULL) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < batch.count; i++)
            nd_encode(&table, nd_batch_board(&batch, i), nd_batch_seat(&batch, i), out + i * table.inputs);
        Py_END_ALLOW_THREADS
    }
    nd_batch_close(&batch);
    return bytes;
}

/* dice(seed, purpose, game, first turn, count, opening pair) */
static PyObject *py_dice(PyObject *module, PyObject *args)
{
    (void)module;
    unsigned long long seed, game;
    unsigned int purpose, turn;
    Py_ssize_t count;
    int pair;
    uint8_t *out;
    if (!PyArg_ParseTuple(args, "KIKInp", &seed, &purpose, &game, &turn, &count, &pair)) return NULL;
    PyObject *bytes = nd_bytes_new(2 * count, &out);
    for (Py_ssize_t i = 0; bytes && i < count; i++)
        nd_dice(seed, purpose, game, turn + (uint32_t)i, pair && turn + (uint32_t)i == 0, out + 2 * i);
    return bytes;
}

static PyObject *py_random_words(PyObject *module, PyObject *args)
{
    (void)module;
    unsigned long long seed, game;
    unsigned int purpose, index;
    uint32_t words[4];
    if (!PyArg_ParseTuple(args, "KIKI", &seed, &purpose, &game, &index)) return NULL;
    nd_words(seed, purpose, game, index, words);
    return Py_BuildValue("(IIII)", words[0], words[1], words[2], words[3]);
}

static PyObject *py_philox(PyObject *module, PyObject *args)
{
    (void)module;
    unsigned int c[4], k[2];
    if (!PyArg_ParseTuple(args, "(IIII)(II)", &c[0], &c[1], &c[2], &c[3], &k[0], &k[1])) return NULL;
    uint32_t counter[4] = {c[0], c[1], c[2], c[3]};
    const uint32_t key[2] = {k[0], k[1]};
    nd_philox(counter, key);
    return Py_BuildValue("(IIII)", counter[0], counter[1], counter[2], counter[3]);
}

static PyObject *py_purposes(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    PyObject *table = PyDict_New();
    for (int i = 1; table && i < ND_PURPOSES; i++) {
        PyObject *number = PyLong_FromLong(i);
        if (!number || PyDict_SetItemString(table, nd_purpose_name(i), number) < 0) Py_CLEAR(table);
        Py_XDECREF(number);
    }
    return table;
}

PyMethodDef nd_rules_methods[] = {
    {"rules", py_rules, METH_VARARGS, NULL},
    {"rules_schema", py_rules_schema, METH_NOARGS, NULL},
    {"rules_facts", py_rules_facts, METH_O, NULL},
    {"defeat_names", py_defeat_names, METH_O, NULL},
    {"check_boards", py_check_boards, METH_VARARGS, NULL},
    {"results", py_results, METH_VARARGS, NULL},
    {"classes", py_classes, METH_VARARGS, NULL},
    {"impossible", py_impossible, METH_VARARGS, NULL},
    {"impossible_tests", py_impossible_tests, METH_O, NULL},
    {"legal_boards", py_legal_boards, METH_VARARGS, NULL},
    {"plays", py_plays, METH_VARARGS, NULL},
    {"encodings", py_encodings, METH_NOARGS, NULL},
    {"encoding_for", py_encoding_for, METH_O, NULL},
    {"encoding_table", py_encoding_table, METH_O, NULL},
    {"encode", py_encode, METH_VARARGS, NULL},
    {"dice", py_dice, METH_VARARGS, NULL},
    {"random_words", py_random_words, METH_VARARGS, NULL},
    {"philox", py_philox, METH_VARARGS, NULL},
    {"purposes", py_purposes, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int start_module(PyObject *module)
{
    PyObject **state = PyModule_GetState(module);
    *state = PyErr_NewExceptionWithDoc("nardy_ai.InputError", "Bad input: what, where, and what to do.", PyExc_ValueError, NULL);
    if (!*state || PyModule_AddObjectRef(module, "InputError", *state) < 0) return -1;
    if (PyModule_AddFunctions(module, nd_rules_methods) < 0 || PyModule_AddFunctions(module, nd_play_methods) < 0) return -1;
    if (PyModule_AddFunctions(module, nd_search_methods) < 0) return -1;
    if (PyModule_AddFunctions(module, nd_table_methods) < 0) return -1;
    if (PyModule_AddFunctions(module, nd_speed_methods) < 0) return -1;
    return PyModule_AddFunctions(module, nd_level_methods) < 0 ? -1 : 0;
}

static int traverse_module(PyObject *module, visitproc visit, void *arg)
{
    PyObject **state = PyModule_GetState(module);
    if (state) Py_VISIT(*state);
    return 0;
}

static int clear_module(PyObject *module)
{
    PyObject **state = PyModule_GetState(module);
    if (state) Py_CLEAR(*state);
    return 0;
}

/* Python stores the function in a void pointer, which ISO C does not know. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, (void *)start_module}, {0, NULL}};

static PyModuleDef MODULE = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "nardy_ai.core._core",
    .m_doc = "The engine: plays, nets, self-play and duels on arrays.",
    .m_size = sizeof(PyObject *),
    .m_slots = SLOTS,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&MODULE);
}
