/* boards.c - positions, the plays of a roll, dice and encodings. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "random.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours " differs from the engine's")
SAME(NARDY_COLUMNS, ND_COLUMNS);
SAME(NARDY_BAR, ND_BAR);
SAME(NARDY_OFF, ND_OFF);
SAME(NARDY_MAX_OUTCOMES, ND_MAX_OUTCOMES);
SAME(NARDY_MAX_MOVEMENTS, ND_MAX_MOVEMENTS);
SAME(NARDY_MAX_PLIES, ND_MAX_PLIES);
SAME(sizeof(nardy_board), sizeof(nd_board));

/* ---- checks ------------------------------------------------------------------------------------- */

nardy_status nardy_check_position(const nd_rules *rules, const nardy_position *position, bool playing, nardy_message *message)
{
    const nd_board board = nardy_board_in(&position->board);
    const char *fault = nd_board_fault(rules, &board, position->seat, position->turns);
    if (!fault && playing && nd_result(rules, &board, position->seat) >= 0) fault = "the game is over; there is nothing to play";
    return fault ? nardy_fail(message, NARDY_BAD_INPUT, "bad position: %s", fault) : NARDY_OK;
}

nardy_status nardy_check_dice(int die1, int die2, nardy_message *message)
{
    if (die1 >= 1 && die1 <= 6 && die2 >= 1 && die2 <= 6) return NARDY_OK;
    return nardy_fail(message, NARDY_BAD_INPUT, "dice must lie between 1 and 6, not %d and %d", die1, die2);
}

nardy_status nardy_check_plies(int plies, nardy_message *message)
{
    if (plies >= 0 && plies <= ND_MAX_PLIES) return NARDY_OK;
    return nardy_fail(message, NARDY_BAD_INPUT, "plies cannot be %d: give 0 to %d", plies, ND_MAX_PLIES);
}

/* ---- structures --------------------------------------------------------------------------------- */

nd_board nardy_board_in(const nardy_board *board)
{
    nd_board found;
    memcpy(&found, board, sizeof found);
    return found;
}

void nardy_board_out(const nd_packed *packed, nardy_board *board)
{
    nd_board found;
    nd_unpack(packed, &found);
    memcpy(board, &found, sizeof *board);
}

void nardy_play_out(const nd_plays *plays, size_t result, nardy_play *play)
{
    nd_movement movements[ND_MAX_MOVEMENTS];
    const size_t count = plays->passed ? 0 : nd_play_movements(plays, result, movements);
    memset(play, 0, sizeof *play);
    nardy_board_out(&plays->results[result], &play->board);
    play->movements = (uint8_t)count;
    for (size_t i = 0; i < count; i++) {
        play->movement[i].from = movements[i].from;
        play->movement[i].to = movements[i].to;
    }
}

/* ---- positions ---------------------------------------------------------------------------------- */

nardy_status nardy_start(const nardy_rules *rules, nardy_position *position, nardy_message *message)
{
    if (!rules) return nardy_fail_null(message, "rules");
    if (!position) return nardy_fail_null(message, "position");
    const nd_board board = nd_start(&rules->rules);
    memset(position, 0, sizeof *position);
    memcpy(&position->board, &board, sizeof board);
    return NARDY_OK;
}

nardy_status nardy_check(const nardy_rules *rules, const nardy_position *position, nardy_message *message)
{
    if (!rules) return nardy_fail_null(message, "rules");
    if (!position) return nardy_fail_null(message, "position");
    return nardy_check_position(&rules->rules, position, false, message);
}

nardy_status nardy_result(const nardy_rules *rules, const nardy_position *position, int *outcome, nardy_message *message)
{
    if (!outcome) return nardy_fail_null(message, "outcome");
    const nardy_status status = nardy_check(rules, position, message);
    if (status != NARDY_OK) return status;
    const nd_board board = nardy_board_in(&position->board);
    *outcome = nd_result(&rules->rules, &board, position->seat);
    return NARDY_OK;
}

nardy_status nardy_next(const nardy_rules *rules, const nardy_position *position, const nardy_board *board,
                        nardy_position *next, nardy_message *message)
{
    nardy_position after;
    if (!board) return nardy_fail_null(message, "board");
    if (!next) return nardy_fail_null(message, "next");
    if (!rules) return nardy_fail_null(message, "rules");
    if (!position) return nardy_fail_null(message, "position");
    const nardy_status status = nardy_check_position(&rules->rules, position, true, message);
    if (status != NARDY_OK) return status;
    memcpy(after.board.row[0], board->row[1], NARDY_COLUMNS);
    memcpy(after.board.row[1], board->row[0], NARDY_COLUMNS);
    after.seat = (uint8_t)(1 - position->seat);
    after.turns = (uint8_t)nd_turns_after(position->seat, position->turns);
    const nardy_status fine = nardy_check_position(&rules->rules, &after, false, message);
    if (fine == NARDY_OK) *next = after;
    return fine;
}

