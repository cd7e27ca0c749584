/* nardy.h - long nardy and short nardy (backgammon) as a C library: rules, plays, nets and search.
 *
 * The same engine as the Python package nardy-ai, without Python. What is not said here does not exist.
 *
 * Handles
 *   nardy_rules    a rule profile; never changes, may be used by any number of threads at once
 *   nardy_model    nets under the rules of one profile; never changes, may be used by any number of threads
 *   nardy_tables   bear-off tables of one profile; never change, may be used by any number of models
 *   nardy_search   the workspace of ONE thread for one model; each thread makes its own
 * The library starts no threads, holds no state between calls outside of handles, prints nothing and never
 * ends the process. A model must live as long as the searches made from it, and tables as long as the models that
 * use them; both hold their own copies of rules.
 *
 * Boards speak from one player's side, the mover or player on roll (row 0); each row counts that player's
 * checkers from his own side: columns 0..23 are his own points 1..24 (checkers move to lower points), column 24
 * the bar, column 25 borne off. Each row adds up to the game's number of checkers.
 *
 * Values speak for the player on roll before the throw, the mean over all 21 rolls; of a play: for its maker.
 * Equity is the expectation of points won less points lost; a draw counts 0.
 *
 * Errors. A function that can fail returns a nardy_status, NARDY_OK (0) when it did its work. All others leave
 * what they would have returned untouched (handles and arrays: set to NULL) and write one sentence into
 * `message`, which may be NULL where nobody wants to read it. A NULL for anything that is needed is
 * NARDY_BAD_INPUT, never a crash. Functions that cannot fail answer NULL, 0 or -1 to a NULL handle.
 *
 * Memory. Arrays that the library returns belong to the caller and are released by nardy_free; a later call
 * never changes them. Texts returned as const char * belong to the handle that was asked, or to the library.
 *
 * Where the files are for: link with -lnardy (pkg-config nardy). Windows programs that use the DLL define
 * NARDY_SHARED before including this file.
 */
#ifndef NARDY_H
#define NARDY_H

#include <stddef.h>
#include <stdint.h>

#if defined(NARDY_BUILDING) && defined(_WIN32)
#define NARDY_API __declspec(dllexport)
#elif defined(NARDY_SHARED) && defined(_WIN32)
#define NARDY_API __declspec(dllimport)
#elif defined(__GNUC__)
#define NARDY_API __attribute__((visibility("default")))
#else
#define NARDY_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version ------------------------------------------------------------------------------------ */

#define NARDY_VERSION_MAJOR 0
#define NARDY_VERSION_MINOR 1
#define NARDY_VERSION_PATCH 0
#define NARDY_VERSION "0.1.0"

/* MAJOR * 10000 + MINOR * 100 + PATCH, of the header that a program was compiled with. */
#define NARDY_VERSION_NUMBER (NARDY_VERSION_MAJOR * 10000 + NARDY_VERSION_MINOR * 100 + NARDY_VERSION_PATCH)

/* The same of the library that it runs with. Within one MAJOR.MINOR structures and functions stay as they are. */
NARDY_API int nardy_version(void);

/* "0.1.0" */
NARDY_API const char *nardy_version_text(void);

/* ---- types -------------------------------------------------------------------------------------- */

enum {
    NARDY_COLUMNS = 26,       /* of a row of a board */
    NARDY_BAR = 24,           /* the column of the bar */
    NARDY_OFF = 25,           /* the column of checkers borne off */
    NARDY_MAX_OUTCOMES = 9,   /* of any profile */
    NARDY_MAX_MOVEMENTS = 24, /* of one play */
    NARDY_MAX_PLIES = 3       /* of look-ahead */
};

typedef enum nardy_status {
    NARDY_OK = 0,
    NARDY_BAD_INPUT = 1, /* an argument is wrong; the message says which and why */
    NARDY_NO_MEMORY = 2,
    NARDY_NO_FILE = 3,   /* the file cannot be opened or read */
    NARDY_BAD_FILE = 4   /* the file is truncated, damaged, of another version or kind */
} nardy_status;

