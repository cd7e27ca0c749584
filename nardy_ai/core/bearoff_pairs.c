/* bearoff_pairs.c - the two-sided table: exact outcomes of best play for up to 6 checkers a side at home. */
#include <stdlib.h>
#include <string.h>

#include "bearoff.h"
#include "expectation.h"

enum { N = ND_PAIR_POSITIONS };

/* Chances of the player on roll, and what they are worth to him in plain wins. */
typedef struct chances {
    double of[ND_PAIR_WIDTH]; /* win, loss, draw, mars won, mars lost */
    double worth;
} chances;

typedef struct builder {
    nd_rules rules;
    nd_bearoff_kind kind;
    int seats;
    int positions;     /* of no more checkers than the game has: the first ones */
    uint16_t *results; /* numbers of the positions that plays lead to */
    uint32_t *starts;  /* [N][ND_ROLLS + 1]: where those of a roll begin */
    bool *passes;      /* [N][ND_ROLLS] */
    chances *table;    /* [seats][mover][opponent] */
} builder;

int nd_pair_seats(const nd_bearoff_kind *kind)
{
    return kind->last_roll ? 2 : 1;
}

int nd_pair_width(const nd_bearoff_kind *kind)
{
    return kind->checkers ? 5 : kind->last_roll ? 3 : 2;
}

static chances *at(const builder *builder, int seat, int mine, int his)
{
    return &builder->table[((size_t)(builder->seats > 1 ? seat : 0) * N + (size_t)mine) * N + (size_t)his];
}

/* ---- plays of one side ---------------------------------------------------------------------------- */

static bool list_results(builder *builder)
{
    nd_plays plays;
    size_t count = 0, room = 1 << 16;
    builder->starts = malloc((size_t)N * (ND_ROLLS + 1) * sizeof *builder->starts);
    builder->passes = malloc((size_t)N * ND_ROLLS * sizeof *builder->passes);
    builder->results = malloc(room * sizeof *builder->results);
    if (!builder->starts || !builder->passes || !builder->results || !nd_plays_create(&plays)) return false;
    bool fine = true;
    for (int number = 0; fine && number < builder->positions; number++)
        for (int roll = 0; fine && roll <= ND_ROLLS; roll++) {
            builder->starts[number * (ND_ROLLS + 1) + roll] = (uint32_t)count;
            if (number == 0 || roll == ND_ROLLS) continue;
            fine = nd_bearoff_generate(&plays, &builder->rules, number, roll);
            if (fine && count + plays.count > room) {
                room = 2 * (count + plays.count);
                uint16_t *results = realloc(builder->results, room * sizeof *results);
                fine = results != NULL;
                if (fine) builder->results = results;
            }
            if (!fine) break;
            builder->passes[number * ND_ROLLS + roll] = plays.passed;
            for (size_t i = 0; i < plays.count; i++)
                builder->results[count++] = (uint16_t)nd_bearoff_number(&plays.results[i].row[0]);
        }
    nd_plays_destroy(&plays);
    return fine;
}

/* ---- values --------------------------------------------------------------------------------------- */

static void weigh(const builder *builder, chances *position)
{
    position->worth = position->of[0] - position->of[1] + builder->kind.mars * (position->of[3] - position->of[4]);
}

static void add_turned(double *sums, double weight, const double *of)
{
    sums[0] += weight * of[1];
    sums[1] += weight * of[0];
    sums[2] += weight * of[2];
    sums[3] += weight * of[4];
    sums[4] += weight * of[3];
}

/* The outcome of a finished game; -1 while it goes on. */
static int finished(const builder *builder, int mine, int his, int seat)
{
    const nd_rules *rules = &builder->rules;
    nd_board board;
    memset(&board, 0, sizeof board);
    const int numbers[2] = {mine, his};
    for (int side = 0; side < 2; side++) {
        nd_bearoff_counts(numbers[side], board.row[side]);
        board.row[side][ND_OFF] = (int8_t)rules->checkers;
        for (int column = 0; column < ND_HOME; column++) board.row[side][ND_OFF] -= board.row[side][column];
    }
    const int result = nd_result(rules, &board, seat);
    if (result < 0 || result == 2 * rules->defeats) return result < 0 ? -1 : 2;
    const bool lost = result >= rules->defeats;
    /* A table of a large game knows no mars; where mars is not scored, it is a plain win. */
    const bool mars = nd_pair_width(&builder->kind) > 3 && result - lost * rules->defeats != rules->rank[ND_PLAIN];
    return mars ? 3 + lost : lost;
}

