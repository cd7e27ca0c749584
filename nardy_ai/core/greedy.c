#include "greedy.h"

#include <stdint.h>
#include <string.h>

/* One line a feature: its name in the weight file and what it counts. "Behind" a point means still
 * having to pass it. Only the mover's own play changes these numbers within one roll, so what the
 * opponent alone decides is left out. */
#define LONG_FEATURES(X)                                                                                     \
    X(OFF, "off", "own checkers borne off")                                                                  \
    X(PIPS, "pips", "own pips still to go")                                                                  \
    X(HEAD, "head", "own checkers on the 24 point")                                                          \
    X(HOME, "home", "own checkers at home")                                                                  \
    X(STACK, "stack", "own checkers beyond the second on a point outside home and head")                     \
    X(HELD_FIRST, "held_19_23", "held of my 23..19, his checkers behind them (his 11..7)")                   \
    X(HELD_SECOND, "held_13_18", "held of my 18..13, his checkers behind them (his home)")                   \
    X(HELD_THIRD, "held_7_12", "held of my 12..7, his checkers behind them (his 24..19)")                    \
    X(HELD_HOME, "held_1_6", "held of my 6..1, his checkers behind them (his 18..13)")                       \
    X(DENIED, "denied", "landings (his point, die) that my checkers close")                                  \
    X(DENIED_MEN, "denied_men", "the same, each counted once for every checker on his point, at most four")  \
    X(HIS_DEAD, "his_dead_dice", "numbers of a die that he cannot play at all")                              \
    X(WALL_2, "wall_2", "runs of two or more own points that some of his checkers must pass")                \
    X(WALL_3, "wall_3", "such runs of three or more")                                                        \
    X(WALL_4, "wall_4", "such runs of four or more")                                                         \
    X(WALL_5, "wall_5", "such runs of five or more")                                                         \
    X(WALL_6, "wall_6", "such runs of six or more")                                                          \
    X(WALL_LOAD, "wall_load", "his checkers behind each such run, times its length less two")                \
    X(WALL_NEAR, "wall_near", "the same for his checkers at most six points before the run")                 \
    X(OPEN, "open", "landings (own point, die) that are open to me")                                         \
    X(DEAD, "dead_dice", "numbers of a die that I cannot play at all")                                       \
    X(REAR, "rear", "own point of my rearmost checker")                                                      \
    X(BEHIND, "behind", "own checkers with his points four or more of six ahead of them closed")             \
    X(HOME_EMPTY, "home_empty", "empty points at home once all own checkers are there")

#define SHORT_FEATURES(X)                                                                                    \
    X(OFF, "off", "own checkers borne off")                                                                  \
    X(PIPS, "pips", "own pips still to go")                                                                  \
    X(HIS_PIPS, "his_pips", "the opponent's pips, more after a hit")                                         \
    X(HIS_BAR, "his_bar", "his checkers on the bar")                                                         \
    X(HIS_BAR_HOME, "his_bar_home", "points made at home while he has a checker on the bar")                 \
    X(POINT_1, "point_1", "own 1 point made by two or more, contact left (so for the points that follow)")   \
    X(POINT_2, "point_2", "own 2 point")                                                                     \
    X(POINT_3, "point_3", "own 3 point")                                                                     \
    X(POINT_4, "point_4", "own 4 point")                                                                     \
    X(POINT_5, "point_5", "own 5 point")                                                                     \
    X(POINT_6, "point_6", "own 6 point")                                                                     \
    X(POINT_7, "point_7", "own 7 (bar) point")                                                               \
    X(POINT_8, "point_8", "own 8 point")                                                                     \
    X(OUTFIELD, "outfield", "points made of own 9..12")                                                      \
    X(MIDPOINT, "midpoint", "own 13 point")                                                                  \
    X(FAR_OUTFIELD, "far_outfield", "points made of own 14..17")                                             \
    X(ANCHOR_18, "anchor_18", "own 18 point (his bar point)")                                                \
    X(ANCHOR_HIGH, "anchor_19_21", "points made of own 19..21 (his 6..4)")                                   \
    X(ANCHOR_LOW, "anchor_22_24", "points made of own 22..24 (his 3..1)")                                    \
    X(WALL_3, "wall_3", "runs of three or more made points that some of his checkers must pass")             \
    X(WALL_4, "wall_4", "such runs of four or more")                                                         \
    X(WALL_5, "wall_5", "such runs of five or more")                                                         \
    X(WALL_6, "wall_6", "such runs of six or more")                                                          \
    X(WALL_LOAD, "wall_load", "his checkers behind each run, times its length less two")                     \
    X(SHOTS, "shots", "of his 36 rolls those that hit a blot of mine")                                       \
    X(SHOT_LOSS, "shot_loss", "pips lost to those hits, the costliest blot of each roll counted")            \
    X(SHOT_HOME, "shot_home", "hitting rolls times points that he has made at home")                         \
    X(BLOTS_HOME, "blots_home", "own blots at home, contact left")                                           \
    X(BLOTS_OUT, "blots_out", "own blots on 7..18, contact left")                                            \
    X(BLOTS_BACK, "blots_back", "own blots on 19..24, contact left")                                         \
    X(BUILDERS, "builders", "own points 7..12 with a checker to spare: one, or more than two")               \
    X(STACK, "stack", "own checkers beyond the third on a point")                                            \
    X(BACK, "back", "own checkers on 19..24 and the bar, contact left")                                      \
    X(BACK_CLOSED, "back_closed", "for each of those, his points within six ahead of it")                    \
    X(TARGETS, "targets", "his blots within a direct shot of mine")                                          \
    X(RACE_OUT, "race_out", "without contact: quadrants to cross before all are at home")