/* One sentence about what went wrong: UTF-8 without control characters, ended by a NUL. */
typedef struct nardy_message {
    char text[256];
} nardy_message;

typedef struct nardy_board {
    int8_t row[2][NARDY_COLUMNS];
} nardy_board;

/* A board and what stands beside it. */
typedef struct nardy_position {
    nardy_board board; /* the player on roll in row 0 */
    uint8_t seat;      /* 0: the player on roll started the game; 1: the other did */
    uint8_t turns;     /* how many turns he has had; 3 stands for three or more */
} nardy_position;

typedef struct nardy_movement {
    uint8_t from, to; /* the mover's own points 1..24; 25 = bar, 0 = off */
} nardy_movement;

/* Chances of the outcomes, in the order of nardy_outcome_name, and their worth. */
typedef struct nardy_value {
    float outcomes[NARDY_MAX_OUTCOMES]; /* those past nardy_outcome_count are 0 */
    float equity;                       /* points a game */
} nardy_value;

typedef struct nardy_play {
    nardy_board board; /* after the play; the mover still in row 0 */
    uint8_t movements; /* how many; 0 when the turn is passed */
    uint8_t plies;     /* with how many the value was found (nardy_rank, nardy_choose; else 0) */
    nardy_movement movement[NARDY_MAX_MOVEMENTS]; /* one order in which they can be made */
    nardy_value value; /* for the mover (nardy_rank, nardy_choose; else zeros) */
} nardy_play;

/* A dense layer: output j = bias[j] + sum over i of weight[j * inputs + i] * input i. */
typedef struct nardy_layer {
    int32_t inputs, outputs;
    const float *weight; /* [outputs][inputs] */
    const float *bias;   /* [outputs] */
} nardy_layer;

typedef struct nardy_rules nardy_rules;
typedef struct nardy_model nardy_model;
typedef struct nardy_tables nardy_tables;
typedef struct nardy_search nardy_search;

/* Releases an array that a function of this library returned; NULL is allowed. */
NARDY_API void nardy_free(void *memory);

/* ---- rules -------------------------------------------------------------------------------------- */

/* Makes rules from options: lines "name = value" (a semicolon ends a line as well; empty lines are skipped).
 * `family` is needed and comes first; what is left out has the plain value of the family, so that "family =
 * long" is long nardy by the rules of FNS and "family = short" is backgammon.
 *
 *   family             long, short
 *   checkers           1 .. 15
 *   start              where a side's checkers stand at first, point:count ..., e.g. "24:2 13:5 8:3 6:5"
 *   scores             what wins count, kind:points ..., above 0 up to 1000: "oin:1 mars:2", also koks and
 *                      home_mars; short: "single:1 gammon:2 backgammon:3". A kind left out counts as the next
 *                      lower one
 *   head_rule          long: true, false: one checker a turn may leave the head
 *   head_exception     long: blocked_by_head, blocked_any, any_double_first_turn, any_double_any_turn,
 *                      second_player_3_4_6, none: when a second may
 *   block              long: conditional, absolute, none: six neighbouring points
 *   block_scope        long: opponent_path, ring
 *   block_transient    long: true, false: the block rule holds after every movement
 *   bearoff_same_turn  true, false: the turn that brings the last checker home may bear off
 *   last_roll          long: true, false: the second player has a last roll, and there is a draw
 *   hit_and_run_home   short: true, false: a checker that hits at home may move on in the same turn
 *   opening_roll       fresh, rolloff_pair: whether the first roll of a game can be a double
 *
 * Every option is checked alone and against the others. *rules is released by nardy_rules_destroy. */
NARDY_API nardy_status nardy_rules_create(const char *options, nardy_rules **rules, nardy_message *message);

/* NULL is allowed. */
NARDY_API void nardy_rules_destroy(nardy_rules *rules);

/* Writes all options as resolved, in the form that nardy_rules_create reads. `room` bytes are at `text`;
 * *needed (may be NULL) becomes the number of bytes that the text takes with its NUL. Where room is smaller
 * nothing is written and the status is NARDY_BAD_INPUT; text NULL with room 0 asks for *needed alone, which is
 * NARDY_OK. */
