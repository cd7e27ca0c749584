#include "plays.h"

#include <string.h>

#include "plays_row.h"
#include "plays_tree.h"

enum { HOME = 0x3f, POINTS = 0xffffff, BAR_BIT = 1 << ND_BAR, HEAD_COLUMN = 23, HEAD_BIT = 1 << HEAD_COLUMN };

/* What stays fixed during one turn. */
typedef struct turn {
    const nd_rules *rules;
    nd_movements movements;
    uint32_t mine;        /* my occupied columns before the turn, off left out */
    uint32_t closed;      /* columns of mine where I may not land */
    uint32_t blots;       /* his lone checkers before the turn */
    uint32_t his;         /* his occupied columns, in his own count */
    bool bars_blocks;     /* a block rule can forbid something in this turn */
    bool may_bear_off;    /* even once all are home */
    int head_floor;       /* the head keeps at least so many checkers this turn */
} turn;

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

static int landing(int from, int die)
{
    return from >= die ? from - die : ND_OFF;
}

/* My occupied columns after a movement. */
static uint32_t occupied_after(const nd_node *node, int from, int to)
{
    const uint32_t left = nd_row_count(&node->board.row[0], from) == 1 ? node->mine & ~(1u << from) : node->mine;
    return to == ND_OFF ? left : left | 1u << to;
}

/* The board after a movement that the node's blots allow to hit. */
static void move_checker(const nd_node *node, nd_packed *after, int from, int to)
{
    *after = node->board;
    row_take(&after->row[0], from);
    row_add(&after->row[0], to);
    if (node->blots >> to & 1) {
        row_take(&after->row[1], 23 - to);
        row_add(&after->row[1], ND_BAR);
    }
}

/* Whether the block rule lets a movement be made, and be the turn's last one. */
static bool passing_legal(const turn *turn, uint32_t mine, int to)
{
    return !turn->bars_blocks || !turn->rules->block_transient || to == ND_OFF || block_legal(turn, mine);
}

static bool end_legal(const turn *turn, uint32_t mine)
{
    return !turn->bars_blocks || turn->rules->block_transient || mine == 0 || block_legal(turn, mine);
}

/* Writes the child at the end of the tree, where there is room; false: the block rule forbids it. */
static bool make_child(nd_plays *plays, const turn *turn, uint32_t parent, int kind, int from, int to)
{
    const nd_node *node = &plays->tree[parent];
    nd_node *child = &plays->tree[plays->tree_size];
    move_checker(node, &child->board, from, to);
    child->mine = occupied_after(node, from, to);
    child->blots = node->blots & ~(1u << to);
    child->remaining = node->remaining - (1u << (4 * kind));
    child->moved = 0;
    child->step = (nd_step){parent, (uint8_t)from, (uint8_t)to};
    return passing_legal(turn, child->mine, to);
}

/* Writes the child as a result, where there is room, without a node of its own; nothing follows it. */
static void write_result(nd_plays *plays, uint32_t parent, int from, int to)
{
    move_checker(&plays->tree[parent], &plays->results[plays->count], from, to);
    plays->steps[plays->count] = (nd_step){parent, (uint8_t)from, (uint8_t)to};
}

static bool result_legal(const turn *turn, const nd_node *node, int from, int to)
{
    if (!turn->bars_blocks) return true;
    const uint32_t mine = occupied_after(node, from, to);
    return passing_legal(turn, mine, to) && end_legal(turn, mine);
}

static bool make_room(nd_plays *plays)
{
    return plays->tree_size < plays->tree_room || nd_tree_grow(plays);
}

