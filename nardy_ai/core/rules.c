#include "rules.h"

#include <string.h>

static const char *const FAMILIES[] = {"long", "short", NULL};
static const char *const HEAD_EXCEPTIONS[] = {"blocked_by_head",        "blocked_any", "any_double_first_turn",
                                              "any_double_any_turn",    "second_player_3_4_6", "none", NULL};
static const char *const BLOCKS[] = {"conditional", "absolute", "none", NULL};
static const char *const SCOPES[] = {"opponent_path", "ring", NULL};
static const char *const OPENINGS[] = {"fresh", "rolloff_pair", NULL};

enum {
    OPTION_FAMILY,
    OPTION_CHECKERS,
    OPTION_HEAD_RULE,
    OPTION_HEAD_EXCEPTION,
    OPTION_BLOCK,
    OPTION_BLOCK_SCOPE,
    OPTION_BLOCK_TRANSIENT,
    OPTION_BEAROFF_SAME_TURN,
    OPTION_LAST_ROLL,
    OPTION_HIT_AND_RUN_HOME,
    OPTION_OPENING_ROLL,
    OPTIONS
};

static const nd_option TABLE[OPTIONS] = {
    [OPTION_FAMILY] = {"family", ND_OPTION_CHOICE, FAMILIES, 0, 0, "both"},
    [OPTION_CHECKERS] = {"checkers", ND_OPTION_COUNT, NULL, 1, 15, "both"},
    [OPTION_HEAD_RULE] = {"head_rule", ND_OPTION_BOOL, NULL, 0, 1, "long"},
    [OPTION_HEAD_EXCEPTION] = {"head_exception", ND_OPTION_CHOICE, HEAD_EXCEPTIONS, 0, 0, "long"},
    [OPTION_BLOCK] = {"block", ND_OPTION_CHOICE, BLOCKS, 0, 0, "long"},
    [OPTION_BLOCK_SCOPE] = {"block_scope", ND_OPTION_CHOICE, SCOPES, 0, 0, "long"},
    [OPTION_BLOCK_TRANSIENT] = {"block_transient", ND_OPTION_BOOL, NULL, 0, 1, "long"},
    [OPTION_BEAROFF_SAME_TURN] = {"bearoff_same_turn", ND_OPTION_BOOL, NULL, 0, 1, "both"},
    [OPTION_LAST_ROLL] = {"last_roll", ND_OPTION_BOOL, NULL, 0, 1, "long"},
    [OPTION_HIT_AND_RUN_HOME] = {"hit_and_run_home", ND_OPTION_BOOL, NULL, 0, 1, "short"},
    [OPTION_OPENING_ROLL] = {"opening_roll", ND_OPTION_CHOICE, OPENINGS, 0, 0, "both"},
};

size_t nd_option_count(void)
{
    return OPTIONS;
}

const nd_option *nd_option_at(size_t index)
{
    return index < OPTIONS ? &TABLE[index] : NULL;
}

int nd_option_get(const nd_rules *rules, size_t index)
{
    switch (index) {
    case OPTION_FAMILY: return (int)rules->family;
    case OPTION_CHECKERS: return rules->checkers;
    case OPTION_HEAD_RULE: return rules->head_rule;
    case OPTION_HEAD_EXCEPTION: return (int)rules->head_exception;
    case OPTION_BLOCK: return (int)rules->block;
    case OPTION_BLOCK_SCOPE: return (int)rules->block_scope;
    case OPTION_BLOCK_TRANSIENT: return rules->block_transient;
    case OPTION_BEAROFF_SAME_TURN: return rules->bearoff_same_turn;
    case OPTION_LAST_ROLL: return rules->last_roll;
    case OPTION_HIT_AND_RUN_HOME: return rules->hit_and_run_home;
    case OPTION_OPENING_ROLL: return (int)rules->opening_roll;
    default: return 0;
    }
}

void nd_option_set(nd_rules *rules, size_t index, int value)
{
    switch (index) {
    case OPTION_FAMILY: rules->family = (nd_family)value; break;
    case OPTION_CHECKERS: rules->checkers = (uint8_t)value; break;
    case OPTION_HEAD_RULE: rules->head_rule = value != 0; break;
    case OPTION_HEAD_EXCEPTION: rules->head_exception = (nd_head_exception)value; break;
    case OPTION_BLOCK: rules->block = (nd_block)value; break;
    case OPTION_BLOCK_SCOPE: rules->block_scope = (nd_block_scope)value; break;
    case OPTION_BLOCK_TRANSIENT: rules->block_transient = value != 0; break;
    case OPTION_BEAROFF_SAME_TURN: rules->bearoff_same_turn = value != 0; break;
    case OPTION_LAST_ROLL: rules->last_roll = value != 0; break;
    case OPTION_HIT_AND_RUN_HOME: rules->hit_and_run_home = value != 0; break;
    case OPTION_OPENING_ROLL: rules->opening_roll = (nd_opening)value; break;
    default: break;
    }
}

const char *nd_defeat_name(nd_family family, nd_defeat defeat)
{
    static const char *const LONG_NAMES[ND_DEFEATS] = {"oin", "mars", "koks", "home_mars"};
    static const char *const SHORT_NAMES[ND_DEFEATS] = {"single", "gammon", "backgammon", NULL};
    return family == ND_LONG ? LONG_NAMES[defeat] : SHORT_NAMES[defeat];
}

