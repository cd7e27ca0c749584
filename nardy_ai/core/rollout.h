/* rollout.h - what a position is worth by playing it on many times, with the luck taken out.
 *
 * A trial plays the position on to its end or for a number of turns, after which the net judges. From what
 * it showed the luck is taken: for every turn what the roll brought by the net's judgement, less the mean of
 * that over all 21 rolls. Luck is 0 on average whatever the net says, so the mean of many trials stays what
 * it is, and a good net leaves little of its variance.
 *
 * Trials come in blocks of 36, in which each ordered pair of dice is the first roll once and the second roll
 * once; in 36 blocks every first roll meets every second one. What a trial shows depends on (seed, its
 * number) alone.
 */
#ifndef ND_ROLLOUT_H
#define ND_ROLLOUT_H

#include "search.h"

enum { ND_BLOCK_TRIALS = 36 };

typedef struct nd_rollout_plan {
    uint64_t seed;
    uint32_t truncate;  /* turns after which the net judges; 0: never */
    uint32_t max_turns; /* a longer trial is cut: the net judges, and it is counted */
    int plies;          /* of the search by which both sides choose their plays */
    bool take_luck;
} nd_rollout_plan;

typedef struct nd_rollout_counts {
    uint64_t turns, truncated, cut;
} nd_rollout_counts;

/* Plays trials first .. first + count - 1 of an unfinished position. values [count][outcomes]: what each
 * showed, seen by the player on roll; with the luck taken out single ones may leave 0..1.
 * false: out of memory. */
bool nd_rollout(nd_search *search, const nd_rollout_plan *plan, const nd_state *start, uint64_t first, uint32_t count,
                double *values, nd_rollout_counts *counts);

#endif
