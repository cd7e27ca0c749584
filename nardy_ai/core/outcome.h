/* outcome.h - the end of a game: finished or not, how it was lost, and what can still happen. */
#ifndef ND_OUTCOME_H
#define ND_OUTCOME_H

#include "position.h"
#include "rules.h"

/* How the owner of row `loser` has lost, from his last position. The one place where a gammon, mars,
 * backgammon, koks or home mars is told. */
nd_defeat nd_defeat_of(const nd_rules *rules, const nd_board *board, int loser);

/* The outcome of a finished game seen by the player on roll (row 0); -1 while it goes on.
 * With a last roll, a starter who has finished waits for the second player's last turn. */
int nd_result(const nd_rules *rules, const nd_board *board, int seat);
int nd_result_packed(const nd_rules *rules, const nd_packed *board, int seat);

/* The same outcome as the other player sees it. */
int nd_outcome_turned(const nd_rules *rules, int outcome);

/* Outcomes that can no longer happen are told by linear tests: outcome `outcome` is impossible where
 * the sum over both rows of weight * count reaches `threshold`. As data, so that the exported graphs
 * mask exactly as the engine does. */
typedef struct nd_impossible_test {
    int8_t weight[2][ND_COLUMNS];
    int32_t threshold;
    uint8_t outcome;
} nd_impossible_test;

enum { ND_MAX_TESTS = 4 * ND_MAX_OUTCOMES };

/* Fills tests (room for ND_MAX_TESTS), returns their number. */
size_t nd_impossible_tests(const nd_rules *rules, nd_impossible_test *tests);

/* Bit i: outcome i is impossible on this unfinished board. */
uint32_t nd_impossible(const nd_rules *rules, const nd_packed *board);

#endif
