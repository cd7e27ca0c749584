/* The kernels in plain C, for every processor. */
#include "net_kernels.h"

static void gather(const int32_t *base, const int32_t *const *plus, int plus_count, const int32_t *const *minus,
                   int minus_count, int width, int32_t *out)
{
    for (int j = 0; j < width; j++) out[j] = base[j];
    for (int i = 0; i < plus_count; i++)
        for (int j = 0; j < width; j++) out[j] += plus[i][j];
    for (int i = 0; i < minus_count; i++)
        for (int j = 0; j < width; j++) out[j] -= minus[i][j];
}

static void gather_relu(const int32_t *base, const int32_t *const *plus, int plus_count, const int32_t *const *minus,
                        int minus_count, int width, float scale, float *out)
{
    for (int start = 0; start < width; start += ND_LANES) {
        int32_t sum[ND_LANES];
        for (int j = 0; j < ND_LANES; j++) sum[j] = base[start + j];
        for (int i = 0; i < plus_count; i++)
            for (int j = 0; j < ND_LANES; j++) sum[j] += plus[i][start + j];
        for (int i = 0; i < minus_count; i++)
            for (int j = 0; j < ND_LANES; j++) sum[j] -= minus[i][start + j];
        for (int j = 0; j < ND_LANES; j++) out[start + j] = sum[j] > 0 ? (float)sum[j] * scale : 0.0f;
    }
}

static void dense(const float *in, int inputs, const float *weight, const float *bias, int outputs, int relu, float *out)
{
    for (int panel = 0; panel < outputs; panel += ND_LANES) {
        const float *column = weight + (size_t)panel * (size_t)inputs;
        for (int board = 0; board < ND_BLOCK; board++) {
            const float *x = in + (size_t)board * (size_t)inputs;
            float sum[ND_LANES];
            for (int j = 0; j < ND_LANES; j++) sum[j] = bias[panel + j];
            for (int k = 0; k < inputs; k++)
                for (int j = 0; j < ND_LANES; j++) sum[j] += x[k] * column[k * ND_LANES + j];
            float *y = out + (size_t)board * (size_t)outputs + panel;
            for (int j = 0; j < ND_LANES; j++) y[j] = relu && sum[j] < 0 ? 0.0f : sum[j];
        }
    }
}

const nd_kernels nd_kernels_plain = {"plain", gather, gather_relu, dense};
