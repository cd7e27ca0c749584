#include "plays.h"

#include <stdlib.h>
#include <string.h>

struct nd_node {
    nd_packed board;
    uint32_t mine;      /* my occupied columns, off left out */
    uint32_t blots;     /* his lone checkers, in my columns */
    uint32_t remaining; /* unused movements, four bits a kind */
    uint32_t parent;
    uint8_t from, to; /* columns; `to` is ND_OFF when borne off */
};

enum { HOME = 0x3f, POINTS = 0xffffff, BAR_BIT = 1 << ND_BAR, HEAD_COLUMN = 23, HEAD_BIT = 1 << HEAD_COLUMN };

/* What stays fixed during one turn. */
typedef struct turn {
    const nd_rules *rules;
    nd_movements movements;
    uint32_t closed;      /* columns of mine where I may not land */
    uint32_t blots;       /* his lone checkers before the turn */
    uint32_t his;         /* his occupied columns, in his own count */
    bool bars_blocks;     /* a block rule can forbid something in this turn */
    bool may_bear_off;    /* even once all are home */
    int head_floor;       /* the head keeps at least so many checkers this turn */
} turn;

#define UNIT(column) {(column) < 16 ? 1ull << 4 * ((column) & 15) : 0, (column) < 16 ? 0 : 1ull << 4 * ((column) & 15)}
static const nd_row UNITS[ND_COLUMNS] = {
    UNIT(0),  UNIT(1),  UNIT(2),  UNIT(3),  UNIT(4),  UNIT(5),  UNIT(6),  UNIT(7),  UNIT(8),
    UNIT(9),  UNIT(10), UNIT(11), UNIT(12), UNIT(13), UNIT(14), UNIT(15), UNIT(16), UNIT(17),
    UNIT(18), UNIT(19), UNIT(20), UNIT(21), UNIT(22), UNIT(23), UNIT(24), UNIT(25)};

static bool row_has(const nd_row *row, int column)
{
    return ((row->low & UNITS[column].low * 15) | (row->high & UNITS[column].high * 15)) != 0;
}

static void row_add(nd_row *row, int column)
{
    row->low += UNITS[column].low;
    row->high += UNITS[column].high;
}

static void row_take(nd_row *row, int column)
{
    row->low -= UNITS[column].low;
    row->high -= UNITS[column].high;
}

static int lowest_bit(uint32_t mask)
{
#if defined(__GNUC__)
    return __builtin_ctz(mask);
#else
    int bit = 0;
    while (!(mask >> bit & 1)) bit++;
    return bit;
#endif
}

static int highest_bit(uint32_t mask)
{
#if defined(__GNUC__)
    return 31 - __builtin_clz(mask);
#else
    int bit = 31;
    while (!(mask >> bit & 1)) bit--;
    return bit;
#endif
}

/* ---- workspace ---------------------------------------------------------------------------------- */

bool nd_plays_create(nd_plays *plays)
{
    memset(plays, 0, sizeof *plays);
    plays->tree_room = 512;
    plays->results_room = 256;
    plays->slot_mask = 1023;
    plays->tree = malloc(plays->tree_room * sizeof *plays->tree);
    plays->results = malloc(plays->results_room * sizeof *plays->results);
    plays->nodes = malloc(plays->results_room * sizeof *plays->nodes);
    plays->slots = calloc(plays->slot_mask + 1, sizeof *plays->slots);
    if (plays->tree && plays->results && plays->nodes && plays->slots) return true;
    nd_plays_destroy(plays);
    return false;
}

void nd_plays_destroy(nd_plays *plays)
{
    free(plays->tree);
    free(plays->results);
    free(plays->nodes);
    free(plays->slots);
    memset(plays, 0, sizeof *plays);
}

static bool grow_tree(nd_plays *plays)
{
    nd_node *tree = realloc(plays->tree, 2 * plays->tree_room * sizeof *tree);
    if (!tree) return false;
    plays->tree = tree;
    plays->tree_room *= 2;
    return true;
}

