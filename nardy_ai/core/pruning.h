/* pruning.h - the large nets are asked about promising results alone, which the model's scout finds.
 *
 * First they see the scout's best plays of each roll. With a `doubt` they then also see whatever may still be the
 * best play of a roll: the scout is corrected by what they said so far (correction.h), and a result goes on when it
 * would be the best of a roll if it were `doubt` standard deviations better than it looks. That is asked twice, and
 * blocks that would go to the nets half empty are filled with the next best.
 */
#ifndef ND_PRUNING_H
#define ND_PRUNING_H

#include "correction.h"
#include "evaluate.h"

enum { ND_MOST_KEPT = 16, ND_MOST_DOUBT = 100 };

/* Which plays of a roll the large nets see: the scout's best `keep` (0: all of them, no scout is asked) that lie
 * within `margin` points of its best, and with a `doubt` above 0 those that may be better. The best always goes on. */
typedef struct nd_pruning {
    uint32_t keep;
    float margin, doubt;
} nd_pruning;

/* The results of a position by rolls: `places` of roll r in `results` begin at starts[r] and end at starts[r + 1]. */
typedef struct nd_rolled {
    const nd_plays *results;
    const uint32_t *places;
    const size_t *starts;
    int rolls;
} nd_rolled;

/* Workspace; all zeros is an empty one. */
typedef struct nd_pruner {
    nd_correction correction;
    size_t room;
    uint8_t *marks;     /* of each result: whether the large nets see it, or have seen it */
    float *scouted;     /* equities by the scout */
    float *corrected;   /* and with its correction */
    float *lead;        /* by how much a result would be the best of some roll; below 0: by how much it would not */
    float *equities;    /* by the large nets, and outcomes; -INFINITY: not seen */
    float *outcomes;
    nd_plays asked;     /* results on their way to the large nets, and their places */
    uint32_t *asked_at;
} nd_pruner;

void nd_pruner_destroy(nd_pruner *pruner);

/* Judges the results of a position for the mover, whose model has a scout, as nd_judge_plays does: those that no
 * large net sees get -INFINITY and outcomes of 0. false: out of memory. */
bool nd_pruner_judge(nd_pruner *pruner, nd_judge *judge, const nd_packed *board, int seat, const nd_rolled *rolled, nd_pruning pruning);

#endif
