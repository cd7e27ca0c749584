/* plays.h - every distinct legal result of a roll.
 *
 * A turn is grown movement by movement: level k holds each distinct position after k movements once,
 * with the movements still unused. The deepest level with a legal end is what the duty to play asks
 * for. There is no cap on the number of results, and dice 3-1 and 1-3 give the same list.
 */
#ifndef ND_PLAYS_H
#define ND_PLAYS_H

#include "position.h"
#include "rules.h"

enum { ND_MAX_KINDS = 6, ND_MAX_MOVEMENTS = 24 };

/* The movements that a roll grants, larger first: two different dice, or four times the same. Which
 * they are belongs to the profile; games that grant more of them need no other generator. */
typedef struct nd_movements {
    uint8_t kinds;
    uint8_t pips[ND_MAX_KINDS];
    uint8_t count[ND_MAX_KINDS];
} nd_movements;

typedef struct nd_node nd_node;

/* The last movement that led to a position, from the node `parent` of the tree. */
typedef struct nd_step {
    uint32_t parent;
    uint8_t from, to; /* columns; `to` is ND_OFF when borne off */
} nd_step;

/* The caller's workspace and the results of the last roll generated in it. */
typedef struct nd_plays {
    nd_packed *results; /* mover still in row 0; the unchanged board alone when the turn is passed */
    nd_step *steps;     /* the last movement to each result, for nd_play_movements */
    size_t count;
    bool passed;
    /* private */
    nd_node *tree;
    size_t tree_size, tree_room, results_room;
    uint64_t *slots;
    size_t slot_mask;
    uint32_t stamp;
} nd_plays;

typedef struct nd_movement {
    uint8_t from, to; /* own points; 25 = bar, 0 = off */
} nd_movement;

bool nd_plays_create(nd_plays *plays); /* false: out of memory */
void nd_plays_destroy(nd_plays *plays);

/* Fills plays->results. The board must be legal and the game unfinished; dice 1..6.
 * false: out of memory, the results are void. */
bool nd_plays_generate(nd_plays *plays, const nd_rules *rules, const nd_packed *board, int seat, int turns,
                       int die1, int die2);

/* The movements that lead to a result, in the order in which they are made; returns their number. */
size_t nd_play_movements(const nd_plays *plays, size_t result, nd_movement movements[ND_MAX_MOVEMENTS]);

nd_movements nd_roll_movements(const nd_rules *rules, int die1, int die2);

#endif
