/* evaluate.h - what a position is worth: finished games by rule, bear-offs by the model's tables where it
 * has some, all others by its nets.
 *
 * A judge is the scratch of one thread for one model. Values never depend on what it judged before.
 */
#ifndef ND_EVALUATE_H
#define ND_EVALUATE_H

#include "net.h"
#include "plays.h"

typedef struct nd_judge {
    const nd_model *model;
    uint64_t evaluations; /* positions that a net other than the scout has judged */
    /* Of the last nd_judge_plays: results in their order, seen by the mover. */
    float *equities;
    float *outcomes; /* [count][model->rules.outcomes] */
    /* Of the last nd_judge_plays_scouted: the first hidden layer of the scout for each result, [count][unit_count],
     * zeros where no net was asked, since the result is known. */
    float *units;
    uint8_t *known;
    int unit_count;
    /* private */
    size_t room, unit_room;
    nd_parent parents[ND_NET_COUNT];
    float *waiting[ND_NET_COUNT]; /* activations of boards that wait for a full block */
    size_t *places[ND_NET_COUNT];
    uint32_t *masks[ND_NET_COUNT];
    int pending[ND_NET_COUNT];
    float *spare, *logits;
    size_t *place_memory;
    uint32_t *mask_memory;
} nd_judge;

bool nd_judge_create(nd_judge *judge, const nd_model *model); /* false: out of memory */
void nd_judge_destroy(nd_judge *judge);

/* Judges boards with the player on roll in row 0, from his point of view, into out_outcomes
 * [count][outcomes] and out_equities [count]. `by_rule`: finished games get their exact outcome and bear-offs
 * that of the tables, else the net is asked about them too. */
void nd_judge_boards(nd_judge *judge, const nd_board *boards, const uint8_t *seats, size_t count, bool by_rule,
                     float *out_outcomes, float *out_equities);

/* Judges every result of a roll for the mover, who sits on `seat` and played from `board`.
 * false: out of memory. */
bool nd_judge_plays(nd_judge *judge, const nd_packed *board, int seat, const nd_plays *plays);

/* The same by the model's scout, which must be there: a first idea of their order. */
bool nd_judge_plays_scouted(nd_judge *judge, const nd_packed *board, int seat, const nd_plays *plays);

/* The best of them; plays of equal worth are ordered by the bytes of their boards. */
size_t nd_judge_best(const nd_judge *judge, const nd_plays *plays);

/* Whether result a comes before result b when their worth is equal. */
bool nd_result_before(const nd_plays *plays, size_t a, size_t b);

/* Outcomes as the other player sees them. */
void nd_outcomes_turned(const nd_rules *rules, const float *outcomes, float *out);

#endif
