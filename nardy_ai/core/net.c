#include "net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "net_quant.h"

typedef struct dense_layer {
    int inputs, outputs; /* padded */
    float *weight, *bias;
} dense_layer;

struct nd_net {
    int first_width, width, outputs, layers;
    float scale;       /* of one unit of the first layer's whole numbers */
    int32_t *bias;     /* first layer, seat 0 */
    int32_t *bias_seat; /* and seat 1 */
    int32_t *rows;     /* [2][ND_COLUMNS][ND_COUNTS][first_width] */
    nd_family family;
    nd_sight sight;
    int shape_inputs;    /* 0: the net does not see the shape */
    int32_t *shape_rows; /* [shape_inputs][first_width]: of a value of 1 */
    int32_t *pip_rows;   /* [2][most pips + 1][first_width]: of each value, whose error a factor would multiply */
    int pips[2], most_pips;
    dense_layer dense[ND_MAX_LAYERS];
    nd_quant quant; /* takes the place of dense[0].weight where it is there */
};

/* ---- aligned memory ----------------------------------------------------------------------------- */

static void *aligned_zeros(size_t count, size_t size)
{
    size_t bytes = (count * size + ND_ALIGN - 1) / ND_ALIGN * ND_ALIGN;
#if defined(_MSC_VER)
    void *memory = _aligned_malloc(bytes, ND_ALIGN);
#else
    void *memory = aligned_alloc(ND_ALIGN, bytes);
#endif
    if (memory) memset(memory, 0, bytes);
    return memory;
}

