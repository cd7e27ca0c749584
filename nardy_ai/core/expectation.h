/* expectation.h - what a position is worth before the throw: the mean over all 21 rolls of the best play.
 *
 * Every distinct result of any roll is held and judged once, all of them in one pass, which fills the net's
 * blocks and saves the tenth of the work that rolls have in common. One step of search is one expectation.
 *
 * With a pruning (pruning.h) the model's scout judges all of them first, and the other nets see only those that may
 * be the best of some roll. A value is then never above the one without, and below it only where the
 * scout misses the best play of a roll.
 */
#ifndef ND_EXPECTATION_H
#define ND_EXPECTATION_H

#include "pruning.h"

enum { ND_ROLLS = 21 };

/* Roll `roll` of 0 .. 20: 1-1, 2-1, 2-2, 3-1, ... 6-6, larger die first. It comes up `weight` times in 36. */
typedef struct nd_roll {
    int high, low, weight;
} nd_roll;

nd_roll nd_roll_at(int roll);
int nd_roll_of(int die1, int die2); /* in any order */

/* A mean over rolls under way, in double. */
typedef struct nd_mean {
    double sums[ND_MAX_OUTCOMES];
    int weight;
} nd_mean;

void nd_mean_add(nd_mean *mean, const nd_rules *rules, int weight, const float *outcomes);
void nd_mean_take(const nd_mean *mean, const nd_rules *rules, float *outcomes);

/* Workspace, and the results of the position that it was last filled with. */
typedef struct nd_expectation {
    nd_judge judge;               /* equities and outcomes of `results`, for the mover; -INFINITY: pruned */
    nd_pruning pruning;           /* may be set at any time; `keep` 0 or 1 .. ND_MOST_KEPT, and a model with a scout */
    nd_plays results;             /* each distinct one; only `results` and `count` are used */
    uint32_t *places;             /* of each roll's results in `results`, one roll after another */
    size_t starts[ND_ROLLS + 1];  /* where the places of a roll begin */
    /* private */
    nd_plays plays;
    size_t results_room, places_room;
    uint32_t *slots;
    nd_pruner pruner;
    size_t slot_mask;
} nd_expectation;

bool nd_expectation_create(nd_expectation *expectation, const nd_model *model); /* false: out of memory */
void nd_expectation_destroy(nd_expectation *expectation);

/* Generates and judges the results of all rolls. The game must be unfinished. false: out of memory. */
bool nd_expectation_fill(nd_expectation *expectation, const nd_packed *board, int seat, int turns);

/* The best result of a roll by the judge, as a place in `results`; equal ones by the bytes of their boards. */
size_t nd_expectation_best(const nd_expectation *expectation, int roll);

/* Fills, and takes the mean of the best results, for the player on roll. `opening_pair`: over the 15 rolls of
 * two different dice alone. false: out of memory. */
bool nd_expectation_value(nd_expectation *expectation, const nd_packed *board, int seat, int turns, bool opening_pair,
                          float *outcomes);

#endif
