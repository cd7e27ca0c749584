/* The kernels for 64-bit ARM processors, all of which have NEON with fused multiply-add. */
#include "net_kernels.h"

#ifdef ND_HAVE_NEON_KERNELS
#include <arm_neon.h>

#include "net_softmax.h"

static int32x4_t sum_rows(const int32_t *base, const nd_changes *changes, int at)
{
    int32x4_t sum = vld1q_s32(base + at);
    for (int i = 0; i < changes->plus_count; i++) sum = vaddq_s32(sum, vld1q_s32(changes->plus[i] + at));
    for (int i = 0; i < changes->minus_count; i++) sum = vsubq_s32(sum, vld1q_s32(changes->minus[i] + at));
    for (int i = 0; i < changes->scaled_count; i++)
        sum = vmlaq_n_s32(sum, vld1q_s32(changes->scaled[i] + at), changes->factors[i]);
    return sum;
}

static void gather(const int32_t *base, const nd_changes *changes, int width, int32_t *out)
{
    for (int at = 0; at < width; at += 4) vst1q_s32(out + at, sum_rows(base, changes, at));
}

static void gather_relu(const int32_t *base, const nd_changes *changes, int width, float scale, float *out)
{
    for (int at = 0; at < width; at += 4) {
        const int32x4_t sum = vmaxq_s32(sum_rows(base, changes, at), vdupq_n_s32(0));
        vst1q_f32(out + at, vmulq_n_f32(vcvtq_f32_s32(sum), scale));
    }
}

/* One board's four sums of four outputs each. */
#define ADD(i, lane)                              \
    a##i = vfmaq_laneq_f32(a##i, w0, x##i, lane); \
    b##i = vfmaq_laneq_f32(b##i, w1, x##i, lane); \
    c##i = vfmaq_laneq_f32(c##i, w2, x##i, lane); \
    d##i = vfmaq_laneq_f32(d##i, w3, x##i, lane);

/* One input of four boards. */
#define STEP(lane)                                                     \
    {                                                                  \
        const float *w = weight + (size_t)ND_LANES * (size_t)(k + lane); \
        const float32x4_t w0 = vld1q_f32(w), w1 = vld1q_f32(w + 4);    \
        const float32x4_t w2 = vld1q_f32(w + 8), w3 = vld1q_f32(w + 12); \
        ADD(0, lane) ADD(1, lane) ADD(2, lane) ADD(3, lane)            \
    }

#define START(i)                                              \
    const float *in##i = in + (size_t)i * (size_t)inputs;     \
    float32x4_t a##i = vld1q_f32(bias), b##i = vld1q_f32(bias + 4); \
    float32x4_t c##i = vld1q_f32(bias + 8), d##i = vld1q_f32(bias + 12);

/* maxnm: where one of the two is no number, the other one; as on x86-64. */
#define FINISH(i)                                                           \
    vst1q_f32(out + (size_t)i * (size_t)outputs, vmaxnmq_f32(a##i, floor)); \
    vst1q_f32(out + (size_t)i * (size_t)outputs + 4, vmaxnmq_f32(b##i, floor)); \
    vst1q_f32(out + (size_t)i * (size_t)outputs + 8, vmaxnmq_f32(c##i, floor)); \
    vst1q_f32(out + (size_t)i * (size_t)outputs + 12, vmaxnmq_f32(d##i, floor));

/* Four boards by sixteen outputs in sixteen of the 32 registers. Products are added in the order of the kernels
 * for x86-64, fused as there, so that all of them give the same bits. */
static void four_by_sixteen(const float *in, int inputs, const float *weight, const float *bias, int outputs, int relu,
                            float *out)
{
    START(0) START(1) START(2) START(3)
    for (int k = 0; k < inputs; k += 4) {
        const float32x4_t x0 = vld1q_f32(in0 + k), x1 = vld1q_f32(in1 + k);
        const float32x4_t x2 = vld1q_f32(in2 + k), x3 = vld1q_f32(in3 + k);
        STEP(0) STEP(1) STEP(2) STEP(3)
    }
    const float32x4_t floor = vdupq_n_f32(relu ? 0.0f : -3.0e38f);
    FINISH(0) FINISH(1) FINISH(2) FINISH(3)
}

static void dense(const float *in, int boards, int inputs, const float *weight, const float *bias, int outputs, int relu,
                  float *out)
{
    for (int panel = 0; panel < outputs; panel += ND_LANES)
        for (int board = 0; board < boards; board += 4)
            four_by_sixteen(in + (size_t)board * (size_t)inputs, inputs, weight + (size_t)panel * (size_t)inputs,
                            bias + panel, outputs, relu, out + (size_t)board * (size_t)outputs + panel);
}

const nd_kernels nd_kernels_neon = {"neon", gather, gather_relu, dense, softmax};
#else
typedef int nd_net_neon_is_empty;
#endif
