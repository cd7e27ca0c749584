/* position.h - boards, their packed form, and facts that can be read off a board.
 *
 * A board speaks from the side of one player, the "mover" or "player on roll" (row 0). Each row counts
 * that player's checkers from his own side:
 *
 *     column   0 .. 23   own points 1 .. 24; checkers travel to lower points, home is columns 0 .. 5
 *     column  24         the bar (short family only)
 *     column  25         borne off
 *
 * In the long family both players travel the same way round: my point p is the opponent's p + 12
 * (p <= 12) or p - 12. In the short family they meet: my point p is the opponent's 25 - p.
 */
#ifndef ND_POSITION_H
#define ND_POSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules.h"

enum { ND_POINTS = 24, ND_BAR = 24, ND_OFF = 25, ND_COLUMNS = 26, ND_MAX_CHECKERS = 15 };

typedef struct nd_board {
    int8_t row[2][ND_COLUMNS];
} nd_board;

/* A row packed to four bits a column: columns 0..15 in `low`, columns 16..25 in `high`. Fifteen
 * checkers fit exactly, and equality is two compares. */
typedef struct nd_row {
    uint64_t low, high;
} nd_row;

typedef struct nd_packed {
    nd_row row[2];
} nd_packed;

/* What stands beside the board: who started, and how many turns the player on roll has had (0..3). */
typedef struct nd_state {
    nd_board board;
    uint8_t seat;  /* 0: the player on roll started the game */
    uint8_t turns; /* saturates at 3 */
} nd_state;

typedef enum nd_class { ND_CONTACT = 0, ND_RACE = 1, ND_CLASS_COUNT = 2 } nd_class;

nd_packed nd_pack(const nd_board *board);
void nd_unpack(const nd_packed *packed, nd_board *board);

static inline int nd_row_count(const nd_row *row, int column)
{
    return column < 16 ? (int)(row->low >> (4 * column) & 15) : (int)(row->high >> (4 * (column - 16)) & 15);
}

static inline bool nd_row_equal(const nd_row *a, const nd_row *b)
{
    return a->low == b->low && a->high == b->high;
}

static inline bool nd_packed_equal(const nd_packed *a, const nd_packed *b)
{
    return nd_row_equal(&a->row[0], &b->row[0]) && nd_row_equal(&a->row[1], &b->row[1]);
}

/* Bits 0..25: the columns that hold at least one checker. */
uint32_t nd_row_occupied(const nd_row *row);

/* Bits 0..25: the columns that hold at least two. */
uint32_t nd_row_made(const nd_row *row);

/* A set of points (bits 0..23) counted from the other end, which is the opponent's count in the short family. */
static inline uint32_t nd_mirrored(uint32_t points)
{
    uint32_t x = (points & 0x555555) << 1 | (points >> 1 & 0x555555);
    x = (x & 0x333333) << 2 | (x >> 2 & 0x333333);
    x = (x & 0x0f0f0f) << 4 | (x >> 4 & 0x0f0f0f);
    return (x & 0xff) << 16 | (x & 0xff00) | x >> 16;
}

/* The same position seen by the other player: rows swapped. */
static inline nd_board nd_turned(const nd_board *board)
{
    nd_board turned;
    for (int column = 0; column < ND_COLUMNS; column++) {
        turned.row[0][column] = board->row[1][column];
        turned.row[1][column] = board->row[0][column];
    }
    return turned;
}

static inline nd_packed nd_packed_turned(const nd_packed *packed)
{
    nd_packed turned = {{packed->row[1], packed->row[0]}};
    return turned;
}

/* The column of the opponent that is the same physical point as my column (both 0..23). */
static inline int nd_facing(const nd_rules *rules, int column)
{
    return rules->family == ND_LONG ? (column + 12) % 24 : 23 - column;
}

/* The board before the first roll. */
nd_board nd_start(const nd_rules *rules);

/* NULL when the board can stand on the table under these rules, else one clause that says why not. */
const char *nd_board_fault(const nd_rules *rules, const nd_board *board, int seat, int turns);

/* Race: no checker can be hit or stopped by the other side any more. */
nd_class nd_classify(const nd_rules *rules, const nd_packed *packed);

int nd_pips(const nd_board *board, int row);

#endif
