/* Every kernel of the 8-bit layer against whole numbers of 64 bits, with the largest values that there can be, in
 * buffers of just the size that is needed: the sanitizers watch their ends. Prints the kernels that were tried. */
#define _POSIX_C_SOURCE 200112L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net_quant.h"

/* net_quant.c only compares addresses of these. */
const nd_kernels nd_kernels_plain = {0};
#ifdef ND_HAVE_X86_KERNELS
const nd_kernels nd_kernels_avx2 = {0}, nd_kernels_avx512 = {0};
#endif

static uint32_t state = 1;

static int below(int bound)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)bound);
}

static void *room(size_t bytes)
{
    void *memory;
    if (posix_memalign(&memory, ND_ALIGN, bytes)) abort();
    return memory;
}

static int check_dense(const nd_quant_kernels *kernels, int inputs, int outputs, int extreme)
{
    const size_t weights = (size_t)inputs * (size_t)outputs;
    uint8_t *in = room((size_t)ND_BLOCK * (size_t)inputs);
    int8_t *weight = room(weights);
    float *scale = room((size_t)outputs * sizeof *scale), *bias = room((size_t)outputs * sizeof *bias);
    float *out = room((size_t)(ND_BLOCK * outputs) * sizeof *out);
    for (int i = 0; i < ND_BLOCK * inputs; i++) in[i] = (uint8_t)(extreme ? ND_QUANT_MOST : below(ND_QUANT_MOST + 1));
    for (size_t i = 0; i < weights; i++) weight[i] = (int8_t)(extreme ? 127 * extreme : below(255) - 127);
    for (int j = 0; j < outputs; j++) {
        scale[j] = (float)(1 + below(1000)) / 1048573.0f;
        bias[j] = (float)(below(2000) - 1000) / 997.0f;
    }
    int bad = 0;
    for (int relu = 0; relu < 2; relu++) {
        kernels->dense(in, inputs, weight, scale, bias, outputs, relu, out);
        for (int board = 0; board < ND_BLOCK; board++)
            for (int j = 0; j < outputs; j++) {
                const int8_t *panel = weight + (size_t)(j / ND_LANES * ND_LANES) * (size_t)inputs;
                int64_t sum = 0;
                for (int k = 0; k < inputs; k++)
                    sum += (int64_t)in[board * inputs + k] * panel[k / 4 * 4 * ND_LANES + j % ND_LANES * 4 + k % 4];
                const float product = (float)sum * scale[j];
                const float wanted = product + bias[j];
                bad += out[board * outputs + j] != (relu && wanted < 0 ? 0.0f : wanted);
            }
    }
    free(in), free(weight), free(scale), free(bias), free(out);
    return bad;
}

static int check_narrow(const nd_quant_kernels *kernels, int width)
{
    static const int32_t EDGES[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, 126, 127, 128, 1 << 24, (1 << 24) + 1, INT32_MAX - 1, INT32_MAX};
    static const float FACTORS[] = {0.5f, 1.0f, 127.0f, 1e-9f, 127.0f / 536870912.0f, 0.25f};
    int32_t *sums = room((size_t)width * sizeof *sums);
    float *factors = room((size_t)width * sizeof *factors);
    uint8_t *out = room((size_t)width);
    int bad = 0;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < width; i++) {
            sums[i] = round % 2 ? EDGES[below(12)] : below(1 << 20) - (1 << 18);
            factors[i] = round % 4 < 2 ? FACTORS[below(6)] : (float)(1 + below(1000)) * 1e-5f;
        }
        kernels->narrow(sums, factors, width, out);
        for (int i = 0; i < width; i++) {
            /* The product is rounded to a float, as everywhere; the nearest whole number to it, halves up. */
            const float product = (float)(sums[i] > 0 ? sums[i] : 0) * factors[i];
            const double wanted = floor(fmin((double)product, ND_QUANT_MOST) + 0.5);
            bad += fabs((double)out[i] - wanted) > 0;
        }
    }
    free(sums), free(factors), free(out);
    return bad;
}

int main(void)
{
    const nd_quant_kernels *kernels[3] = {&nd_quant_plain};
    int count = 1;
#ifdef ND_HAVE_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) kernels[count++] = nd_quant_kernels_beside(&nd_kernels_avx2);
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        kernels[count++] = nd_quant_kernels_beside(&nd_kernels_avx512);
#endif
    static const int SIZES[][2] = {{16, 16}, {32, 16}, {48, 32}, {80, 48}, {16, 80}, {4096, 16}, {4096, 48}};
    for (int i = 0; i < count; i++) {
        int bad = check_narrow(kernels[i], 16) + check_narrow(kernels[i], 48);
        for (int size = 0; size < 7; size++)
            for (int extreme = -1; extreme < 2; extreme++)
                bad += check_dense(kernels[i], SIZES[size][0], SIZES[size][1], extreme);
        if (bad) {
            printf("%s: %d wrong\n", kernels[i]->name, bad);
            return 1;
        }
        printf("%s ", kernels[i]->name);
    }
    printf("\n");
    return 0;
}
