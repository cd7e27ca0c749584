/* solve_policy.c - what a policy loses against perfect play, summed over everything that can happen. */
#include <math.h>
#include <string.h>

#include "outcome.h"
#include "solve.h"

typedef struct task {
    const nd_policy *policy;
    nd_shortfall *table;
    const nd_shortfall *previous;
    int sum; /* of the numbers of its two blocks */
} task;

/* Sums over the rolls that can be played, in double, for one role and seat. */
typedef struct sums {
    double points, turns;
} sums;

static size_t place_of(const nd_small_game *game, int role, int seat, int mine, int his)
{
    return (size_t)role * (size_t)game->seats * (size_t)game->rows * (size_t)game->rows + nd_small_place(game, seat, mine, his);
}

static bool before(const nd_small_game *game, int mine, int his, int other_mine, int other_his)
{
    return game->order[mine] < game->order[other_mine] ||
           (mine == other_mine && game->order[his] < game->order[other_his]);
}

/* The best two plays of a roll: by the exact values, and by the policy. */
typedef struct choice {
    int mine[ND_ROLES], his[ND_ROLES];
    double value[ND_ROLES]; /* to the other side */
    bool hits[ND_ROLES];
} choice;

static double lost(const choice *choice)
{
    return choice->value[ND_POLICY_ON_ROLL] - choice->value[ND_PERFECT_ON_ROLL];
}

typedef struct candidate {
    int mine, his;
    double value, score;
    bool hits;
} candidate;

static void consider(const nd_small_game *game, choice *choice, double *score, const candidate *next, bool first)
{
    const double keys[ND_ROLES] = {next->score, next->value};
    const double bests[ND_ROLES] = {*score, choice->value[ND_PERFECT_ON_ROLL]};
    for (int role = 0; role < ND_ROLES; role++) {
        if (!first && (keys[role] > bests[role] ||
                       (keys[role] == bests[role] && !before(game, next->mine, next->his, choice->mine[role], choice->his[role]))))
            continue;
        choice->mine[role] = next->mine;
        choice->his[role] = next->his;
        choice->value[role] = next->value;
        choice->hits[role] = next->hits;
        if (role == ND_POLICY_ON_ROLL) *score = next->score;
    }
}

static choice choose(const nd_policy *policy, const uint32_t *list, int his, int seat)
{
    choice choice = {{0, 0}, {0, 0}, {0, 0}, {false, false}};
    const uint32_t count = *list & ~ND_LIST_PASSED;
    double score = 0;
    for (uint32_t i = 1; i <= count; i++) {
        candidate next = {nd_reply_mine(list[i]), nd_reply_his(policy->game, list[i], his), 0, 0, nd_reply_hits(list[i])};
        const size_t place = nd_small_place(policy->game, 1 - seat, next.his, next.mine);
        next.value = policy->values[place];
        next.score = policy->scores[place];
        consider(policy->game, &choice, &score, &next, i == 1);
    }
    return choice;
}

static void add(sums *sums, double weight, const nd_shortfall *next, double points, double turns)
{
    sums->points += weight * (points + (double)next->points);
    sums->turns += weight * (turns + (double)next->turns);
}

/* Sums over the rolls that can be played, by role and seat of the player on roll, and the chance that none can. */
typedef struct outlook {
    sums sums[ND_ROLES][2];
    double pass;
} outlook;

static void look_at(const task *task, const uint32_t *list, int his, double weight, outlook *outlook)
{
    const nd_small_game *game = task->policy->game;
    for (int seat = 0; seat < game->seats; seat++) {
        const choice chosen = choose(task->policy, list, his, seat);
        for (int role = 0; role < ND_ROLES; role++) {
            const int next_mine = chosen.mine[role], next_his = chosen.his[role];
            const bool old = chosen.hits[role] && next_mine / ND_SOLVE_BLOCK + next_his / ND_SOLVE_BLOCK >= task->sum;
            const nd_shortfall *next = (old ? task->previous : task->table) + place_of(game, 1 - role, 1 - seat, next_his, next_mine);
            const bool fallible = role == ND_POLICY_ON_ROLL;
            add(&outlook->sums[role][seat], weight, next, fallible ? lost(&chosen) : 0, fallible && *list > 1);
        }
    }
}

static void look(const task *task, int mine, int his_begin, int his_end, outlook *outlooks)
{
    const nd_small_game *game = task->policy->game;
    memset(outlooks, 0, (size_t)(his_end - his_begin) * sizeof *outlooks);
    for (int roll = 0; mine != 0 && roll < ND_ROLLS; roll++) {
        const double weight = nd_roll_at(roll).weight / 36.0;
        for (int his = his_begin; his < his_end; his++) {
            if (!nd_small_apart(game, mine, his)) continue;
            const uint32_t *list = nd_small_plays(game, mine, his, roll);
            if (*list & ND_LIST_PASSED) outlooks[his - his_begin].pass += weight;
            else look_at(task, list, his, weight, &outlooks[his - his_begin]);
        }
    }
}

static double put(const task *task, size_t place, const sums *sums)
{
    nd_shortfall *at = &task->table[place];
    at->points = (float)sums->points;
    at->turns = (float)sums->turns;
    return task->previous ? fabs((double)at->points - (double)task->previous[place].points) : 0;
}

