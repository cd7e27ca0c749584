/* encode_shape.h - inputs that see a position as a whole: what no sum over single points can tell.
 *
 * Whole numbers, so that a net's first layer can follow a play by their differences, in fixed point. For each
 * row, the one on roll first, with points counted from that row's own side; a point is made when the other side
 * may not land on it:
 *
 *     both      23 points made that have their lower neighbour made too, 22 the one below it;
 *               19 how many of six points in a row are made, from the points 1..6 up;
 *               pips left, in fours
 *     short     24 shots at each blot: columns of the other side within six pips of it, 3 or more alike;
 *               12 blots of this side at each distance of 1..12 pips from a checker of the other, 3 or more alike
 *     long      24 freedom of each point that is held: dice with which a checker can leave it
 */
#ifndef ND_ENCODE_SHAPE_H
#define ND_ENCODE_SHAPE_H

#include "encode_prospects.h"
#include "position.h"

enum { ND_SHAPE_SHORT = 2 * 101, ND_SHAPE_LONG = 2 * 89, ND_MAX_SHAPE = 336 /* a multiple of 8 */ };

/* How much of a position is seen; each sees what the one before it does, in the same places. */
typedef enum nd_sight { ND_SEES_POINTS, ND_SEES_SHAPE, ND_SEES_PROSPECTS } nd_sight;

/* Of a family: how many there are, the largest value of one of them, and what it is multiplied with. Prospects
 * (encode_prospects.h) come last and count as the shape's inputs. */
int nd_shape_inputs(nd_family family, nd_sight sight);
int nd_shape_most(nd_family family, int input);
float nd_shape_scale(nd_family family, int input);

/* The input of a row that holds its pips, which has far larger values than the others. */
int nd_shape_pips(nd_family family, int row);

/* The values of a board, those beyond nd_shape_inputs 0 up to a multiple of 8. */
void nd_shape(nd_family family, nd_sight sight, const nd_packed *board, uint8_t shape[ND_MAX_SHAPE]);

#endif