static bool move(nd_plays *plays, const turn *turn, size_t level_start, uint32_t parent, int kind, int from, int to)
{
    if (!make_room(plays)) return false;
    if (!make_child(plays, turn, parent, kind, from, to)) return true;
    plays->tree[parent].moved |= 1u << from;
    return nd_tree_keep(plays, level_start);
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

/* The columns from which a die can be played. One that bears off is lower than all others. */
static uint32_t sources_of(const turn *turn, const nd_node *node, int kind)
{
    const int die = turn->movements.pips[kind];
    if (node->mine == 0) return 0;
    const uint32_t able = movable(turn, node);
    const int exit = bear_off_column(turn, node->mine, die);
    const uint32_t inside = (node->mine & BAR_BIT ? BAR_BIT : able) & ~(turn->closed << die) & ~((1u << die) - 1);
    return exit < 0 ? inside : inside | (able & 1u << exit);
}

static bool expand(nd_plays *plays, const turn *turn, size_t level_start, uint32_t at, int kind)
{
    const nd_step step = plays->tree[at].step;
    uint32_t sources = sources_of(turn, &plays->tree[at], kind);
    /* A double that moved from f and could have moved from g above it comes to the same board from g and f,
     * which is found there: both movements can be made in either order, as far as blocks allow. */
    if (turn->movements.kinds == 1 && turn->rules->hit_and_run_home && at != 0)
        sources &= ~plays->tree[step.parent].moved | ((2u << step.from) - 1);
    while (sources) {
        const int from = take_highest(&sources);
        if (!move(plays, turn, level_start, at, kind, from, landing(from, turn->movements.pips[kind]))) return false;
    }
    return true;
}

/* ---- shorter ways ------------------------------------------------------------------------------- */

/* Takes the results of the turn's last movement. */
static bool finish(nd_plays *plays, const turn *turn, size_t at, int kind, uint32_t sources)
{
    const nd_node *node = &plays->tree[at];
    if (!nd_tree_reserve_results(plays)) return false;
    while (sources) {
        const int from = take_highest(&sources), to = landing(from, turn->movements.pips[kind]);
        if (!result_legal(turn, node, from, to)) continue;
        write_result(plays, (uint32_t)at, from, to);
        plays->count++;
    }
    return true;
}

/* ---- shorter ways: a double --------------------------------------------------------------------- */

/* Made from the highest point down, each set of a double's movements comes up once, and no two sets lead to
 * the same board. A set can be made in this order whenever it can be made at all, unless the transient block
 * forbids a position on the way; where that happens all orders must be tried. */
typedef enum downward { DOWNWARD_DONE, DOWNWARD_FORBIDDEN, DOWNWARD_NO_MEMORY } downward;

static uint32_t sources_below(const turn *turn, const nd_plays *plays, size_t at)
{
    const nd_node *node = &plays->tree[at];
    return sources_of(turn, node, 0) & (at == 0 ? ~0u : (2u << node->step.from) - 1);
}

static downward expand_downward(nd_plays *plays, const turn *turn, size_t at)
{
    uint32_t sources = sources_below(turn, plays, at);
    while (sources) {
        const int from = take_highest(&sources);
        if (!make_room(plays)) return DOWNWARD_NO_MEMORY;
        if (!make_child(plays, turn, (uint32_t)at, 0, from, landing(from, turn->movements.pips[0]))) return DOWNWARD_FORBIDDEN;
        plays->tree_size++;
    }
    return DOWNWARD_DONE;
}

/* Grows the levels of all movements but the last, and takes the results of all of them. */
static downward grow_downward(nd_plays *plays, const turn *turn, size_t *levels)
{
    const int last = turn->movements.count[0] - 1;
    for (int depth = 0; depth < last; depth++) {
        for (size_t at = levels[depth]; at < levels[depth + 1]; at++) {
            const downward grown = expand_downward(plays, turn, at);
            if (grown != DOWNWARD_DONE) return grown;
        }
        levels[depth + 2] = plays->tree_size;
    }
    for (size_t at = levels[last]; at < levels[last + 1]; at++)
        if (!finish(plays, turn, at, 0, sources_below(turn, plays, at))) return DOWNWARD_NO_MEMORY;
    return DOWNWARD_DONE;
}

/* ---- shorter ways: two dice --------------------------------------------------------------------- */

/* Results of one checker's run by both dice, by its first column. They alone can be reached in several
 * ways: over either point between, or with the help of a checker that stands there. What is hit on the way
 * tells three of them apart at most. */
typedef struct runs {
    size_t results[ND_COLUMNS][3];
    uint8_t count[ND_COLUMNS];
} runs;

/* Whether the run's result at the end of the list is a new one. */
static bool new_run(const nd_plays *plays, runs *runs, int origin)
{
    for (int i = 0; i < runs->count[origin]; i++)
        if (nd_packed_equal(&plays->results[runs->results[origin][i]], &plays->results[plays->count])) return false;
    runs->results[origin][runs->count[origin]++] = plays->count;
    return true;
}

/* The second die of a roll without bearing off. With the larger from i and the smaller from j, any order
 * gives the same board; the smaller is made first only where the larger could not be. */
static bool finish_pair(nd_plays *plays, const turn *turn, uint32_t at, uint32_t larger_first, runs *runs)
{
    const nd_node *node = &plays->tree[at];
    const int kind = node->remaining & 15 ? 0 : 1, first = node->step.from;
    const int first_die = turn->movements.pips[1 - kind], die = turn->movements.pips[kind];
    /* The same checker moves on, or another one takes its place. */
    const uint32_t on = first >= first_die ? 1u << (first - first_die) : 0, after = 1u << (first + die);
    uint32_t sources = sources_of(turn, node, kind);
    if (kind == 0) sources &= ~larger_first | on | after;
    if (!nd_tree_reserve_results(plays)) return false;
    while (sources) {
        const int second = take_highest(&sources);
        if (!result_legal(turn, node, second, second - die)) continue;
        write_result(plays, at, second, second - die);
        if (!((on | after) >> second & 1) || new_run(plays, runs, second < first ? first : second)) plays->count++;
    }
    return true;
}

/* Both dice where nothing can be hit, nothing waits on the bar and no block is forbidden in passing. Then a run
 * has one result, which is taken the first time: by the larger die first, else with the larger die of a checker
 * that stands where the smaller one ends, else by the smaller die first. Nothing but such a run needs the
 * smaller die first. */
static bool grow_still_pair(nd_plays *plays, const turn *turn)
{
    const int high = turn->movements.pips[0], low = turn->movements.pips[1];
    const uint32_t larger = sources_of(turn, &plays->tree[0], 0);
    uint32_t smaller = sources_of(turn, &plays->tree[0], 1) & ~larger & ~(larger << low);
    smaller &= ~(turn->closed << (high + low)) & ~((1u << (high + low)) - 1);
    for (uint32_t sources = larger; sources;) {
        const int from = take_highest(&sources);
        const size_t at = plays->tree_size;
        if (!make_room(plays)) return false;
        make_child(plays, turn, 0, 0, from, from - high);
        plays->tree_size++;
        if (!finish(plays, turn, at, 1, sources_of(turn, &plays->tree[at], 1) & ~(larger & 1u << (from + low)))) return false;
    }
    while (smaller) {
        const int from = take_highest(&smaller);
        if (!make_room(plays)) return false;
        make_child(plays, turn, 0, 1, from, from - low);
        if (!finish(plays, turn, plays->tree_size++, 0, 1u << (from - low))) return false;
    }
    return true;
}

static bool grow_pair(nd_plays *plays, const turn *turn, size_t *levels)
{
    uint32_t larger_first = 0;
    runs runs;
    if (turn->blots == 0 && !(turn->mine & BAR_BIT) && !(turn->bars_blocks && turn->rules->block_transient)) {
        if (!grow_still_pair(plays, turn)) return false;
        if (plays->count) return true; /* which cannot have borne off the last checker */
        plays->tree_size = 1;
    }
    memset(runs.count, 0, sizeof runs.count);
    for (int kind = 0; kind < 2; kind++) {
        uint32_t sources = sources_of(turn, &plays->tree[0], kind);
        while (sources) {
            const int from = take_highest(&sources);
            if (!make_room(plays)) return false;
            if (!make_child(plays, turn, 0, kind, from, from - turn->movements.pips[kind])) continue;
            plays->tree_size++;
            if (kind == 0) larger_first |= 1u << from;
        }
    }
    levels[2] = plays->tree_size;
    for (size_t at = levels[1]; at < levels[2]; at++)
        if (!finish_pair(plays, turn, (uint32_t)at, larger_first, &runs)) return false;
    return true;
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

/* The columns that may hold checkers of mine at some moment of the turn. */
static uint32_t within_reach(const turn *turn, uint32_t mine)
{
    const nd_movements *movements = &turn->movements;
    const int high = movements->pips[0], low = movements->pips[1];
    if (movements->kinds == 1) {
        uint32_t reach = mine;
        for (int i = 0; i < movements->count[0]; i++) reach |= reach >> high & ~turn->closed;
        return reach;
    }
    return mine | ((mine >> high | mine >> low | mine >> (high + low)) & ~turn->closed);
}

/* Whether a conditional block can come about in this turn: not with a checker of his off, which is ahead
 * of any; else only where he has none ahead, and six points are mine or within reach of few movements. */
static bool may_block(const turn *turn, const nd_packed *board, uint32_t mine)
{
    const int new_points = turn->movements.kinds == 1 ? 4 : 2;
    const uint32_t reach = within_reach(turn, mine & POINTS), points = mine & POINTS;
    const uint32_t reach_his_count = (reach << 12 | reach >> 12) & POINTS, his_count = (points << 12 | points >> 12) & POINTS;
    if (row_has(&board->row[1], ND_OFF)) return false;
    uint32_t runs = sixes(reach_his_count);
    if (turn->his) runs &= (2u << lowest_bit(turn->his)) - 1;
    for (; runs; runs &= runs - 1)
        if (bits(his_count >> lowest_bit(runs) & 0x3f) >= 6 - new_points) return true;
    return false;
}

/* Whether a roll of two dice could bear off: no more than one checker is on its way home. */
static bool near_home(const turn *turn, const nd_packed *board)
{
    const uint32_t home = (uint32_t)board->row[0].low & 0xffffff;
    const uint32_t pairs = (home & 0x0f0f0f) + (home >> 4 & 0x0f0f0f);
    const uint32_t inside = (pairs + (pairs >> 8) + (pairs >> 16)) & 0xff;
    return (int)inside + nd_row_count(&board->row[0], ND_OFF) + 1 >= turn->rules->checkers;
}

static turn begin_turn(const nd_rules *rules, const nd_packed *board, int seat, int turns, int die1, int die2)
{
    turn turn = {.rules = rules, .movements = nd_roll_movements(rules, die1, die2)};
    const uint32_t mine = turn.mine = nd_row_occupied(&board->row[0]) & (POINTS | BAR_BIT);
    turn.his = nd_row_occupied(&board->row[1]) & POINTS;
    if (rules->family == ND_LONG) {
        turn.closed = (turn.his << 12 | turn.his >> 12) & POINTS;
        turn.bars_blocks = rules->block == ND_BLOCK_ABSOLUTE ||
                           (rules->block == ND_BLOCK_CONDITIONAL && may_block(&turn, board, mine));
    } else {
        turn.closed = nd_mirrored(nd_row_made(&board->row[1]) & POINTS);
        turn.blots = nd_mirrored(turn.his) & ~turn.closed;
    }
    turn.may_bear_off = rules->bearoff_same_turn || (mine & ~(uint32_t)HOME) == 0;
    if (rules->head_rule) {
        int allowed = second_head_checker(&turn, board, seat, turns, die1, die2) ? 2 : 1;
        turn.head_floor = nd_row_count(&board->row[0], HEAD_COLUMN) - allowed;
    }
    return turn;
}

static bool take_result(nd_plays *plays, uint32_t at)
{
    if (plays->count == plays->results_room && !nd_tree_grow_results(plays)) return false;
    plays->results[plays->count] = plays->tree[at].board;
    plays->steps[plays->count++] = plays->tree[at].step;
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
            larger_only = plays->tree[i].remaining == used_larger && end_legal(turn, plays->tree[i].mine);
    for (size_t i = start; i < end; i++) {
        if (!end_legal(turn, plays->tree[i].mine)) continue;
        if (larger_only && plays->tree[i].remaining != used_larger) continue;
        if (!take_result(plays, (uint32_t)i)) return false;
    }
    return true;
}

/* A turn that bears off the last checker is legal whatever it leaves unused. */
static bool take_finished(nd_plays *plays, const turn *turn, size_t end)
{
    int movements = 0;
    for (int kind = 0; kind < turn->movements.kinds; kind++) movements += turn->movements.count[kind];
    if (nd_row_count(&plays->tree[0].board.row[0], ND_OFF) + movements <= turn->rules->checkers) return true;
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
        plays->steps[kept++] = plays->steps[i];
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
        return take_finished(plays, turn, levels[depth]);
    }
    plays->passed = true;
    return take_result(plays, 0);
}

/* The children of the nodes level[0] .. level[1] - 1, each distinct one once. */
static bool grow_level(nd_plays *plays, const turn *turn, const size_t *level)
{
    nd_tree_new_level(plays);
    for (size_t at = level[0]; at < level[1]; at++)
        for (int kind = 0; kind < turn->movements.kinds; kind++)
            if (plays->tree[at].remaining >> (4 * kind) & 15)
                if (!expand(plays, turn, level[1], (uint32_t)at, kind)) return false;
    return true;
}

/* All orders of the movements. */
static bool grow_levels(nd_plays *plays, const turn *turn, size_t *levels)
{
    int depth = 0;
    plays->tree_size = 1;
    while (levels[depth + 1] > levels[depth]) {
        if (!grow_level(plays, turn, &levels[depth])) return false;
        depth++;
        levels[depth + 1] = plays->tree_size;
    }
    return end_turn(plays, turn, levels, depth - 1);
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
    root->mine = turn.mine;
    root->blots = turn.blots;
    for (int kind = 0; kind < turn.movements.kinds; kind++)
        root->remaining |= (uint32_t)turn.movements.count[kind] << (4 * kind);
    /* Hitters that must stay make movements wait for one another. */
    if (!rules->hit_and_run_home) return grow_levels(plays, &turn, levels);
    if (turn.movements.kinds == 1) {
        const int before_last = turn.movements.count[0] - 1;
        const downward grown = grow_downward(plays, &turn, levels);
        if (grown != DOWNWARD_DONE) return grown == DOWNWARD_FORBIDDEN && grow_levels(plays, &turn, levels);
        if (plays->count) return take_finished(plays, &turn, levels[before_last + 1]);
        return end_turn(plays, &turn, levels, before_last);
    }
    if (turn.movements.kinds == 2 && turn.movements.count[0] == 1 && !near_home(&turn, board))
        return grow_pair(plays, &turn, levels) && (plays->count || end_turn(plays, &turn, levels, 1));
    return grow_levels(plays, &turn, levels);
}

size_t nd_play_movements(const nd_plays *plays, size_t result, nd_movement movements[ND_MAX_MOVEMENTS])
{
    if (plays->passed) return 0;
    size_t count = 1;
    for (uint32_t at = plays->steps[result].parent; at != 0; at = plays->tree[at].step.parent) count++;
    size_t place = count;
    for (nd_step step = plays->steps[result]; place > 0; step = plays->tree[step.parent].step) {
        movements[--place].from = (uint8_t)(step.from + 1);
        movements[place].to = step.to == ND_OFF ? 0 : (uint8_t)(step.to + 1);
    }
    return count;
}
