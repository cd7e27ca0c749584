/* player.h - who chooses a play: a net, a random mover, a linear judgement. */
#ifndef ND_PLAYER_H
#define ND_PLAYER_H

#include "evaluate.h"
#include "greedy.h"
#include "pubeval.h"

typedef enum nd_player_kind { ND_PLAYER_NET, ND_PLAYER_RANDOM, ND_PLAYER_GREEDY, ND_PLAYER_PUBEVAL } nd_player_kind;

typedef struct nd_player {
    nd_player_kind kind;
    const nd_model *model;                /* ND_PLAYER_NET; not owned */
    float weights[2 * ND_PUBEVAL_INPUTS]; /* greedy: its features; pubeval: contact, then race */
} nd_player;

/* Scratch of one thread for one player. */
typedef struct nd_chooser {
    const nd_player *player;
    const nd_rules *rules;
    nd_judge judge; /* ND_PLAYER_NET */
} nd_chooser;

/* Where a random player's numbers come from: (seed, game, seat, turn), so that a random player meets
 * the same luck on the same seat of a pair. */
typedef struct nd_luck {
    uint64_t seed, game;
    uint32_t turn;
} nd_luck;

bool nd_chooser_create(nd_chooser *chooser, const nd_player *player, const nd_rules *rules);
void nd_chooser_destroy(nd_chooser *chooser);

/* The index of the chosen result; SIZE_MAX: out of memory. */
size_t nd_choose(nd_chooser *chooser, const nd_packed *board, int seat, const nd_plays *plays, nd_luck luck);

#endif