nd_rules nd_rules_default(nd_family family)
{
    nd_rules rules;
    memset(&rules, 0, sizeof rules);
    rules.family = family;
    rules.checkers = 15;
    rules.bearoff_same_turn = true;
    rules.hit_and_run_home = true;
    rules.points[ND_PLAIN] = 1;
    rules.points[ND_MARS] = 2;
    if (family == ND_LONG) {
        rules.start[23] = 15;
        rules.head_rule = true;
        rules.block_transient = true;
        rules.last_roll = true;
    } else {
        rules.start[23] = 2;
        rules.start[12] = 5;
        rules.start[7] = 3;
        rules.start[5] = 5;
        rules.block = ND_BLOCK_NONE;
        rules.head_exception = ND_HEAD_NEVER;
        rules.opening_roll = ND_OPENING_PAIR;
        rules.points[ND_DEEP] = 3;
    }
    return rules;
}

/* Scored kinds in order of rising points; kinds of equal points keep the order of the enumeration. */
static void sort_kinds(nd_rules *rules)
{
    rules->defeats = 0;
    for (int kind = 0; kind < ND_DEFEATS; kind++) {
        if (rules->points[kind] <= 0) continue;
        int place = rules->defeats++;
        while (place > 0 && rules->points[rules->kind_at[place - 1]] > rules->points[kind]) {
            rules->kind_at[place] = rules->kind_at[place - 1];
            place--;
        }
        rules->kind_at[place] = (uint8_t)kind;
    }
}

static void rank_kinds(nd_rules *rules)
{
    for (int place = 0; place < rules->defeats; place++) rules->rank[rules->kind_at[place]] = (int8_t)place;
    /* An unscored kind counts as the next lower one that is: koks and home mars are also mars. */
    if (rules->points[ND_MARS] <= 0) rules->rank[ND_MARS] = rules->rank[ND_PLAIN];
    for (int kind = ND_DEEP; kind < ND_DEFEATS; kind++)
        if (rules->points[kind] <= 0) rules->rank[kind] = rules->rank[ND_MARS];
}

const char *nd_rules_finish(nd_rules *rules)
{
    int total = 0;
    for (int column = 0; column < 24; column++) {
        if (rules->start[column] < 0) return "start has a negative number of checkers";
        total += rules->start[column];
    }
    if (total != rules->checkers) return "the checkers of start do not add up to checkers";
    if (rules->points[ND_PLAIN] <= 0) return "the plain win (oin, single) must score more than 0 points";
    for (int kind = 0; kind < ND_DEFEATS; kind++) {
        if (!(rules->points[kind] >= 0 && rules->points[kind] <= 1000)) return "points must lie between 0 and 1000";
        if (rules->points[kind] > 0 && nd_defeat_name(rules->family, (nd_defeat)kind) == NULL)
            return "the family has no such kind of win";
        if (kind > 0 && rules->points[kind] > 0 && rules->points[kind] < rules->points[ND_PLAIN])
            return "a special win scores less than the plain one";
    }
    for (int kind = ND_DEEP; kind < ND_DEFEATS; kind++)
        if (rules->points[kind] > 0 && rules->points[kind] < rules->points[ND_MARS])
            return "a special win scores less than the mars or gammon that it also is";
    if (rules->family == ND_LONG) {
        for (int column = 0; column < 24; column++)
            if (rules->start[column] && rules->start[(column + 12) % 24])
                return "both sides would start on one point, which long nardy forbids";
    } else {
        if (rules->last_roll) return "last_roll belongs to the long family";
        if (rules->block != ND_BLOCK_NONE) return "block belongs to the long family";
        if (rules->head_rule) return "head_rule belongs to the long family";
        for (int column = 0; column < 24; column++)
            if (rules->start[column] && rules->start[23 - column]) return "both sides would start on one point";
    }
    sort_kinds(rules);
    rank_kinds(rules);
    rules->outcomes = (uint8_t)(2 * rules->defeats + (rules->last_roll ? 1 : 0));
    memset(rules->worth, 0, sizeof rules->worth);
    for (int place = 0; place < rules->defeats; place++) {
        rules->worth[place] = rules->points[rules->kind_at[place]];
        rules->worth[rules->defeats + place] = -rules->worth[place];
    }
    return NULL;
}

const char *nd_outcome_name(const nd_rules *rules, int outcome)
{
    static const char *const LONG_NAMES[2][ND_DEFEATS] = {{"win", "win_mars", "win_koks", "win_home_mars"},
                                                          {"lose", "lose_mars", "lose_koks", "lose_home_mars"}};
    static const char *const SHORT_NAMES[2][ND_DEFEATS] = {{"win", "win_gammon", "win_backgammon", NULL},
                                                           {"lose", "lose_gammon", "lose_backgammon", NULL}};
    if (outcome < 0 || outcome >= rules->outcomes) return NULL;
    if (outcome == 2 * rules->defeats) return "draw";
    int side = outcome >= rules->defeats;
    int kind = rules->kind_at[outcome - side * rules->defeats];
    return rules->family == ND_LONG ? LONG_NAMES[side][kind] : SHORT_NAMES[side][kind];
}

bool nd_rules_use_seat(const nd_rules *rules)
{
    return rules->last_roll || (rules->head_rule && rules->head_exception == ND_HEAD_SECOND_PLAYER_3_4_6);
}

bool nd_rules_use_turns(const nd_rules *rules)
{
    return rules->family == ND_LONG && rules->head_rule && rules->head_exception != ND_HEAD_NEVER &&
           rules->head_exception != ND_HEAD_ANY_DOUBLE;
}
