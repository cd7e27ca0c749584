#include "game.h"

#include <string.h>

#include "random.h"

void nd_game_begin(nd_game *game, const nd_rules *rules)
{
    const nd_board start = nd_start(rules);
    memset(game, 0, sizeof *game);
    game->board = nd_pack(&start);
}

void nd_game_roll(const nd_game *game, const nd_rules *rules, uint64_t seed, uint32_t purpose, uint64_t number, uint8_t dice[2])
{
    nd_dice(seed, purpose, number, game->turn, game->turn == 0 && rules->opening_roll == ND_OPENING_PAIR, dice);
}

int nd_game_play(nd_game *game, const nd_rules *rules, const nd_packed *result)
{
    if (game->turns_had[game->seat] < 3) game->turns_had[game->seat]++;
    game->board = nd_packed_turned(result);
    game->seat = 1 - game->seat;
    game->turn++;
    return nd_result_packed(rules, &game->board, game->seat);
}
