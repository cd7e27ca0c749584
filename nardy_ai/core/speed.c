#include "speed.h"

#include <stdlib.h>
#include <string.h>

#ifdef ND_HAVE_X86_KERNELS
#include <immintrin.h>
#endif
#ifdef ND_HAVE_NEON_KERNELS
#include <arm_neon.h>
#endif

/* Twelve chains: two a cycle with a latency of four or five each need eight to ten. Values stay near 1, so that
 * no number is ever denormal. */
enum { CHAINS = 12, STEPS = 1000 };

#define EACH(what) what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7) what(8) what(9) what(10) what(11)

static const float NEARLY_ONE = 0.9999f, REST = 0.0001f;

#if defined(__GNUC__)
typedef float lanes __attribute__((vector_size(16)));
enum { PLAIN_LANES = 4 };
#else
typedef float lanes;
enum { PLAIN_LANES = 1 };
#endif

static lanes lanes_of(float value)
{
#if defined(__GNUC__)
    return (lanes){value, value, value, value};
#else
    return value;
#endif
}

static double plain_peak(uint32_t rounds, const volatile float *starts, volatile float *kept)
{
    const lanes factor = lanes_of(NEARLY_ONE), term = lanes_of(REST);
#define BEGIN(i) lanes x##i = lanes_of(starts[i]);
#define STEP(i) x##i = x##i * factor + term;
#define ADD(i) sum += x##i;
    EACH(BEGIN)
    for (uint32_t round = 0; round < rounds; round++)
        for (int step = 0; step < STEPS; step++) { EACH(STEP) }
    lanes sum = term;
    EACH(ADD)
    float out[PLAIN_LANES];
    memcpy(out, &sum, sizeof out);
    *kept = out[0];
#undef BEGIN
#undef STEP
#undef ADD
    return 2.0 * PLAIN_LANES * CHAINS * STEPS * (double)rounds;
}

#ifdef ND_HAVE_X86_KERNELS
__attribute__((target("avx2,fma"))) static double avx2_peak(uint32_t rounds, const volatile float *starts, volatile float *kept)
{
    const __m256 factor = _mm256_set1_ps(NEARLY_ONE), term = _mm256_set1_ps(REST);
#define BEGIN(i) __m256 x##i = _mm256_set1_ps(starts[i]);
#define STEP(i) x##i = _mm256_fmadd_ps(x##i, factor, term);
#define ADD(i) sum = _mm256_add_ps(sum, x##i);
    EACH(BEGIN)
    for (uint32_t round = 0; round < rounds; round++)
        for (int step = 0; step < STEPS; step++) { EACH(STEP) }
    __m256 sum = term;
    EACH(ADD)
    *kept = _mm256_cvtss_f32(sum);
#undef BEGIN
#undef STEP
#undef ADD
    return 2.0 * 8 * CHAINS * STEPS * (double)rounds;
}

__attribute__((target("avx512f"))) static double avx512_peak(uint32_t rounds, const volatile float *starts, volatile float *kept)
{
    const __m512 factor = _mm512_set1_ps(NEARLY_ONE), term = _mm512_set1_ps(REST);
#define BEGIN(i) __m512 x##i = _mm512_set1_ps(starts[i]);
#define STEP(i) x##i = _mm512_fmadd_ps(x##i, factor, term);
#define ADD(i) sum = _mm512_add_ps(sum, x##i);
    EACH(BEGIN)
    for (uint32_t round = 0; round < rounds; round++)
        for (int step = 0; step < STEPS; step++) { EACH(STEP) }
    __m512 sum = term;
    EACH(ADD)
    *kept = _mm512_cvtss_f32(sum);
#undef BEGIN
#undef STEP
#undef ADD
    return 2.0 * 16 * CHAINS * STEPS * (double)rounds;
}
#endif

#ifdef ND_HAVE_NEON_KERNELS
/* Twenty-four chains: some of these processors start four in each of the four cycles that one takes. */
static double neon_peak(uint32_t rounds, const volatile float *starts, volatile float *kept)
{
    const float32x4_t factor = vdupq_n_f32(NEARLY_ONE), term = vdupq_n_f32(REST);
#define BEGIN(i) float32x4_t x##i = vdupq_n_f32(starts[i]), y##i = vdupq_n_f32(starts[i] + 0.5f);
#define STEP(i)                         \
    x##i = vfmaq_f32(term, x##i, factor); \
    y##i = vfmaq_f32(term, y##i, factor);
#define ADD(i) sum = vaddq_f32(sum, vaddq_f32(x##i, y##i));
    EACH(BEGIN)
    for (uint32_t round = 0; round < rounds; round++)
        for (int step = 0; step < STEPS; step++) { EACH(STEP) }
    float32x4_t sum = term;
    EACH(ADD)
    *kept = vgetq_lane_f32(sum, 0);
#undef BEGIN
#undef STEP
#undef ADD
    return 2.0 * 4 * 2 * CHAINS * STEPS * (double)rounds;
}
#endif

double nd_speed_peak(const nd_kernels *kernels, uint32_t rounds)
{
    /* Chains that begin alike would be computed once, and a sum that nobody wants not at all. */
    volatile float starts[CHAINS], kept;
    for (int i = 0; i < CHAINS; i++) starts[i] = 1.0f + 0.01f * (float)i;
#ifdef ND_HAVE_X86_KERNELS
    if (kernels == &nd_kernels_avx512) return avx512_peak(rounds, starts, &kept);
    if (kernels == &nd_kernels_avx2) return avx2_peak(rounds, starts, &kept);
#endif
#ifdef ND_HAVE_NEON_KERNELS
    if (kernels == &nd_kernels_neon) return neon_peak(rounds, starts, &kept);
#endif
    (void)kernels;
    return plain_peak(rounds, starts, &kept);
}

static float *numbers(size_t count)
{
    const size_t bytes = (count * sizeof(float) + ND_ALIGN - 1) / ND_ALIGN * ND_ALIGN;
#if defined(_MSC_VER)
    float *found = _aligned_malloc(bytes, ND_ALIGN);
#else
    float *found = aligned_alloc(ND_ALIGN, bytes);
#endif
    for (size_t i = 0; found && i < count; i++) found[i] = (float)(i % 7 + 1) * 0.01f; /* kernels leave zeros out */
    return found;
}

static void drop(float *memory)
{
#if defined(_MSC_VER)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

double nd_speed_dense(const nd_kernels *kernels, int inputs, int outputs, uint32_t rounds)
{
    const size_t weights = (size_t)inputs * (size_t)outputs;
    float *in = numbers((size_t)ND_BLOCK * (size_t)inputs), *weight = numbers(weights), *bias = numbers((size_t)outputs);
    float *out = numbers((size_t)ND_BLOCK * (size_t)outputs);
    double done = -1;
    if (in && weight && bias && out) {
        for (uint32_t round = 0; round < rounds; round++) kernels->dense(in, ND_BLOCK, inputs, weight, bias, outputs, 1, out);
        done = 2.0 * ND_BLOCK * (double)weights * (double)rounds;
    }
    drop(in);
    drop(weight);
    drop(bias);
    drop(out);
    return done;
}
