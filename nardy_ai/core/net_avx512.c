/* The kernels for x86-64 processors with AVX-512. */
#include "net_kernels.h"

#ifdef ND_HAVE_X86_KERNELS
#include <immintrin.h>
#include <math.h>
#include <string.h>

/* For this file alone, so that it compiles with the flags of all others: only processors that can get here. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")
#endif
#include "net_softmax.h"

static __m512i sum_rows(const int32_t *base, const nd_changes *changes, int at)
{
    __m512i sum = _mm512_load_si512(base + at);
    for (int i = 0; i < changes->plus_count; i++)
        sum = _mm512_add_epi32(sum, _mm512_load_si512(changes->plus[i] + at));
    for (int i = 0; i < changes->minus_count; i++)
        sum = _mm512_sub_epi32(sum, _mm512_load_si512(changes->minus[i] + at));
    for (int i = 0; i < changes->scaled_count; i++) {
        const __m512i factor = _mm512_set1_epi32(changes->factors[i]);
        sum = _mm512_add_epi32(sum, _mm512_mullo_epi32(factor, _mm512_load_si512(changes->scaled[i] + at)));
    }
    return sum;
}

static void gather(const int32_t *base, const nd_changes *changes, int width, int32_t *out)
{
    for (int at = 0; at < width; at += 16)
        _mm512_store_si512(out + at, sum_rows(base, changes, at));
}

static void gather_relu(const int32_t *base, const nd_changes *changes, int width, float scale, float *out)
{
    const __m512 factor = _mm512_set1_ps(scale);
    for (int at = 0; at < width; at += 16) {
        __m512i sum = sum_rows(base, changes, at);
        sum = _mm512_max_epi32(sum, _mm512_setzero_si512());
        _mm512_store_ps(out + at, _mm512_mul_ps(_mm512_cvtepi32_ps(sum), factor));
    }
}

#define EIGHT(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

/* Eight boards by sixteen outputs in eight registers. */
static void eight_by_sixteen(const float *in, int inputs, const float *weight, const float *bias, int outputs, int relu,
                             float *out)
{
#define START(i)                                 \
    const float *x##i = in + (size_t)i * (size_t)inputs; \
    __m512 a##i = _mm512_load_ps(bias);
    EIGHT(START)
    for (int k = 0; k < inputs; k++) {
        const __m512 w = _mm512_load_ps(weight + 16 * k);
#define STEP(i) a##i = _mm512_fmadd_ps(_mm512_set1_ps(x##i[k]), w, a##i);
        EIGHT(STEP)
    }
    const __m512 floor = relu ? _mm512_setzero_ps() : _mm512_set1_ps(-3.0e38f);
#define FINISH(i) _mm512_storeu_ps(out + (size_t)i * (size_t)outputs, _mm512_max_ps(a##i, floor));
    EIGHT(FINISH)
}

static void dense(const float *in, int boards, int inputs, const float *weight, const float *bias, int outputs, int relu,
                  float *out)
{
    for (int panel = 0; panel < outputs; panel += ND_LANES)
        for (int board = 0; board < boards; board += 8)
            eight_by_sixteen(in + (size_t)board * (size_t)inputs, inputs, weight + (size_t)panel * (size_t)inputs,
                             bias + panel, outputs, relu, out + (size_t)board * (size_t)outputs + panel);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif

const nd_kernels nd_kernels_avx512 = {"avx512", gather, gather_relu, dense, softmax};
#else
typedef int nd_net_avx512_is_empty;
#endif
