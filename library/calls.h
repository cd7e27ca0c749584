/* calls.h - what the files of the C library share: the handles behind nardy.h, and how a call fails. */
#ifndef NARDY_CALLS_H
#define NARDY_CALLS_H

#include "net.h"
#include "nardy.h"
#include "search.h"

struct nardy_rules {
    nd_rules rules;
};

struct nardy_model {
    nd_model *model;
    nardy_rules rules; /* the model's own, as a handle to lend */
};

struct nardy_tables {
    nd_bearoff bearoff;
    float *memory[3];
};

struct nardy_search {
    const nardy_model *model;
    nd_judge judge;   /* of batches at 0 plies */
    nd_search search;
    nd_plays plays;
};

/* Writes the message (printf's format) and returns the status. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
nardy_status nardy_fail(nardy_message *message, nardy_status status, const char *format, ...);
nardy_status nardy_fail_memory(nardy_message *message);
nardy_status nardy_fail_null(nardy_message *message, const char *name);

/* The status of checks that several calls make; the message is written. */
nardy_status nardy_check_position(const nd_rules *rules, const nardy_position *position, bool playing, nardy_message *message);
nardy_status nardy_check_dice(int die1, int die2, nardy_message *message);
nardy_status nardy_check_plies(int plies, nardy_message *message);
nardy_status nardy_check_level(const nardy_level *level, nardy_message *message);

/* The engine's rules from options; *rules is filled only on NARDY_OK. */
nardy_status nardy_read_rules(const char *options, nd_rules *rules, nardy_message *message);
bool nardy_same_rules(const nd_rules *a, const nd_rules *b);

/* The number of an encoding, -1: there is none of that name. */
int nardy_encoding_number(const char *name);

/* A model of nets by class and perhaps a scout, whose layers are copied. `outcome_of` [outputs]: of each logit under `rules`, -1: it
 * cannot happen there. */
typedef struct nardy_nets {
    const nd_layer *layers[ND_NET_COUNT];
    size_t counts[ND_NET_COUNT]; /* 0: no such net */
} nardy_nets;

nardy_status nardy_build_model(const nd_rules *rules, nd_encoding encoding, const nardy_nets *nets, const int8_t *outcome_of,
                               int outputs, const char *kernels, nardy_model **model, nardy_message *message);

/* Between the library's structures and the engine's. */
nd_board nardy_board_in(const nardy_board *board);
void nardy_board_out(const nd_packed *packed, nardy_board *board);

/* Fills a play from result `result` of a workspace; its value is left at 0. */
void nardy_play_out(const nd_plays *plays, size_t result, nardy_play *play);

#endif
