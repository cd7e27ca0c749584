/* net_softmax.h - the last step of a net for a block of boards. Each kind of kernels compiles it with its own
 * instructions; the loops over boards are written so that a compiler turns them into vectors. */
#ifndef ND_NET_SOFTMAX_H
#define ND_NET_SOFTMAX_H

#include <math.h>
#include <string.h>

#include "net_kernels.h"

/* exp for x in LEAST .. 0 to within two units in the last place; below about -87.7 it is 0. */
#define LEAST -88.2f
static inline float nd_exp_negative(float x)
{
    /* To the nearest whole number: x is not above 0, and the conversion cuts towards 0. */
    const int32_t n = (int32_t)(x * 1.44269504f - 0.5f);
    float r = x - (float)n * 0.693359375f;
    r -= (float)n * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    /* n + 127 is 0 for the smallest x, whose power of two is then 0. */
    const int32_t bits = (n + 127) * (1 << 23);
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

/* Vectors take all boards of a block as fast as one; without them only the first `count` are worth the work. */
#ifndef WHOLE_BLOCKS
#define WHOLE_BLOCKS 1
#endif

/* logits [ND_BLOCK][ND_LANES] to shares [output][ND_BLOCK]; bit `o` of `masks`[board] rules output o out. At
 * least one output of every board is not ruled out. */
static void softmax(const float *logits, int outputs, const uint32_t *masks, int count, float *shares)
{
    const int boards = WHOLE_BLOCKS ? ND_BLOCK : count;
    float largest[ND_BLOCK], sums[ND_BLOCK], row[ND_BLOCK];
    for (int board = 0; board < boards; board++) {
        largest[board] = -2e30f;
        sums[board] = 0;
    }
    for (int o = 0; o < outputs; o++) {
        for (int board = 0; board < boards; board++) row[board] = logits[board * ND_LANES + o];
        for (int board = 0; board < boards; board++) {
            /* Weights of a wild net can make a logit infinite or no number at all. */
            float logit = row[board] > -1e30f ? row[board] : -1e30f;
            logit = logit < 1e30f ? logit : 1e30f;
            row[board] = masks[board] >> o & 1 ? -2e30f : logit;
        }
        for (int board = 0; board < boards; board++)
            largest[board] = row[board] > largest[board] ? row[board] : largest[board];
        memcpy(shares + (size_t)o * ND_BLOCK, row, sizeof row);
    }
    for (int o = 0; o < outputs; o++) {
        memcpy(row, shares + (size_t)o * ND_BLOCK, sizeof row);
        for (int board = 0; board < boards; board++) {
            const float x = row[board] - largest[board];
            row[board] = x > LEAST ? x : LEAST;
        }
        for (int board = 0; board < boards; board++) row[board] = nd_exp_negative(row[board]);
        for (int board = 0; board < boards; board++) sums[board] += row[board];
        memcpy(shares + (size_t)o * ND_BLOCK, row, sizeof row);
    }
    for (int board = 0; board < boards; board++) sums[board] = 1.0f / sums[board];
    for (int o = 0; o < outputs; o++)
        for (int board = 0; board < boards; board++) shares[o * ND_BLOCK + board] *= sums[board];
}

#endif
