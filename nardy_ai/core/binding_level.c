/* binding_level.c - the module's part about levels of play. */
#include "arrays.h"
#include "level.h"

/* level_default(family: 0 long, 1 short; level 1..10) -> (noise, plies) */
static PyObject *py_level_default(PyObject *module, PyObject *args)
{
    (void)module;
    int family, level;
    if (!PyArg_ParseTuple(args, "ii", &family, &level)) return NULL;
    if (family < 0 || family > 1 || level < 1 || level > ND_LEVELS)
        return PyErr_Format(PyExc_ValueError, "a family is 0 or 1, and a level 1 to %d", ND_LEVELS);
    const nd_level found = nd_level_default(family ? ND_SHORT : ND_LONG, level);
    return Py_BuildValue("(di)", found.noise, found.plies);
}

/* noise_key(seed, game, seat, turn) -> int */
static PyObject *py_noise_key(PyObject *module, PyObject *args)
{
    (void)module;
    unsigned long long seed, game;
    unsigned int turn;
    int seat;
    if (!PyArg_ParseTuple(args, "KKiI", &seed, &game, &seat, &turn)) return NULL;
    return PyLong_FromUnsignedLongLong(nd_noise_key(seed, game, seat, turn));
}

/* noise(key, boards, seats, turns) -> float64 [n] */
static PyObject *py_noise(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *boards, *seats, *turns;
    unsigned long long key;
    nd_batch batch;
    double *out;
    if (!PyArg_ParseTuple(args, "KOOO", &key, &boards, &seats, &turns) || !nd_batch_open(&batch, boards, seats, turns)) return NULL;
    PyObject *bytes = nd_bytes_new(batch.count * (Py_ssize_t)sizeof(double), &out);
    for (Py_ssize_t i = 0; bytes && i < batch.count; i++) {
        const nd_packed board = nd_pack(nd_batch_board(&batch, i));
        out[i] = nd_noise(key, &board);
    }
    nd_batch_close(&batch);
    return bytes;
}

PyMethodDef nd_level_methods[] = {
    {"level_default", py_level_default, METH_VARARGS, NULL},
    {"noise_key", py_noise_key, METH_VARARGS, NULL},
    {"noise", py_noise, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
