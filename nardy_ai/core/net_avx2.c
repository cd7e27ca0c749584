/* The kernels for x86-64 processors with AVX2 and FMA. */
#include "net_kernels.h"

#ifdef ND_HAVE_X86_KERNELS
#include <immintrin.h>
#include <math.h>
#include <string.h>

/* For this file alone, so that it compiles with the flags of all others: only processors that can get here. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#include "net_softmax.h"

static __m256i sum_rows(const int32_t *base, const nd_changes *changes, int at)
{
    __m256i sum = _mm256_load_si256((const __m256i *)(base + at));
    for (int i = 0; i < changes->plus_count; i++)
        sum = _mm256_add_epi32(sum, _mm256_load_si256((const __m256i *)(changes->plus[i] + at)));
    for (int i = 0; i < changes->minus_count; i++)
        sum = _mm256_sub_epi32(sum, _mm256_load_si256((const __m256i *)(changes->minus[i] + at)));
    for (int i = 0; i < changes->scaled_count; i++) {
        const __m256i factor = _mm256_set1_epi32(changes->factors[i]);
        sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(factor, _mm256_load_si256((const __m256i *)(changes->scaled[i] + at))));
    }
    return sum;
}

static void gather(const int32_t *base, const nd_changes *changes, int width, int32_t *out)
{
    for (int at = 0; at < width; at += 8)
        _mm256_store_si256((__m256i *)(out + at), sum_rows(base, changes, at));
}

static void gather_relu(const int32_t *base, const nd_changes *changes, int width, float scale, float *out)
{
    const __m256 factor = _mm256_set1_ps(scale);
    for (int at = 0; at < width; at += 8) {
        __m256i sum = sum_rows(base, changes, at);
        sum = _mm256_max_epi32(sum, _mm256_setzero_si256());
        _mm256_store_ps(out + at, _mm256_mul_ps(_mm256_cvtepi32_ps(sum), factor));
    }
}

/* Four boards by sixteen outputs in eight registers. */
static void four_by_sixteen(const float *in, int inputs, const float *weight, const float *bias, int outputs, int relu,
                            float *out)
{
    const float *x0 = in, *x1 = in + inputs, *x2 = in + 2 * inputs, *x3 = in + 3 * inputs;
    __m256 a0 = _mm256_load_ps(bias), b0 = _mm256_load_ps(bias + 8);
    __m256 a1 = a0, b1 = b0, a2 = a0, b2 = b0, a3 = a0, b3 = b0;
    for (int k = 0; k < inputs; k++) {
        const __m256 wa = _mm256_load_ps(weight + 16 * k), wb = _mm256_load_ps(weight + 16 * k + 8);
        __m256 x = _mm256_broadcast_ss(x0 + k);
        a0 = _mm256_fmadd_ps(x, wa, a0);
        b0 = _mm256_fmadd_ps(x, wb, b0);
        x = _mm256_broadcast_ss(x1 + k);
        a1 = _mm256_fmadd_ps(x, wa, a1);
        b1 = _mm256_fmadd_ps(x, wb, b1);
        x = _mm256_broadcast_ss(x2 + k);
        a2 = _mm256_fmadd_ps(x, wa, a2);
        b2 = _mm256_fmadd_ps(x, wb, b2);
        x = _mm256_broadcast_ss(x3 + k);
        a3 = _mm256_fmadd_ps(x, wa, a3);
        b3 = _mm256_fmadd_ps(x, wb, b3);
    }
    const __m256 floor = relu ? _mm256_setzero_ps() : _mm256_set1_ps(-3.0e38f);
    _mm256_storeu_ps(out, _mm256_max_ps(a0, floor));
    _mm256_storeu_ps(out + 8, _mm256_max_ps(b0, floor));
    _mm256_storeu_ps(out + outputs, _mm256_max_ps(a1, floor));
    _mm256_storeu_ps(out + outputs + 8, _mm256_max_ps(b1, floor));
    _mm256_storeu_ps(out + 2 * outputs, _mm256_max_ps(a2, floor));
    _mm256_storeu_ps(out + 2 * outputs + 8, _mm256_max_ps(b2, floor));
    _mm256_storeu_ps(out + 3 * outputs, _mm256_max_ps(a3, floor));
    _mm256_storeu_ps(out + 3 * outputs + 8, _mm256_max_ps(b3, floor));
}

static void dense(const float *in, int boards, int inputs, const float *weight, const float *bias, int outputs, int relu,
                  float *out)
{
    for (int panel = 0; panel < outputs; panel += ND_LANES)
        for (int board = 0; board < boards; board += 4)
            four_by_sixteen(in + (size_t)board * (size_t)inputs, inputs, weight + (size_t)panel * (size_t)inputs,
                            bias + panel, outputs, relu, out + (size_t)board * (size_t)outputs + panel);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif

const nd_kernels nd_kernels_avx2 = {"avx2", gather, gather_relu, dense, softmax};
#else
typedef int nd_net_avx2_is_empty;
#endif
