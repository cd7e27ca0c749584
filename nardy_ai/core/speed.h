/* speed.h - how fast this processor can multiply and add, and how much of that the dense layers use. */
#ifndef ND_SPEED_H
#define ND_SPEED_H

#include "net_kernels.h"

/* Multiplies and adds in registers alone, as the path of these kernels does it (fused where it has that), in as
 * many independent chains as hide the latency. Returns the floating point operations done, two for each. */
double nd_speed_peak(const nd_kernels *kernels, uint32_t rounds);

/* Runs the dense kernel `rounds` times on one block, inputs and outputs multiples of ND_LANES, everything in the
 * nearest cache that holds it. Returns the operations done; negative: out of memory. */
double nd_speed_dense(const nd_kernels *kernels, int inputs, int outputs, uint32_t rounds);

#endif