static bool grow_results(nd_plays *plays)
{
    nd_packed *results = realloc(plays->results, 2 * plays->results_room * sizeof *results);
    if (!results) return false;
    plays->results = results;
    uint32_t *nodes = realloc(plays->nodes, 2 * plays->results_room * sizeof *nodes);
    if (!nodes) return false;
    plays->nodes = nodes;
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
static void new_stamp(nd_plays *plays)
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

/* Keeps the node at the end of the tree unless its level already has the same one. */
static bool keep_node(nd_plays *plays, size_t level_start)
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

/* ---- the block rule ----------------------------------------------------------------------------- */

/* Bit i: points i .. i + 5 are all occupied. */
static uint32_t sixes(uint32_t mask)
{
    uint32_t pairs = mask & mask >> 1;
    uint32_t fours = pairs & pairs >> 2;
    return fours & pairs >> 4;
}

static bool block_legal(const turn *turn, uint32_t mine)
{
    uint32_t points = mine & POINTS;
    uint32_t his_count = (points << 12 | points >> 12) & POINTS;
    if (turn->rules->block == ND_BLOCK_CONDITIONAL) {
        uint32_t runs = sixes(his_count);
        /* He needs a checker ahead of the lowest run; then he has one ahead of every other. */
        return runs == 0 || (turn->his & ((runs & (0u - runs)) - 1)) != 0;
    }
    if (turn->rules->block_scope == ND_SCOPE_OPPONENT_PATH) return sixes(his_count) == 0;
    uint64_t ring = points | (uint64_t)points << 24;
    return (sixes((uint32_t)ring & 0x1fffffff) & POINTS) == 0 && sixes((uint32_t)(ring >> 12) & 0x1fffffff) == 0;
}

/* ---- single movements --------------------------------------------------------------------------- */

static bool move(nd_plays *plays, const turn *turn, size_t level_start, uint32_t parent, int kind, int from, int to)
{
    if (plays->tree_size == plays->tree_room && !grow_tree(plays)) return false;
    nd_node *node = &plays->tree[plays->tree_size];
    *node = plays->tree[parent];
    row_take(&node->board.row[0], from);
    row_add(&node->board.row[0], to);
    if (!row_has(&node->board.row[0], from)) node->mine &= ~(1u << from);
    if (to != ND_OFF) {
        node->mine |= 1u << to;
        if (node->blots >> to & 1) {
            node->blots &= ~(1u << to);
            row_take(&node->board.row[1], 23 - to);
            row_add(&node->board.row[1], ND_BAR);
        }
    }
    if (turn->bars_blocks && turn->rules->block_transient && to != ND_OFF && !block_legal(turn, node->mine)) return true;
    node->remaining -= 1u << (4 * kind);
    node->parent = parent;
    node->from = (uint8_t)from;
    node->to = (uint8_t)to;
    return keep_node(plays, level_start);
}

/* Columns whose only checker hit there this turn and must stay (no hit and run at home). */
static uint32_t held_hitters(const turn *turn, const nd_node *node)
{
    uint32_t held = 0;
    uint32_t hit = turn->blots & ~node->blots & HOME & node->mine;
    for (; hit; hit &= hit - 1) {
        int column = lowest_bit(hit);
        if (nd_row_count(&node->board.row[0], column) == 1) held |= 1u << column;
    }
    return held;
}

static uint32_t movable(const turn *turn, const nd_node *node)
{
    uint32_t mine = node->mine;
    if (mine & HEAD_BIT && nd_row_count(&node->board.row[0], HEAD_COLUMN) <= turn->head_floor) mine &= ~(uint32_t)HEAD_BIT;
    if (!turn->rules->hit_and_run_home) mine &= ~held_hitters(turn, node);
    return mine;
}

/* The column that this die bears off from, or -1. */
static int bear_off_column(const turn *turn, uint32_t mine, int die)
{
    if (!turn->may_bear_off || mine & ~(uint32_t)HOME) return -1;
    if (mine >> (die - 1) & 1) return die - 1;
    return mine >> die ? -1 : highest_bit(mine);
}

static bool expand(nd_plays *plays, const turn *turn, size_t level_start, uint32_t at, int kind)
{
    const nd_node *node = &plays->tree[at];
    const uint32_t mine = node->mine;
    const int die = turn->movements.pips[kind];
    if (mine == 0) return true;
    if (mine & BAR_BIT) {
        int to = ND_BAR - die;
        return turn->closed >> to & 1 || move(plays, turn, level_start, at, kind, ND_BAR, to);
    }
    const uint32_t able = movable(turn, node);
    uint32_t sources = able & ~(turn->closed << die) & ~((1u << die) - 1);
    const int exit = bear_off_column(turn, mine, die);
    while (sources) {
        int from = highest_bit(sources);
        sources &= ~(1u << from);
        if (!move(plays, turn, level_start, at, kind, from, from - die)) return false;
    }
    return exit < 0 || !(able >> exit & 1) || move(plays, turn, level_start, at, kind, exit, ND_OFF);
}

/* ---- the head ----------------------------------------------------------------------------------- */

/* The column on which one head checker is stopped when it makes these movements alone; -1: it is not.
 * ND_OFF stands for a bearing off that is not allowed. */
static int head_checker_stop(const turn *turn, const nd_packed *board, const int *dice, int count)
{
    uint32_t others = nd_row_occupied(&board->row[0]) & POINTS;
    if (nd_row_count(&board->row[0], HEAD_COLUMN) == 1) others &= ~(uint32_t)HEAD_BIT;
    int column = HEAD_COLUMN;
    for (int i = 0; i < count; i++) {
        int to = column - dice[i];
        if (to < 0) {
            if (bear_off_column(turn, others | 1u << column, dice[i]) != column) return ND_OFF;
            return -1;
        }
        if (turn->closed >> to & 1) return to;
        if (turn->bars_blocks && turn->rules->block_transient && !block_legal(turn, others | 1u << to)) return to;
        column = to;
    }
    return -1;
}

static bool second_head_checker(const turn *turn, const nd_packed *board, int seat, int turns, int die1, int die2)
{
    const bool twice = die1 == die2, first = turns == 0;
    const int straight[4] = {die1, die2, die1, die2}, swapped[2] = {die2, die1};
    switch (turn->rules->head_exception) {
    case ND_HEAD_BLOCKED_BY_HEAD:
        /* His head is my 12th point. */
        return first && twice && head_checker_stop(turn, board, straight, 4) == 11 && row_has(&board->row[1], HEAD_COLUMN);
    case ND_HEAD_BLOCKED_ANY:
        if (!first) return false;
        if (twice) return head_checker_stop(turn, board, straight, 4) >= 0;
        return head_checker_stop(turn, board, straight, 2) >= 0 && head_checker_stop(turn, board, swapped, 2) >= 0;
    case ND_HEAD_ANY_DOUBLE_FIRST: return first && twice;
    case ND_HEAD_ANY_DOUBLE: return twice;
    case ND_HEAD_SECOND_PLAYER_3_4_6: return first && twice && seat == 1 && (die1 == 3 || die1 == 4 || die1 == 6);
    default: return false;
    }
}

/* ---- the turn ----------------------------------------------------------------------------------- */

nd_movements nd_roll_movements(const nd_rules *rules, int die1, int die2)
{
    (void)rules; /* every profile so far grants the two dice, or a double four times */
    nd_movements movements = {0, {0}, {0}};
    movements.kinds = die1 == die2 ? 1 : 2;
    movements.pips[0] = (uint8_t)(die1 > die2 ? die1 : die2);
    movements.pips[1] = (uint8_t)(die1 > die2 ? die2 : die1);
    movements.count[0] = die1 == die2 ? 4 : 1;
    movements.count[1] = die1 == die2 ? 0 : 1;
    return movements;
}

static turn begin_turn(const nd_rules *rules, const nd_packed *board, int seat, int turns, int die1, int die2)
{
    turn turn = {.rules = rules, .movements = nd_roll_movements(rules, die1, die2)};
    uint32_t mine = nd_row_occupied(&board->row[0]) & (POINTS | BAR_BIT);
    turn.his = nd_row_occupied(&board->row[1]) & POINTS;
    if (rules->family == ND_LONG) {
        turn.closed = (turn.his << 12 | turn.his >> 12) & POINTS;
        /* With a checker of his off, one is ahead of any block. */
        turn.bars_blocks = rules->block == ND_BLOCK_ABSOLUTE ||
                           (rules->block == ND_BLOCK_CONDITIONAL && !row_has(&board->row[1], ND_OFF));
    } else {
        for (uint32_t left = turn.his; left; left &= left - 1) {
            int column = lowest_bit(left);
            if (nd_row_count(&board->row[1], column) > 1) turn.closed |= 1u << (23 - column);
            else turn.blots |= 1u << (23 - column);
        }
    }
    turn.may_bear_off = rules->bearoff_same_turn || (mine & ~(uint32_t)HOME) == 0;
    if (rules->head_rule) {
        int allowed = second_head_checker(&turn, board, seat, turns, die1, die2) ? 2 : 1;
        turn.head_floor = nd_row_count(&board->row[0], HEAD_COLUMN) - allowed;
    }
    return turn;
}

static bool legal_end(const turn *turn, const nd_node *node)
{
    return !turn->bars_blocks || turn->rules->block_transient || node->mine == 0 || block_legal(turn, node->mine);
}

static bool take_result(nd_plays *plays, uint32_t at)
{
    if (plays->count == plays->results_room && !grow_results(plays)) return false;
    plays->results[plays->count] = plays->tree[at].board;
    plays->nodes[plays->count++] = at;
    return true;
}

/* Takes the legal ends of one level; of single movements with different dice only those of the larger die
 * when it can be played at all. */
static bool take_level(nd_plays *plays, const turn *turn, size_t start, size_t end, int depth)
{
    const uint32_t used_larger = plays->tree[0].remaining - 1;
    bool larger_only = false;
    if (depth == 1 && turn->movements.kinds > 1)
        for (size_t i = start; i < end && !larger_only; i++)
            larger_only = plays->tree[i].remaining == used_larger && legal_end(turn, &plays->tree[i]);
    for (size_t i = start; i < end; i++) {
        if (!legal_end(turn, &plays->tree[i])) continue;
        if (larger_only && plays->tree[i].remaining != used_larger) continue;
        if (!take_result(plays, (uint32_t)i)) return false;
    }
    return true;
}

/* A turn that bears off the last checker is legal whatever it leaves unused. */
static bool take_finished(nd_plays *plays, size_t end)
{
    for (size_t i = 1; i < end; i++) {
        if (plays->tree[i].mine) continue;
        bool known = false;
        for (size_t r = 0; r < plays->count && !known; r++)
            known = nd_packed_equal(&plays->results[r], &plays->tree[i].board);
        if (!known && !take_result(plays, (uint32_t)i)) return false;
    }
    return true;
}

/* Different ways to use the same number of movements can leave different unused ones and the same board;
 * the deepest level of a roll of two dice or a double cannot hold such twins, except after one movement. */
static bool drop_twins(nd_plays *plays)
{
    size_t kept = 0;
    for (size_t i = 0; i < plays->count; i++) {
        bool twin = false;
        for (size_t j = 0; j < kept && !twin; j++) twin = nd_packed_equal(&plays->results[i], &plays->results[j]);
        if (twin) continue;
        plays->results[kept] = plays->results[i];
        plays->nodes[kept++] = plays->nodes[i];
    }
    plays->count = kept;
    return true;
}

static bool end_turn(nd_plays *plays, const turn *turn, const size_t *levels, int depth)
{
    for (; depth > 0; depth--) {
        if (!take_level(plays, turn, levels[depth], levels[depth + 1], depth)) return false;
        if (plays->count == 0) continue;
        if (plays->tree[levels[depth]].remaining != 0 && turn->movements.kinds > 1) drop_twins(plays);
        return take_finished(plays, levels[depth]);
    }
    plays->passed = true;
    return take_result(plays, 0);
}

bool nd_plays_generate(nd_plays *plays, const nd_rules *rules, const nd_packed *board, int seat, int turns,
                       int die1, int die2)
{
    const turn turn = begin_turn(rules, board, seat, turns, die1, die2);
    size_t levels[ND_MAX_MOVEMENTS + 2] = {0, 1};
    plays->count = 0;
    plays->passed = false;
    plays->tree_size = 1;
    nd_node *root = &plays->tree[0];
    memset(root, 0, sizeof *root);
    root->board = *board;
    root->mine = nd_row_occupied(&board->row[0]) & (POINTS | BAR_BIT);
    root->blots = turn.blots;
    for (int kind = 0; kind < turn.movements.kinds; kind++)
        root->remaining |= (uint32_t)turn.movements.count[kind] << (4 * kind);
    int depth = 0;
    while (levels[depth + 1] > levels[depth]) {
        size_t start = levels[depth], end = levels[depth + 1];
        new_stamp(plays);
        for (size_t at = start; at < end; at++)
            for (int kind = 0; kind < turn.movements.kinds; kind++)
                if (plays->tree[at].remaining >> (4 * kind) & 15)
                    if (!expand(plays, &turn, end, (uint32_t)at, kind)) return false;
        depth++;
        levels[depth + 1] = plays->tree_size;
    }
    return end_turn(plays, &turn, levels, depth - 1);
}

size_t nd_play_movements(const nd_plays *plays, size_t result, nd_movement movements[ND_MAX_MOVEMENTS])
{
    size_t count = 0;
    for (uint32_t at = plays->nodes[result]; at != 0; at = plays->tree[at].parent) count++;
    size_t place = count;
    for (uint32_t at = plays->nodes[result]; at != 0; at = plays->tree[at].parent) {
        const nd_node *node = &plays->tree[at];
        movements[--place].from = (uint8_t)(node->from + 1);
        movements[place].to = node->to == ND_OFF ? 0 : (uint8_t)(node->to + 1);
    }
    return count;
}
