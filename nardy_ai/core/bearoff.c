#include "bearoff.h"

#include <stdlib.h>
#include <string.h>

#include "expectation.h"

/* ---- rules and numbers ---------------------------------------------------------------------------- */

/* Where a side that has all at home and none off loses more than a plain game. */
static nd_defeat home_defeat(const nd_rules *rules)
{
    return rules->family == ND_LONG ? ND_HOME_MARS : ND_MARS;
}

nd_bearoff_kind nd_bearoff_kind_of(const nd_rules *rules)
{
    nd_bearoff_kind kind = {0, 0, rules->last_roll, 0};
    if (rules->block == ND_BLOCK_ABSOLUTE) kind.six = rules->block_transient ? 1 : 2;
    if (rules->checkers <= ND_PAIR_CHECKERS) {
        kind.checkers = rules->checkers;
        kind.mars = rules->worth[rules->rank[home_defeat(rules)]] / rules->worth[rules->rank[ND_PLAIN]];
    }
    return kind;
}

bool nd_bearoff_kind_equal(const nd_bearoff_kind *a, const nd_bearoff_kind *b)
{
    return a->six == b->six && a->checkers == b->checkers && a->last_roll == b->last_roll && a->mars == b->mars;
}

/* CHOOSE[k][s] = C(s + k, k + 1) */
static const uint16_t CHOOSE[ND_HOME][ND_MAX_CHECKERS + 1] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120},
    {0, 1, 4, 10, 20, 35, 56, 84, 120, 165, 220, 286, 364, 455, 560, 680},
    {0, 1, 5, 15, 35, 70, 126, 210, 330, 495, 715, 1001, 1365, 1820, 2380, 3060},
    {0, 1, 6, 21, 56, 126, 252, 462, 792, 1287, 2002, 3003, 4368, 6188, 8568, 11628},
    {0, 1, 7, 28, 84, 210, 462, 924, 1716, 3003, 5005, 8008, 12376, 18564, 27132, 38760},
};

int nd_bearoff_number(const nd_row *row)
{
    int number = 0, count = 0;
    for (int k = 0; k < ND_HOME; k++) {
        count += nd_row_count(row, ND_HOME - 1 - k);
        number += CHOOSE[k][count];
    }
    return number;
}

void nd_bearoff_counts(int number, int8_t counts[ND_HOME])
{
    int above = 0;
    for (int k = ND_HOME - 1; k >= 0; k--) {
        int count = 0;
        while (count < ND_MAX_CHECKERS && CHOOSE[k][count + 1] <= number) count++;
        number -= CHOOSE[k][count];
        /* `count` checkers stand on the points from the 6 point down to this one. */
        if (k < ND_HOME - 1) counts[ND_HOME - 2 - k] = (int8_t)(above - count);
        above = count;
    }
    counts[ND_HOME - 1] = (int8_t)above;
}

/* ---- plays at home -------------------------------------------------------------------------------- */

bool nd_bearoff_generate(nd_plays *plays, const nd_rules *rules, int number, int roll)
{
    nd_board board;
    memset(&board, 0, sizeof board);
    nd_bearoff_counts(number, board.row[0]);
    board.row[0][ND_OFF] = board.row[1][ND_OFF] = ND_MAX_CHECKERS;
    for (int column = 0; column < ND_HOME; column++) board.row[0][ND_OFF] -= board.row[0][column];
    const nd_packed packed = nd_pack(&board);
    const nd_roll dice = nd_roll_at(roll);
    nd_rules whole = *rules; /* a position has the same plays in a game of any number of checkers */
    whole.checkers = ND_MAX_CHECKERS;
    return nd_plays_generate(plays, &whole, &packed, 0, 3, dice.high, dice.low);
}

/* ---- one-sided ------------------------------------------------------------------------------------ */

enum { FINISH, FIRST, GOALS };
enum { NOW = -1, STAY = -2 }; /* in place of the number of the position that a roll leads to */

static int checkers_of(const nd_row *row)
{
    int count = 0;
    for (int column = 0; column < ND_HOME; column++) count += nd_row_count(row, column);
    return count;
}

