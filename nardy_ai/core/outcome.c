#include "outcome.h"

#include <string.h>

nd_defeat nd_defeat_of(const nd_rules *rules, const nd_board *board, int loser)
{
    const int8_t *row = board->row[loser];
    if (row[ND_OFF] > 0) return ND_PLAIN;
    int home = 0, in_winners_home = row[ND_BAR];
    for (int column = 0; column < 6; column++) home += row[column];
    for (int column = 18; column < 24; column++) in_winners_home += row[column];
    if (rules->family == ND_SHORT) return in_winners_home > 0 ? ND_DEEP : ND_MARS;
    if (home == 0) return ND_DEEP;
    return home == rules->checkers ? ND_HOME_MARS : ND_MARS;
}

int nd_result(const nd_rules *rules, const nd_board *board, int seat)
{
    bool mine = board->row[0][ND_OFF] == rules->checkers, his = board->row[1][ND_OFF] == rules->checkers;
    if (mine && his) return 2 * rules->defeats;
    if (mine) return rules->rank[nd_defeat_of(rules, board, 1)];
    if (!his || (rules->last_roll && seat == 1)) return -1;
    return rules->defeats + rules->rank[nd_defeat_of(rules, board, 0)];
}

int nd_result_packed(const nd_rules *rules, const nd_packed *board, int seat)
{
    if (nd_row_count(&board->row[0], ND_OFF) != rules->checkers && nd_row_count(&board->row[1], ND_OFF) != rules->checkers)
        return -1;
    nd_board plain;
    nd_unpack(board, &plain);
    return nd_result(rules, &plain, seat);
}

int nd_outcome_turned(const nd_rules *rules, int outcome)
{
    if (outcome < 0 || outcome == 2 * rules->defeats) return outcome;
    return outcome < rules->defeats ? outcome + rules->defeats : outcome - rules->defeats;
}

static nd_impossible_test *add_test(nd_impossible_test *tests, size_t *count, int outcome, int threshold)
{
    nd_impossible_test *test = &tests[(*count)++];
    memset(test, 0, sizeof *test);
    test->outcome = (uint8_t)outcome;
    test->threshold = threshold;
    return test;
}

size_t nd_impossible_tests(const nd_rules *rules, nd_impossible_test *tests)
{
    size_t count = 0;
    for (int place = 0; place < rules->defeats; place++) {
        if (rules->kind_at[place] == ND_PLAIN) continue;
        /* The loser has a checker off: nothing but the plain defeat is left. */
        add_test(tests, &count, place, 1)->weight[1][ND_OFF] = 1;
        add_test(tests, &count, rules->defeats + place, 1)->weight[0][ND_OFF] = 1;
        /* Koks needs an empty home, home mars a full one; checkers at home stay there in the long family. */
        if (rules->family == ND_LONG && rules->kind_at[place] == ND_DEEP)
            for (int column = 0; column < 6; column++) {
                tests[count - 2].weight[1][column] = 1;
                tests[count - 1].weight[0][column] = 1;
            }
    }
    if (!rules->last_roll) return count;
    /* The starter has finished and the second player, on roll, has his last turn: he cannot win, and four
     * movements at most bear off four checkers. 16 outweighs any own count, so this reads "his all off,
     * and fewer than checkers - 4 of mine". */
    for (int place = 0; place < rules->defeats; place++)
        add_test(tests, &count, place, rules->checkers)->weight[1][ND_OFF] = 1;
    if (rules->checkers > 4) {
        nd_impossible_test *draw = add_test(tests, &count, 2 * rules->defeats, 16 * rules->checkers - (rules->checkers - 5));
        draw->weight[1][ND_OFF] = 16;
        draw->weight[0][ND_OFF] = -1;
    }
    return count;
}

/* The linear tests spelled out on the few columns that they read; a test of the suite holds the two equal. */
uint32_t nd_impossible(const nd_rules *rules, const nd_packed *board)
{
    int my_off = nd_row_count(&board->row[0], ND_OFF), his_off = nd_row_count(&board->row[1], ND_OFF);
    uint32_t impossible = 0;
    for (int place = 0; place < rules->defeats; place++) {
        int kind = rules->kind_at[place];
        if (kind == ND_PLAIN) continue;
        bool koks = rules->family == ND_LONG && kind == ND_DEEP;
        if (his_off || (koks && (board->row[1].low & 0xffffff))) impossible |= 1u << place;
        if (my_off || (koks && (board->row[0].low & 0xffffff))) impossible |= 1u << (rules->defeats + place);
    }
    if (rules->last_roll && his_off == rules->checkers) {
        impossible |= (1u << rules->defeats) - 1;
        if (my_off < rules->checkers - 4) impossible |= 1u << (2 * rules->defeats);
    }
    return impossible;
}
