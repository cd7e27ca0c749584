/* greedy.h - a hand-made linear judgement of the board that a play leaves.
 *
 * score = sum of weight * feature, the mover in row 0, higher is better for him. Features are whole
 * numbers and weights are meant to be whole numbers too (see bots/data/greedy.json), so a score is
 * exact and equal on every machine. It is a ruler: features and weights are frozen by a golden test.
 */
#ifndef ND_GREEDY_H
#define ND_GREEDY_H

#include <stddef.h>

#include "position.h"
#include "rules.h"

enum { ND_GREEDY_MAX_FEATURES = 48 };

/* The score of a play that bears off the last checker: above anything that weights can add up to. */
#define ND_GREEDY_FINISHED 1e30

/* The features of a family, in the order of its weights. */
size_t nd_greedy_count(nd_family family);
const char *nd_greedy_name(nd_family family, size_t feature);        /* NULL past the end */
const char *nd_greedy_description(nd_family family, size_t feature); /* NULL past the end */

/* Fills out[0 .. nd_greedy_count(rules->family) - 1] for a board after the play, mover in row 0. */
void nd_greedy_features(const nd_rules *rules, const nd_board *after, float *out);

double nd_greedy_score(const nd_rules *rules, const float *weights, const nd_board *after);

#endif
