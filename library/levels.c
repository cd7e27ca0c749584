/* levels.c - weaker play on purpose. */
#include "level.h"

#include "calls.h"

nardy_status nardy_level_default(const nardy_rules *rules, int level, nardy_level *out, nardy_message *message)
{
    if (!rules) return nardy_fail_null(message, "rules");
    if (!out) return nardy_fail_null(message, "out");
    if (level < 1 || level > ND_LEVELS)
        return nardy_fail(message, NARDY_BAD_INPUT, "level cannot be %d: give 1 (weakest) to %d (the full bot)", level, ND_LEVELS);
    const nd_level found = nd_level_default(rules->rules.family, level);
    out->noise = found.noise;
    out->plies = found.plies;
    return NARDY_OK;
}

uint64_t nardy_noise_key(uint64_t seed, uint64_t game, int seat, uint32_t turn)
{
    return nd_noise_key(seed, game, seat, turn);
}

nardy_status nardy_noise(uint64_t key, const nardy_board *board, double *noise, nardy_message *message)
{
    if (!board) return nardy_fail_null(message, "board");
    if (!noise) return nardy_fail_null(message, "noise");
    for (int side = 0; side < 2; side++)
        for (int column = 0; column < NARDY_COLUMNS; column++)
            if (board->row[side][column] < 0 || board->row[side][column] > ND_MAX_CHECKERS)
                return nardy_fail(message, NARDY_BAD_INPUT, "a count of the board is %d: it must be 0 to %d",
                                  board->row[side][column], ND_MAX_CHECKERS);
    const nd_board plain = nardy_board_in(board);
    const nd_packed packed = nd_pack(&plain);
    *noise = nd_noise(key, &packed);
    return NARDY_OK;
}

nardy_status nardy_check_level(const nardy_level *level, nardy_message *message)
{
    if (!level) return nardy_fail_null(message, "level");
    if (!(level->noise >= 0 && level->noise < ND_MAX_NOISE))
        return nardy_fail(message, NARDY_BAD_INPUT, "the noise of a level cannot be %g: give points from 0", level->noise);
    if (level->noise > 0 && level->plies != 0)
        return nardy_fail(message, NARDY_BAD_INPUT, "a level with noise does not look ahead: its plies must be 0");
    return nardy_check_plies(level->plies, message);
}