/* ---- plays -------------------------------------------------------------------------------------- */

static nardy_status copy_plays(const nd_plays *plays, nardy_play **out, size_t *count, nardy_message *message)
{
    nardy_play *list = malloc(plays->count * sizeof *list);
    if (!list) return nardy_fail_memory(message);
    for (size_t i = 0; i < plays->count; i++) nardy_play_out(plays, i, &list[i]);
    *out = list;
    *count = plays->count;
    return NARDY_OK;
}

nardy_status nardy_list_plays(const nardy_rules *rules, const nardy_position *position, int die1, int die2,
                              nardy_play **plays, size_t *count, nardy_message *message)
{
    nd_plays work;
    if (plays) *plays = NULL;
    if (count) *count = 0;
    if (!plays) return nardy_fail_null(message, "plays");
    if (!count) return nardy_fail_null(message, "count");
    if (!rules) return nardy_fail_null(message, "rules");
    if (!position) return nardy_fail_null(message, "position");
    nardy_status status = nardy_check_dice(die1, die2, message);
    if (status == NARDY_OK) status = nardy_check_position(&rules->rules, position, true, message);
    if (status != NARDY_OK) return status;
    if (!nd_plays_create(&work)) return nardy_fail_memory(message);
    const nd_board board = nardy_board_in(&position->board);
    const nd_packed packed = nd_pack(&board);
    if (nd_plays_generate(&work, &rules->rules, &packed, position->seat, position->turns, die1, die2))
        status = copy_plays(&work, plays, count, message);
    else
        status = nardy_fail_memory(message);
    nd_plays_destroy(&work);
    return status;
}

nardy_status nardy_dice(const nardy_rules *rules, uint64_t seed, uint64_t game, uint32_t turn, int dice[2],
                        nardy_message *message)
{
    uint8_t rolled[2];
    if (!rules) return nardy_fail_null(message, "rules");
    if (!dice) return nardy_fail_null(message, "dice");
    nd_dice(seed, ND_DICE_PLAY, game, turn, turn == 0 && rules->rules.opening_roll == ND_OPENING_PAIR, rolled);
    dice[0] = rolled[0];
    dice[1] = rolled[1];
    return NARDY_OK;
}

/* ---- encodings ---------------------------------------------------------------------------------- */

int nardy_encoding_number(const char *name)
{
    for (int i = 0; i < ND_ENCODINGS; i++)
        if (strcmp(nd_encoding_name((nd_encoding)i), name) == 0) return i;
    return -1;
}

const char *nardy_encoding_for(const nardy_rules *rules)
{
    return rules ? nd_encoding_name(nd_encoding_for(&rules->rules)) : NULL;
}

int nardy_encoding_inputs(const char *encoding)
{
    const int number = encoding ? nardy_encoding_number(encoding) : -1;
    return number < 0 ? 0 : nd_encoding_inputs((nd_encoding)number);
}

nardy_status nardy_encode(const nardy_rules *rules, const char *encoding, const nardy_position *position, float *inputs,
                          size_t room, nardy_message *message)
{
    if (!encoding) return nardy_fail_null(message, "encoding");
    if (!inputs) return nardy_fail_null(message, "inputs");
    const nardy_status status = nardy_check(rules, position, message);
    if (status != NARDY_OK) return status;
    const int number = nardy_encoding_number(encoding);
    if (number < 0) return nardy_fail(message, NARDY_BAD_INPUT, "unknown encoding '%.40s'", encoding);
    if (nd_encoding_family((nd_encoding)number) != rules->rules.family)
        return nardy_fail(message, NARDY_BAD_INPUT, "encoding %s is of the other family than the rules", encoding);
    if (room < (size_t)nd_encoding_inputs((nd_encoding)number))
        return nardy_fail(message, NARDY_BAD_INPUT, "inputs has room for %zu numbers, %s has %d", room, encoding,
                          nd_encoding_inputs((nd_encoding)number));
    nd_encoding_table *table = malloc(sizeof *table);
    if (!table) return nardy_fail_memory(message);
    const nd_board board = nardy_board_in(&position->board);
    nd_encoding_fill((nd_encoding)number, table);
    nd_encode(table, &board, position->seat, inputs);
    free(table);
    return NARDY_OK;
}
