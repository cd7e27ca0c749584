/* correction.h - what the large nets will say of a result beyond what the scout said, told from the scout's units.
 *
 * A scout is wrong in its own way in every position, and results that its first hidden layer sees alike it judges
 * alike. So a few results that both have judged tell how far off it is for the others: a least-squares fit, damped,
 * to the units of the results at hand. It speaks of one position and is made anew for the next.
 *
 * All sums run in one fixed order, in plain C: the same bits with any kernels. Nothing but which results the large
 * nets see hangs on it, so single precision is enough.
 */
#ifndef ND_CORRECTION_H
#define ND_CORRECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a wider layer the first so many units are looked at. */
enum { ND_MOST_UNITS = 64, ND_CORRECTION_LANES = 8, ND_CORRECTION_ROW = ND_MOST_UNITS + ND_CORRECTION_LANES };

typedef struct nd_correction {
    float *errors;  /* of each result: what is to be added to the scout's equity */
    float spread;   /* standard deviation of what is still missed, among the results that were learned */
    /* private */
    size_t count, room, learned;
    int width;        /* features of a result, with zeros up to a multiple of the lanes */
    float *features;  /* [count][width]: each feature has mean 0 and deviation 1 over the results */
    uint32_t *places; /* of the results that were learned */
    float *truths;    /* their errors */
    float sums[ND_MOST_UNITS + 1][ND_CORRECTION_ROW]; /* upper half of the normal equations, and their right side */
} nd_correction;

void nd_correction_destroy(nd_correction *correction); /* all zeros is an empty one */

/* Looks at the units of `count` results, [count][width], width a multiple of ND_LANES. false: out of memory. */
bool nd_correction_begin(nd_correction *correction, const float *units, int width, size_t count);

/* The large nets gave a result `error` more than the scout. */
void nd_correction_learn(nd_correction *correction, size_t place, float error);

/* Fills in `errors` and `spread` from what was learned, at least one result. */
void nd_correction_settle(nd_correction *correction);

#endif
