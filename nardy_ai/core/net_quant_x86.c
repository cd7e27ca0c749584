/* The 8-bit layer for x86-64 processors with AVX2, and for those with AVX-512 and VNNI. Functions name the instructions
 * that they need: what calls them has asked the processor. */
#include "net_quant.h"

#ifdef ND_HAVE_X86_KERNELS
#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))
#define VNNI __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx512vnni")))

/* Four activations, to be met by four weights in every lane. */
static inline int32_t four(const uint8_t *x)
{
    int32_t value;
    memcpy(&value, x, sizeof value);
    return value;
}

/* ---- AVX2 --------------------------------------------------------------------------------------- */

AVX2 static inline __m256i narrowed_256(const int32_t *sums, const float *factors)
{
    const __m256i sum = _mm256_max_epi32(_mm256_load_si256((const __m256i *)(const void *)sums), _mm256_setzero_si256());
    __m256 value = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_load_ps(factors));
    value = _mm256_min_ps(value, _mm256_set1_ps((float)ND_QUANT_MOST));
    return _mm256_cvttps_epi32(_mm256_add_ps(value, _mm256_set1_ps(0.5f)));
}

AVX2 static void narrow_avx2(const int32_t *sums, const float *factors, int width, uint8_t *out)
{
    for (int at = 0; at < width; at += 16) {
        __m256i both = _mm256_packs_epi32(narrowed_256(sums + at, factors + at), narrowed_256(sums + at + 8, factors + at + 8));
        both = _mm256_permute4x64_epi64(both, 0xD8); /* back into their order: packing works within halves */
        const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
        _mm_store_si128((__m128i *)(void *)(out + at), bytes);
    }
}

AVX2 static inline __m256i add_products(__m256i sum, __m256i x, __m256i w)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(x, w), _mm256_set1_epi16(1)));
}

AVX2 static inline void finish_256(__m256i sum, const float *scale, const float *bias, int relu, float *out)
{
    const __m256 floor = relu ? _mm256_setzero_ps() : _mm256_set1_ps(-3.0e38f);
    const __m256 product = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_load_ps(scale));
    _mm256_storeu_ps(out, _mm256_max_ps(_mm256_add_ps(product, _mm256_load_ps(bias)), floor));
}

#define FOUR(X) X(0) X(1) X(2) X(3)

