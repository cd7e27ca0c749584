#include "arrays.h"

#include <stdlib.h>
#include <string.h>

#include "outcome.h"

PyObject *nd_input_error(PyObject *module)
{
    PyObject **state = PyModule_GetState(module);
    return *state;
}

bool nd_view(PyObject *object, const char *name, Py_ssize_t size, Py_ssize_t count, Py_buffer *view)
{
    view->obj = NULL;
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS) < 0) return false;
    if (view->len % size == 0 && (count < 0 || view->len == size * count)) return true;
    PyErr_Format(PyExc_ValueError, "%s holds %zd bytes, expected %zd items of %zd bytes", name, view->len,
                 count < 0 ? view->len / size : count, size);
    PyBuffer_Release(view);
    view->obj = NULL;
    return false;
}

/* A copy of a checked view, which it releases; NULL with MemoryError. */
static void *copy_of(Py_buffer *view)
{
    void *copy = malloc(view->len ? (size_t)view->len : 1);
    if (copy) memcpy(copy, view->buf, (size_t)view->len);
    else PyErr_NoMemory();
    PyBuffer_Release(view);
    return copy;
}

bool nd_batch_open(nd_batch *batch, PyObject *boards, PyObject *seats, PyObject *turns)
{
    Py_buffer view;
    memset(batch, 0, sizeof *batch);
    if (!nd_view(boards, "boards", sizeof(nd_board), -1, &view)) return false;
    batch->count = view.len / (Py_ssize_t)sizeof(nd_board);
    batch->boards = copy_of(&view);
    if (batch->boards && nd_view(seats, "seats", 1, batch->count, &view)) batch->seats = copy_of(&view);
    if (batch->seats && nd_view(turns, "turns", 1, batch->count, &view)) batch->turns = copy_of(&view);
    if (batch->turns) return true;
    nd_batch_close(batch);
    return false;
}

void nd_batch_close(nd_batch *batch)
{
    free(batch->boards);
    free(batch->seats);
    free(batch->turns);
    memset(batch, 0, sizeof *batch);
}

bool nd_batch_check(PyObject *module, const nd_batch *batch, const nd_rules *rules, bool playing)
{
    for (Py_ssize_t i = 0; i < batch->count; i++) {
        const nd_board *board = nd_batch_board(batch, i);
        const char *fault = nd_board_fault(rules, board, nd_batch_seat(batch, i), nd_batch_turns(batch, i));
        if (!fault && playing && nd_result(rules, board, nd_batch_seat(batch, i)) >= 0)
            fault = "the game is finished, so nothing can be played";
        if (!fault) continue;
        if (batch->count == 1) PyErr_Format(nd_input_error(module), "bad board: %s", fault);
        else PyErr_Format(nd_input_error(module), "bad board at index %zd: %s", i, fault);
        return false;
    }
    return true;
}

PyObject *nd_bytes_new(Py_ssize_t size, void *bytes_out)
{
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, size);
    if (bytes) *(char **)bytes_out = PyByteArray_AsString(bytes);
    return bytes;
}

void *nd_handle(PyObject *capsule, const char *name)
{
    return PyCapsule_GetPointer(capsule, name);
}

PyObject *nd_movement_pairs(const nd_plays *plays, size_t result)
{
    nd_movement movements[ND_MAX_MOVEMENTS];
    const size_t count = nd_play_movements(plays, result, movements);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *pair = Py_BuildValue("(ii)", movements[i].from, movements[i].to);
        if (!pair || PyList_Append(list, pair) < 0) Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}
