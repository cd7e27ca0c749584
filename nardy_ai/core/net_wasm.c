/* The kernels for WebAssembly with 128-bit SIMD. */
#include "net_kernels.h"

#ifdef ND_HAVE_WASM_KERNELS
#include <wasm_simd128.h>

#include "net_softmax.h"

enum { MOST_INPUTS = 4096 };

/* Four neighbouring vectors: ND_LANES sums. */
typedef struct four {
    v128_t a, b, c, d;
} four;

static inline four loaded(const int32_t *at)
{
    return (four){wasm_v128_load(at), wasm_v128_load(at + 4), wasm_v128_load(at + 8), wasm_v128_load(at + 12)};
}

static inline four sum_rows(const int32_t *base, const nd_changes *changes, int at)
{
    four sum = loaded(base + at);
    for (int i = 0; i < changes->plus_count; i++) {
        const four row = loaded(changes->plus[i] + at);
        sum.a = wasm_i32x4_add(sum.a, row.a);
        sum.b = wasm_i32x4_add(sum.b, row.b);
        sum.c = wasm_i32x4_add(sum.c, row.c);
        sum.d = wasm_i32x4_add(sum.d, row.d);
    }
    for (int i = 0; i < changes->minus_count; i++) {
        const four row = loaded(changes->minus[i] + at);
        sum.a = wasm_i32x4_sub(sum.a, row.a);
        sum.b = wasm_i32x4_sub(sum.b, row.b);
        sum.c = wasm_i32x4_sub(sum.c, row.c);
        sum.d = wasm_i32x4_sub(sum.d, row.d);
    }
    for (int i = 0; i < changes->scaled_count; i++) {
        const four row = loaded(changes->scaled[i] + at);
        const v128_t factor = wasm_i32x4_splat(changes->factors[i]);
        sum.a = wasm_i32x4_add(sum.a, wasm_i32x4_mul(factor, row.a));
        sum.b = wasm_i32x4_add(sum.b, wasm_i32x4_mul(factor, row.b));
        sum.c = wasm_i32x4_add(sum.c, wasm_i32x4_mul(factor, row.c));
        sum.d = wasm_i32x4_add(sum.d, wasm_i32x4_mul(factor, row.d));
    }
    return sum;
}

static void gather(const int32_t *base, const nd_changes *changes, int width, int32_t *out)
{
    for (int at = 0; at < width; at += ND_LANES) {
        const four sum = sum_rows(base, changes, at);
        wasm_v128_store(out + at, sum.a);
        wasm_v128_store(out + at + 4, sum.b);
        wasm_v128_store(out + at + 8, sum.c);
        wasm_v128_store(out + at + 12, sum.d);
    }
}

static inline v128_t activation(v128_t sum, v128_t factor)
{
    return wasm_f32x4_mul(wasm_f32x4_convert_i32x4(wasm_i32x4_max(sum, wasm_i32x4_splat(0))), factor);
}

static void gather_relu(const int32_t *base, const nd_changes *changes, int width, float scale, float *out)
{
    const v128_t factor = wasm_f32x4_splat(scale);
    for (int at = 0; at < width; at += ND_LANES) {
        const four sum = sum_rows(base, changes, at);
        wasm_v128_store(out + at, activation(sum.a, factor));
        wasm_v128_store(out + at + 4, activation(sum.b, factor));
        wasm_v128_store(out + at + 8, activation(sum.c, factor));
        wasm_v128_store(out + at + 12, activation(sum.d, factor));
    }
}

/* In every lane all bits, where the input is not zero. */
static inline v128_t four_there(const float *in)
{
    return wasm_f32x4_ne(wasm_v128_load(in), wasm_f32x4_splat(0.0f));
}

/* Bit i: input i of sixteen is not zero. */
static inline uint64_t sixteen_there(const float *in)
{
    const v128_t low = wasm_i16x8_narrow_i32x4(four_there(in), four_there(in + 4));
    const v128_t high = wasm_i16x8_narrow_i32x4(four_there(in + 8), four_there(in + 12));
    return wasm_i8x16_bitmask(wasm_i8x16_narrow_i16x8(low, high));
}

/* Where the inputs are that are not zero, which after a ReLU are few. */
static int listed(const float *in, int inputs, int32_t *places)
{
    int count = 0;
    for (int start = 0; start < inputs; start += 4 * ND_LANES) {
        const int end = inputs - start < 4 * ND_LANES ? inputs - start : 4 * ND_LANES;
        uint64_t there = 0;
        for (int at = 0; at < end; at += ND_LANES) there |= sixteen_there(in + start + at) << at;
        for (; there; there &= there - 1) places[count++] = start + __builtin_ctzll(there);
    }
    return count;
}

