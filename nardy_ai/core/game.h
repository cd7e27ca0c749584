/* game.h - the course of one game: whose turn it is, his dice, and the turn given to the other. */
#ifndef ND_GAME_H
#define ND_GAME_H

#include "outcome.h"
#include "position.h"

typedef struct nd_game {
    nd_packed board; /* player on roll in row 0 */
    uint8_t seat;
    uint8_t turns_had[2]; /* by seat, saturating at 3 */
    uint32_t turn;        /* turns played by both, passes included */
} nd_game;

void nd_game_begin(nd_game *game, const nd_rules *rules);

/* The dice of this turn in stream (seed, purpose, number). */
void nd_game_roll(const nd_game *game, const nd_rules *rules, uint64_t seed, uint32_t purpose, uint64_t number, uint8_t dice[2]);

/* Plays a result (mover in row 0) and gives the turn away. Returns the outcome seen by the player who is
 * then on roll, or -1. */
int nd_game_play(nd_game *game, const nd_rules *rules, const nd_packed *result);

#endif