/* Four boards by sixteen outputs in eight registers. */
AVX2 static void dense_avx2(const uint8_t *in, int inputs, const int8_t *weight, const float *scale, const float *bias,
                            int outputs, int relu, float *out)
{
    for (int panel = 0; panel < outputs; panel += ND_LANES)
        for (int board = 0; board < ND_BLOCK; board += 4) {
            const int8_t *w = weight + (size_t)panel * (size_t)inputs;
            float *own = out + (size_t)board * (size_t)outputs + panel;
#define START_256(i)                                                      \
    const uint8_t *x##i = in + (size_t)(board + i) * (size_t)inputs; \
    __m256i a##i = _mm256_setzero_si256(), b##i = a##i;
            FOUR(START_256)
            for (int k = 0; k < inputs; k += 4) {
                const __m256i wa = _mm256_load_si256((const __m256i *)(const void *)(w + ND_LANES * k));
                const __m256i wb = _mm256_load_si256((const __m256i *)(const void *)(w + ND_LANES * k + 32));
#define STEP_256(i)                                            \
    {                                                          \
        const __m256i x = _mm256_set1_epi32(four(x##i + k));   \
        a##i = add_products(a##i, x, wa);                      \
        b##i = add_products(b##i, x, wb);                      \
    }
                FOUR(STEP_256)
            }
#define FINISH_256(i)                                                                            \
    finish_256(a##i, scale + panel, bias + panel, relu, own + (size_t)i * (size_t)outputs); \
    finish_256(b##i, scale + panel + 8, bias + panel + 8, relu, own + (size_t)i * (size_t)outputs + 8);
            FOUR(FINISH_256)
        }
}

const nd_quant_kernels nd_quant_avx2 = {"avx2", narrow_avx2, dense_avx2};

/* ---- AVX-512 with VNNI -------------------------------------------------------------------------- */

VNNI static void narrow_vnni(const int32_t *sums, const float *factors, int width, uint8_t *out)
{
    for (int at = 0; at < width; at += 16) {
        const __m512i sum = _mm512_max_epi32(_mm512_load_si512(sums + at), _mm512_setzero_si512());
        __m512 value = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_load_ps(factors + at));
        value = _mm512_add_ps(_mm512_min_ps(value, _mm512_set1_ps((float)ND_QUANT_MOST)), _mm512_set1_ps(0.5f));
        _mm_store_si128((__m128i *)(void *)(out + at), _mm512_cvtepi32_epi8(_mm512_cvttps_epi32(value)));
    }
}

VNNI static inline void finish_512(__m512i sum, const float *scale, const float *bias, int relu, float *out)
{
    const __m512 floor = relu ? _mm512_setzero_ps() : _mm512_set1_ps(-3.0e38f);
    const __m512 product = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_load_ps(scale));
    _mm512_storeu_ps(out, _mm512_max_ps(_mm512_add_ps(product, _mm512_load_ps(bias)), floor));
}

#define EIGHT(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define START_512(i)                                     \
    const uint8_t *x##i = in + (size_t)i * (size_t)inputs; \
    __m512i a##i = _mm512_setzero_si512();
#define FINISH_512(i) finish_512(a##i, scale, bias, relu, out + (size_t)i * (size_t)outputs);

/* Eight boards by thirty-two outputs in sixteen registers. */
VNNI static void eight_by_32(const uint8_t *in, int inputs, const int8_t *weight, const float *scale, const float *bias,
                             int outputs, int relu, float *out)
{
    const int8_t *next = weight + (size_t)ND_LANES * (size_t)inputs;
    EIGHT(START_512)
#define START_SECOND(i) __m512i b##i = _mm512_setzero_si512();
    EIGHT(START_SECOND)
    for (int k = 0; k < inputs; k += 4) {
        const __m512i wa = _mm512_load_si512(weight + ND_LANES * k), wb = _mm512_load_si512(next + ND_LANES * k);
#define STEP_BOTH(i)                                         \
    {                                                        \
        const __m512i x = _mm512_set1_epi32(four(x##i + k)); \
        a##i = _mm512_dpbusd_epi32(a##i, x, wa);             \
        b##i = _mm512_dpbusd_epi32(b##i, x, wb);             \
    }
        EIGHT(STEP_BOTH)
    }
    EIGHT(FINISH_512)
#define FINISH_SECOND(i) finish_512(b##i, scale + ND_LANES, bias + ND_LANES, relu, out + (size_t)i * (size_t)outputs + ND_LANES);
    EIGHT(FINISH_SECOND)
}

VNNI static void eight_by_16(const uint8_t *in, int inputs, const int8_t *weight, const float *scale, const float *bias,
                             int outputs, int relu, float *out)
{
    EIGHT(START_512)
    for (int k = 0; k < inputs; k += 4) {
        const __m512i w = _mm512_load_si512(weight + ND_LANES * k);
#define STEP_ONE(i) a##i = _mm512_dpbusd_epi32(a##i, _mm512_set1_epi32(four(x##i + k)), w);
        EIGHT(STEP_ONE)
    }
    EIGHT(FINISH_512)
}

VNNI static void dense_vnni(const uint8_t *in, int inputs, const int8_t *weight, const float *scale, const float *bias,
                            int outputs, int relu, float *out)
{
    for (int panel = 0; panel < outputs; panel += 2 * ND_LANES)
        for (int board = 0; board < ND_BLOCK; board += 8) {
            const uint8_t *x = in + (size_t)board * (size_t)inputs;
            const int8_t *w = weight + (size_t)panel * (size_t)inputs;
            float *own = out + (size_t)board * (size_t)outputs + panel;
            if (panel + ND_LANES < outputs) eight_by_32(x, inputs, w, scale + panel, bias + panel, outputs, relu, own);
            else eight_by_16(x, inputs, w, scale + panel, bias + panel, outputs, relu, own);
        }
}

const nd_quant_kernels nd_quant_vnni = {"vnni", narrow_vnni, dense_vnni};
#else
typedef int nd_net_quant_x86_is_empty;
#endif
