/* duel.h - pairs of games between two players: the same dice twice, with seats swapped. */
#ifndef ND_DUEL_H
#define ND_DUEL_H

#include "game.h"
#include "player.h"

typedef struct nd_duel_plan {
    uint64_t seed, first_pair;
    uint32_t pairs, max_turns;
} nd_duel_plan;

/* outcomes [pairs][2]: seen by player `a`, who starts game 0 of each pair; -1: cut at max_turns.
 * plies [pairs][2]. false: out of memory. */
bool nd_duel(const nd_rules *rules, const nd_player *a, const nd_player *b, const nd_duel_plan *plan, int8_t *outcomes,
             uint32_t *plies);

#endif
