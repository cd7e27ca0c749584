#include "solve.h"

#include <math.h>
#include <string.h>

#include "outcome.h"

static int block_end(const nd_small_game *game, int block)
{
    const int end = (block + 1) * ND_SOLVE_BLOCK;
    return end < game->rows ? end : game->rows;
}

double nd_visit_rows(const nd_small_game *game, int a, int b, nd_row_visit visit, const void *task)
{
    double most = 0;
    for (int mine = a * ND_SOLVE_BLOCK; mine < block_end(game, a); mine++) {
        const double answer = visit(task, mine, b * ND_SOLVE_BLOCK, a == b ? mine + 1 : block_end(game, b));
        if (answer > most) most = answer;
    }
    return most;
}

/* ---- the table ------------------------------------------------------------------------------------ */

/* One call's view of the tables. */
typedef struct task {
    const nd_small_game *game;
    double *values;
    const double *previous;
    int sum; /* of the numbers of its two blocks */
} task;

static int finished(const nd_small_game *game, int mine, int his, int seat)
{
    if (mine != 0 && his != 0) return -1;
    const nd_packed board = nd_small_board(game, mine, his);
    return nd_result_packed(&game->rules, &board, seat);
}

/* What the other side has after the best play of a list, by his own lights. */
static double least(const task *task, const uint32_t *list, int his, int seat)
{
    const nd_small_game *game = task->game;
    const uint32_t *reply = list + 1, *end = reply + (*list & ~ND_LIST_PASSED);
    double least = INFINITY;
    for (; reply < end && !nd_reply_hits(*reply); reply++) {
        const double value = task->values[nd_small_place(game, 1 - seat, his, nd_reply_mine(*reply))];
        if (value < least) least = value;
    }
    for (; reply < end; reply++) {
        const int next_mine = nd_reply_mine(*reply), next_his = nd_reply_his(game, *reply, his);
        const bool done = next_mine / ND_SOLVE_BLOCK + next_his / ND_SOLVE_BLOCK < task->sum;
        const double value = (done ? task->values : task->previous)[nd_small_place(game, 1 - seat, next_his, next_mine)];
        if (value < least) least = value;
    }
    return least;
}

/* The means over the rolls that can be played, for each seat of the player on roll, and the chance that none can. */
typedef struct outlook {
    double mean[2], pass;
} outlook;

/* Of a row against several: roll by roll, so that the plays are at hand. */
static void look(const task *task, int mine, int his_begin, int his_end, outlook *outlooks)
{
    const nd_small_game *game = task->game;
    memset(outlooks, 0, (size_t)(his_end - his_begin) * sizeof *outlooks);
    for (int roll = 0; mine != 0 && roll < ND_ROLLS; roll++) {
        const double weight = nd_roll_at(roll).weight / 36.0;
        for (int his = his_begin; his < his_end; his++) {
            if (!nd_small_apart(game, mine, his)) continue;
            outlook *outlook = &outlooks[his - his_begin];
            const uint32_t *list = nd_small_plays(game, mine, his, roll);
            if (*list & ND_LIST_PASSED) outlook->pass += weight;
            else
                for (int seat = 0; seat < game->seats; seat++) outlook->mean[seat] -= weight * least(task, list, his, seat);
        }
    }
}

static double put(const task *task, int seat, int mine, int his, double value)
{
    const size_t place = nd_small_place(task->game, seat, mine, his);
    task->values[place] = value;
    return task->previous ? fabs(value - task->previous[place]) : 0;
}

static void put_void(const task *task, int mine, int his)
{
    for (int seat = 0; seat < task->game->seats; seat++) {
        put(task, seat, mine, his, NAN);
        put(task, seat, his, mine, NAN);
    }
}

