/* encode.h - what a net sees. One definition: the engine, training and every export read this table.
 *
 * Every column of either row contributes up to four units that depend on its count alone; units of bar
 * and off are scaled counts. Where a profile's outcome depends on who started, a last input is the seat.
 *
 *     short-1       196 inputs   per point: exactly 1, 2 or more, 3 or more, (n - 3) / 2 beyond 3;
 *                                bar n / 2; off n / 15; the row on roll first
 *     long-1        194 inputs   per point: 1 or more, 2 or more, 3 or more, (n - 3) / 4 beyond 3; off n / 15
 *     long-1-seat   195 inputs   and the seat
 *     short-2, long-2, long-2-seat   the same, then the position's shape (encode_shape.h): 398, 372 and 373 inputs
 *     short-3, long-3, long-3-seat   and what the next rolls can do (encode_prospects.h): 474, 522 and 523 inputs
 */
#ifndef ND_ENCODE_H
#define ND_ENCODE_H

#include "encode_shape.h"
#include "position.h"

enum { ND_UNITS = 4, ND_COUNTS = ND_MAX_CHECKERS + 1, ND_MAX_INPUTS = 640 };

typedef enum nd_encoding {
    ND_SHORT_1,
    ND_LONG_1,
    ND_LONG_1_SEAT,
    ND_SHORT_2,
    ND_LONG_2,
    ND_LONG_2_SEAT,
    ND_SHORT_3,
    ND_LONG_3,
    ND_LONG_3_SEAT,
    ND_ENCODINGS
} nd_encoding;

typedef struct nd_encoding_table {
    nd_family family;
    nd_sight sight;
    int inputs;
    int shape_input;                                       /* the first of the shape's inputs, -1: none */
    int seat_input;                                        /* -1: the seat is not seen */
    int16_t index[2][ND_COLUMNS][ND_UNITS];                /* input of a unit, -1: no such unit */
    float value[2][ND_COLUMNS][ND_COUNTS][ND_UNITS];       /* of a unit at a count */
} nd_encoding_table;

const char *nd_encoding_name(nd_encoding encoding);
nd_family nd_encoding_family(nd_encoding encoding);
bool nd_encoding_sees_seat(nd_encoding encoding);
int nd_encoding_inputs(nd_encoding encoding);
nd_sight nd_encoding_sight(nd_encoding encoding);

/* The encoding that sees single points alone: the first inputs of this one, and all that a scout sees. */
nd_encoding nd_encoding_of_scout(nd_encoding encoding);

/* The encoding that new nets of a profile get. */
nd_encoding nd_encoding_for(const nd_rules *rules);

void nd_encoding_fill(nd_encoding encoding, nd_encoding_table *table);

/* out: `inputs` floats. */
void nd_encode(const nd_encoding_table *table, const nd_board *board, int seat, float *out);

#endif
