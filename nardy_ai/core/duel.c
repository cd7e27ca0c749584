#include "duel.h"

#include "random.h"

/* One game; the outcome as seat 0 sees it, -1 when cut, -2 out of memory. */
static int play_game(const nd_rules *rules, nd_chooser *const seats[2], nd_plays *plays, const nd_duel_plan *plan,
                     uint64_t pair, uint32_t *plies)
{
    nd_game game;
    int result = -1;
    nd_game_begin(&game, rules);
    while (result < 0 && game.turn < plan->max_turns) {
        uint8_t dice[2];
        nd_game_roll(&game, rules, plan->seed, ND_DICE_DUEL, pair, dice);
        if (!nd_plays_generate(plays, rules, &game.board, game.seat, game.turns_had[game.seat], dice[0], dice[1])) return -2;
        const nd_luck luck = {plan->seed, pair, game.turn};
        const size_t chosen = nd_choose(seats[game.seat], &game.board, game.seat, game.turns_had[game.seat], plays, luck);
        if (chosen == SIZE_MAX) return -2;
        result = nd_game_play(&game, rules, &plays->results[chosen]);
    }
    *plies = game.turn;
    return game.seat == 0 ? result : nd_outcome_turned(rules, result);
}

static bool play_pairs(const nd_rules *rules, nd_chooser *a, nd_chooser *b, nd_plays *plays, const nd_duel_plan *plan,
                       int8_t *outcomes, uint32_t *plies)
{
    nd_chooser *const straight[2] = {a, b}, *const swapped[2] = {b, a};
    for (uint32_t i = 0; i < plan->pairs; i++) {
        const int first = play_game(rules, straight, plays, plan, plan->first_pair + i, &plies[2 * i]);
        const int second = play_game(rules, swapped, plays, plan, plan->first_pair + i, &plies[2 * i + 1]);
        if (first == -2 || second == -2) return false;
        outcomes[2 * i] = (int8_t)first;
        outcomes[2 * i + 1] = (int8_t)nd_outcome_turned(rules, second);
    }
    return true;
}

bool nd_duel(const nd_rules *rules, const nd_player *a, const nd_player *b, const nd_duel_plan *plan, int8_t *outcomes,
             uint32_t *plies)
{
    nd_plays plays;
    nd_chooser first, second;
    bool fine = false;
    if (!nd_plays_create(&plays)) return false;
    if (nd_chooser_create(&first, a, rules)) {
        if (nd_chooser_create(&second, b, rules)) {
            fine = play_pairs(rules, &first, &second, &plays, plan, outcomes, plies);
            nd_chooser_destroy(&second);
        }
        nd_chooser_destroy(&first);
    }
    nd_plays_destroy(&plays);
    return fine;
}