static void aligned_free(void *memory)
{
#if defined(_MSC_VER)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

static int padded(int width)
{
    return (width + ND_LANES - 1) / ND_LANES * ND_LANES;
}

/* ---- processors --------------------------------------------------------------------------------- */

const nd_kernels *nd_kernels_named(const char *name)
{
    if (strcmp(name, "plain") == 0) return &nd_kernels_plain;
#ifdef ND_HAVE_X86_KERNELS
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(name, "avx2") == 0 && avx2) return &nd_kernels_avx2;
    if (strcmp(name, "avx512") == 0 && avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return &nd_kernels_avx512;
#endif
#ifdef ND_HAVE_NEON_KERNELS
    if (strcmp(name, "neon") == 0) return &nd_kernels_neon;
#endif
#ifdef ND_HAVE_WASM_KERNELS
    if (strcmp(name, "simd128") == 0) return &nd_kernels_wasm;
#endif
    return NULL;
}

const nd_kernels *nd_kernels_best(void)
{
    const nd_kernels *kernels = nd_kernels_named("avx512");
    if (!kernels) kernels = nd_kernels_named("avx2");
    if (!kernels) kernels = nd_kernels_named("neon");
    if (!kernels) kernels = nd_kernels_named("simd128");
    return kernels ? kernels : &nd_kernels_plain;
}

/* ---- building ----------------------------------------------------------------------------------- */

static const char *layers_fault(nd_encoding encoding, const nd_layer *layers, int count)
{
    if (count < 2) return "a net needs at least one hidden layer";
    if (count > ND_MAX_LAYERS) return "a net has at most 16 layers";
    int inputs = nd_encoding_inputs(encoding);
    for (int i = 0; i < count; i++) {
        if (layers[i].inputs != inputs)
            return i ? "a layer's inputs differ from the outputs of the layer before" : "the first layer's inputs differ from the encoding's";
        if (layers[i].outputs < 1 || layers[i].outputs > ND_MAX_WIDTH) return "a layer has 1 to 4096 outputs";
        const size_t weights = (size_t)layers[i].inputs * (size_t)layers[i].outputs;
        for (size_t k = 0; k < weights; k++)
            if (!(fabsf(layers[i].weight[k]) <= 1e6f)) return "a weight is not a finite number of at most a million";
        for (int k = 0; k < layers[i].outputs; k++)
            if (!(fabsf(layers[i].bias[k]) <= 1e6f)) return "a bias is not a finite number of at most a million";
        inputs = layers[i].outputs;
    }
    if (inputs > ND_MAX_OUTCOMES) return "a net has at most 9 outputs";
    return NULL;
}

static double row_value(const nd_encoding_table *table, const nd_layer *layer, int side, int column, int count, int out)
{
    double sum = 0;
    for (int unit = 0; unit < ND_UNITS; unit++) {
        const int input = table->index[side][column][unit];
        if (input >= 0)
            sum += (double)table->value[side][column][count][unit] * (double)layer->weight[(size_t)out * (size_t)layer->inputs + (size_t)input];
    }
    return sum;
}

/* What a shape input adds for each 1 of its value. */
static double shape_value(const nd_encoding_table *table, const nd_layer *layer, int input, int out)
{
    return (double)layer->weight[(size_t)out * (size_t)layer->inputs + (size_t)(table->shape_input + input)] *
           (double)nd_shape_scale(table->family, input);
}

/* The largest that the columns of a side can add up to: at most ND_MAX_CHECKERS checkers stand on them, in any way. */
static double largest_side(const nd_encoding_table *table, const nd_layer *layer, int side, int out)
{
    double best[ND_COUNTS] = {0}; /* with at most so many checkers on the columns so far */
    for (int column = 0; column < ND_COLUMNS; column++) {
        double rows[ND_COUNTS] = {0};
        for (int count = 1; count < ND_COUNTS; count++) rows[count] = fabs(row_value(table, layer, side, column, count, out));
        for (int total = ND_MAX_CHECKERS; total > 0; total--)
            for (int count = 1; count <= total; count++) best[total] = fmax(best[total], best[total - count] + rows[count]);
    }
    return best[ND_MAX_CHECKERS];
}

/* The largest that a sum of the first layer, or of a part of its rows, can become over any board. */
static double largest_sum(const nd_encoding_table *table, const nd_layer *layer)
{
    double largest = 0;
    for (int out = 0; out < layer->outputs; out++) {
        double sum = fabs((double)layer->bias[out]);
        if (table->seat_input >= 0) sum += fabs((double)layer->weight[(size_t)out * (size_t)layer->inputs + (size_t)table->seat_input]);
        for (int side = 0; side < 2; side++) sum += largest_side(table, layer, side, out);
        for (int i = 0; i < table->inputs - table->shape_input && table->shape_input >= 0; i++)
            sum += fabs(shape_value(table, layer, i, out)) * nd_shape_most(table->family, i);
        largest = fmax(largest, sum);
    }
    return largest;
}

static int32_t *pip_row(const nd_net *net, int side, int value)
{
    return net->pip_rows + (size_t)(side * (net->most_pips + 1) + value) * (size_t)net->first_width;
}

static void fill_first(nd_net *net, const nd_encoding_table *table, const nd_layer *layer)
{
    /* A power of two, so that scaling is exact; with room for every row to change at once. */
    int exponent;
    frexp(largest_sum(table, layer) + 1e-30, &exponent);
    if (exponent < -6) exponent = -6;
    const double unit = ldexp(1.0, 29 - exponent);
    net->scale = (float)(1.0 / unit);
    for (int out = 0; out < layer->outputs; out++) {
        const double bias = (double)layer->bias[out];
        const double seat = table->seat_input < 0 ? 0.0 : (double)layer->weight[(size_t)out * (size_t)layer->inputs + (size_t)table->seat_input];
        net->bias[out] = (int32_t)lrint(bias * unit);
        net->bias_seat[out] = (int32_t)lrint((bias + seat) * unit);
        for (int side = 0; side < 2; side++)
            for (int column = 0; column < ND_COLUMNS; column++)
                for (int count = 1; count < ND_COUNTS; count++) {
                    const size_t row = (size_t)((side * ND_COLUMNS + column) * ND_COUNTS + count);
                    net->rows[row * (size_t)net->first_width + (size_t)out] =
                        (int32_t)lrint(row_value(table, layer, side, column, count, out) * unit);
                }
        for (int i = 0; i < net->shape_inputs; i++)
            net->shape_rows[(size_t)i * (size_t)net->first_width + (size_t)out] =
                (int32_t)lrint(shape_value(table, layer, i, out) * unit);
        for (int side = 0; side < 2 && net->shape_inputs; side++)
            for (int value = 1; value <= net->most_pips; value++)
                pip_row(net, side, value)[out] = (int32_t)lrint(shape_value(table, layer, net->pips[side], out) * value * unit);
    }
}

static bool fill_dense(dense_layer *dense, const nd_layer *layer, int inputs)
{
    dense->inputs = inputs;
    dense->outputs = padded(layer->outputs);
    dense->weight = aligned_zeros((size_t)inputs * (size_t)dense->outputs, sizeof(float));
    dense->bias = aligned_zeros((size_t)dense->outputs, sizeof(float));
    if (!dense->weight || !dense->bias) return false;
    for (int out = 0; out < layer->outputs; out++) {
        const size_t panel = (size_t)(out / ND_LANES * ND_LANES) * (size_t)inputs;
        dense->bias[out] = layer->bias[out];
        for (int in = 0; in < layer->inputs; in++)
            dense->weight[panel + (size_t)in * ND_LANES + (size_t)(out % ND_LANES)] = layer->weight[(size_t)out * (size_t)layer->inputs + (size_t)in];
    }
    return true;
}

nd_net *nd_net_create(nd_encoding encoding, const nd_layer *layers, int count, const char **fault)
{
    *fault = layers_fault(encoding, layers, count);
    if (*fault) return NULL;
    *fault = "out of memory";
    nd_net *net = calloc(1, sizeof *net);
    nd_encoding_table *table = malloc(sizeof *table);
    bool fine = net && table;
    if (fine) {
        nd_encoding_fill(encoding, table);
        net->first_width = net->width = padded(layers[0].outputs);
        net->outputs = layers[count - 1].outputs;
        net->bias = aligned_zeros((size_t)net->first_width, sizeof(int32_t));
        net->bias_seat = aligned_zeros((size_t)net->first_width, sizeof(int32_t));
        net->rows = aligned_zeros((size_t)(2 * ND_COLUMNS * ND_COUNTS) * (size_t)net->first_width, sizeof(int32_t));
        net->family = table->family;
        net->sight = table->sight;
        net->shape_inputs = table->shape_input < 0 ? 0 : table->inputs - table->shape_input;
        net->shape_rows = aligned_zeros((size_t)net->shape_inputs * (size_t)net->first_width, sizeof(int32_t));
        for (int side = 0; side < 2; side++) net->pips[side] = nd_shape_pips(net->family, side);
        net->most_pips = net->shape_inputs ? nd_shape_most(net->family, net->pips[0]) : 0;
        net->pip_rows = aligned_zeros((size_t)(2 * (net->most_pips + 1)) * (size_t)net->first_width, sizeof(int32_t));
        fine = net->bias && net->bias_seat && net->rows && net->pip_rows && (net->shape_rows || !net->shape_inputs);
    }
    if (fine) fill_first(net, table, &layers[0]);
    int inputs = fine ? net->first_width : 0;
    for (int i = 1; fine && i < count; i++) {
        fine = fill_dense(&net->dense[i - 1], &layers[i], inputs);
        net->layers = i;
        inputs = net->dense[i - 1].outputs;
        if (inputs > net->width) net->width = inputs;
    }
    free(table);
    if (fine) {
        *fault = NULL;
        return net;
    }
    nd_net_destroy(net);
    return NULL;
}

void nd_net_destroy(nd_net *net)
{
    if (!net) return;
    for (int i = 0; i < net->layers; i++) {
        aligned_free(net->dense[i].weight);
        aligned_free(net->dense[i].bias);
    }
    aligned_free(net->bias);
    aligned_free(net->bias_seat);
    aligned_free(net->rows);
    aligned_free(net->shape_rows);
    aligned_free(net->quant.factors);
    aligned_free(net->quant.scale);
    aligned_free(net->quant.weight);
    aligned_free(net->pip_rows);
    free(net);
}

void nd_model_destroy(nd_model *model)
{
    if (!model) return;
    for (int i = 0; i < ND_NET_COUNT; i++) nd_net_destroy(model->nets[i]);
    free(model);
}

int nd_net_width(const nd_net *net)
{
    return net->width;
}

int nd_net_first_width(const nd_net *net)
{
    return net->first_width;
}

int nd_net_outputs(const nd_net *net)
{
    return net->outputs;
}

/* ---- evaluation --------------------------------------------------------------------------------- */

static int lowest_field(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word) >> 2;
#else
    int field = 0;
    while (!(word >> (4 * field) & 15)) field++;
    return field;
#endif
}

