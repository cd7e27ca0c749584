/* plays_tree.h - the tree of movements in a plays workspace; private to plays.c and plays_tree.c. */
#ifndef ND_PLAYS_TREE_H
#define ND_PLAYS_TREE_H

#include "plays.h"

struct nd_node {
    nd_packed board;
    uint32_t mine;      /* my occupied columns, off left out */
    uint32_t blots;     /* his lone checkers, in my columns */
    uint32_t remaining; /* unused movements, four bits a kind */
    uint32_t moved;     /* columns from which children were made, where all orders are tried */
    nd_step step;
};

/* Results that nd_tree_reserve_results makes room for: a position has fewer columns to move from. */
enum { ND_RESULT_RESERVE = 32 };

bool nd_tree_grow(nd_plays *plays);
bool nd_tree_grow_results(nd_plays *plays);

static inline bool nd_tree_reserve_results(nd_plays *plays)
{
    return plays->results_room - plays->count >= ND_RESULT_RESERVE || nd_tree_grow_results(plays);
}

/* Forgets which nodes were kept before. */
void nd_tree_new_level(nd_plays *plays);

/* Keeps the node at the end of the tree unless the level that begins at level_start has the same one. */
bool nd_tree_keep(nd_plays *plays, size_t level_start);

#endif
