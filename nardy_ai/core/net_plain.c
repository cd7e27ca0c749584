/* The kernels in plain C, for every processor whose compiler makes vectors of them; net_wasm_plain.c has the others. */
#include "net_kernels.h"

#if !defined(__wasm__) || defined(__wasm_simd128__)
#define WHOLE_BLOCKS 0
#include "net_softmax.h"

static void sum_rows(const int32_t *base, const nd_changes *changes, int start, int32_t sum[ND_LANES])
{
    for (int j = 0; j < ND_LANES; j++) sum[j] = base[start + j];
    for (int i = 0; i < changes->plus_count; i++)
        for (int j = 0; j < ND_LANES; j++) sum[j] += changes->plus[i][start + j];
    for (int i = 0; i < changes->minus_count; i++)
        for (int j = 0; j < ND_LANES; j++) sum[j] -= changes->minus[i][start + j];
    for (int i = 0; i < changes->scaled_count; i++)
        for (int j = 0; j < ND_LANES; j++) sum[j] += changes->factors[i] * changes->scaled[i][start + j];
}

static void gather(const int32_t *base, const nd_changes *changes, int width, int32_t *out)
{
    for (int start = 0; start < width; start += ND_LANES) sum_rows(base, changes, start, out + start);
}

static void gather_relu(const int32_t *base, const nd_changes *changes, int width, float scale, float *out)
{
    for (int start = 0; start < width; start += ND_LANES) {
        int32_t sum[ND_LANES];
        sum_rows(base, changes, start, sum);
        for (int j = 0; j < ND_LANES; j++) out[start + j] = sum[j] > 0 ? (float)sum[j] * scale : 0.0f;
    }
}

enum { BOARDS = 4, OUTPUTS = 8 };

/* Four boards by eight outputs: sums that a compiler can keep in registers, with every weight loaded once. */
static void four_by_eight(const float *in, int inputs, const float *weight, const float *bias, int outputs, int relu,
                          float *out)
{
    const float *x0 = in, *x1 = in + inputs, *x2 = in + 2 * inputs, *x3 = in + 3 * inputs;
    float a[OUTPUTS], b[OUTPUTS], c[OUTPUTS], d[OUTPUTS];
    for (int j = 0; j < OUTPUTS; j++) a[j] = b[j] = c[j] = d[j] = bias[j];
    for (int k = 0; k < inputs; k++) {
        const float *w = weight + k * ND_LANES;
        for (int j = 0; j < OUTPUTS; j++) a[j] += x0[k] * w[j];
        for (int j = 0; j < OUTPUTS; j++) b[j] += x1[k] * w[j];
        for (int j = 0; j < OUTPUTS; j++) c[j] += x2[k] * w[j];
        for (int j = 0; j < OUTPUTS; j++) d[j] += x3[k] * w[j];
    }
    const float *sums[BOARDS] = {a, b, c, d};
    for (int board = 0; board < BOARDS; board++)
        for (int j = 0; j < OUTPUTS; j++)
            out[(size_t)board * (size_t)outputs + (size_t)j] = relu && sums[board][j] < 0 ? 0.0f : sums[board][j];
}

static void dense(const float *in, int boards, int inputs, const float *weight, const float *bias, int outputs, int relu,
                  float *out)
{
    for (int panel = 0; panel < outputs; panel += OUTPUTS) {
        const size_t lanes = (size_t)(panel / ND_LANES * ND_LANES) * (size_t)inputs + (size_t)(panel % ND_LANES);
        for (int board = 0; board < boards; board += BOARDS)
            four_by_eight(in + (size_t)board * (size_t)inputs, inputs, weight + lanes, bias + panel, outputs, relu,
                          out + (size_t)board * (size_t)outputs + panel);
    }
}

const nd_kernels nd_kernels_plain = {"plain", gather, gather_relu, dense, softmax};
#else
typedef int nd_net_plain_is_empty;
#endif
