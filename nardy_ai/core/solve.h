/* solve.h - small games solved exactly, and how far a policy falls short of perfect play.
 *
 * A value is the equity of the player on roll before the throw. Without hits every play leads to a smaller sum of
 * the two rows' numbers, so one sweep in the order of sums solves the game; where both sides can pass in turn there
 * are two unknowns, solved directly. With hits the sweep is repeated: what lies behind a hit has its value of the
 * sweep before, until no value moves.
 *
 * Rows are cut into blocks, and a call solves the positions of two of them. Couples of blocks with the same sum
 * of numbers do not touch each other, so several threads can work on them at once; those of a smaller sum must be
 * done. The result is the same for any number of threads.
 */
#ifndef ND_SOLVE_H
#define ND_SOLVE_H

#include "small_game.h"

enum { ND_SOLVE_BLOCK = 64 };

/* Tables of values are [seats][opponent's row][row of the player on roll]; NAN where both stand on one point. */
static inline size_t nd_small_place(const nd_small_game *game, int seat, int mine, int his)
{
    return ((size_t)(game->seats > 1 ? seat : 0) * (size_t)game->rows + (size_t)his) * (size_t)game->rows + (size_t)mine;
}

static inline int nd_small_blocks(const nd_small_game *game)
{
    return (game->rows + ND_SOLVE_BLOCK - 1) / ND_SOLVE_BLOCK;
}

/* Visits the rows of block `a` in their order, each with the rows of block `b` that it has not met; returns the
 * greatest answer. Plays without hits lead to positions that were met before, whoever makes them. */
typedef double (*nd_row_visit)(const void *task, int mine, int his_begin, int his_end);
double nd_visit_rows(const nd_small_game *game, int a, int b, nd_row_visit visit, const void *task);

/* Solves the positions of block `a` against block `b`, both ways. `previous`: the table of the sweep before, NULL
 * where nothing hits. Returns the most that a value has moved since then. */
double nd_solve_blocks(const nd_small_game *game, double *values, const double *previous, int a, int b);

/* What comes before the table where first turns have rules of their own: the second player's first turn by the
 * row of the first, and the starting position over all rolls and over those that can open a game. */
typedef struct nd_openings {
    double *second; /* [rows] */
    double start, opening;
} nd_openings;

/* Fills openings->second and the rest from a solved table. false: out of memory. */
bool nd_solve_openings(const nd_small_game *game, const double *values, nd_openings *openings);

/* The exact equity of a position. */
double nd_solved_equity(const nd_small_game *game, const double *values, const nd_openings *openings,
                        const nd_packed *board, int seat, int turns);

/* ---- policies --------------------------------------------------------------------------------------- */

/* What a policy will still lose against perfect play in points, and the number of its turns with a choice. */
typedef struct nd_shortfall {
    float points, turns;
} nd_shortfall;

enum { ND_POLICY_ON_ROLL, ND_PERFECT_ON_ROLL, ND_ROLES };

/* A policy plays what leaves the other side the least by its own judgement, `scores` in the layout of the values;
 * equal ones by the bytes of their boards. Everything else as for nd_solve_blocks; tables of shortfalls are [roles]
 * times the layout of the values. */
typedef struct nd_policy {
    const nd_small_game *game;
    const double *values, *scores;
    const nd_openings *openings;
} nd_policy;

double nd_policy_blocks(const nd_policy *policy, nd_shortfall *table, const nd_shortfall *previous, int a, int b);

/* The shortfall of a whole game: the policy starts, or perfect play does. false: out of memory. */
bool nd_policy_start(const nd_policy *policy, const nd_shortfall *table, nd_shortfall start[ND_ROLES]);

#endif