/* Where the best play of the roll just generated leads, by the mean rolls of one goal. */
static int best_of(const nd_plays *plays, int count, int goal, const double *means)
{
    if (plays->passed) return STAY;
    int best = -1;
    for (size_t i = 0; i < plays->count; i++) {
        const nd_row *row = &plays->results[i].row[0];
        const int next = nd_bearoff_number(row);
        if (next == 0 || (goal == FIRST && checkers_of(row) < count)) return NOW;
        const double gain = best < 0 ? 1 : means[GOALS * best + goal] - means[GOALS * next + goal];
        if (gain > 0 || (gain == 0 && next < best)) best = next;
    }
    return best;
}

/* One position and goal from where its 21 rolls lead. */
static void fill(const int *leads, float *table, double *means, int number, int goal)
{
    double sums[ND_BEAROFF_ROLLS] = {0}, mean = 36, stay = 0;
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        const int weight = nd_roll_at(roll).weight, next = leads[roll];
        if (next == STAY) stay += weight;
        else if (next == NOW) sums[0] += weight;
        else {
            mean += weight * means[GOALS * next + goal];
            for (int k = 1; k < ND_BEAROFF_ROLLS; k++) sums[k] += weight * (double)table[next * ND_BEAROFF_ROLLS + k - 1];
            sums[ND_BEAROFF_ROLLS - 1] += weight * (double)table[(next + 1) * ND_BEAROFF_ROLLS - 1];
        }
    }
    means[GOALS * number + goal] = stay < 36 ? mean / (36 - stay) : 1e9;
    float *out = table + (size_t)number * ND_BEAROFF_ROLLS;
    double last = 0, total = 0;
    for (int k = 0; k < ND_BEAROFF_ROLLS; k++) {
        last = (sums[k] + stay * last) / 36;
        total += last;
        out[k] = (float)last;
    }
    /* Only where all six points are filled against the rules a turn can be passed, without end in sight. */
    if (stay > 0 && total < 1) out[ND_BEAROFF_ROLLS - 1] += (float)(1 - total);
}

static bool build_one(nd_plays *plays, const nd_rules *rules, int number, float *finish, float *first, double *means)
{
    int leads[GOALS][ND_ROLLS];
    int8_t counts[ND_HOME];
    int count = 0;
    nd_bearoff_counts(number, counts);
    for (int column = 0; column < ND_HOME; column++) count += counts[column];
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        if (!nd_bearoff_generate(plays, rules, number, roll)) return false;
        for (int goal = 0; goal < GOALS; goal++) leads[goal][roll] = best_of(plays, count, goal, means);
    }
    fill(leads[FINISH], finish, means, number, FINISH);
    fill(leads[FIRST], first, means, number, FIRST);
    return true;
}

bool nd_bearoff_build(const nd_rules *rules, int begin, int end, float *finish, float *first, double *means)
{
    nd_plays plays;
    if (!nd_plays_create(&plays)) return false;
    bool fine = true;
    for (int number = begin; fine && number < end; number++) {
        if (number > 0) {
            fine = build_one(&plays, rules, number, finish, first, means);
            continue;
        }
        memset(finish, 0, ND_BEAROFF_ROLLS * sizeof *finish);
        memset(first, 0, ND_BEAROFF_ROLLS * sizeof *first);
        means[FINISH] = means[FIRST] = 0;
    }
    nd_plays_destroy(&plays);
    return fine;
}

/* ---- outcomes ------------------------------------------------------------------------------------- */

static bool at_home(const nd_row *row)
{
    /* Columns 6..15 in `low`, 16..24 in `high`. */
    return row->low >> 4 * ND_HOME == 0 && (row->high & 0xfffffffffu) == 0;
}

/* The chance that a side takes more than `k` rolls; all of it for k < 1. */
static double beyond(const double *tail, int k)
{
    return k < 1 ? 1 : k < ND_BEAROFF_ROLLS ? tail[k] : 0;
}

static void tails(const float *table, int number, double *tail)
{
    const float *rolls = table + (size_t)number * ND_BEAROFF_ROLLS;
    double sum = 0;
    for (int k = ND_BEAROFF_ROLLS - 1; k >= 0; k--) {
        tail[k + 1] = sum;
        sum += rolls[k];
    }
    tail[0] = sum;
}

/* Exclusive chances in the order of the two-sided table. */
typedef struct chances {
    double plain_win, plain_loss, draw, mars_win, mars_loss;
} chances;

static double positive(double x)
{
    return x > 0 ? x : 0;
}

