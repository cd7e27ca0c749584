/* player.h - who chooses a play: a net, with or without search, a random mover, a linear judgement. */
#ifndef ND_PLAYER_H
#define ND_PLAYER_H

#include "greedy.h"
#include "level.h"
#include "pubeval.h"
#include "search.h"

typedef enum nd_player_kind {
    ND_PLAYER_NET,
    ND_PLAYER_RANDOM,
    ND_PLAYER_GREEDY,
    ND_PLAYER_PUBEVAL,
    ND_PLAYER_SEARCH
} nd_player_kind;

typedef struct nd_player {
    nd_player_kind kind;
    const nd_model *model;                /* ND_PLAYER_NET and ND_PLAYER_SEARCH; not owned */
    float weights[2 * ND_PUBEVAL_INPUTS]; /* greedy: its features; pubeval: contact, then race */
    nd_filters filters;                   /* ND_PLAYER_SEARCH */
    int plies;                            /* ND_PLAYER_SEARCH */
    double noise;                         /* of net, greedy and pubeval, in units of their judgement; 0: none */
} nd_player;

/* Scratch of one thread for one player. */
typedef struct nd_chooser {
    const nd_player *player;
    const nd_rules *rules;
    nd_judge judge;   /* ND_PLAYER_NET */
    nd_search search; /* ND_PLAYER_SEARCH */
} nd_chooser;

/* Where a random player's numbers and a noisy one's come from: (seed, game, seat, turn), so that he meets the
 * same luck on the same seat of a pair. */
typedef struct nd_luck {
    uint64_t seed, game;
    uint32_t turn;
} nd_luck;

bool nd_chooser_create(nd_chooser *chooser, const nd_player *player, const nd_rules *rules);
void nd_chooser_destroy(nd_chooser *chooser);

/* The index of the chosen result; SIZE_MAX: out of memory. */
size_t nd_choose(nd_chooser *chooser, const nd_packed *board, int seat, int turns, const nd_plays *plays, nd_luck luck);

#endif