#define ENUMERATE_LONG(id, name, text) LONG_##id,
#define ENUMERATE_SHORT(id, name, text) SHORT_##id,
#define DESCRIBE(id, name, text) {name, text},

enum { LONG_FEATURES(ENUMERATE_LONG) LONG_COUNT };
enum { SHORT_FEATURES(ENUMERATE_SHORT) SHORT_COUNT };

typedef struct feature {
    const char *name, *text;
} feature;

static const feature LONG_TABLE[] = {LONG_FEATURES(DESCRIBE)};
static const feature SHORT_TABLE[] = {SHORT_FEATURES(DESCRIBE)};

size_t nd_greedy_count(nd_family family)
{
    return family == ND_LONG ? (size_t)LONG_COUNT : (size_t)SHORT_COUNT;
}

static const feature *feature_at(nd_family family, size_t index)
{
    if (index >= nd_greedy_count(family)) return NULL;
    return family == ND_LONG ? &LONG_TABLE[index] : &SHORT_TABLE[index];
}

const char *nd_greedy_name(nd_family family, size_t index)
{
    const feature *found = feature_at(family, index);
    return found ? found->name : NULL;
}

const char *nd_greedy_description(nd_family family, size_t index)
{
    const feature *found = feature_at(family, index);
    return found ? found->text : NULL;
}

static int at_most(int value, int limit)
{
    return value < limit ? value : limit;
}

/* Columns 0..24 of a row with at least `least` checkers, as bits. */
static uint32_t columns_with(const int8_t *row, int least)
{
    uint32_t mask = 0;
    for (int column = 0; column <= ND_BAR; column++) mask |= (uint32_t)(row[column] >= least) << column;
    return mask;
}

/* Points of mine as the opponent numbers them (both families: a mask of 24 columns). */
static uint32_t faced_long(uint32_t mine)
{
    mine &= 0xffffffu;
    return (mine << 12 | mine >> 12) & 0xffffffu;
}

static uint32_t faced_short(uint32_t mine)
{
    uint32_t mask = 0;
    for (int column = 0; column < ND_POINTS; column++) mask |= (mine >> column & 1u) << (ND_POINTS - 1 - column);
    return mask;
}

static int bits(uint32_t mask)
{
    mask -= mask >> 1 & 0x55555555u;
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    mask = (mask + (mask >> 4)) & 0x0f0f0f0fu;
    return (int)((mask * 0x01010101u) >> 24);
}

/* The column of the lowest bit of a mask that is not empty. */
static int lowest(uint32_t mask)
{
    return bits((mask & (~mask + 1)) - 1);
}

/* The column of the highest bit, -1 for an empty mask. */
static int highest(uint32_t mask)
{
    mask |= mask >> 1;
    mask |= mask >> 2;
    mask |= mask >> 4;
    mask |= mask >> 8;
    mask |= mask >> 16;
    return bits(mask) - 1;
}