NARDY_API nardy_status nardy_rules_text(const nardy_rules *rules, char *text, size_t room, size_t *needed,
                                        nardy_message *message);

/* Whether plays or outcomes depend on who started (1) or not (0), and on how many turns a player has had. Where
 * they do not, seat and turns of a position may be any that are allowed. */
NARDY_API int nardy_rules_use_seat(const nardy_rules *rules);
NARDY_API int nardy_rules_use_turns(const nardy_rules *rules);

/* The outcomes of a game: wins by rising points, the losses in the same order, perhaps a draw. They exclude one
 * another: "win" is the plain win, "win_gammon" or "win_mars" the double one. */
NARDY_API int nardy_outcome_count(const nardy_rules *rules);

/* "win", "win_mars", "lose_backgammon", "draw", ...; NULL where there is no such outcome. */
NARDY_API const char *nardy_outcome_name(const nardy_rules *rules, int outcome);

/* What an outcome is worth to the player on roll, in points; 0 where there is no such outcome. */
NARDY_API float nardy_outcome_points(const nardy_rules *rules, int outcome);

/* ---- positions and plays ------------------------------------------------------------------------ */

/* The position before the first roll. */
NARDY_API nardy_status nardy_start(const nardy_rules *rules, nardy_position *position, nardy_message *message);

/* NARDY_OK when the position can stand on the table under these rules; the message says why not. Every function
 * that takes positions checks them itself. */
NARDY_API nardy_status nardy_check(const nardy_rules *rules, const nardy_position *position, nardy_message *message);

/* *outcome becomes the outcome of a finished game as the player on roll sees it, -1 while it goes on. */
NARDY_API nardy_status nardy_result(const nardy_rules *rules, const nardy_position *position, int *outcome,
                                    nardy_message *message);

/* Every distinct legal result of a roll, as many as there are; the order of the dice makes no difference. A turn
 * that must be passed gives one play without movements, which leaves the board as it is. The game must be
 * unfinished; dice 1..6. *plays is released by nardy_free. */
NARDY_API nardy_status nardy_list_plays(const nardy_rules *rules, const nardy_position *position, int die1, int die2,
                                        nardy_play **plays, size_t *count, nardy_message *message);

/* The position after a play in an unfinished game: rows swapped, the other player on roll. `board` is a play's
 * board, the mover in row 0; that it is a legal result is not checked, that it can stand on the table is.
 * `position` and `next` may be the same. */
NARDY_API nardy_status nardy_next(const nardy_rules *rules, const nardy_position *position, const nardy_board *board,
                                  nardy_position *next, nardy_message *message);

/* The dice of a turn (0: the game's first), unbiased, each 1..6. They depend on the arguments alone, so that any
 * game can be played again and none depends on another. Where the opening roll is the pair of the roll-off,
 * turn 0 has no double. */
NARDY_API nardy_status nardy_dice(const nardy_rules *rules, uint64_t seed, uint64_t game, uint32_t turn, int dice[2],
                                  nardy_message *message);

/* ---- encodings ---------------------------------------------------------------------------------- */

/* The encoding that new nets of a profile get: "short-1", "long-1", "long-1-seat". */
NARDY_API const char *nardy_encoding_for(const nardy_rules *rules);

/* How many inputs an encoding has; 0 where there is none of that name. */
NARDY_API int nardy_encoding_inputs(const char *encoding);

/* What a net sees of a position: nardy_encoding_inputs numbers go to `inputs`, which has room for `room`. */
NARDY_API nardy_status nardy_encode(const nardy_rules *rules, const char *encoding, const nardy_position *position,
                                    float *inputs, size_t room, nardy_message *message);

/* ---- models ------------------------------------------------------------------------------------- */

