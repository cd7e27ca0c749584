/* net_quant.h - the layer behind a net's first in whole numbers of 8 bits: the one with most of the multiplications.
 *
 * An activation of the first layer becomes 0 .. ND_QUANT_MOST, each unit by its own range; a weight becomes
 * -127 .. 127, each output by its own scale. Two products then fit 16 bits and 4096 of them 32, so that nothing
 * saturates and the sums are the same on every processor. Outputs are floats again: sum * scale + bias, not fused.
 */
#ifndef ND_NET_QUANT_H
#define ND_NET_QUANT_H

#include "net_kernels.h"

enum { ND_QUANT_MOST = 127 };

typedef struct nd_quant_kernels {
    const char *name;
    /* A board's sums of the first layer to activations: the nearest whole number to sum * factor in 0 .. ND_QUANT_MOST. */
    void (*narrow)(const int32_t *sums, const float *factors, int width, uint8_t *out);
    /* ND_BLOCK boards at once. in [ND_BLOCK][inputs]; weight: panels of ND_LANES outputs, [panel][input / 4][lane][4];
     * out [ND_BLOCK][outputs], through max(0, .) when relu. */
    void (*dense)(const uint8_t *in, int inputs, const int8_t *weight, const float *scale, const float *bias, int outputs,
                  int relu, float *out);
} nd_quant_kernels;

extern const nd_quant_kernels nd_quant_plain;
#ifdef ND_HAVE_X86_KERNELS
extern const nd_quant_kernels nd_quant_avx2, nd_quant_vnni;
#endif

/* Those that go with the float kernels of a net. Where an AVX-512 processor lacks VNNI they are AVX2's. */
const nd_quant_kernels *nd_quant_kernels_beside(const nd_kernels *kernels);

/* The layer; its arrays belong to the net and are aligned. */
typedef struct nd_quant {
    const nd_quant_kernels *kernels; /* NULL: the net's layers are all float */
    float *factors;                  /* [inputs] */
    float *scale;                    /* [outputs] */
    int8_t *weight;
} nd_quant;

/* What a unit of the first layer did over the boards that its range is taken from. */
typedef struct nd_unit_sums {
    int64_t sums, steps; /* added up: its sums above 0, and the activations of 8 bits that they became */
    int32_t largest;     /* of its sums */
} nd_unit_sums;

/* Fills in the three arrays by the units' largest sums. `unit`: what 1 of a sum is worth; `weight`: the layer's floats as
 * the float kernels have them, both sizes multiples of ND_LANES. */
void nd_quant_fill(nd_quant *quant, const nd_unit_sums *units, double unit, const float *weight, int inputs, int outputs);

/* Then moves each output's bias, so that over those boards, `count` of them, it is on average what it was in floats. */
void nd_quant_settle(const nd_quant *quant, const nd_unit_sums *units, size_t count, double unit, const float *weight,
                     int inputs, int outputs, float *bias);

#endif