/* What the runs of points that the opponent must pass are worth, points and checkers in his numbers. */
typedef struct walls {
    int longer[7]; /* [k]: runs of k or more with one of his checkers behind */
    int load, near;
} walls;

static walls find_walls(uint32_t points, const int8_t *his)
{
    walls found;
    memset(&found, 0, sizeof found);
    int behind = his[ND_BAR], column = ND_POINTS - 1;
    while (column >= 0) {
        if (!(points >> column & 1u)) {
            behind += his[column--];
            continue;
        }
        int top = column, length = 0, close = 0;
        while (column >= 0 && points >> column & 1u) column--, length++;
        for (int before = top + 1; before <= at_most(top + 6, ND_BAR); before++) close += his[before];
        if (!behind) continue;
        for (int k = 1; k <= at_most(length, 6); k++) found.longer[k]++;
        if (length > 2) found.load += (length - 2) * behind;
        if (length > 2) found.near += (length - 2) * close;
    }
    return found;
}

/* Landings of one side: (point, die) pairs that stay on the board. */
typedef struct landings {
    int open, closed, closed_men, dead_dice;
} landings;

static landings count_landings(const int8_t *row, uint32_t closed)
{
    landings found = {0, 0, 0, 0};
    uint32_t occupied = columns_with(row, 1) & 0xffffffu;
    bool all_home = !(occupied >> 6) && occupied;
    for (int die = 1; die <= 6; die++) {
        int open = bits(occupied >> die & ~closed);
        found.open += open;
        for (uint32_t stopped = occupied >> die & closed; stopped; stopped &= stopped - 1) {
            int column = lowest(stopped) + die;
            found.closed++;
            found.closed_men += at_most(row[column], 4);
        }
        /* A die that bears off is playable: all at home, and a checker on it or none above. */
        bool leaves = all_home && (occupied >> (die - 1) & 1u || occupied >> die == 0);
        found.dead_dice += open == 0 && !leaves;
    }
    return found;
}

static void long_position(const int8_t *mine, const int8_t *his, uint32_t held, float *out)
{
    /* A held point counts while one of his checkers still has to pass it: the part of his line below
     * his rearmost checker. */
    uint32_t his_occupied = columns_with(his, 1) & 0xffffffu;
    int his_rear = highest(his_occupied);
    uint32_t ahead = his_rear < 0 ? 0 : faced_long(((uint32_t)1 << his_rear) - 1);
    uint32_t useful = held & ahead;
    out[LONG_HELD_FIRST] = (float)bits(useful & 0x7c0000u);
    out[LONG_HELD_SECOND] = (float)bits(useful & 0x03f000u);
    out[LONG_HELD_THIRD] = (float)bits(useful & 0x000fc0u);
    out[LONG_HELD_HOME] = (float)bits(useful & 0x00003fu);
    int stack = 0, home = 0;
    for (int column = 0; column < 6; column++) home += mine[column];
    for (int column = 6; column < 23; column++)
        if (mine[column] > 2) stack += mine[column] - 2;
    out[LONG_STACK] = (float)stack;
    out[LONG_HOME] = (float)home;
}

static void long_features(const nd_board *after, float *out)
{
    const int8_t *mine = after->row[0], *his = after->row[1];
    uint32_t held = columns_with(mine, 1) & 0xffffffu;
    uint32_t his_points = faced_long(columns_with(his, 1));
    long_position(mine, his, held, out);
    out[LONG_OFF] = (float)mine[ND_OFF];
    out[LONG_PIPS] = (float)nd_pips(after, 0);
    out[LONG_HEAD] = (float)mine[ND_POINTS - 1];

    landings denied = count_landings(his, faced_long(held));
    out[LONG_DENIED] = (float)denied.closed;
    out[LONG_DENIED_MEN] = (float)denied.closed_men;
    out[LONG_HIS_DEAD] = (float)denied.dead_dice;
    landings own = count_landings(mine, his_points);
    out[LONG_OPEN] = (float)own.open;
    out[LONG_DEAD] = (float)own.dead_dice;

    walls wall = find_walls(faced_long(held), his);
    out[LONG_WALL_2] = (float)wall.longer[2];
    out[LONG_WALL_3] = (float)wall.longer[3];
    out[LONG_WALL_4] = (float)wall.longer[4];
    out[LONG_WALL_5] = (float)wall.longer[5];
    out[LONG_WALL_6] = (float)wall.longer[6];
    out[LONG_WALL_LOAD] = (float)wall.load;
    out[LONG_WALL_NEAR] = (float)wall.near;

    int behind = 0;
    for (uint32_t rest = held; rest; rest &= rest - 1) {
        int column = lowest(rest);
        uint32_t window = column >= 6 ? his_points >> (column - 6) : his_points << (6 - column);
        if (bits(window & 0x3fu) >= 4) behind += mine[column];
    }
    out[LONG_BEHIND] = (float)behind;
    out[LONG_REAR] = (float)(highest(held) + 1);
    out[LONG_HOME_EMPTY] = held >> 6 ? 0.0f : (float)(6 - bits(held));
}

