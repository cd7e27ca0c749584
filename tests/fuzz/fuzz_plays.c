/* A libFuzzer target: any bytes become a profile, a board and dice; what the generator gives must hold.
 *
 *     scripts/fuzz_plays.sh [SECONDS]        builds it with clang and runs it
 *
 * bytes 0..10   values of the options, in the order of nd_option_at
 * bytes 11..14  points of the four kinds of defeat
 * bytes 15..16  dice;  17 seat and turns;  18 which checks to make dear
 * then          for each side a byte a checker: its column
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "outcome.h"
#include "plays.h"

enum { HEADER = 19 };

#define HOLD(truth)                                                      \
    do {                                                                 \
        if (!(truth)) {                                                  \
            fprintf(stderr, "does not hold: %s (line %d)\n", #truth, __LINE__); \
            abort();                                                     \
        }                                                                \
    } while (0)

static bool read_rules(const uint8_t *data, nd_rules *rules)
{
    *rules = nd_rules_default(data[0] & 1 ? ND_SHORT : ND_LONG);
    for (size_t i = 1; i < nd_option_count(); i++) {
        const nd_option *option = nd_option_at(i);
        int choices = 0;
        while (option->choices && option->choices[choices]) choices++;
        const int span = option->kind == ND_OPTION_CHOICE ? choices : option->high - option->low + 1;
        /* The upper half of a byte's values leaves the family's own choice. */
        if (data[i] < 128) nd_option_set(rules, i, option->low + data[i] % span);
    }
    if (rules->checkers != 15) {
        memset(rules->start, 0, sizeof rules->start);
        rules->start[rules->family == ND_LONG ? 23 : 18 + data[18] % 6] = (int8_t)rules->checkers;
    }
    for (int kind = 0; kind < ND_DEFEATS; kind++)
        if (data[11 + kind] < 8) rules->points[kind] = data[11 + kind];
    return nd_rules_finish(rules) == NULL;
}

static void read_board(const nd_rules *rules, const uint8_t *data, size_t size, nd_board *board)
{
    memset(board, 0, sizeof *board);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < rules->checkers; i++) {
            int column = size ? data[(size_t)(side * rules->checkers + i) % size] % ND_COLUMNS : 0;
            /* Side 1 steps aside where side 0 stands, so that most inputs are legal boards. */
            while (side == 1 && column < ND_POINTS && board->row[0][nd_facing(rules, column)]) column++;
            if (rules->family == ND_LONG && column == ND_BAR) column = ND_OFF;
            board->row[side][column]++;
        }
}

static void check_movements(const nd_plays *plays, const nd_rules *rules, const nd_board *before, int high, int low)
{
    for (size_t i = 0; i < plays->count; i++) {
        nd_movement movements[ND_MAX_MOVEMENTS];
        const size_t count = nd_play_movements(plays, i, movements);
        nd_board after, made = *before;
        nd_unpack(&plays->results[i], &after);
        HOLD(count <= (high == low ? 4u : 2u));
        for (size_t m = 0; m < count; m++) {
            const int from = movements[m].from - 1, to = movements[m].to ? movements[m].to - 1 : ND_OFF;
            const int pips = movements[m].to ? from - to : 0;
            HOLD(made.row[0][from] > 0);
            HOLD(movements[m].to == 0 || pips == high || pips == low);
            made.row[0][from]--;
            made.row[0][to]++;
        }
        HOLD(memcmp(made.row[0], after.row[0], ND_COLUMNS) == 0);
        if (rules->family == ND_LONG) HOLD(memcmp(before->row[1], after.row[1], ND_COLUMNS) == 0);
    }
}

static void check_results(const nd_plays *plays, const nd_rules *rules)
{
    for (size_t i = 0; i < plays->count; i++) {
        nd_board board;
        nd_unpack(&plays->results[i], &board);
        for (int side = 0; side < 2; side++) {
            int sum = 0;
            for (int column = 0; column < ND_COLUMNS; column++) {
                HOLD(board.row[side][column] >= 0);
                sum += board.row[side][column];
            }
            HOLD(sum == rules->checkers);
        }
        for (int column = 0; column < ND_POINTS; column++)
            HOLD(!board.row[0][column] || !board.row[1][nd_facing(rules, column)]);
        const nd_packed packed = nd_pack(&board);
        HOLD(nd_packed_equal(&packed, &plays->results[i]));
        for (size_t j = i + 1; j < plays->count && j < i + 200; j++) HOLD(!nd_packed_equal(&packed, &plays->results[j]));
    }
}

static void check_facts(const nd_rules *rules, const nd_board *board, int seat)
{
    nd_impossible_test tests[ND_MAX_TESTS];
    nd_encoding_table table;
    float inputs[ND_MAX_INPUTS];
    const nd_packed packed = nd_pack(board);
    const size_t count = nd_impossible_tests(rules, tests);
    uint32_t impossible = 0;
    for (size_t i = 0; i < count; i++) {
        int sum = 0;
        for (int side = 0; side < 2; side++)
            for (int column = 0; column < ND_COLUMNS; column++) sum += tests[i].weight[side][column] * board->row[side][column];
        if (sum >= tests[i].threshold) impossible |= 1u << tests[i].outcome;
    }
    HOLD(impossible == nd_impossible(rules, &packed));
    HOLD(impossible != (1u << rules->outcomes) - 1);
    nd_encoding_fill(nd_encoding_for(rules), &table);
    nd_encode(&table, board, seat, inputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nd_rules rules;
    nd_board board;
    nd_plays plays, swapped;
    if (size < HEADER || !read_rules(data, &rules)) return 0;
    read_board(&rules, data + HEADER, size - HEADER, &board);
    const int die1 = data[15] % 6 + 1, die2 = data[16] % 6 + 1, seat = data[17] & 1, turns = data[17] >> 1 & 3;
    if (nd_board_fault(&rules, &board, seat, turns) || nd_result(&rules, &board, seat) >= 0) return 0;
    const nd_packed packed = nd_pack(&board);
    check_facts(&rules, &board, seat);
    HOLD(nd_plays_create(&plays) && nd_plays_create(&swapped));
    HOLD(nd_plays_generate(&plays, &rules, &packed, seat, turns, die1, die2));
    HOLD(nd_plays_generate(&swapped, &rules, &packed, seat, turns, die2, die1));
    HOLD(plays.count > 0 && plays.count == swapped.count && plays.passed == swapped.passed);
    HOLD(memcmp(plays.results, swapped.results, plays.count * sizeof *plays.results) == 0);
    if (plays.passed) HOLD(plays.count == 1 && nd_packed_equal(&plays.results[0], &packed));
    check_results(&plays, &rules);
    check_movements(&plays, &rules, &board, die1 > die2 ? die1 : die2, die1 > die2 ? die2 : die1);
    nd_plays_destroy(&plays);
    nd_plays_destroy(&swapped);
    return 0;
}