/* A model from its layers, which are copied. Between two layers stands a ReLU; the last gives one logit for each
 * outcome of the rules, in their order. `contact` is needed; `race` (NULL with 0 layers: contact serves) judges
 * positions in which no checker can be hit or stopped any more. `scout` (NULL with 0 layers: none) is a small net
 * that judges no position itself: within a search it tells which plays the others need to see. At least 2 and at most 16 layers of 1..4096
 * outputs, weights finite and at most a million. `kernels`: "avx512", "avx2", "neon" (64-bit ARM) or "plain"; NULL
 * takes the fastest that the processor runs. The bits of values can differ between kernels, never by more than 1e-5.
 * *model is released by nardy_model_destroy. */
NARDY_API nardy_status nardy_model_create(const nardy_rules *rules, const char *encoding, const nardy_layer *contact,
                                          size_t contact_layers, const nardy_layer *race, size_t race_layers,
                                          const nardy_layer *scout, size_t scout_layers, const char *kernels,
                                          nardy_model **model, nardy_message *message);

/* A model from a net file, as nardy-ai exports it (its extension is .nardynet). `rules` NULL: the rules that it
 * was trained under, which the file holds. Other rules of the same family may be given: they and their points
 * then count, and outcomes match by name; one that the rules do not score counts as the next lower one. The file
 * is checked throughout before anything of it is used, and nothing in it can run. */
NARDY_API nardy_status nardy_model_load(const char *path, const nardy_rules *rules, const char *kernels,
                                        nardy_model **model, nardy_message *message);

/* The same from the bytes of such a file, which may be released afterwards. */
NARDY_API nardy_status nardy_model_read(const void *bytes, size_t size, const nardy_rules *rules, const char *kernels,
                                        nardy_model **model, nardy_message *message);

/* NULL is allowed. All searches of the model must have been destroyed. */
NARDY_API void nardy_model_destroy(nardy_model *model);

/* The rules that the model is used under; they belong to it. */
NARDY_API const nardy_rules *nardy_model_rules(const nardy_model *model);

/* The encoding, and the kernels that are in use. */
NARDY_API const char *nardy_model_encoding(const nardy_model *model);
NARDY_API const char *nardy_model_kernels(const nardy_model *model);

/* ---- bear-off tables ---------------------------------------------------------------------------- */

/* Computes the tables of these rules in memory, in some seconds of work and 15 to 50 MB: what positions with every
 * checker at home or off are worth, exactly for up to 6 checkers a side, else nearly so. *tables is released by
 * nardy_tables_destroy. */
NARDY_API nardy_status nardy_tables_create(const nardy_rules *rules, nardy_tables **tables, nardy_message *message);

/* NULL is allowed. All models that use the tables must have been destroyed. */
NARDY_API void nardy_tables_destroy(nardy_tables *tables);

/* Lets tables judge in place of the model's nets wherever they reach, in everything but nardy_net; NULL ends it.
 * They must be those of the model's rules, or of rules that bear off alike. To be called before searches of the
 * model are made and while no other thread uses it. */
NARDY_API nardy_status nardy_model_use_tables(nardy_model *model, const nardy_tables *tables, nardy_message *message);

/* ---- judging ------------------------------------------------------------------------------------ */

/* Which plays a search follows to the next ply. */
typedef enum nardy_filters {
    NARDY_FILTERS_DEFAULT = 0, /* the promising ones: some hundred times as fast at 2 plies, loses well under a
                                  thousandth of a point a decision */
    NARDY_FILTERS_OFF = 1      /* all: values are exact expectations over the net */
} nardy_filters;

/* The workspace of one thread. `cache_bytes`: the most memory that remembers searched positions, at most 64 GiB;
 * 0: none. It changes speed and never an answer. *search is released by nardy_search_destroy. */
NARDY_API nardy_status nardy_search_create(const nardy_model *model, nardy_filters filters, uint64_t cache_bytes,
                                           nardy_search **search, nardy_message *message);

/* NULL is allowed. */
NARDY_API void nardy_search_destroy(nardy_search *search);

/* What positions are worth to their players on roll, at `plies` 0..3: 0 is the net's judgement, each ply more an
 * expectation over the 21 rolls of the best plays. Finished games are judged by rule, bear-offs by the model's
 * tables if it uses some. `values` has room for
 * `count`. A position's value depends on nothing but itself. */
