/* plays_tree.h - the tree of movements in a plays workspace; private to plays.c and plays_tree.c. */
#ifndef ND_PLAYS_TREE_H
#define ND_PLAYS_TREE_H

#include "plays.h"

struct nd_node {
    nd_packed board;
    uint32_t mine;      /* my occupied columns, off left out */
    uint32_t blots;     /* his lone checkers, in my columns */
    uint32_t remaining; /* unused movements, four bits a kind */
    uint32_t parent;
    uint8_t from, to; /* columns; `to` is ND_OFF when borne off */
};

bool nd_tree_grow(nd_plays *plays);
bool nd_tree_grow_results(nd_plays *plays);

/* Forgets which nodes were kept before. */
void nd_tree_new_level(nd_plays *plays);

/* Keeps the node at the end of the tree unless the level that begins at level_start has the same one. */
bool nd_tree_keep(nd_plays *plays, size_t level_start);

#endif
