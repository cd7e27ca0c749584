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

enum { MOST_PLACES = ND_MAX_WIDTH + 16 }; /* a store beyond the last one */

/* Where the inputs are that are not zero, which after a ReLU are few. */
static int listed(const float *in, int inputs, int32_t *places)
{
    int count = 0;
    __m512i at = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int k = 0; k < inputs; k += 16) {
        const __mmask16 there = _mm512_cmp_ps_mask(_mm512_load_ps(in + k), _mm512_setzero_ps(), _CMP_NEQ_UQ);
        _mm512_storeu_si512(places + count, _mm512_maskz_compress_epi32(there, at));
        count += __builtin_popcount((unsigned)there);
        at = _mm512_add_epi32(at, _mm512_set1_epi32(16));
    }
    return count;
}

#define FOUR(X) X(0) X(1) X(2) X(3)
#define EIGHT(X) FOUR(X) X(4) X(5) X(6) X(7)

#define START(i)                                   \
    const float *w##i = weight + (size_t)i * size; \
    __m512 a##i = _mm512_load_ps(bias + 16 * i);
#define STEP(i) a##i = _mm512_fmadd_ps(x, _mm512_load_ps(w##i + 16 * k), a##i);
#define FINISH(i) _mm512_storeu_ps(out + 16 * i, _mm512_max_ps(a##i, floor));

/* One board by some panels of outputs, a register each, over the inputs that are not zero; returns how many panels.
 * Products are added in the order of the inputs. */
#define ONE_BY(name, PANELS, panels)                                                                      \
    static int name(const float *in, const int32_t *places, int count, const float *weight, size_t size, \
                    const float *bias, __m512 floor, float *out)                                         \
    {                                                                                                    \
        (void)size;                                                                                      \
        PANELS(START)                                                                                    \
        for (int i = 0; i < count; i++) {                                                                \
            const size_t k = (size_t)places[i];                                                          \
            const __m512 x = _mm512_set1_ps(in[k]);                                                      \
            PANELS(STEP)                                                                                 \
        }                                                                                                \
        PANELS(FINISH)                                                                                   \
        return panels;                                                                                   \
    }
ONE_BY(one_by_64, FOUR, 4)
ONE_BY(one_by_128, EIGHT, 8)

/* Whether a board at a time pays: the fewer sums run side by side, the more an input costs. */
static int pays(int count, int inputs, int panels)
{
    return panels >= 8 ? 5 * count < 2 * inputs : 4 * count < inputs;
}

/* Eight boards by sixteen outputs in eight registers, over all inputs. */
static void eight_by_16(const float *in, int inputs, const float *weight, const float *bias, int outputs, __m512 floor,
                        float *out)
{
#define BEGIN(i)                                         \
    const float *x##i = in + (size_t)i * (size_t)inputs; \
    __m512 a##i = _mm512_load_ps(bias);
#define ADD(i) a##i = _mm512_fmadd_ps(_mm512_set1_ps(x##i[k]), w, a##i);
#define END(i) _mm512_storeu_ps(out + (size_t)i * (size_t)outputs, _mm512_max_ps(a##i, floor));
    EIGHT(BEGIN)
    for (int k = 0; k < inputs; k++) {
        const __m512 w = _mm512_load_ps(weight + 16 * k);
        EIGHT(ADD)
    }
    EIGHT(END)
}

/* The first panels of eight boards, those that make 64 or 128 together, over the inputs that are not zero; returns how
 * many outputs. None, where too many are not: the first board speaks for its neighbours, which are plays of the same
 * position, and either way gives the same bits. */
static int eight_listed(const float *in, int inputs, const float *weight, const float *bias, int outputs, __m512 floor,
                        float *out)
{
    const size_t size = (size_t)ND_LANES * (size_t)inputs; /* of a panel */
    int32_t places[MOST_PLACES];
    const int panels = outputs / 64 * 4;
    if (!panels) return 0;
    for (int board = 0; board < 8; board++, in += inputs, out += outputs) {
        const int count = listed(in, inputs, places);
        if (board == 0 && !pays(count, inputs, panels)) return 0;
        for (int panel = 0; panel < panels;) {
            const float *w = weight + (size_t)panel * size, *b = bias + panel * ND_LANES;
            if (panels - panel >= 8) panel += one_by_128(in, places, count, w, size, b, floor, out + panel * ND_LANES);
            else panel += one_by_64(in, places, count, w, size, b, floor, out + panel * ND_LANES);
        }
    }
    return panels * ND_LANES;
}

static void dense(const float *in, int boards, int inputs, const float *weight, const float *bias, int outputs, int relu,
                  float *out)
{
    const __m512 floor = relu ? _mm512_setzero_ps() : _mm512_set1_ps(-3.0e38f);
    for (int board = 0; board < boards; board += 8) {
        const float *x = in + (size_t)board * (size_t)inputs;
        float *y = out + (size_t)board * (size_t)outputs;
        for (int panel = eight_listed(x, inputs, weight, bias, outputs, floor, y); panel < outputs; panel += ND_LANES)
            eight_by_16(x, inputs, weight + (size_t)panel * (size_t)inputs, bias + panel, outputs, floor, y + panel);
    }
}

#if defined(__clang__)
#pragma clang attribute pop
#endif

const nd_kernels nd_kernels_avx512 = {"avx512", gather, gather_relu, dense, softmax};
#else
typedef int nd_net_avx512_is_empty;
#endif