/* The opponent's shots: his checkers, my blots and my made points as bits of his columns. */
typedef struct shot_board {
    uint32_t his, blots, made;
    int bar;
} shot_board;

static uint32_t hits_from(const shot_board *board, uint32_t from, int die)
{
    return from >> die & board->blots;
}

static uint32_t hits_of_both(const shot_board *board, uint32_t from, int first, int second)
{
    uint32_t direct = hits_from(board, from, first) | hits_from(board, from, second);
    uint32_t through = (from >> first & ~board->made) >> second | (from >> second & ~board->made) >> first;
    return direct | (through & board->blots);
}

/* Up to `steps` movements by the same die. */
static uint32_t hits_in_line(const shot_board *board, uint32_t from, int die, int steps)
{
    uint32_t hits = 0;
    while (steps-- > 0) {
        from = from >> die & ~board->made;
        hits |= from & board->blots;
    }
    return hits;
}

/* One checker enters by `enter`, then `other` is played from anywhere. */
static uint32_t hits_after_entering(const shot_board *board, int enter, int other)
{
    uint32_t entered = (uint32_t)1 << (ND_BAR - enter);
    if (entered & board->made) return 0;
    return (entered & board->blots) | hits_from(board, board->his | entered, other);
}

/* My blots that a roll can hit, each by itself. With two or more on the bar only entering is counted. */
static uint32_t hits_of_roll(const shot_board *board, int first, int second)
{
    uint32_t enter_first = (uint32_t)1 << (ND_BAR - first), enter_second = (uint32_t)1 << (ND_BAR - second);
    if (board->bar > 1) return (enter_first | enter_second) & board->blots;
    if (first == second) {
        if (!board->bar) return hits_in_line(board, board->his, first, 4);
        if (enter_first & board->made) return 0;
        return (enter_first & board->blots) | hits_in_line(board, board->his | enter_first, first, 3);
    }
    if (!board->bar) return hits_of_both(board, board->his, first, second);
    return hits_after_entering(board, first, second) | hits_after_entering(board, second, first);
}

static void shot_features(const int8_t *mine, const int8_t *his, float *out)
{
    uint32_t any = columns_with(mine, 1), made = columns_with(mine, 2);
    uint32_t his_made = columns_with(his, 2);
    shot_board board = {columns_with(his, 1) & 0xffffffu, faced_short(any & ~made), faced_short(made), his[ND_BAR]};
    int shots = 0, loss = 0;
    if (board.blots) {
        for (int first = 1; first <= 6; first++) {
            for (int second = 1; second <= first; second++) {
                uint32_t hits = hits_of_roll(&board, first, second);
                if (!hits) continue;
                int weight = first == second ? 1 : 2;
                shots += weight;
                loss += weight * (highest(hits) + 1); /* his column c is my point 24 - c, lost are 25 less that */
            }
        }
    }
    out[SHORT_SHOTS] = (float)shots;
    out[SHORT_SHOT_LOSS] = (float)loss;
    out[SHORT_SHOT_HOME] = (float)(shots * bits(his_made & 0x3fu));
}

static void point_features(uint32_t made, float *out)
{
    for (int column = 0; column < 8; column++) out[SHORT_POINT_1 + column] = (float)(made >> column & 1u);
    out[SHORT_OUTFIELD] = (float)bits(made >> 8 & 0xfu);
    out[SHORT_MIDPOINT] = (float)(made >> 12 & 1u);
    out[SHORT_FAR_OUTFIELD] = (float)bits(made >> 13 & 0xfu);
    out[SHORT_ANCHOR_18] = (float)(made >> 17 & 1u);
    out[SHORT_ANCHOR_HIGH] = (float)bits(made >> 18 & 7u);
    out[SHORT_ANCHOR_LOW] = (float)bits(made >> 21 & 7u);
}

