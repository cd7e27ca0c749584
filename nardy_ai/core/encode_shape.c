#include "encode_shape.h"

#include <string.h>

#include "encode_bits.h"

enum { NEIGHBOURS = 23, SECONDS = 22, WINDOWS = 19, ALL = 0xffffff, REACH = 12, CAP = 3, PIPS_A_STEP = 4 };
/* Where the kinds of inputs begin in a side's part. */
enum { AT_SECONDS = NEIGHBOURS, AT_WINDOWS = AT_SECONDS + SECONDS, AT_PIPS = AT_WINDOWS + WINDOWS, AT_POINTS = AT_PIPS + 1,
       AT_REACH = AT_POINTS + ND_POINTS };

static int own_inputs(nd_family family)
{
    return family == ND_SHORT ? ND_SHAPE_SHORT : ND_SHAPE_LONG;
}

int nd_shape_inputs(nd_family family, nd_sight sight)
{
    if (sight == ND_SEES_POINTS) return 0;
    return own_inputs(family) + (sight == ND_SEES_PROSPECTS ? 2 * nd_prospects(family) : 0);
}

int nd_shape_most(nd_family family, int input)
{
    const int own = own_inputs(family), place = input % (own / 2);
    if (input >= own) return nd_prospect_most(family, (input - own) % nd_prospects(family));
    if (place < AT_WINDOWS) return 1;
    if (place == AT_PIPS) return (25 * ND_MAX_CHECKERS + PIPS_A_STEP - 1) / PIPS_A_STEP;
    if (place < AT_PIPS || family == ND_LONG) return 6;
    return CAP;
}

int nd_shape_pips(nd_family family, int row)
{
    return row * (own_inputs(family) / 2) + AT_PIPS;
}

float nd_shape_scale(nd_family family, int input)
{
    const int own = own_inputs(family);
    if (input >= own) return nd_prospect_scale(family, (input - own) % nd_prospects(family));
    return input % (own / 2) == AT_PIPS ? PIPS_A_STEP / 100.0f : 1.0f / (float)nd_shape_most(family, input);
}

/* How many of six bits are set. */
static uint8_t six(uint32_t bits)
{
    static const uint8_t COUNTS[64] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 1, 2, 2, 3, 2, 3,
                                       3, 4, 2, 3, 3, 4, 3, 4, 4, 5, 1, 2, 2, 3, 2, 3, 3, 4, 2, 3, 3, 4,
                                       3, 4, 4, 5, 2, 3, 3, 4, 3, 4, 4, 5, 3, 4, 4, 5, 4, 5, 5, 6};
    return COUNTS[bits & 63];
}

static uint8_t capped(int count)
{
    return (uint8_t)(count < CAP ? count : CAP);
}

static int pip_count(const nd_row *row)
{
    int pips = 0;
    for (int column = 0; column < ND_POINTS; column++) pips += nd_row_count(row, column) * (column + 1);
    return pips + 25 * nd_row_count(row, ND_BAR);
}

static void blocks(const nd_row *row, uint32_t made, uint8_t *side)
{
    nd_spread(made & made >> 1, NEIGHBOURS, side);
    nd_spread(made & made >> 2, SECONDS, side + AT_SECONDS);
    for (int i = 0; i < WINDOWS; i++) side[AT_WINDOWS + i] = six(made >> i);
    side[AT_PIPS] = (uint8_t)((pip_count(row) + PIPS_A_STEP - 1) / PIPS_A_STEP);
}

static void shots(const nd_row *row, const nd_row *other, uint8_t *side)
{
    const uint32_t blots = nd_row_occupied(row) & ~nd_row_made(row) & ALL;
    const uint32_t hitters = nd_row_occupied(other) & ((1u << (ND_BAR + 1)) - 1); /* his bar too */
    memset(side + AT_POINTS, 0, ND_POINTS);
    for (uint32_t left = blots, point = 0; left; left >>= 1, point++)
        /* My point is 23 - point in his numbers, and he comes from above it. */
        if (left & 1) side[AT_POINTS + point] = capped(six(hitters >> (24 - point)));
    const uint32_t targets = nd_mirrored(blots);
    for (int distance = 1; distance <= REACH; distance++) {
        const uint32_t hit = hitters >> distance & targets;
        side[AT_REACH + distance - 1] = capped(six(hit) + six(hit >> 6) + six(hit >> 12) + six(hit >> 18));
    }
}

static void freedom(const nd_row *row, const nd_row *other, uint8_t *side)
{
    const uint32_t mine = nd_row_occupied(row) & ALL, his = nd_row_occupied(other) & ALL;
    /* The points that he does not hold, in my numbers; below them six more, for bearing off. */
    const uint32_t open = (~(his >> 12 | his << 12) & ALL) << 6 | 63;
    for (int point = 0; point < ND_POINTS; point++)
        side[AT_POINTS + point] = (uint8_t)(mine >> point & 1 ? six(open >> point) : 0);
}

void nd_shape(nd_family family, nd_sight sight, const nd_packed *board, uint8_t shape[ND_MAX_SHAPE])
{
    uint8_t sides[2][ND_SHAPE_SHORT / 2 + 8], ahead[ND_MAX_PROSPECTS + 8];
    const size_t size = (size_t)own_inputs(family) / 2;
    const int inputs = nd_shape_inputs(family, sight), more = nd_prospects(family);
    for (int side = 0; side < 2; side++) {
        const nd_row *row = &board->row[side], *other = &board->row[1 - side];
        blocks(row, (family == ND_SHORT ? nd_row_made(row) : nd_row_occupied(row)) & ALL, sides[side]);
        if (family == ND_SHORT) shots(row, other, sides[side]);
        else freedom(row, other, sides[side]);
        memcpy(shape + (size_t)side * size, sides[side], size);
        if (sight != ND_SEES_PROSPECTS) continue;
        nd_prospects_of(family, row, other, ahead);
        memcpy(shape + 2 * size + (size_t)(side * more), ahead, (size_t)more);
    }
    memset(shape + inputs, 0, (size_t)(-inputs & 7));
}
