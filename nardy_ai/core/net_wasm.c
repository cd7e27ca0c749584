/* The kernels for WebAssembly with 128-bit SIMD. */
#include "net_kernels.h"

#ifdef ND_HAVE_WASM_KERNELS
#include <wasm_simd128.h>

#include "net_softmax.h"

static v128_t sum_rows(const int32_t *base, const nd_changes *changes, int at)
{
    v128_t sum = wasm_v128_load(base + at);
    for (int i = 0; i < changes->plus_count; i++) sum = wasm_i32x4_add(sum, wasm_v128_load(changes->plus[i] + at));
    for (int i = 0; i < changes->minus_count; i++) sum = wasm_i32x4_sub(sum, wasm_v128_load(changes->minus[i] + at));
    for (int i = 0; i < changes->scaled_count; i++) {
        const v128_t factor = wasm_i32x4_splat(changes->factors[i]);
        sum = wasm_i32x4_add(sum, wasm_i32x4_mul(factor, wasm_v128_load(changes->scaled[i] + at)));
    }
    return sum;
}

static void gather(const int32_t *base, const nd_changes *changes, int width, int32_t *out)
{
    for (int at = 0; at < width; at += 4) wasm_v128_store(out + at, sum_rows(base, changes, at));
}

static void gather_relu(const int32_t *base, const nd_changes *changes, int width, float scale, float *out)
{
    const v128_t factor = wasm_f32x4_splat(scale), zero = wasm_i32x4_splat(0);
    for (int at = 0; at < width; at += 4) {
        const v128_t sum = wasm_i32x4_max(sum_rows(base, changes, at), zero);
        wasm_v128_store(out + at, wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sum), factor));
    }
}

static v128_t add_product(v128_t sum, v128_t x, v128_t w)
{
    return wasm_f32x4_add(sum, wasm_f32x4_mul(x, w));
}

/* Four boards by eight outputs in eight of the sixteen registers that engines have on x86-64. Products are added
 * in the order of the plain kernels and without fusing, so that both give the same bits. */
static void four_by_eight(const float *in, int inputs, const float *weight, const float *bias, int outputs, int relu,
                          float *out)
{
    const float *x0 = in, *x1 = in + inputs, *x2 = in + 2 * inputs, *x3 = in + 3 * inputs;
    v128_t a0 = wasm_v128_load(bias), b0 = wasm_v128_load(bias + 4);
    v128_t a1 = a0, b1 = b0, a2 = a0, b2 = b0, a3 = a0, b3 = b0;
    for (int k = 0; k < inputs; k++) {
        const v128_t wa = wasm_v128_load(weight + ND_LANES * k), wb = wasm_v128_load(weight + ND_LANES * k + 4);
        v128_t x = wasm_v128_load32_splat(x0 + k);
        a0 = add_product(a0, x, wa);
        b0 = add_product(b0, x, wb);
        x = wasm_v128_load32_splat(x1 + k);
        a1 = add_product(a1, x, wa);
        b1 = add_product(b1, x, wb);
        x = wasm_v128_load32_splat(x2 + k);
        a2 = add_product(a2, x, wa);
        b2 = add_product(b2, x, wb);
        x = wasm_v128_load32_splat(x3 + k);
        a3 = add_product(a3, x, wa);
        b3 = add_product(b3, x, wb);
    }
    const v128_t floor = relu ? wasm_f32x4_splat(0.0f) : wasm_f32x4_splat(-3.0e38f);
    wasm_v128_store(out, wasm_f32x4_pmax(floor, a0));
    wasm_v128_store(out + 4, wasm_f32x4_pmax(floor, b0));
    wasm_v128_store(out + outputs, wasm_f32x4_pmax(floor, a1));
    wasm_v128_store(out + outputs + 4, wasm_f32x4_pmax(floor, b1));
    wasm_v128_store(out + 2 * outputs, wasm_f32x4_pmax(floor, a2));
    wasm_v128_store(out + 2 * outputs + 4, wasm_f32x4_pmax(floor, b2));
    wasm_v128_store(out + 3 * outputs, wasm_f32x4_pmax(floor, a3));
    wasm_v128_store(out + 3 * outputs + 4, wasm_f32x4_pmax(floor, b3));
}

static void dense(const float *in, int inputs, const float *weight, const float *bias, int outputs, int relu, float *out)
{
    enum { OUTPUTS = 8 };
    for (int panel = 0; panel < outputs; panel += OUTPUTS) {
        const size_t lanes = (size_t)(panel / ND_LANES * ND_LANES) * (size_t)inputs + (size_t)(panel % ND_LANES);
        for (int board = 0; board < ND_BLOCK; board += 4)
            four_by_eight(in + (size_t)board * (size_t)inputs, inputs, weight + lanes, bias + panel, outputs, relu,
                          out + (size_t)board * (size_t)outputs + panel);
    }
}

const nd_kernels nd_kernels_wasm = {"simd128", gather, gather_relu, dense, softmax};
#else
typedef int nd_net_wasm_is_empty;
#endif
