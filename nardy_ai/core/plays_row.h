/* plays_row.h - single checkers in packed rows, and sets of columns; private to plays.c. */
#ifndef ND_PLAYS_ROW_H
#define ND_PLAYS_ROW_H

#include "position.h"

#define UNIT(column) {(column) < 16 ? 1ull << 4 * ((column) & 15) : 0, (column) < 16 ? 0 : 1ull << 4 * ((column) & 15)}
static const nd_row UNITS[ND_COLUMNS] = {
    UNIT(0),  UNIT(1),  UNIT(2),  UNIT(3),  UNIT(4),  UNIT(5),  UNIT(6),  UNIT(7),  UNIT(8),
    UNIT(9),  UNIT(10), UNIT(11), UNIT(12), UNIT(13), UNIT(14), UNIT(15), UNIT(16), UNIT(17),
    UNIT(18), UNIT(19), UNIT(20), UNIT(21), UNIT(22), UNIT(23), UNIT(24), UNIT(25)};

static inline bool row_has(const nd_row *row, int column)
{
    return ((row->low & UNITS[column].low * 15) | (row->high & UNITS[column].high * 15)) != 0;
}

static inline void row_add(nd_row *row, int column)
{
    row->low += UNITS[column].low;
    row->high += UNITS[column].high;
}

static inline void row_take(nd_row *row, int column)
{
    row->low -= UNITS[column].low;
    row->high -= UNITS[column].high;
}

static inline int lowest_bit(uint32_t mask)
{
#if defined(__GNUC__)
    return __builtin_ctz(mask);
#else
    int bit = 0;
    while (!(mask >> bit & 1)) bit++;
    return bit;
#endif
}

static inline int highest_bit(uint32_t mask)
{
#if defined(__GNUC__)
    return 31 - __builtin_clz(mask);
#else
    int bit = 31;
    while (!(mask >> bit & 1)) bit--;
    return bit;
#endif
}

static inline int take_highest(uint32_t *mask)
{
    const int bit = highest_bit(*mask);
    *mask &= ~(1u << bit);
    return bit;
}

static inline int bits(uint32_t mask)
{
    int count = 0;
    for (; mask; mask &= mask - 1) count++;
    return count;
}

#endif
