/* selfplay.h - games of a net against itself, which yield positions and what they should be worth. */
#ifndef ND_SELFPLAY_H
#define ND_SELFPLAY_H

#include "game.h"
#include "search.h"

typedef enum nd_targets {
    ND_TARGETS_SAMPLED, /* the value after the play that was made, mixed along the game by `trace` */
    ND_TARGETS_EXACT,   /* the expectation over all 21 rolls of the best play's value */
    ND_TARGETS_SEARCHED /* the same by a deeper search */
} nd_targets;

/* In `share` of the turns the play is drawn by lot from those within `margin` points of the best, so that the
 * games come to positions that best play avoids and the net must judge all the same. */
typedef struct nd_straying {
    float share, margin;
} nd_straying;

typedef struct nd_selfplay_plan {
    uint64_t seed, first_game;
    uint32_t games;
    nd_targets targets;
    float trace;        /* lambda, 0..1; sampled targets only */
    uint32_t stride;    /* every stride-th position of a game is a sample; 1: all */
    nd_pruning pruning; /* exact and searched targets: which plays the large nets see */
    nd_straying straying; /* exact and searched targets, which do not depend on what was played */
    int plies;          /* searched targets: 1 .. ND_MAX_PLIES; 1 is what exact ones are */
    uint32_t max_turns; /* a longer game is cut: its last value is the net's, and it is counted as cut */
} nd_selfplay_plan;

/* Samples in game order; freed by nd_samples_destroy. Targets speak for the player on roll. */
typedef struct nd_samples {
    nd_board *boards;
    uint8_t *seats, *turns;
    float *targets; /* [count][outcomes] */
    size_t count, room;
    uint64_t plies, evaluations, cut;
    uint64_t outcomes[ND_MAX_OUTCOMES]; /* of finished games, seen by the starter */
} nd_samples;

bool nd_selfplay(const nd_model *model, const nd_selfplay_plan *plan, nd_samples *samples); /* false: out of memory */
void nd_samples_destroy(nd_samples *samples);

#endif
