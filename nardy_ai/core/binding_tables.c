/* binding_tables.c - the module's tables: bear-off, and small games solved exactly. Tables live in buffers of the
 * caller, such as mapped files, so that nothing is copied. */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "bearoff.h"
#include "solve.h"

#define SMALL_GAME_HANDLE "nardy_ai.core.small_game"

/* A view of exactly `count` items of `size` bytes that may be written to. */
static bool open_writable(PyObject *object, const char *name, Py_ssize_t size, Py_ssize_t count, Py_buffer *view)
{
    view->obj = NULL;
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return false;
    if (view->len == size * count) return true;
    PyErr_Format(PyExc_ValueError, "%s holds %zd bytes, expected %zd items of %zd bytes", name, view->len, count, size);
    PyBuffer_Release(view);
    view->obj = NULL;
    return false;
}

static void drop(Py_buffer *view)
{
    if (view->obj) PyBuffer_Release(view);
}

/* ---- bear-off ------------------------------------------------------------------------------------- */

/* The handle: the tables first, so that the pointer is also one to them, and the buffers that hold them. */
typedef struct held_tables {
    nd_bearoff tables;
    Py_buffer finish, first, pairs;
} held_tables;

static void free_tables(PyObject *capsule)
{
    held_tables *held = PyCapsule_GetPointer(capsule, ND_BEAROFF_HANDLE);
    drop(&held->finish);
    drop(&held->first);
    drop(&held->pairs);
    free(held);
}

/* bearoff_kind(rules) -> (six, checkers, last_roll, mars, seats and width of the two-sided table) */
static PyObject *py_bearoff_kind(PyObject *module, PyObject *capsule)
{
    (void)module;
    const nd_rules *rules = nd_handle(capsule, ND_RULES_HANDLE);
    if (!rules) return NULL;
    const nd_bearoff_kind kind = nd_bearoff_kind_of(rules);
    return Py_BuildValue("(iiidii)", kind.six, kind.checkers, kind.last_roll, (double)kind.mars, nd_pair_seats(&kind),
                         nd_pair_width(&kind));
}

/* bearoff_build(rules, begin, end, finish, first, means): fills positions of the one-sided tables. */
static PyObject *py_bearoff_build(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle, *objects[3];
    Py_buffer views[3] = {{0}, {0}, {0}};
    int begin, end;
    if (!PyArg_ParseTuple(args, "OiiOOO", &handle, &begin, &end, &objects[0], &objects[1], &objects[2])) return NULL;
    const nd_rules *rules = nd_handle(handle, ND_RULES_HANDLE);
    if (!rules) return NULL;
    if (begin < 0 || end > ND_BEAROFF_POSITIONS) return PyErr_Format(PyExc_ValueError, "there is no such position");
    const Py_ssize_t cells = (Py_ssize_t)ND_BEAROFF_POSITIONS * ND_BEAROFF_ROLLS;
    bool fine = open_writable(objects[0], "finish", 4, cells, &views[0]) &&
                open_writable(objects[1], "first", 4, cells, &views[1]) &&
                open_writable(objects[2], "means", 8, 2 * (Py_ssize_t)ND_BEAROFF_POSITIONS, &views[2]);
    if (fine) {
        Py_BEGIN_ALLOW_THREADS
        fine = nd_bearoff_build(rules, begin, end, views[0].buf, views[1].buf, views[2].buf);
        Py_END_ALLOW_THREADS
        if (!fine) PyErr_NoMemory();
    }
    for (int i = 0; i < 3; i++) drop(&views[i]);
    if (!fine) return NULL;
    Py_RETURN_NONE;
}

/* bearoff_build_pairs(rules) -> the two-sided table */
static PyObject *py_bearoff_build_pairs(PyObject *module, PyObject *capsule)
{
    (void)module;
    const nd_rules *rules = nd_handle(capsule, ND_RULES_HANDLE);
    if (!rules) return NULL;
    const nd_bearoff_kind kind = nd_bearoff_kind_of(rules);
    float *pairs;
    PyObject *bytes = nd_bytes_new((Py_ssize_t)sizeof(float) * nd_pair_seats(&kind) * nd_pair_width(&kind) * ND_PAIR_POSITIONS *
                                       ND_PAIR_POSITIONS, &pairs);
    if (!bytes) return NULL;
    bool fine;
    Py_BEGIN_ALLOW_THREADS
    fine = nd_bearoff_build_pairs(rules, pairs);
    Py_END_ALLOW_THREADS
    if (fine) return bytes;
    Py_DECREF(bytes);
    return PyErr_NoMemory();
}