/* A position and the one that a pass leads to, for every seat. */
static double solve_couple(const task *task, int mine, int his, const outlook *here, const outlook *there)
{
    const nd_small_game *game = task->game;
    const double apart = 1 - here->pass * there->pass;
    double moved = 0;
    for (int seat = 0; seat < game->seats; seat++) {
        const int end_here = finished(game, mine, his, seat), end_there = finished(game, his, mine, 1 - seat);
        double value = here->mean[seat], other = there->mean[game->seats > 1 ? 1 - seat : 0];
        if (end_there >= 0) other = game->rules.worth[end_there];
        if (end_here >= 0) value = game->rules.worth[end_here];
        else if (end_there >= 0) value -= here->pass * other;
        else value = apart > 0 ? (value - here->pass * other) / apart : 0; /* 0: neither can ever move */
        if (end_there < 0) other -= there->pass * value;
        const double moved_here = put(task, seat, mine, his, value), moved_there = put(task, 1 - seat, his, mine, other);
        if (moved_here > moved) moved = moved_here;
        if (moved_there > moved) moved = moved_there;
    }
    return moved;
}

static double solve_row(const void *context, int mine, int his_begin, int his_end)
{
    const task *task = context;
    outlook here[ND_SOLVE_BLOCK], there;
    double moved = 0;
    look(task, mine, his_begin, his_end, here);
    for (int his = his_begin; his < his_end; his++) {
        if (!nd_small_apart(task->game, mine, his)) {
            put_void(task, mine, his);
            continue;
        }
        /* Against itself a row leads to positions of this very round. */
        if (his == mine) look(task, mine, his, his + 1, &here[his - his_begin]);
        look(task, his, mine, mine + 1, &there);
        const double step = solve_couple(task, mine, his, &here[his - his_begin], &there);
        if (step > moved) moved = step;
    }
    return moved;
}

double nd_solve_blocks(const nd_small_game *game, double *values, const double *previous, int a, int b)
{
    const task task = {game, values, previous, a + b};
    return nd_visit_rows(game, a, b, solve_row, &task);
}

/* ---- first turns ---------------------------------------------------------------------------------- */

/* The value of a position before a first turn. `opening`: over the rolls that can open a game. */
static bool first_turn(nd_plays *plays, const nd_small_game *game, const double *values, const double *second, int his, int seat,
                       bool opening, double *value)
{
    const nd_packed board = nd_small_board(game, game->start, his);
    int weights = 0;
    *value = 0;
    for (int number = 0; number < ND_ROLLS; number++) {
        const nd_roll roll = nd_roll_at(number);
        if (opening && roll.high == roll.low) continue;
        if (!nd_plays_generate(plays, &game->rules, &board, seat, 0, roll.high, roll.low)) return false;
        double least = INFINITY;
        for (size_t i = 0; i < plays->count; i++) {
            const int next_mine = nd_small_row(game, &plays->results[i].row[0]);
            const int next_his = nd_small_row(game, &plays->results[i].row[1]);
            const bool in_table = seat == 1 || !nd_rules_use_turns(&game->rules);
            const double next = in_table ? values[nd_small_place(game, 1 - seat, next_his, next_mine)] : second[next_mine];
            if (next < least) least = next;
        }
        weights += roll.weight;
        *value -= roll.weight * least;
    }
    *value /= weights;
    return true;
}

bool nd_solve_openings(const nd_small_game *game, const double *values, nd_openings *openings)
{
    nd_plays plays;
    if (!nd_plays_create(&plays)) return false;
    bool fine = true;
    for (int his = 0; fine && his < game->rows; his++) {
        const int end = finished(game, game->start, his, 1);
        openings->second[his] = NAN;
        if (!nd_small_apart(game, game->start, his)) continue;
        if (end >= 0) openings->second[his] = game->rules.worth[end];
        else fine = first_turn(&plays, game, values, NULL, his, 1, false, &openings->second[his]);
    }
    const bool pair = game->rules.opening_roll == ND_OPENING_PAIR;
    fine = fine && first_turn(&plays, game, values, openings->second, game->start, 0, false, &openings->start) &&
           first_turn(&plays, game, values, openings->second, game->start, 0, pair, &openings->opening);
    nd_plays_destroy(&plays);
    return fine;
}

double nd_solved_equity(const nd_small_game *game, const double *values, const nd_openings *openings,
                        const nd_packed *board, int seat, int turns)
{
    const int mine = nd_small_row(game, &board->row[0]), his = nd_small_row(game, &board->row[1]);
    if (turns == 0 && mine == game->start && nd_rules_use_turns(&game->rules)) {
        if (seat == 1) return openings->second[his];
        if (his == game->start) return openings->start;
    }
    return values[nd_small_place(game, seat, mine, his)];
}
