/* The plain kernels for WebAssembly without SIMD, where a compiler has no vectors to make of the loops of net_plain.c:
 * numbers are kept in variables, which become registers. */
#include "net_kernels.h"

#if defined(__wasm__) && !defined(__wasm_simd128__)
#define WHOLE_BLOCKS 0
#include "net_softmax.h"

/* Four neighbouring sums. */
typedef struct four {
    int32_t a, b, c, d;
} four;

static inline four sum_four(const int32_t *base, const nd_changes *changes, int at)
{
    four sum = {base[at], base[at + 1], base[at + 2], base[at + 3]};
    for (int i = 0; i < changes->plus_count; i++) {
        const int32_t *row = changes->plus[i] + at;
        sum.a += row[0];
        sum.b += row[1];
        sum.c += row[2];
        sum.d += row[3];
    }
    for (int i = 0; i < changes->minus_count; i++) {
        const int32_t *row = changes->minus[i] + at;
        sum.a -= row[0];
        sum.b -= row[1];
        sum.c -= row[2];
        sum.d -= row[3];
    }
    for (int i = 0; i < changes->scaled_count; i++) {
        const int32_t *row = changes->scaled[i] + at, factor = changes->factors[i];
        sum.a += factor * row[0];
        sum.b += factor * row[1];
        sum.c += factor * row[2];
        sum.d += factor * row[3];
    }
    return sum;
}

static void gather(const int32_t *base, const nd_changes *changes, int width, int32_t *out)
{
    for (int at = 0; at < width; at += 4) {
        const four sum = sum_four(base, changes, at);
        out[at] = sum.a;
        out[at + 1] = sum.b;
        out[at + 2] = sum.c;
        out[at + 3] = sum.d;
    }
}

static inline float activation(int32_t sum, float scale)
{
    return (float)(sum > 0 ? sum : 0) * scale;
}

static void gather_relu(const int32_t *base, const nd_changes *changes, int width, float scale, float *out)
{
    for (int at = 0; at < width; at += 4) {
        const four sum = sum_four(base, changes, at);
        out[at] = activation(sum.a, scale);
        out[at + 1] = activation(sum.b, scale);
        out[at + 2] = activation(sum.c, scale);
        out[at + 3] = activation(sum.d, scale);
    }
}

enum { OUTPUTS = 8, MOST_INPUTS = 4097 /* a width of at most 4096, and a place past the end */ };

/* Where the inputs are that are not zero, which after a ReLU are few. Whole numbers are told from 0 without a branch. */
static int listed(const float *in, int inputs, int32_t *places)
{
    int count = 0;
    for (int k = 0; k < inputs; k++) {
        int32_t bits;
        memcpy(&bits, in + k, sizeof bits);
        places[count] = k;
        count += bits != 0;
    }
    return count;
}

/* One board by eight outputs, in eight variables that stay in registers. Without vectors a product with zero costs as
 * much as any other: it is left out. The others are added in the order of all kernels, so that sums have the same bits. */
static void one_by_eight(const float *in, const int32_t *places, int count, const float *weight, const float *bias, int relu,
                         float *out)
{
    float a0 = bias[0], a1 = bias[1], a2 = bias[2], a3 = bias[3], a4 = bias[4], a5 = bias[5], a6 = bias[6], a7 = bias[7];
    for (int i = 0; i < count; i++) {
        const float x = in[places[i]], *w = weight + places[i] * ND_LANES;
        a0 += x * w[0];
        a1 += x * w[1];
        a2 += x * w[2];
        a3 += x * w[3];
        a4 += x * w[4];
        a5 += x * w[5];
        a6 += x * w[6];
        a7 += x * w[7];
    }
    const float sums[OUTPUTS] = {a0, a1, a2, a3, a4, a5, a6, a7};
    for (int j = 0; j < OUTPUTS; j++) out[j] = relu && sums[j] < 0 ? 0.0f : sums[j];
}

static void dense(const float *in, int boards, int inputs, const float *weight, const float *bias, int outputs, int relu,
                  float *out)
{
    int32_t places[MOST_INPUTS];
    for (int board = 0; board < boards; board++, in += inputs, out += outputs) {
        const int count = listed(in, inputs, places);
        for (int panel = 0; panel < outputs; panel += OUTPUTS) {
            const size_t lanes = (size_t)(panel / ND_LANES * ND_LANES) * (size_t)inputs + (size_t)(panel % ND_LANES);
            one_by_eight(in, places, count, weight + lanes, bias + panel, relu, out + panel);
        }
    }
}

const nd_kernels nd_kernels_plain = {"plain", gather, gather_relu, dense, softmax};
#else
typedef int nd_net_wasm_plain_is_empty;
#endif
