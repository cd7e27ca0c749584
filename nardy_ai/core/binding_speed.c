/* binding_speed.c - what the measuring of speed asks of the engine. */
#include "arrays.h"
#include "net.h"
#include "speed.h"

static const nd_kernels *kernels_named(PyObject *module, const char *name)
{
    const nd_kernels *kernels = nd_kernels_named(name);
    if (!kernels) PyErr_Format(nd_input_error(module), "this processor does not run the kernels %s", name);
    return kernels;
}

/* speed_peak(kernels, rounds) -> operations */
static PyObject *py_speed_peak(PyObject *module, PyObject *args)
{
    const char *name;
    unsigned int rounds;
    double done;
    if (!PyArg_ParseTuple(args, "sI", &name, &rounds)) return NULL;
    const nd_kernels *kernels = kernels_named(module, name);
    if (!kernels) return NULL;
    Py_BEGIN_ALLOW_THREADS
    done = nd_speed_peak(kernels, rounds);
    Py_END_ALLOW_THREADS
    return PyFloat_FromDouble(done);
}

/* speed_dense(kernels, inputs, outputs, rounds) -> operations */
static PyObject *py_speed_dense(PyObject *module, PyObject *args)
{
    const char *name;
    unsigned int rounds;
    int inputs, outputs;
    double done;
    if (!PyArg_ParseTuple(args, "siiI", &name, &inputs, &outputs, &rounds)) return NULL;
    const nd_kernels *kernels = kernels_named(module, name);
    if (!kernels) return NULL;
    if (inputs < ND_LANES || outputs < ND_LANES || inputs > ND_MAX_WIDTH || outputs > ND_MAX_WIDTH || inputs % ND_LANES || outputs % ND_LANES)
        return PyErr_Format(nd_input_error(module), "a dense layer of %d to %d units: give multiples of 16 up to 4096", inputs, outputs);
    Py_BEGIN_ALLOW_THREADS
    done = nd_speed_dense(kernels, inputs, outputs, rounds);
    Py_END_ALLOW_THREADS
    return done < 0 ? PyErr_NoMemory() : PyFloat_FromDouble(done);
}

PyMethodDef nd_speed_methods[] = {
    {"speed_peak", py_speed_peak, METH_VARARGS, NULL},
    {"speed_dense", py_speed_dense, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