static const int32_t *row_of(const nd_net *net, int side, int column, int count)
{
    return net->rows + (size_t)((side * ND_COLUMNS + column) * ND_COUNTS + count) * (size_t)net->first_width;
}

static void collect_word(const nd_net *net, int side, int first, uint64_t from, uint64_t to, nd_changes *changes)
{
    for (uint64_t differ = from ^ to; differ;) {
        const int field = lowest_field(differ);
        const int before = (int)(from >> (4 * field) & 15), after = (int)(to >> (4 * field) & 15);
        differ &= ~((uint64_t)15 << (4 * field));
        if (before) changes->minus[changes->minus_count++] = row_of(net, side, first + field, before);
        if (after) changes->plus[changes->plus_count++] = row_of(net, side, first + field, after);
    }
}

static void collect(const nd_net *net, const nd_packed *from, const nd_packed *to, nd_changes *changes)
{
    changes->plus_count = changes->minus_count = changes->scaled_count = 0;
    for (int side = 0; side < 2; side++) {
        collect_word(net, side, 0, from->row[side].low, to->row[side].low, changes);
        collect_word(net, side, 16, from->row[side].high, to->row[side].high, changes);
    }
}

static void collect_pips(const nd_net *net, int side, int before, int after, nd_changes *changes)
{
    if (before) changes->minus[changes->minus_count++] = pip_row(net, side, before);
    if (after) changes->plus[changes->plus_count++] = pip_row(net, side, after);
}