static v128_t add_product(v128_t sum, v128_t x, v128_t w)
{
    return wasm_f32x4_add(sum, wasm_f32x4_mul(x, w));
}

/* One board by sixteen outputs, or by 32 in eight of the sixteen registers that engines have on x86-64, over the inputs
 * that are not zero. Products are added in the order of the plain kernels and without fusing, so that both give the same
 * bits. */
static void one_by_16(const float *in, const int32_t *places, int count, const float *weight, const float *bias,
                      v128_t floor, float *out)
{
    v128_t a = wasm_v128_load(bias), b = wasm_v128_load(bias + 4);
    v128_t c = wasm_v128_load(bias + 8), d = wasm_v128_load(bias + 12);
    for (int i = 0; i < count; i++) {
        const v128_t x = wasm_v128_load32_splat(in + places[i]);
        const float *w = weight + places[i] * ND_LANES;
        a = add_product(a, x, wasm_v128_load(w));
        b = add_product(b, x, wasm_v128_load(w + 4));
        c = add_product(c, x, wasm_v128_load(w + 8));
        d = add_product(d, x, wasm_v128_load(w + 12));
    }
    wasm_v128_store(out, wasm_f32x4_pmax(floor, a));
    wasm_v128_store(out + 4, wasm_f32x4_pmax(floor, b));
    wasm_v128_store(out + 8, wasm_f32x4_pmax(floor, c));
    wasm_v128_store(out + 12, wasm_f32x4_pmax(floor, d));
}

static void one_by_32(const float *in, const int32_t *places, int count, const float *weight, const float *next,
                      const float *bias, v128_t floor, float *out)
{
    v128_t a = wasm_v128_load(bias), b = wasm_v128_load(bias + 4);
    v128_t c = wasm_v128_load(bias + 8), d = wasm_v128_load(bias + 12);
    v128_t e = wasm_v128_load(bias + 16), f = wasm_v128_load(bias + 20);
    v128_t g = wasm_v128_load(bias + 24), h = wasm_v128_load(bias + 28);
    for (int i = 0; i < count; i++) {
        const v128_t x = wasm_v128_load32_splat(in + places[i]);
        const float *w = weight + places[i] * ND_LANES, *v = next + places[i] * ND_LANES;
        a = add_product(a, x, wasm_v128_load(w));
        b = add_product(b, x, wasm_v128_load(w + 4));
        c = add_product(c, x, wasm_v128_load(w + 8));
        d = add_product(d, x, wasm_v128_load(w + 12));
        e = add_product(e, x, wasm_v128_load(v));
        f = add_product(f, x, wasm_v128_load(v + 4));
        g = add_product(g, x, wasm_v128_load(v + 8));
        h = add_product(h, x, wasm_v128_load(v + 12));
    }
    wasm_v128_store(out, wasm_f32x4_pmax(floor, a));
    wasm_v128_store(out + 4, wasm_f32x4_pmax(floor, b));
    wasm_v128_store(out + 8, wasm_f32x4_pmax(floor, c));
    wasm_v128_store(out + 12, wasm_f32x4_pmax(floor, d));
    wasm_v128_store(out + 16, wasm_f32x4_pmax(floor, e));
    wasm_v128_store(out + 20, wasm_f32x4_pmax(floor, f));
    wasm_v128_store(out + 24, wasm_f32x4_pmax(floor, g));
    wasm_v128_store(out + 28, wasm_f32x4_pmax(floor, h));
}

static void dense(const float *in, int boards, int inputs, const float *weight, const float *bias, int outputs, int relu,
                  float *out)
{
    const v128_t floor = wasm_f32x4_splat(relu ? 0.0f : -3.0e38f);
    const size_t size = (size_t)ND_LANES * (size_t)inputs; /* of a panel */
    int32_t places[MOST_INPUTS];
    for (int board = 0; board < boards; board++, in += inputs, out += outputs) {
        const int count = listed(in, inputs, places);
        const float *w = weight;
        int panel = 0;
        for (; panel + 2 * ND_LANES <= outputs; panel += 2 * ND_LANES, w += 2 * size)
            one_by_32(in, places, count, w, w + size, bias + panel, floor, out + panel);
        if (panel < outputs) one_by_16(in, places, count, w, bias + panel, floor, out + panel);
    }
}

const nd_kernels nd_kernels_wasm = {"simd128", gather, gather_relu, dense, softmax};
#else
typedef int nd_net_wasm_is_empty;
#endif
