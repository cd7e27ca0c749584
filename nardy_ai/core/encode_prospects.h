/* encode_prospects.h - inputs that see what the next rolls can do, behind those of encode_shape.h.
 *
 * Whole numbers too. For each row, the one on roll first, with points counted from that row's own side; of
 * rolls there are 36:
 *
 *     short      4 with a checker on the bar: rolls that bring one in, and how many points of the other's home are
 *                  made; with two there: rolls that bring two in, and the points again
 *                8 at least 1, 2 .. 8 checkers on the points 19..24 and the bar
 *               24 of each blot: rolls with which the other can hit it with one checker, if need be by way of a point
 *                  that is not made; checkers on the bar come in first
 *                2 rolls that can hit any of them, and rolls that can hit one or another
 *     long      57 of the points 1..6, then 2..7 and so on: at least four are made, at least five, all six, each 19 times
 *               18 where the other has made at least five of six, from 1..6 to 18..23, my checkers behind these six
 */
#ifndef ND_ENCODE_PROSPECTS_H
#define ND_ENCODE_PROSPECTS_H

#include "position.h"

enum { ND_PROSPECTS_SHORT = 38, ND_PROSPECTS_LONG = 75, ND_MAX_PROSPECTS = 75 /* of a side */ };

/* Of a side of a family: how many there are, the largest value of one of them, and what it is multiplied with. */
int nd_prospects(nd_family family);
int nd_prospect_most(nd_family family, int input);
float nd_prospect_scale(nd_family family, int input);

/* The values of a row; up to eight bytes more are overwritten. */
void nd_prospects_of(nd_family family, const nd_row *row, const nd_row *other, uint8_t *side);

#endif
