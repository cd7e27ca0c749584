/* rules.h - a rule profile as the engine sees it..
 *
 * A profile is data: nothing about rules is decided anywhere else. Python reads the list of options,
 * their names and allowed values from rules.c, so that they are written down once.
 */
#ifndef ND_RULES_H
#define ND_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum nd_family { ND_LONG, ND_SHORT } nd_family;

/* When a second checker may leave the head. */
typedef enum nd_head_exception {
    ND_HEAD_BLOCKED_BY_HEAD,      /* first turn, 3-3 4-4 6-6, the single checker stopped by his head */
    ND_HEAD_BLOCKED_ANY,          /* first turn, one head checker cannot play the whole roll */
    ND_HEAD_ANY_DOUBLE_FIRST,     /* first turn, any double */
    ND_HEAD_ANY_DOUBLE,           /* any turn, any double */
    ND_HEAD_SECOND_PLAYER_3_4_6,  /* the second player's first turn, 3-3 4-4 6-6 */
    ND_HEAD_NEVER
} nd_head_exception;

typedef enum nd_block { ND_BLOCK_CONDITIONAL, ND_BLOCK_ABSOLUTE, ND_BLOCK_NONE } nd_block;
typedef enum nd_block_scope { ND_SCOPE_OPPONENT_PATH, ND_SCOPE_RING } nd_block_scope;
typedef enum nd_opening { ND_OPENING_FRESH, ND_OPENING_PAIR } nd_opening;

/* How a game was lost, from the loser's last position. */
typedef enum nd_defeat {
    ND_PLAIN,     /* oin, single */
    ND_MARS,      /* mars, gammon: none borne off */
    ND_DEEP,      /* koks: none at home either; backgammon: on the bar or in the winner's home */
    ND_HOME_MARS, /* home mars: all at home, none off */
    ND_DEFEATS
} nd_defeat;

enum { ND_MAX_OUTCOMES = 2 * ND_DEFEATS + 1 };

typedef struct nd_rules {
    nd_family family;
    uint8_t checkers;
    int8_t start[24];
    bool head_rule;
    nd_head_exception head_exception;
    nd_block block;
    nd_block_scope block_scope;
    bool block_transient;
    bool bearoff_same_turn;
    bool last_roll;
    bool hit_and_run_home;
    nd_opening opening_roll;
    float points[ND_DEFEATS]; /* 0: this kind of defeat is not scored */
    /* Derived by nd_rules_finish. */
    uint8_t defeats;                 /* scored kinds */
    uint8_t outcomes;                /* wins, losses and perhaps the draw */
    int8_t rank[ND_DEFEATS];         /* kind -> place by rising points; an unscored kind has that of the lower */
    float worth[ND_MAX_OUTCOMES];    /* points for the player on roll, by outcome */
    uint8_t kind_at[ND_DEFEATS];     /* place -> kind */
} nd_rules;

/* One option as the outside sees it. */
typedef enum nd_option_kind { ND_OPTION_BOOL, ND_OPTION_CHOICE, ND_OPTION_COUNT } nd_option_kind;

typedef struct nd_option {
    const char *name;
    nd_option_kind kind;
    const char *const *choices; /* ND_OPTION_CHOICE: NULL-terminated, in the order of the enumeration */
    int low, high;              /* ND_OPTION_COUNT */
    const char *family;         /* "long", "short", or "both" */
} nd_option;

size_t nd_option_count(void);
const nd_option *nd_option_at(size_t index);
int nd_option_get(const nd_rules *rules, size_t index);
void nd_option_set(nd_rules *rules, size_t index, int value);

/* The name under which a kind of defeat is scored ("oin", "gammon", ...); NULL where the family has none. */
const char *nd_defeat_name(nd_family family, nd_defeat defeat);

/* The plain game of a family: fns rules, or backgammon with gammons and triples. */
nd_rules nd_rules_default(nd_family family);

/* Fills the derived fields. NULL, or one clause that says what contradicts what. */
const char *nd_rules_finish(nd_rules *rules);

/* "win", "win_mars", "lose_backgammon", "draw", ... */
const char *nd_outcome_name(const nd_rules *rules, int outcome);

/* Whether plays or outcomes depend on who started, and on the number of turns. */
bool nd_rules_use_seat(const nd_rules *rules);
bool nd_rules_use_turns(const nd_rules *rules);

#endif