static bool over(const nd_small_game *game, int mine, int his, int seat)
{
    const nd_packed board = nd_small_board(game, mine, his);
    return nd_result_packed(&game->rules, &board, seat) >= 0;
}

static double solve_couple(const task *task, int mine, int his, const outlook *here, const outlook *there)
{
    const nd_small_game *game = task->policy->game;
    const sums none = {0, 0};
    double moved = 0;
    for (int role = 0; role < ND_ROLES; role++)
        for (int seat = 0; seat < game->seats; seat++) {
            const bool over_here = over(game, mine, his, seat), over_there = over(game, his, mine, 1 - seat);
            const double rest = 1 - (over_there ? 0 : here->pass * there->pass);
            sums one = over_here ? none : here->sums[role][seat];
            sums other = over_there ? none : there->sums[1 - role][game->seats > 1 ? 1 - seat : 0];
            if (!over_here && rest > 0) {
                one.points = (one.points + here->pass * other.points) / rest;
                one.turns = (one.turns + here->pass * other.turns) / rest;
            }
            if (!over_there) {
                other.points += there->pass * one.points;
                other.turns += there->pass * one.turns;
            }
            const double steps[2] = {put(task, place_of(game, role, seat, mine, his), &one),
                                     put(task, place_of(game, 1 - role, 1 - seat, his, mine), &other)};
            for (int i = 0; i < 2; i++)
                if (steps[i] > moved) moved = steps[i];
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
        if (!nd_small_apart(task->policy->game, mine, his)) continue;
        /* Against itself a row leads to positions of this very round. */
        if (his == mine) look(task, mine, his, his + 1, &here[his - his_begin]);
        look(task, his, mine, mine + 1, &there);
        const double step = solve_couple(task, mine, his, &here[his - his_begin], &there);
        if (step > moved) moved = step;
    }
    return moved;
}

double nd_policy_blocks(const nd_policy *policy, nd_shortfall *table, const nd_shortfall *previous, int a, int b)
{
    const task task = {policy, table, previous, a + b};
    return nd_visit_rows(policy->game, a, b, solve_row, &task);
}

/* ---- the start ------------------------------------------------------------------------------------ */

/* Position before a first turn: the row of the player on roll is that of the start. */
typedef struct first {
    int role, seat, his;
    bool opening; /* only rolls that can open a game */
} first;

static choice choose_first(const nd_policy *policy, const nd_plays *plays, int seat)
{
    const nd_small_game *game = policy->game;
    choice choice = {{0, 0}, {0, 0}, {0, 0}, {false, false}};
    double score = 0;
    for (size_t i = 0; i < plays->count; i++) {
        candidate next = {nd_small_row(game, &plays->results[i].row[0]), nd_small_row(game, &plays->results[i].row[1]), 0, 0, false};
        const size_t place = nd_small_place(game, 1 - seat, next.his, next.mine);
        const bool in_table = seat == 1 || !nd_rules_use_turns(&game->rules);
        next.value = in_table ? policy->values[place] : policy->openings->second[next.mine];
        next.score = policy->scores[place];
        consider(game, &choice, &score, &next, i == 0);
    }
    return choice;
}

static bool first_turn(nd_plays *plays, const nd_policy *policy, const nd_shortfall *table, const first *at, sums *mean)
{
    const nd_small_game *game = policy->game;
    const nd_packed board = nd_small_board(game, game->start, at->his);
    int weights = 0;
    mean->points = mean->turns = 0;
    if (nd_result_packed(&game->rules, &board, at->seat) >= 0) return true;
    for (int number = 0; number < ND_ROLLS; number++) {
        const nd_roll roll = nd_roll_at(number);
        if (at->opening && roll.high == roll.low) continue;
        if (!nd_plays_generate(plays, &game->rules, &board, at->seat, 0, roll.high, roll.low)) return false;
        const choice chosen = choose_first(policy, plays, at->seat);
        const bool fallible = at->role == ND_POLICY_ON_ROLL, free = plays->count > 1;
        nd_shortfall next = table[place_of(game, 1 - at->role, 1 - at->seat, chosen.his[at->role], chosen.mine[at->role])];
        if (at->seat == 0 && nd_rules_use_turns(&game->rules)) {
            const first second = {1 - at->role, 1, chosen.mine[at->role], false};
            sums rest;
            if (!first_turn(plays, policy, table, &second, &rest)) return false;
            next.points = (float)rest.points;
            next.turns = (float)rest.turns;
        }
        weights += roll.weight;
        add(mean, roll.weight, &next, fallible ? lost(&chosen) : 0, fallible && free);
    }
    mean->points /= weights;
    mean->turns /= weights;
    return true;
}

bool nd_policy_start(const nd_policy *policy, const nd_shortfall *table, nd_shortfall start[ND_ROLES])
{
    nd_plays plays;
    if (!nd_plays_create(&plays)) return false;
    const bool opening = policy->game->rules.opening_roll == ND_OPENING_PAIR;
    bool fine = true;
    for (int role = 0; fine && role < ND_ROLES; role++) {
        const first at = {role, 0, policy->game->start, opening};
        sums mean = {0, 0};
        fine = first_turn(&plays, policy, table, &at, &mean);
        start[role].points = (float)mean.points;
        start[role].turns = (float)mean.turns;
    }
    nd_plays_destroy(&plays);
    return fine;
}
