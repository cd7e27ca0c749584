/* net.h - value nets: a sparse first layer, dense layers, and a softmax over exclusive outcomes.
 *
 * The first layer is held as whole numbers (fixed point): for each row, column and count the sum of the
 * weights of its units. A board's first layer is a sum of such rows, and the layer of a board that a play
 * leads to is its parent's, less the rows of what left and plus those of what came. Whole numbers add up
 * to the same in any order, so both ways give the same bits.
 */
#ifndef ND_NET_H
#define ND_NET_H

#include "bearoff.h"
#include "encode.h"
#include "net_kernels.h"
#include "outcome.h"
#include "position.h"

enum { ND_MAX_LAYERS = 16 };

typedef struct nd_layer {
    int inputs, outputs;
    const float *weight; /* [outputs][inputs], as PyTorch has it */
    const float *bias;
} nd_layer;

typedef struct nd_net nd_net;

/* A model's nets: one for each class of positions, and the scout, a small net that puts plays in order so
 * that the others need to see the best of them alone. */
enum { ND_SCOUT = ND_CLASS_COUNT, ND_NET_COUNT };

typedef struct nd_model {
    nd_rules rules; /* the profile that it is used under */
    nd_encoding encoding;
    nd_net *nets[ND_NET_COUNT];         /* ND_CONTACT is there; a missing ND_RACE folds into it; ND_SCOUT or NULL */
    int outputs;                        /* logits of every net */
    int8_t outcome_of[ND_MAX_OUTCOMES]; /* of each logit under `rules`, -1: impossible there */
    const nd_kernels *kernels;
    int width; /* of the widest layer of any net */
    const nd_bearoff *bearoff; /* the caller's, or NULL: tables that judge in place of the nets where they reach */
} nd_model;

/* The fastest kernels that this processor runs, or those of a given name (NULL when it lacks them). */
const nd_kernels *nd_kernels_best(void);
const nd_kernels *nd_kernels_named(const char *name);

/* Copies the layers. NULL with *fault set: a clause, or "out of memory". */
nd_net *nd_net_create(nd_encoding encoding, const nd_layer *layers, int count, const char **fault);
void nd_net_destroy(nd_net *net);
int nd_net_width(const nd_net *net);       /* of the widest layer, padded */
int nd_net_first_width(const nd_net *net); /* of the first hidden layer, padded */
int nd_net_outputs(const nd_net *net);

/* A board with the first layer's sums, from which those of the boards that plays lead to are a step away. */
typedef struct nd_parent {
    nd_packed board;
    int32_t *sums;                /* nd_net_first_width numbers, aligned */
    uint8_t shape[ND_MAX_SHAPE]; /* where the net sees it */
} nd_parent;

/* Fills in a parent, whose `sums` are the caller's memory. */
void nd_net_first(const nd_net *net, const nd_kernels *kernels, const nd_packed *board, int seat, nd_parent *parent);

/* The activations of a board; of a quantised net the sums that they are found from. */
void nd_net_step(const nd_net *net, const nd_kernels *kernels, const nd_parent *parent, const nd_packed *board, float *out);

/* From the activations of a block's first `boards` to their logits: `logits` [ND_BLOCK][ND_LANES].
 * `a` and `b` are scratch of ND_BLOCK * nd_net_width; the activations come in `a` and are lost. */
void nd_net_finish(const nd_net *net, const nd_kernels *kernels, int boards, float *a, float *b, float *logits);

void nd_model_destroy(nd_model *model);

/* Turns the layer behind the first of every net but the scout into whole numbers of 8 bits (net_quant.h), once, before
 * the model is used. The range of each unit is taken from `boards` with the player on roll in row 0, each net's from
 * those of its class. false: out of memory, and the model is good for nd_model_destroy alone. */
bool nd_model_quantise(nd_model *model, const nd_board *boards, const uint8_t *seats, size_t count);

/* Probabilities of the outcomes of model->rules from the logits of a block's first `count` boards, impossible ones
 * exactly 0: `outcomes` [count][ND_MAX_OUTCOMES]. */
void nd_softmax(const nd_model *model, const float *logits, const uint32_t *impossible, int count, float *outcomes);

float nd_equity(const nd_rules *rules, const float *outcomes);

#endif
