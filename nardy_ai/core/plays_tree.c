#include "plays_tree.h"

#include <stdlib.h>
#include <string.h>

bool nd_plays_create(nd_plays *plays)
{
    memset(plays, 0, sizeof *plays);
    plays->tree_room = 512;
    plays->results_room = 256;
    plays->slot_mask = 1023;
    plays->tree = malloc(plays->tree_room * sizeof *plays->tree);
    plays->results = malloc(plays->results_room * sizeof *plays->results);
    plays->steps = malloc(plays->results_room * sizeof *plays->steps);
    plays->slots = calloc(plays->slot_mask + 1, sizeof *plays->slots);
    if (plays->tree && plays->results && plays->steps && plays->slots) return true;
    nd_plays_destroy(plays);
    return false;
}

void nd_plays_destroy(nd_plays *plays)
{
    free(plays->tree);
    free(plays->results);
    free(plays->steps);
    free(plays->slots);
    memset(plays, 0, sizeof *plays);
}

bool nd_tree_grow(nd_plays *plays)
{
    nd_node *tree = realloc(plays->tree, 2 * plays->tree_room * sizeof *tree);
    if (!tree) return false;
    plays->tree = tree;
    plays->tree_room *= 2;
    return true;
}

bool nd_tree_grow_results(nd_plays *plays)
{
    nd_packed *results = realloc(plays->results, 2 * plays->results_room * sizeof *results);
    if (!results) return false;
    plays->results = results;
    nd_step *steps = realloc(plays->steps, 2 * plays->results_room * sizeof *steps);
    if (!steps) return false;
    plays->steps = steps;
    plays->results_room *= 2;
    return true;
}

static size_t hash_node(const nd_node *node)
{
    const nd_row *mine = &node->board.row[0], *his = &node->board.row[1];
    uint64_t h = mine->low * 0x9E3779B97F4A7C15u ^ mine->high * 0xC2B2AE3D27D4EB4Fu;
    h ^= (his->low ^ his->high << 17) * 0x165667B19E3779F9u ^ node->remaining * 0xD6E8FEB86659FD93u;
    return (size_t)(h ^ h >> 29 ^ h >> 47);
}

/* A slot holds the stamp of its level in the upper half, so a new level empties the table for free. */
void nd_tree_new_level(nd_plays *plays)
{
    if (++plays->stamp != 0) return;
    memset(plays->slots, 0, (plays->slot_mask + 1) * sizeof *plays->slots);
    plays->stamp = 1;
}

static bool grow_slots(nd_plays *plays, size_t level_start)
{
    size_t size = 2 * (plays->slot_mask + 1);
    uint64_t *slots = calloc(size, sizeof *slots);
    if (!slots) return false;
    free(plays->slots);
    plays->slots = slots;
    plays->slot_mask = size - 1;
    plays->stamp = 1;
    for (size_t i = level_start; i < plays->tree_size; i++) {
        size_t at = hash_node(&plays->tree[i]) & plays->slot_mask;
        while (slots[at]) at = (at + 1) & plays->slot_mask;
        slots[at] = (uint64_t)1 << 32 | (uint32_t)i;
    }
    return true;
}

bool nd_tree_keep(nd_plays *plays, size_t level_start)
{
    const nd_node *node = &plays->tree[plays->tree_size];
    size_t at = hash_node(node) & plays->slot_mask;
    while (plays->slots[at] >> 32 == plays->stamp) {
        const nd_node *other = &plays->tree[(uint32_t)plays->slots[at]];
        if (nd_packed_equal(&other->board, &node->board) && other->remaining == node->remaining) return true;
        at = (at + 1) & plays->slot_mask;
    }
    plays->slots[at] = (uint64_t)plays->stamp << 32 | (uint32_t)plays->tree_size;
    plays->tree_size++;
    return 2 * (plays->tree_size - level_start) <= plays->slot_mask || grow_slots(plays, level_start);
}