/* The mean over the rolls that can be played, for the player on roll; returns the chance that none can. */
static double mean_of_rolls(const builder *builder, int mine, int his, int seat, double *sums)
{
    double pass = 0;
    memset(sums, 0, ND_PAIR_WIDTH * sizeof *sums);
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        const double weight = nd_roll_at(roll).weight / 36.0;
        if (builder->passes[mine * ND_ROLLS + roll]) {
            pass += weight;
            continue;
        }
        const uint32_t *starts = builder->starts + (size_t)mine * (ND_ROLLS + 1) + roll;
        const chances *best = NULL;
        for (uint32_t i = starts[0]; i < starts[1]; i++) {
            const chances *next = at(builder, 1 - seat, his, builder->results[i]);
            if (!best || next->worth < best->worth) best = next;
        }
        add_turned(sums, weight, best->of);
    }
    return pass;
}

/* A position and the one that a pass leads to, whose values hang on each other where both sides can be without a
 * play: `mine` has `seat` and is on roll in the first. */
static void solve_couple(const builder *builder, int mine, int his, int seat)
{
    chances *here = at(builder, seat, mine, his), *there = at(builder, 1 - seat, his, mine);
    double mean_here[ND_PAIR_WIDTH], mean_there[ND_PAIR_WIDTH];
    const int end_here = finished(builder, mine, his, seat), end_there = finished(builder, his, mine, 1 - seat);
    const double pass_here = end_here < 0 ? mean_of_rolls(builder, mine, his, seat, mean_here) : 0;
    const double pass_there = end_there < 0 ? mean_of_rolls(builder, his, mine, 1 - seat, mean_there) : 0;
    memset(here, 0, sizeof *here);
    memset(there, 0, sizeof *there);
    if (end_here >= 0) here->of[end_here] = 1;
    if (end_there >= 0) there->of[end_there] = 1;
    const double apart = 1 - pass_here * pass_there;
    if (end_here < 0) {
        memcpy(here->of, mean_here, sizeof here->of);
        if (end_there >= 0) add_turned(here->of, pass_here, there->of);
        else add_turned(here->of, pass_here, mean_there);
        for (int k = 0; k < ND_PAIR_WIDTH; k++) here->of[k] /= apart;
    }
    /* With the same number on both sides and one seat, here and there are one position. */
    if (end_there < 0 && there != here) {
        memcpy(there->of, mean_there, sizeof there->of);
        add_turned(there->of, pass_there, here->of);
    }
    weigh(builder, here);
    weigh(builder, there);
}

/* A play lowers the number of the mover's position, so every play leads to a smaller sum of both numbers. */
static void solve(const builder *builder)
{
    const int last = builder->positions - 1;
    for (int sum = 0; sum <= 2 * last; sum++)
        for (int mine = sum <= last ? 0 : sum - last; 2 * mine <= sum; mine++)
            for (int seat = 0; seat < builder->seats; seat++) solve_couple(builder, mine, sum - mine, seat);
}

bool nd_bearoff_build_pairs(const nd_rules *rules, float *pairs)
{
    builder builder = {.rules = *rules, .kind = nd_bearoff_kind_of(rules)};
    builder.seats = nd_pair_seats(&builder.kind);
    nd_row all_on_six = {0, 0};
    all_on_six.low = (uint64_t)(builder.kind.checkers ? builder.kind.checkers : ND_PAIR_CHECKERS) << 4 * (ND_HOME - 1);
    builder.positions = nd_bearoff_number(&all_on_six) + 1;
    const size_t count = (size_t)builder.seats * N * N, width = (size_t)nd_pair_width(&builder.kind);
    builder.table = calloc(count, sizeof *builder.table);
    const bool fine = builder.table && list_results(&builder);
    if (fine) {
        solve(&builder);
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < width; k++) pairs[i * width + k] = (float)builder.table[i].of[k];
    }
    free(builder.table);
    free(builder.results);
    free(builder.starts);
    free(builder.passes);
    return fine;
}