static chances combine(double win, double draw, double mars_win, double mars_loss)
{
    chances all;
    const double loss = positive(1 - win - draw);
    /* The two goals are played for apart, so a mars could come out likelier than the win that it is. */
    all.mars_win = mars_win < win ? mars_win : win;
    all.mars_loss = mars_loss < loss ? mars_loss : loss;
    all.plain_win = win - all.mars_win;
    all.plain_loss = loss - all.mars_loss;
    all.draw = draw;
    return all;
}

/* `mine_whole`, `his_whole`: none of that side's checkers is off. */
static chances one_sided(const nd_bearoff *tables, int mine, int his, bool mine_whole, bool his_whole, int seat)
{
    const int last = tables->kind.last_roll;
    /* Rolls that the other still has after one side has finished. */
    const int after_mine = last && seat == 0, after_his = last && seat == 1;
    const float *my_rolls = tables->finish + (size_t)mine * ND_BEAROFF_ROLLS;
    double my_first[ND_BEAROFF_ROLLS + 1], his_tail[ND_BEAROFF_ROLLS + 1], his_first[ND_BEAROFF_ROLLS + 1];
    tails(tables->first, mine, my_first);
    if (his == 0) /* my last roll */
        return combine(0, my_rolls[0], 0, mine_whole ? beyond(my_first, 1) : 0);
    const float *his_rolls = tables->finish + (size_t)his * ND_BEAROFF_ROLLS;
    tails(tables->finish, his, his_tail);
    tails(tables->first, his, his_first);
    double win = 0, draw = 0, mars_win = 0, mars_loss = 0;
    for (int k = 1; k <= ND_BEAROFF_ROLLS; k++) {
        const double i_finish = my_rolls[k - 1], he_finishes = his_rolls[k - 1];
        win += i_finish * beyond(his_tail, k - 1 + after_mine);
        if (after_mine) draw += i_finish * he_finishes;
        if (after_his && k < ND_BEAROFF_ROLLS) draw += he_finishes * my_rolls[k];
        if (his_whole) mars_win += i_finish * beyond(his_first, k - 1 + after_mine);
        if (mine_whole) mars_loss += he_finishes * beyond(my_first, k + after_his);
    }
    return combine(win, draw, mars_win, mars_loss);
}

static chances two_sided(const nd_bearoff *tables, int mine, int his, int seat)
{
    const size_t width = (size_t)nd_pair_width(&tables->kind);
    const int place = nd_pair_seats(&tables->kind) > 1 ? seat : 0;
    const float *at = tables->pairs + width * (((size_t)place * ND_PAIR_POSITIONS + (size_t)mine) * ND_PAIR_POSITIONS + (size_t)his);
    chances all = {at[0], at[1], 0, 0, 0};
    if (width > 2) all.draw = at[2];
    if (width > 3) {
        all.mars_win = at[3];
        all.mars_loss = at[4];
    }
    return all;
}

bool nd_bearoff_outcomes(const nd_bearoff *tables, const nd_rules *rules, const nd_packed *board, int seat,
                         float *outcomes)
{
    if (!at_home(&board->row[0]) || !at_home(&board->row[1])) return false;
    const nd_bearoff_kind kind = nd_bearoff_kind_of(rules);
    if (!nd_bearoff_kind_equal(&kind, &tables->kind)) return false;
    const int mine = nd_bearoff_number(&board->row[0]), his = nd_bearoff_number(&board->row[1]);
    if (mine == 0 || (his == 0 && !(rules->last_roll && seat == 1))) return false;
    const bool mine_whole = nd_row_count(&board->row[0], ND_OFF) == 0, his_whole = nd_row_count(&board->row[1], ND_OFF) == 0;
    const bool paired = tables->pairs && mine < ND_PAIR_POSITIONS && his < ND_PAIR_POSITIONS;
    const chances all =
        paired ? two_sided(tables, mine, his, seat) : one_sided(tables, mine, his, mine_whole, his_whole, seat);
    memset(outcomes, 0, rules->outcomes * sizeof *outcomes);
    const int plain = rules->rank[ND_PLAIN], mars = rules->rank[home_defeat(rules)];
    outcomes[plain] += (float)all.plain_win;
    outcomes[mars] += (float)all.mars_win;
    outcomes[rules->defeats + plain] += (float)all.plain_loss;
    outcomes[rules->defeats + mars] += (float)all.mars_loss;
    if (rules->last_roll) outcomes[2 * rules->defeats] = (float)all.draw;
    return true;
}