/* bearoff(rules, finish, first, pairs or None) -> handle; the buffers stay in use as long as it lives. */
static PyObject *py_bearoff(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle, *finish, *first, *pairs, *capsule = NULL;
    if (!PyArg_ParseTuple(args, "OOOO", &handle, &finish, &first, &pairs)) return NULL;
    const nd_rules *rules = nd_handle(handle, ND_RULES_HANDLE);
    if (!rules) return NULL;
    held_tables *held = calloc(1, sizeof *held);
    if (!held) return PyErr_NoMemory();
    held->tables.kind = nd_bearoff_kind_of(rules);
    const Py_ssize_t cells = (Py_ssize_t)ND_BEAROFF_POSITIONS * ND_BEAROFF_ROLLS;
    const Py_ssize_t pair_cells = (Py_ssize_t)nd_pair_seats(&held->tables.kind) * nd_pair_width(&held->tables.kind) *
                                  ND_PAIR_POSITIONS * ND_PAIR_POSITIONS;
    if (nd_view(finish, "finish", 4, cells, &held->finish) && nd_view(first, "first", 4, cells, &held->first) &&
        (pairs == Py_None || nd_view(pairs, "pairs", 4, pair_cells, &held->pairs))) {
        held->tables.finish = held->finish.buf;
        held->tables.first = held->first.buf;
        held->tables.pairs = held->pairs.buf;
        capsule = PyCapsule_New(held, ND_BEAROFF_HANDLE, free_tables);
    }
    if (capsule) return capsule;
    drop(&held->finish);
    drop(&held->first);
    drop(&held->pairs);
    free(held);
    return NULL;
}

/* bearoff_outcomes(tables, rules, boards, seats, turns) -> (outcomes, whether each is covered) */
static PyObject *py_bearoff_outcomes(PyObject *module, PyObject *args)
{
    PyObject *handle, *rules_handle, *boards, *seats, *turns, *outcomes = NULL, *covered = NULL;
    nd_batch batch;
    if (!PyArg_ParseTuple(args, "OOOOO", &handle, &rules_handle, &boards, &seats, &turns)) return NULL;
    const nd_bearoff *tables = nd_handle(handle, ND_BEAROFF_HANDLE);
    const nd_rules *rules = tables ? nd_handle(rules_handle, ND_RULES_HANDLE) : NULL;
    if (!rules || !nd_batch_open(&batch, boards, seats, turns)) return NULL;
    float *out;
    char *flags;
    if (nd_batch_check(module, &batch, rules, false) &&
        (outcomes = nd_bytes_new(batch.count * rules->outcomes * (Py_ssize_t)sizeof(float), &out)) != NULL &&
        (covered = nd_bytes_new(batch.count, &flags)) != NULL) {
        Py_BEGIN_ALLOW_THREADS
        memset(out, 0, (size_t)batch.count * rules->outcomes * sizeof(float));
        for (Py_ssize_t i = 0; i < batch.count; i++) {
            const nd_packed packed = nd_pack(nd_batch_board(&batch, i));
            flags[i] = nd_bearoff_outcomes(tables, rules, &packed, nd_batch_seat(&batch, i), out + i * rules->outcomes);
        }
        Py_END_ALLOW_THREADS
    }
    nd_batch_close(&batch);
    if (covered) return Py_BuildValue("(NN)", outcomes, covered);
    Py_XDECREF(outcomes);
    return NULL;
}

/* bearoff_counts() -> int8 [positions][6] */
static PyObject *py_bearoff_counts(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    int8_t *counts;
    PyObject *bytes = nd_bytes_new((Py_ssize_t)ND_BEAROFF_POSITIONS * ND_HOME, &counts);
    for (int number = 0; bytes && number < ND_BEAROFF_POSITIONS; number++) nd_bearoff_counts(number, counts + number * ND_HOME);
    return bytes;
}

