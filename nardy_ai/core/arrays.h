/* arrays.h - the seam between Python buffers and the core: checked views in, owned bytes out. */
#ifndef ND_ARRAYS_H
#define ND_ARRAYS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#include "plays.h"
#include "position.h"
#include "rules.h"
#include "search.h"

extern PyObject *nd_input_error(PyObject *module); /* borrowed */

/* A read-only view of a C-contiguous buffer of `count` items of `size` bytes (count < 0: any number).
 * false: a Python error is set. */
bool nd_view(PyObject *object, const char *name, Py_ssize_t size, Py_ssize_t count, Py_buffer *view);

/* Boards with seats and turns beside them: copies, so that what was checked cannot change while the
 * interpreter's lock is released. */
typedef struct nd_batch {
    nd_board *boards;
    uint8_t *seats, *turns;
    Py_ssize_t count;
} nd_batch;

bool nd_batch_open(nd_batch *batch, PyObject *boards, PyObject *seats, PyObject *turns);
void nd_batch_close(nd_batch *batch);
static inline const nd_board *nd_batch_board(const nd_batch *batch, Py_ssize_t i)
{
    return batch->boards + i;
}
static inline int nd_batch_seat(const nd_batch *batch, Py_ssize_t i)
{
    return batch->seats[i];
}
static inline int nd_batch_turns(const nd_batch *batch, Py_ssize_t i)
{
    return batch->turns[i];
}

/* Checks every board; `playing`: finished games are refused. false: InputError is set. */
bool nd_batch_check(PyObject *module, const nd_batch *batch, const nd_rules *rules, bool playing);

/* A bytearray of `size` bytes whose memory is *bytes; NULL with MemoryError. */
PyObject *nd_bytes_new(Py_ssize_t size, void *bytes_out);

/* Filters from uint32 [6] and float32 [7]: the stages of the root, the inner ones, the scout's, and the doubt. false: an
 * error is set. */
bool nd_read_filters(PyObject *keeps, PyObject *margins, nd_filters *filters);

/* The movements of one of the plays as a list of pairs (from, to). */
PyObject *nd_movement_pairs(const nd_plays *plays, size_t result);

/* What a capsule made by this module holds; NULL with TypeError. */
void *nd_handle(PyObject *capsule, const char *name);

#define ND_RULES_HANDLE "nardy_ai.core.rules"
#define ND_MODEL_HANDLE "nardy_ai.core.model"
#define ND_PLAYER_HANDLE "nardy_ai.core.player"
#define ND_BEAROFF_HANDLE "nardy_ai.core.bearoff" /* points to an nd_bearoff */

/* Method tables of the binding's parts, ended by a NULL name. */
extern PyMethodDef nd_rules_methods[];
extern PyMethodDef nd_play_methods[];
extern PyMethodDef nd_search_methods[];
extern PyMethodDef nd_table_methods[];
extern PyMethodDef nd_speed_methods[];
extern PyMethodDef nd_level_methods[];

#endif