static void checker_features(const int8_t *mine, uint32_t made, uint32_t his_made, uint32_t his_blots, float *out)
{
    uint32_t any = columns_with(mine, 1), blots = any & ~made;
    int builders = 0, back = mine[ND_BAR], closed = 0;
    for (int column = 6; column < 12; column++) builders += mine[column] == 1 || mine[column] > 2;
    for (int column = 18; column < ND_POINTS; column++) back += mine[column];
    for (int column = 18; column <= ND_BAR; column++)
        closed += mine[column] * bits(his_made >> (column - 6) & 0x3fu);
    uint32_t reach = 0;
    for (int die = 1; die <= 6; die++) reach |= any >> die;
    out[SHORT_BLOTS_HOME] = (float)bits(blots & 0x3fu);
    out[SHORT_BLOTS_OUT] = (float)bits(blots >> 6 & 0xfffu);
    out[SHORT_BLOTS_BACK] = (float)bits(blots >> 18 & 0x3fu);
    out[SHORT_BUILDERS] = (float)builders;
    out[SHORT_BACK] = (float)back;
    out[SHORT_BACK_CLOSED] = (float)closed;
    out[SHORT_TARGETS] = (float)bits(reach & his_blots);
}

static void contact_features(const nd_board *after, float *out)
{
    const int8_t *mine = after->row[0], *his = after->row[1];
    uint32_t made = columns_with(mine, 2) & 0xffffffu;
    uint32_t his_any = columns_with(his, 1) & 0xffffffu, his_made = columns_with(his, 2) & 0xffffffu;
    out[SHORT_HIS_BAR_HOME] = his[ND_BAR] ? (float)bits(made & 0x3fu) : 0.0f;
    point_features(made, out);
    walls wall = find_walls(faced_short(made), his);
    out[SHORT_WALL_3] = (float)wall.longer[3];
    out[SHORT_WALL_4] = (float)wall.longer[4];
    out[SHORT_WALL_5] = (float)wall.longer[5];
    out[SHORT_WALL_6] = (float)wall.longer[6];
    out[SHORT_WALL_LOAD] = (float)wall.load;
    shot_features(mine, his, out);
    checker_features(mine, made, faced_short(his_made), faced_short(his_any & ~his_made), out);
}

static void race_features(const int8_t *mine, float *out)
{
    int crossings = 0;
    for (int column = 6; column <= ND_BAR; column++) crossings += mine[column] * (column / 6);
    out[SHORT_RACE_OUT] = (float)crossings;
}

static void short_features(const nd_board *after, float *out)
{
    const int8_t *mine = after->row[0], *his = after->row[1];
    out[SHORT_OFF] = (float)mine[ND_OFF];
    out[SHORT_PIPS] = (float)nd_pips(after, 0);
    out[SHORT_HIS_PIPS] = (float)nd_pips(after, 1);
    out[SHORT_HIS_BAR] = (float)his[ND_BAR];
    int stack = 0;
    for (int column = 0; column < ND_POINTS; column++)
        if (mine[column] > 3) stack += mine[column] - 3;
    out[SHORT_STACK] = (float)stack;
    /* Own points (1..25) of the rearmost checkers: contact while they have not passed each other. */
    int rear = highest(columns_with(mine, 1)) + 1, his_rear = highest(columns_with(his, 1)) + 1;
    if (rear > 0 && his_rear > 0 && rear + his_rear > ND_POINTS)
        contact_features(after, out);
    else
        race_features(mine, out);
}

void nd_greedy_features(const nd_rules *rules, const nd_board *after, float *out)
{
    memset(out, 0, nd_greedy_count(rules->family) * sizeof *out);
    if (rules->family == ND_LONG)
        long_features(after, out);
    else
        short_features(after, out);
}

double nd_greedy_score(const nd_rules *rules, const float *weights, const nd_board *after)
{
    if (after->row[0][ND_OFF] == rules->checkers) return ND_GREEDY_FINISHED;
    float features[ND_GREEDY_MAX_FEATURES];
    nd_greedy_features(rules, after, features);
    size_t count = nd_greedy_count(rules->family);
    double score = 0.0;
    for (size_t i = 0; i < count; i++) score += (double)weights[i] * features[i];
    return score;
}