/* ---- small games ---------------------------------------------------------------------------------- */

static void free_small_game(PyObject *capsule)
{
    nd_small_game_destroy(PyCapsule_GetPointer(capsule, SMALL_GAME_HANDLE));
}

static PyObject *py_small_game(PyObject *module, PyObject *capsule)
{
    const nd_rules *rules = nd_handle(capsule, ND_RULES_HANDLE);
    if (!rules) return NULL;
    const char *fault = NULL;
    nd_small_game *game;
    Py_BEGIN_ALLOW_THREADS
    game = nd_small_game_create(rules, &fault);
    Py_END_ALLOW_THREADS
    if (!game) return PyErr_Format(nd_input_error(module), "%s", fault);
    PyObject *made = PyCapsule_New(game, SMALL_GAME_HANDLE, free_small_game);
    if (!made) nd_small_game_destroy(game);
    return made;
}

/* small_game_facts(game) -> (rows, seats, blocks, row of the start) */
static PyObject *py_small_game_facts(PyObject *module, PyObject *capsule)
{
    (void)module;
    const nd_small_game *game = nd_handle(capsule, SMALL_GAME_HANDLE);
    return game ? Py_BuildValue("(iiii)", game->rows, game->seats, nd_small_blocks(game), game->start) : NULL;
}

