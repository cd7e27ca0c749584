/* bearoff.h - the end of a game as tables: both sides have every checker at home or off.
 *
 * No side can stop or hit the other any more, in either family: a home faces the opponent's points 13..18
 * (long) or 19..24 (short). Two kinds of table tell what such positions are worth:
 *
 *   one-sided   for each of the 54,264 ways to have up to 15 checkers at home, how many rolls it takes to
 *               bear off the last one, and how many to bear off the next one, each played for the smallest
 *               mean. Two sides are combined as if neither looked at the other: nearly exact.
 *   two-sided   for up to 6 checkers a side the exact outcomes of best play.
 *
 * What of the rules changes them: an absolute block forbids to fill all six home points, in passing or at
 * the end of a turn; the last roll; and in games of at most 6 checkers their number and what a mars scores,
 * since then a side can still be without a checker off. The conditional block never binds here: the other
 * side is ahead of it.
 */
#ifndef ND_BEAROFF_H
#define ND_BEAROFF_H

#include "outcome.h"
#include "plays.h"
#include "position.h"
#include "rules.h"

enum {
    ND_HOME = 6,
    ND_BEAROFF_POSITIONS = 54264, /* of up to 15 checkers on 6 points */
    ND_BEAROFF_ROLLS = 32,
    ND_PAIR_CHECKERS = 6,
    ND_PAIR_POSITIONS = 924, /* of up to 6 checkers on 6 points: the first ones */
    ND_PAIR_WIDTH = 5        /* at most: win, loss, draw, mars won, mars lost */
};

/* What of a profile's rules the tables depend on; equal kinds share tables. */
typedef struct nd_bearoff_kind {
    uint8_t six;      /* filling all six points: 0 allowed, 1 forbidden even in passing, 2 at the end of a turn */
    uint8_t checkers; /* of the game, 0: more than the two-sided table holds */
    uint8_t last_roll;
    float mars; /* what a mars or gammon scores in plain wins; 0 where it cannot happen in the table */
} nd_bearoff_kind;

nd_bearoff_kind nd_bearoff_kind_of(const nd_rules *rules);
bool nd_bearoff_kind_equal(const nd_bearoff_kind *a, const nd_bearoff_kind *b);

/* Tables in the caller's memory, for instance a mapped file. */
typedef struct nd_bearoff {
    nd_bearoff_kind kind;
    const float *finish; /* [positions][rolls]: the last checker leaves on roll k + 1; the last entry holds the rest */
    const float *first;  /* the same of the next checker to leave */
    const float *pairs;  /* [seats][mover][opponent][width]; NULL: none */
} nd_bearoff;

/* The number of a row's home points: colex rank of its running counts from the 6 point down. A movement lowers it,
 * and positions of fewer checkers come first. */
int nd_bearoff_number(const nd_row *row);
void nd_bearoff_counts(int number, int8_t counts[ND_HOME]);

/* The plays of a roll (0 .. 20, see nd_roll_at) from a numbered position, made alone. false: out of memory. */
bool nd_bearoff_generate(nd_plays *plays, const nd_rules *rules, int number, int roll);

/* Fills positions from `begin` to `end` of the one-sided tables; all below `begin` must be filled. `means` [positions][2]:
 * mean rolls to the last and to the next checker off. false: out of memory. */
bool nd_bearoff_build(const nd_rules *rules, int begin, int end, float *finish, float *first, double *means);

int nd_pair_seats(const nd_bearoff_kind *kind);
int nd_pair_width(const nd_bearoff_kind *kind);

/* Fills a two-sided table. false: out of memory. */
bool nd_bearoff_build_pairs(const nd_rules *rules, float *pairs);

/* Outcomes for the player on roll. false: the tables do not reach this position, or are of other rules. */
bool nd_bearoff_outcomes(const nd_bearoff *tables, const nd_rules *rules, const nd_packed *board, int seat,
                         float *outcomes);

#endif