static void collect_shape(const nd_net *net, const uint8_t *from, const uint8_t *to, nd_changes *changes)
{
    for (int at = 0; at < net->shape_inputs; at += 8) {
        uint64_t before, after;
        memcpy(&before, from + at, 8);
        memcpy(&after, to + at, 8);
        if (before == after) continue;
        for (int i = at; i < at + 8; i++) {
            if (from[i] == to[i]) continue;
            if (i == net->pips[0] || i == net->pips[1]) {
                collect_pips(net, i == net->pips[1], from[i], to[i], changes);
                continue;
            }
            const int32_t *row = net->shape_rows + (size_t)i * (size_t)net->first_width;
            const int more = to[i] - from[i];
            /* Most change by one, and adding is cheaper than multiplying. */
            if (more == 1) changes->plus[changes->plus_count++] = row;
            else if (more == -1) changes->minus[changes->minus_count++] = row;
            else {
                changes->scaled[changes->scaled_count] = row;
                changes->factors[changes->scaled_count++] = more;
            }
        }
    }
}

void nd_net_first(const nd_net *net, const nd_kernels *kernels, const nd_packed *board, int seat, nd_parent *parent)
{
    static const nd_packed empty = {{{0, 0}, {0, 0}}};
    static const uint8_t plain[ND_MAX_SHAPE] = {0};
    nd_changes changes;
    parent->board = *board;
    collect(net, &empty, board, &changes);
    if (net->shape_inputs) {
        nd_shape(net->family, net->sight, board, parent->shape);
        collect_shape(net, plain, parent->shape, &changes);
    }
    kernels->gather(seat ? net->bias_seat : net->bias, &changes, net->first_width, parent->sums);
}

void nd_net_step(const nd_net *net, const nd_kernels *kernels, const nd_parent *parent, const nd_packed *board, float *out)
{
    nd_changes changes;
    collect(net, &parent->board, board, &changes);
    if (net->shape_inputs) {
        uint8_t shape[ND_MAX_SHAPE];
        nd_shape(net->family, net->sight, board, shape);
        collect_shape(net, parent->shape, shape, &changes);
    }
    if (net->quant.kernels) kernels->gather(parent->sums, &changes, net->first_width, (int32_t *)(void *)out);
    else kernels->gather_relu(parent->sums, &changes, net->first_width, net->scale, out);
}

/* The layer in 8 bits, from sums in `a` by activations in `b`. */
static void finish_quantised(const nd_net *net, int boards, const float *a, float *b, float *out)
{
    const nd_quant *quant = &net->quant;
    const dense_layer *layer = &net->dense[0];
    const int32_t *sums = (const int32_t *)(const void *)a;
    uint8_t *activations = (uint8_t *)(void *)b;
    const size_t width = (size_t)net->first_width;
    for (size_t board = 0; board < (size_t)boards; board++)
        quant->kernels->narrow(sums + board * width, quant->factors, net->first_width, activations + board * width);
    quant->kernels->dense(activations, layer->inputs, quant->weight, quant->scale, layer->bias, layer->outputs,
                          net->layers > 1, out);
}

void nd_net_finish(const nd_net *net, const nd_kernels *kernels, int boards, float *a, float *b, float *logits)
{
    float *in = a, *out = b;
    if (net->quant.kernels) finish_quantised(net, boards, a, b, net->layers == 1 ? logits : a);
    for (int i = net->quant.kernels ? 1 : 0; i < net->layers; i++) {
        const dense_layer *layer = &net->dense[i];
        const bool last = i == net->layers - 1;
        kernels->dense(in, boards, layer->inputs, layer->weight, layer->bias, layer->outputs, !last, last ? logits : out);
        float *swap = in;
        in = out;
        out = swap;
    }
}