NARDY_API nardy_status nardy_evaluate(nardy_search *search, const nardy_position *positions, size_t count, int plies,
                                      nardy_value *values, nardy_message *message);

/* What the net alone says, of finished games too: encoding, the class's net, softmax over what can still happen. */
NARDY_API nardy_status nardy_net(nardy_search *search, const nardy_position *positions, size_t count,
                                 nardy_value *values, nardy_message *message);

/* Every play of a roll with its value to the mover, best first: those judged at `plies` 0..3, then those that the
 * filters dropped last (each says at how many plies it was judged). Plays of equal worth stand in the order of
 * their boards' bytes. The game must be unfinished. *plays is released by nardy_free. */
NARDY_API nardy_status nardy_rank(nardy_search *search, const nardy_position *position, int die1, int die2, int plies,
                                  nardy_play **plays, size_t *count, nardy_message *message);

/* The play that nardy_rank would put first, found faster. Its value is from the depth in `plies` of the play,
 * which is less than asked for where the choice was clear earlier. */
NARDY_API nardy_status nardy_choose(nardy_search *search, const nardy_position *position, int die1, int die2, int plies,
                                    nardy_play *play, nardy_message *message);

/* ---- levels of play ----------------------------------------------------------------------------- */

/* How strong a player is on purpose. Noise is added to the worth of every play before the best is taken; dice know
 * nothing of it. */
typedef struct nardy_level {
    double noise; /* standard deviation in points; 0: none */
    int plies;    /* of look-ahead, 0..3; 0 where there is noise */
} nardy_level;

/* What levels 1 (weakest) to 10 (no noise, one ply) usually are for models of the family of these rules. A model that
 * was calibrated has figures of its own in its file: `nardy levels MODEL` prints them. */
NARDY_API nardy_status nardy_level_default(const nardy_rules *rules, int level, nardy_level *out, nardy_message *message);

/* A key for nardy_choose_at, from what a turn's dice hang on as well, in a stream of its own. nardy_duel uses the pair's
 * number as `game`. */
NARDY_API uint64_t nardy_noise_key(uint64_t seed, uint64_t game, int seat, uint32_t turn);

/* *noise becomes the standard normal number that belongs to a play's board (the mover in row 0) under a key. It depends
 * on these two alone and has the same bits on every machine. */
NARDY_API nardy_status nardy_noise(uint64_t key, const nardy_board *board, double *noise, nardy_message *message);

/* The play that a level chooses: of all plays that with the largest worth + level->noise * nardy_noise(key, its board).
 * Its value is the net's honest one. Without noise it is nardy_choose, and the key makes no difference. */
NARDY_API nardy_status nardy_choose_at(nardy_search *search, const nardy_position *position, int die1, int die2,
                                       const nardy_level *level, uint64_t key, nardy_play *play, nardy_message *message);

/* ---- whole games -------------------------------------------------------------------------------- */

/* Someone who plays. */
typedef struct nardy_player {
    const nardy_model *model; /* NULL: any legal result with equal chance */
    int plies;                /* of look-ahead, 0..3, with the default filters; 0 without a model */
    double noise;             /* of a level, in points; 0: none. With noise plies must be 0 and there must be a model */
} nardy_player;

/* Pairs of games between two players, the same dice twice with the seats swapped: `a` starts the first game of
 * a pair, `b` the second. outcomes[2 * i] and outcomes[2 * i + 1] are those of pair first_pair + i as `a` sees
 * them, -1 where a game was cut after max_turns turns; turns (may be NULL) are the games' lengths. Both arrays
 * have room for 2 * pairs. A pair depends on (seed, its number) alone, so that pairs can be shared out between
 * threads, and equal players draw every pair. */
NARDY_API nardy_status nardy_duel(const nardy_rules *rules, const nardy_player *a, const nardy_player *b, uint64_t seed,
                                  uint64_t first_pair, uint32_t pairs, uint32_t max_turns, int8_t *outcomes,
                                  uint32_t *turns, nardy_message *message);

#ifdef __cplusplus
}
#endif

#endif
