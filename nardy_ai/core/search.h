/* search.h - look-ahead by expectation.
 *
 * A position at 0 plies is worth what the net says; at n plies the mean over 21 rolls of the best play's
 * worth at n - 1, seen by the player on roll before the throw. Whole outcome vectors are carried; a play is
 * best by its equity at that level. Finished games are judged by rule at every level, and no net is asked.
 *
 * Plays that look bad at a lower level are not looked at with a higher one: the filters say how many go on.
 * With `nd_filters_off` every play does, and values are exact expectations. A model's scout tells which plays
 * within the tree the other nets see at all: its best `keep` (0: it is not asked) of at most ND_MOST_KEPT, and what
 * may be better.
 *
 * A search is the scratch of one thread for one model. What it answers does not depend on its cache, on what
 * it was asked before, or on how many others are at work.
 */
#ifndef ND_SEARCH_H
#define ND_SEARCH_H

#include "cache.h"
#include "expectation.h"

enum { ND_MAX_PLIES = 3 };

/* Which plays go on to the next level: the best `keep` of them (0: any number) that lie within `margin`
 * points of the best (INFINITY: any). The best always goes on. */
typedef struct nd_stage {
    uint32_t keep;
    float margin;
} nd_stage;

typedef struct nd_filters {
    nd_stage root[ND_MAX_PLIES];      /* of the plays of the roll asked about: [n] from n plies to n + 1 */
    nd_stage inner[ND_MAX_PLIES - 1]; /* of the plays within the tree */
    nd_stage scout;                   /* of those, before any other net: by the model's scout, where it has one */
    float doubt;                      /* and which of them go on besides, see nd_pruning */
} nd_filters;

extern const nd_filters nd_filters_default, nd_filters_off;

/* A play on its way through the filters. */
typedef struct nd_candidate {
    uint32_t place; /* among the results that it is one of */
    uint8_t plies;  /* with which it was judged last */
    float equity;   /* for the mover */
    float outcomes[ND_MAX_OUTCOMES];
} nd_candidate;

typedef struct nd_candidates {
    nd_candidate *list;
    size_t count, room;
} nd_candidates;

typedef struct nd_search {
    const nd_model *model;
    nd_filters filters;
    nd_cache cache;
    nd_candidates ranking; /* of the last nd_search_rank, best first */
    /* private */
    nd_judge judge;
    nd_expectation levels[ND_MAX_PLIES]; /* [n]: of the positions judged at n + 1 plies */
    nd_candidates candidates[ND_MAX_PLIES];
    nd_cache_key rolled; /* what nd_search_roll filled its level with, plies 0: nothing */
} nd_search;

/* The cache holds at most `cache_bytes`; 0: none. false: out of memory. */
bool nd_search_create(nd_search *search, const nd_model *model, const nd_filters *filters, size_t cache_bytes);
void nd_search_destroy(nd_search *search);

/* What a position is worth to the player on roll, at 0 .. ND_MAX_PLIES plies. false: out of memory. */
bool nd_search_value(nd_search *search, const nd_packed *board, int seat, int turns, int plies, float *outcomes);

/* What the best play of one roll is worth to its maker, plays being judged at `plies` - 1: the part that the
 * roll has in nd_search_value, so that callers can share rolls out. plies >= 1, the game unfinished. Rolls of one
 * position are best asked about one after another: what they have in common is then done once. */
bool nd_search_roll(nd_search *search, const nd_packed *board, int seat, int turns, int plies, int roll, float *outcomes);

/* Orders the plays of a roll in search->ranking: first those that reached `plies`, then those that were
 * dropped last, each group best first. false: out of memory. */
bool nd_search_rank(nd_search *search, const nd_packed *board, int seat, int turns, const nd_plays *plays, int plies);

/* The play that would be first, found without judging a lone survivor further; SIZE_MAX: out of memory. */
size_t nd_search_best(nd_search *search, const nd_packed *board, int seat, int turns, const nd_plays *plays, int plies);

/* Positions that a net has judged. */
uint64_t nd_search_evaluations(const nd_search *search);

/* How many turns the other player has had when he comes on roll after this one's. */
int nd_turns_after(int seat, int turns);

#endif