/* ---- quantising --------------------------------------------------------------------------------- */

/* Whether a board belongs to the net of a class; then its sums of the first layer are in `parent`. */
static bool sum_first(const nd_model *model, int class, const nd_board *board, int seat, nd_parent *parent)
{
    const nd_packed packed = nd_pack(board);
    if (model->nets[ND_RACE] && (int)nd_classify(&model->rules, &packed) != class) return false;
    nd_net_first(model->nets[class], model->kernels, &packed, seat, parent);
    return true;
}

static bool quantise(nd_model *model, int class, const nd_board *boards, const uint8_t *seats, size_t count)
{
    nd_net *net = model->nets[class];
    dense_layer *layer = &net->dense[0];
    nd_quant *quant = &net->quant;
    const size_t width = (size_t)net->first_width;
    quant->factors = aligned_zeros(width, sizeof(float));
    quant->scale = aligned_zeros((size_t)layer->outputs, sizeof(float));
    quant->weight = aligned_zeros(width * (size_t)layer->outputs, 1);
    nd_parent parent = {.sums = aligned_zeros(width, sizeof *parent.sums)};
    nd_unit_sums *units = aligned_zeros(width, sizeof *units);
    uint8_t *steps = aligned_zeros(width, 1);
    const bool fine = quant->factors && quant->scale && quant->weight && parent.sums && units && steps;
    for (size_t i = 0; fine && i < count; i++) {
        if (!sum_first(model, class, &boards[i], seats[i], &parent)) continue;
        for (size_t at = 0; at < width; at++)
            units[at].largest = parent.sums[at] > units[at].largest ? parent.sums[at] : units[at].largest;
    }
    if (fine) nd_quant_fill(quant, units, (double)net->scale, layer->weight, layer->inputs, layer->outputs);
    quant->kernels = nd_quant_kernels_beside(model->kernels);
    size_t own = 0;
    for (size_t i = 0; fine && i < count; i++) {
        if (!sum_first(model, class, &boards[i], seats[i], &parent)) continue;
        quant->kernels->narrow(parent.sums, quant->factors, net->first_width, steps);
        for (size_t at = 0; at < width; at++) {
            units[at].sums += parent.sums[at] > 0 ? parent.sums[at] : 0;
            units[at].steps += steps[at];
        }
        own++;
    }
    if (fine && own)
        nd_quant_settle(quant, units, own, (double)net->scale, layer->weight, layer->inputs, layer->outputs, layer->bias);
    if (fine) {
        aligned_free(layer->weight);
        layer->weight = NULL;
    }
    aligned_free(parent.sums);
    aligned_free(units);
    aligned_free(steps);
    return fine;
}

bool nd_model_quantise(nd_model *model, const nd_board *boards, const uint8_t *seats, size_t count)
{
    bool fine = true;
    for (int class = 0; fine && class < ND_CLASS_COUNT; class++)
        if (model->nets[class]) fine = quantise(model, class, boards, seats, count);
    return fine;
}

void nd_softmax(const nd_model *model, const float *logits, const uint32_t *impossible, int count, float *outcomes)
{
    uint32_t masks[ND_BLOCK] = {0};
    float shares[ND_MAX_OUTCOMES * ND_BLOCK];
    for (int board = 0; board < count; board++)
        for (int i = 0; i < model->outputs; i++) {
            const int outcome = model->outcome_of[i];
            masks[board] |= (outcome < 0 ? 1u : impossible[board] >> outcome & 1) << i;
        }
    model->kernels->softmax(logits, model->outputs, masks, count, shares);
    for (int board = 0; board < count; board++) {
        float *own = outcomes + (size_t)board * ND_MAX_OUTCOMES;
        for (int k = 0; k < model->rules.outcomes; k++) own[k] = 0;
        for (int i = 0; i < model->outputs; i++)
            if (model->outcome_of[i] >= 0) own[model->outcome_of[i]] += shares[i * ND_BLOCK + board];
    }
}

float nd_equity(const nd_rules *rules, const float *outcomes)
{
    float equity = 0;
    for (int k = 0; k < rules->outcomes; k++) equity += rules->worth[k] * outcomes[k];
    return equity;
}