/* small_game_fill(game, begin, end) */
static PyObject *py_small_game_fill(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle;
    int begin, end;
    if (!PyArg_ParseTuple(args, "Oii", &handle, &begin, &end)) return NULL;
    nd_small_game *game = nd_handle(handle, SMALL_GAME_HANDLE);
    if (!game) return NULL;
    if (begin < 0 || end > game->rows) return PyErr_Format(PyExc_ValueError, "there is no such row");
    bool fine;
    Py_BEGIN_ALLOW_THREADS
    fine = nd_small_game_fill(game, begin, end);
    Py_END_ALLOW_THREADS
    if (!fine) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

/* small_game_boards(game, opponent's row) -> (rows int32, boards) of all that can be on roll against it */
static PyObject *py_small_game_boards(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle;
    int his;
    if (!PyArg_ParseTuple(args, "Oi", &handle, &his)) return NULL;
    const nd_small_game *game = nd_handle(handle, SMALL_GAME_HANDLE);
    if (!game) return NULL;
    if (his < 0 || his >= game->rows) return PyErr_Format(PyExc_ValueError, "there is no such row");
    Py_ssize_t count = 0;
    for (int mine = 0; mine < game->rows; mine++) count += nd_small_apart(game, mine, his);
    int32_t *numbers;
    nd_board *out;
    PyObject *rows = nd_bytes_new(count * 4, &numbers), *boards = nd_bytes_new(count * (Py_ssize_t)sizeof *out, &out);
    if (!rows || !boards) {
        Py_XDECREF(rows);
        Py_XDECREF(boards);
        return NULL;
    }
    for (int mine = 0; mine < game->rows; mine++) {
        if (!nd_small_apart(game, mine, his)) continue;
        const nd_packed packed = nd_small_board(game, mine, his);
        *numbers++ = mine;
        nd_unpack(&packed, out++);
    }
    return Py_BuildValue("(NN)", rows, boards);
}

/* Sweeps rely on it that all plays are filled in. */
static bool is_filled(const nd_small_game *game)
{
    for (int row = 1; row < game->rows; row++)
        if (!game->replies[row].lists) {
            PyErr_SetString(PyExc_ValueError, "the plays of this game are not filled in");
            return false;
        }
    return true;
}

static Py_ssize_t cells_of(const nd_small_game *game)
{
    return (Py_ssize_t)game->seats * game->rows * game->rows;
}

static bool blocks_exist(const nd_small_game *game, int a, int b)
{
    const bool there = a >= 0 && b >= 0 && a < nd_small_blocks(game) && b < nd_small_blocks(game);
    if (!there) PyErr_SetString(PyExc_ValueError, "there is no such block of rows");
    return there;
}

/* solve_blocks(game, values, previous or None, a, b) -> the most that a value moved */
static PyObject *py_solve_blocks(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle, *values, *previous, *result = NULL;
    Py_buffer now = {0}, before = {0};
    int a, b;
    if (!PyArg_ParseTuple(args, "OOOii", &handle, &values, &previous, &a, &b)) return NULL;
    const nd_small_game *game = nd_handle(handle, SMALL_GAME_HANDLE);
    if (!game || !is_filled(game) || !blocks_exist(game, a, b)) return NULL;
    if (previous == Py_None && game->rules.family == ND_SHORT)
        return PyErr_Format(PyExc_ValueError, "a game with hits needs the values of the pass before");
    if (open_writable(values, "values", 8, cells_of(game), &now) &&
        (previous == Py_None || nd_view(previous, "previous", 8, cells_of(game), &before))) {
        double moved;
        Py_BEGIN_ALLOW_THREADS
        moved = nd_solve_blocks(game, now.buf, before.buf, a, b);
        Py_END_ALLOW_THREADS
        result = PyFloat_FromDouble(moved);
    }
    drop(&now);
    drop(&before);
    return result;
}

/* solve_openings(game, values) -> (second [rows], start, opening) */
static PyObject *py_solve_openings(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle, *object;
    Py_buffer values;
    if (!PyArg_ParseTuple(args, "OO", &handle, &object)) return NULL;
    const nd_small_game *game = nd_handle(handle, SMALL_GAME_HANDLE);
    if (!game || !nd_view(object, "values", 8, cells_of(game), &values)) return NULL;
    nd_openings openings = {NULL, 0, 0};
    PyObject *second = nd_bytes_new((Py_ssize_t)game->rows * 8, &openings.second);
    bool fine = second != NULL;
    if (fine) {
        Py_BEGIN_ALLOW_THREADS
        fine = nd_solve_openings(game, values.buf, &openings);
        Py_END_ALLOW_THREADS
        if (!fine) PyErr_NoMemory();
    }
    PyBuffer_Release(&values);
    if (fine) return Py_BuildValue("(Ndd)", second, openings.start, openings.opening);
    Py_XDECREF(second);
    return NULL;
}

/* A solved game out of (game, values, second, start, opening). */
typedef struct solved {
    const nd_small_game *game;
    Py_buffer values, second;
    nd_openings openings;
} solved;

static bool open_solved(PyObject *tuple, solved *solved)
{
    PyObject *handle, *values, *second;
    memset(solved, 0, sizeof *solved);
    if (!PyArg_ParseTuple(tuple, "OOOdd", &handle, &values, &second, &solved->openings.start, &solved->openings.opening)) return false;
    solved->game = nd_handle(handle, SMALL_GAME_HANDLE);
    if (!solved->game || !nd_view(values, "values", 8, cells_of(solved->game), &solved->values)) return false;
    if (!nd_view(second, "second", 8, solved->game->rows, &solved->second)) {
        drop(&solved->values);
        return false;
    }
    solved->openings.second = solved->second.buf;
    return true;
}

static void close_solved(solved *solved)
{
    drop(&solved->values);
    drop(&solved->second);
}

/* solved_equities(solved, boards, seats, turns) -> float64 [n] */
static PyObject *py_solved_equities(PyObject *module, PyObject *args)
{
    PyObject *tuple, *boards, *seats, *turns, *result = NULL;
    solved solved;
    nd_batch batch;
    if (!PyArg_ParseTuple(args, "O!OOO", &PyTuple_Type, &tuple, &boards, &seats, &turns) || !open_solved(tuple, &solved)) return NULL;
    if (nd_batch_open(&batch, boards, seats, turns)) {
        double *out;
        if (nd_batch_check(module, &batch, &solved.game->rules, false) && (result = nd_bytes_new(batch.count * 8, &out)) != NULL)
            for (Py_ssize_t i = 0; i < batch.count; i++) {
                const nd_packed packed = nd_pack(nd_batch_board(&batch, i));
                out[i] = nd_solved_equity(solved.game, solved.values.buf, &solved.openings, &packed, nd_batch_seat(&batch, i),
                                          nd_batch_turns(&batch, i));
            }
        nd_batch_close(&batch);
    }
    close_solved(&solved);
    return result;
}

/* policy_blocks(solved, scores, table, previous or None, a, b) -> the most that a shortfall moved */
static PyObject *py_policy_blocks(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *tuple, *scores, *table, *previous, *result = NULL;
    Py_buffer judged = {0}, now = {0}, before = {0};
    solved solved;
    int a, b;
    if (!PyArg_ParseTuple(args, "O!OOOii", &PyTuple_Type, &tuple, &scores, &table, &previous, &a, &b) || !open_solved(tuple, &solved))
        return NULL;
    const Py_ssize_t cells = cells_of(solved.game), shortfalls = ND_ROLES * cells;
    if (previous == Py_None && solved.game->rules.family == ND_SHORT)
        PyErr_SetString(PyExc_ValueError, "a game with hits needs the shortfalls of the pass before");
    else if (is_filled(solved.game) && blocks_exist(solved.game, a, b) && nd_view(scores, "scores", 8, cells, &judged) &&
             open_writable(table, "table", sizeof(nd_shortfall), shortfalls, &now) &&
             (previous == Py_None || nd_view(previous, "previous", sizeof(nd_shortfall), shortfalls, &before))) {
        const nd_policy policy = {solved.game, solved.values.buf, judged.buf, &solved.openings};
        double moved;
        Py_BEGIN_ALLOW_THREADS
        moved = nd_policy_blocks(&policy, now.buf, before.buf, a, b);
        Py_END_ALLOW_THREADS
        result = PyFloat_FromDouble(moved);
    }
    drop(&judged);
    drop(&now);
    drop(&before);
    close_solved(&solved);
    return result;
}

/* policy_start(solved, scores, table) -> (points, turns) where the policy starts, then where it does not */
static PyObject *py_policy_start(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *tuple, *scores, *table, *result = NULL;
    Py_buffer judged = {0}, shortfalls = {0};
    solved solved;
    if (!PyArg_ParseTuple(args, "O!OO", &PyTuple_Type, &tuple, &scores, &table) || !open_solved(tuple, &solved)) return NULL;
    const Py_ssize_t cells = cells_of(solved.game);
    if (nd_view(scores, "scores", 8, cells, &judged) && nd_view(table, "table", sizeof(nd_shortfall), ND_ROLES * cells, &shortfalls)) {
        const nd_policy policy = {solved.game, solved.values.buf, judged.buf, &solved.openings};
        nd_shortfall start[ND_ROLES];
        bool fine;
        Py_BEGIN_ALLOW_THREADS
        fine = nd_policy_start(&policy, shortfalls.buf, start);
        Py_END_ALLOW_THREADS
        result = fine ? Py_BuildValue("(dddd)", (double)start[0].points, (double)start[0].turns, (double)start[1].points,
                                      (double)start[1].turns)
                      : PyErr_NoMemory();
    }
    drop(&judged);
    drop(&shortfalls);
    close_solved(&solved);
    return result;
}

PyMethodDef nd_table_methods[] = {
    {"bearoff_kind", py_bearoff_kind, METH_O, NULL},
    {"bearoff_build", py_bearoff_build, METH_VARARGS, NULL},
    {"bearoff_build_pairs", py_bearoff_build_pairs, METH_O, NULL},
    {"bearoff", py_bearoff, METH_VARARGS, NULL},
    {"bearoff_outcomes", py_bearoff_outcomes, METH_VARARGS, NULL},
    {"bearoff_counts", py_bearoff_counts, METH_NOARGS, NULL},
    {"small_game", py_small_game, METH_O, NULL},
    {"small_game_facts", py_small_game_facts, METH_O, NULL},
    {"small_game_fill", py_small_game_fill, METH_VARARGS, NULL},
    {"small_game_boards", py_small_game_boards, METH_VARARGS, NULL},
    {"solve_blocks", py_solve_blocks, METH_VARARGS, NULL},
    {"solve_openings", py_solve_openings, METH_VARARGS, NULL},
    {"solved_equities", py_solved_equities, METH_VARARGS, NULL},
    {"policy_blocks", py_policy_blocks, METH_VARARGS, NULL},
    {"policy_start", py_policy_start, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
