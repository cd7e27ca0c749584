/* net_kernels.h - the inner loops of a net, once for each kind of processor; net.c asks the processor.
 *
 * Every output is summed over its inputs in one fixed order, so a board's value does not depend on the
 * boards beside it. Buffers are aligned to ND_ALIGN bytes; widths are multiples of ND_LANES.
 */
#ifndef ND_NET_KERNELS_H
#define ND_NET_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum { ND_MAX_WIDTH = 4096, ND_ALIGN = 64, ND_LANES = 16, ND_BLOCK = 16 };
enum { ND_MAX_FACTORS = 336, ND_MAX_CHANGES = 64 + ND_MAX_FACTORS };

/* Rows of a first layer that a play brings or takes away, and rows that it brings `factors` times. */
typedef struct nd_changes {
    const int32_t *plus[ND_MAX_CHANGES], *minus[ND_MAX_CHANGES], *scaled[ND_MAX_FACTORS];
    int32_t factors[ND_MAX_FACTORS];
    int plus_count, minus_count, scaled_count;
} nd_changes;

typedef struct nd_kernels {
    const char *name;
    /* out[j] = base[j] + the changes' rows; whole numbers, so the order is free. */
    void (*gather)(const int32_t *base, const nd_changes *changes, int width, int32_t *out);
    /* The same, then out[j] = max(0, sum) * scale. */
    void (*gather_relu)(const int32_t *base, const nd_changes *changes, int width, float scale, float *out);
    /* The first `boards` of a block, and as many more as suits the registers. in [ND_BLOCK][inputs]; weight: panels of
     * ND_LANES outputs, [panel][input][lane]; out [ND_BLOCK][outputs], through max(0, .) when relu. */
    void (*dense)(const float *in, int boards, int inputs, const float *weight, const float *bias, int outputs, int relu,
                  float *out);
    /* Logits [ND_BLOCK][ND_LANES] of a block's first `count` boards to shares [output][ND_BLOCK] that add up to 1;
     * bit o of a board's mask gives its output o none. */
    void (*softmax)(const float *logits, int outputs, const uint32_t *masks, int count, float *shares);
} nd_kernels;

extern const nd_kernels nd_kernels_plain;
#if defined(__x86_64__) && defined(__GNUC__)
#define ND_HAVE_X86_KERNELS 1
extern const nd_kernels nd_kernels_avx2;
extern const nd_kernels nd_kernels_avx512;
#endif
#if defined(__aarch64__) && defined(__ARM_NEON) && defined(__GNUC__)
#define ND_HAVE_NEON_KERNELS 1
extern const nd_kernels nd_kernels_neon;
#endif
#if defined(__wasm_simd128__)
#define ND_HAVE_WASM_KERNELS 1
extern const nd_kernels nd_kernels_wasm;
#endif

#endif
