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

/* Where the inputs are that are not zero, which after a ReLU are few. */
static int listed(const float *in, int inputs, int32_t *places)
{
    int count = 0;
    for (int start = 0; start < inputs; start += 64) {
        const int end = inputs - start < 64 ? inputs - start : 64;
        uint64_t there = 0;
        for (int at = 0; at < end; at += 8) {
            const __m256 x = _mm256_load_ps(in + start + at);
            const int eight = _mm256_movemask_ps(_mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_NEQ_UQ));
            there |= (uint64_t)(unsigned)eight << at;
        }
        for (; there; there &= there - 1) places[count++] = start + __builtin_ctzll(there);
    }
    return count;
}

#define FOUR(X) X(0) X(1) X(2) X(3)

/* One board by 64 outputs in eight registers, over the inputs that are not zero. Products are added in the order of the
 * inputs. */
static void one_by_64(const float *in, const int32_t *places, int count, const float *weight, size_t size,
                      const float *bias, __m256 floor, float *out)
{
#define START(i)                                                                             \
    const float *w##i = weight + (size_t)i * size;                                           \
    __m256 a##i = _mm256_load_ps(bias + 16 * i), b##i = _mm256_load_ps(bias + 16 * i + 8);
#define STEP(i)                                                     \
    a##i = _mm256_fmadd_ps(x, _mm256_load_ps(w##i + 16 * k), a##i); \
    b##i = _mm256_fmadd_ps(x, _mm256_load_ps(w##i + 16 * k + 8), b##i);
#define FINISH(i)                                               \
    _mm256_storeu_ps(out + 16 * i, _mm256_max_ps(a##i, floor)); \
    _mm256_storeu_ps(out + 16 * i + 8, _mm256_max_ps(b##i, floor));
    FOUR(START)
    for (int i = 0; i < count; i++) {
        const size_t k = (size_t)places[i];
        const __m256 x = _mm256_broadcast_ss(in + k);
        FOUR(STEP)
    }
    FOUR(FINISH)
}

/* Four boards by sixteen outputs in eight registers, over all inputs. */
static void four_by_16(const float *in, int inputs, const float *weight, const float *bias, int outputs, __m256 floor,
                       float *out)
{
#define BEGIN(i)                                         \
    const float *x##i = in + (size_t)i * (size_t)inputs; \
    __m256 a##i = _mm256_load_ps(bias), b##i = _mm256_load_ps(bias + 8);
#define ADD(i)                                     \
    {                                              \
        const __m256 x = _mm256_broadcast_ss(x##i + k); \
        a##i = _mm256_fmadd_ps(x, wa, a##i);       \
        b##i = _mm256_fmadd_ps(x, wb, b##i);       \
    }
#define END(i)                                                                           \
    _mm256_storeu_ps(out + (size_t)i * (size_t)outputs, _mm256_max_ps(a##i, floor));     \
    _mm256_storeu_ps(out + (size_t)i * (size_t)outputs + 8, _mm256_max_ps(b##i, floor));
    FOUR(BEGIN)
    for (int k = 0; k < inputs; k++) {
        const __m256 wa = _mm256_load_ps(weight + 16 * k), wb = _mm256_load_ps(weight + 16 * k + 8);
        FOUR(ADD)
    }
    FOUR(END)
}

/* The first outputs of four boards, 64 at a time, over the inputs that are not zero; returns how many outputs. None where
 * half of the inputs are not: the first board speaks for its neighbours, which are plays of the same position, and either
 * way gives the same bits. */
static int four_listed(const float *in, int inputs, const float *weight, const float *bias, int outputs, __m256 floor,
                       float *out)
{
    const size_t size = (size_t)ND_LANES * (size_t)inputs; /* of a panel */
    const int listed_outputs = outputs / 64 * 64;
    int32_t places[ND_MAX_WIDTH];
    if (!listed_outputs) return 0;
    for (int board = 0; board < 4; board++, in += inputs, out += outputs) {
        const int count = listed(in, inputs, places);
        if (board == 0 && 2 * count >= inputs) return 0;
        for (int at = 0; at < listed_outputs; at += 64)
            one_by_64(in, places, count, weight + (size_t)at * (size_t)inputs, size, bias + at, floor, out + at);
    }
    return listed_outputs;
}

static void dense(const float *in, int boards, int inputs, const float *weight, const float *bias, int outputs, int relu,
                  float *out)
{
    const __m256 floor = relu ? _mm256_setzero_ps() : _mm256_set1_ps(-3.0e38f);
    for (int board = 0; board < boards; board += 4) {
        const float *x = in + (size_t)board * (size_t)inputs;
        float *y = out + (size_t)board * (size_t)outputs;
        for (int panel = four_listed(x, inputs, weight, bias, outputs, floor, y); panel < outputs; panel += ND_LANES)
            four_by_16(x, inputs, weight + (size_t)panel * (size_t)inputs, bias + panel, outputs, floor, y + panel);
    }
}

#if defined(__clang__)
#pragma clang attribute pop
#endif

const nd_kernels nd_kernels_avx2 = {"avx2", gather, gather_relu, dense, softmax};
#else
typedef int nd_net_avx2_is_empty;
#endif
