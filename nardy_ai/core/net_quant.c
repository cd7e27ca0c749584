#include "net_quant.h"

#include <math.h>

const nd_quant_kernels *nd_quant_kernels_beside(const nd_kernels *kernels)
{
#ifdef ND_HAVE_X86_KERNELS
    if (kernels == &nd_kernels_avx2) return &nd_quant_avx2;
    if (kernels == &nd_kernels_avx512) {
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx512vnni") ? &nd_quant_vnni : &nd_quant_avx2;
    }
#endif
    (void)kernels;
    return &nd_quant_plain;
}

/* ---- packing ------------------------------------------------------------------------------------ */

/* Boards other than those at hand may go beyond the largest sums of these. A unit that hardly spoke up has the range of
 * a unit that did, since it may do so elsewhere. */
static const double HEADROOM = 1.125, LEAST_SHARE = 1.0 / 16;

static double range_of(int32_t largest, int32_t most)
{
    return fmax(HEADROOM * (double)largest, fmax(LEAST_SHARE * (double)most, 1.0));
}

static size_t place_of(int inputs, int in, int out)
{
    const size_t panel = (size_t)(out / ND_LANES * ND_LANES) * (size_t)inputs;
    return panel + (size_t)(in / 4 * 4 * ND_LANES + out % ND_LANES * 4 + in % 4);
}

/* The weights of an output, ND_LANES apart. */
static const float *weights_of(const float *weight, int inputs, int out)
{
    return weight + (size_t)(out / ND_LANES * ND_LANES) * (size_t)inputs + out % ND_LANES;
}

void nd_quant_fill(nd_quant *quant, const nd_unit_sums *units, double unit, const float *weight, int inputs, int outputs)
{
    int32_t most = 0;
    for (int in = 0; in < inputs; in++) most = units[in].largest > most ? units[in].largest : most;
    for (int in = 0; in < inputs; in++) quant->factors[in] = (float)(ND_QUANT_MOST / range_of(units[in].largest, most));
    for (int out = 0; out < outputs; out++) {
        const float *own = weights_of(weight, inputs, out);
        double strongest = 0;
        for (int in = 0; in < inputs; in++)
            strongest = fmax(strongest, fabs((double)own[in * ND_LANES]) * range_of(units[in].largest, most));
        quant->scale[out] = (float)(strongest * unit / (127.0 * ND_QUANT_MOST));
        for (int in = 0; in < inputs; in++) {
            const double scaled = (double)own[in * ND_LANES] * range_of(units[in].largest, most);
            quant->weight[place_of(inputs, in, out)] = (int8_t)lrint(strongest > 0 ? 127 * scaled / strongest : 0);
        }
    }
}

void nd_quant_settle(const nd_quant *quant, const nd_unit_sums *units, size_t count, double unit, const float *weight,
                     int inputs, int outputs, float *bias)
{
    for (int out = 0; out < outputs; out++) {
        const float *own = weights_of(weight, inputs, out);
        double error = 0;
        for (int in = 0; in < inputs; in++)
            error += (double)quant->scale[out] * quant->weight[place_of(inputs, in, out)] * (double)units[in].steps -
                     (double)own[in * ND_LANES] * unit * (double)units[in].sums;
        bias[out] = (float)((double)bias[out] - error / (double)count);
    }
}

/* ---- kernels in plain C ------------------------------------------------------------------------- */

static void narrow(const int32_t *sums, const float *factors, int width, uint8_t *out)
{
    for (int at = 0; at < width; at++) {
        float value = (float)(sums[at] > 0 ? sums[at] : 0) * factors[at];
        value = value < (float)ND_QUANT_MOST ? value : (float)ND_QUANT_MOST;
        out[at] = (uint8_t)(int32_t)(value + 0.5f);
    }
}

static void dense(const uint8_t *in, int inputs, const int8_t *weight, const float *scale, const float *bias, int outputs,
                  int relu, float *out)
{
    for (int panel = 0; panel < outputs; panel += ND_LANES)
        for (int board = 0; board < ND_BLOCK; board++) {
            const uint8_t *x = in + (size_t)board * (size_t)inputs;
            const int8_t *w = weight + (size_t)panel * (size_t)inputs;
            int32_t sums[ND_LANES] = {0};
            for (int k = 0; k < inputs; k += 4, w += 4 * ND_LANES)
                for (int j = 0; j < ND_LANES; j++)
                    sums[j] += x[k] * w[4 * j] + x[k + 1] * w[4 * j + 1] + x[k + 2] * w[4 * j + 2] + x[k + 3] * w[4 * j + 3];
            float *own = out + (size_t)board * (size_t)outputs + panel;
            for (int j = 0; j < ND_LANES; j++) {
                const float product = (float)sums[j] * scale[panel + j];
                const float sum = product + bias[panel + j];
                own[j] = relu && sum < 0 ? 0.0f : sum;
            }
        }
}

const nd_quant_kernels nd_quant_plain = {"plain", narrow, dense};
