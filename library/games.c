/* games.c - whole games between two players. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "duel.h"

static nardy_status take_player(const nardy_rules *rules, const nardy_player *player, const char *name, nd_player *out,
                                nardy_message *message)
{
    if (!player) return nardy_fail_null(message, name);
    memset(out, 0, sizeof *out);
    const nardy_level level = {player->noise, player->plies};
    const nardy_status status = nardy_check_level(&level, message);
    if (status != NARDY_OK) return status;
    if (!player->model) {
        if (player->noise > 0) return nardy_fail(message, NARDY_BAD_INPUT, "player %s has no model whose judgement could be blurred", name);
        if (player->plies) return nardy_fail(message, NARDY_BAD_INPUT, "player %s has no model to look ahead with", name);
        out->kind = ND_PLAYER_RANDOM;
        return NARDY_OK;
    }
    if (!nardy_same_rules(&player->model->model->rules, &rules->rules))
        return nardy_fail(message, NARDY_BAD_INPUT, "the model of player %s is held under other rules", name);
    out->kind = player->plies ? ND_PLAYER_SEARCH : ND_PLAYER_NET;
    out->model = player->model->model;
    out->plies = player->plies;
    out->noise = player->noise;
    out->filters = nd_filters_default;
    return NARDY_OK;
}

nardy_status nardy_duel(const nardy_rules *rules, const nardy_player *a, const nardy_player *b, uint64_t seed,
                        uint64_t first_pair, uint32_t pairs, uint32_t max_turns, int8_t *outcomes, uint32_t *turns,
                        nardy_message *message)
{
    if (!rules) return nardy_fail_null(message, "rules");
    if (!outcomes && pairs) return nardy_fail_null(message, "outcomes");
    if (max_turns == 0) return nardy_fail(message, NARDY_BAD_INPUT, "max_turns is 0: give at least 1");
    nd_player *players = calloc(2, sizeof *players);
    uint32_t *lengths = turns || !pairs ? turns : calloc(2 * (size_t)pairs, sizeof *lengths);
    nardy_status status = players && (lengths || !pairs) ? NARDY_OK : nardy_fail_memory(message);
    if (status == NARDY_OK) status = take_player(rules, a, "a", &players[0], message);
    if (status == NARDY_OK) status = take_player(rules, b, "b", &players[1], message);
    const nd_duel_plan plan = {seed, first_pair, pairs, max_turns};
    if (status == NARDY_OK && pairs && !nd_duel(&rules->rules, &players[0], &players[1], &plan, outcomes, lengths))
        status = nardy_fail_memory(message);
    if (lengths != turns) free(lengths);
    free(players);
    return status;
}
