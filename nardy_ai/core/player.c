#include "player.h"

#include <string.h>

#include "random.h"

/* Bytes: what a decision looks at twice; nothing is met again in the next one. */
enum { SEARCH_CACHE = 1 << 20 };

bool nd_chooser_create(nd_chooser *chooser, const nd_player *player, const nd_rules *rules)
{
    memset(chooser, 0, sizeof *chooser);
    chooser->player = player;
    chooser->rules = rules;
    switch (player->kind) {
    case ND_PLAYER_NET: return nd_judge_create(&chooser->judge, player->model);
    case ND_PLAYER_SEARCH: return nd_search_create(&chooser->search, player->model, &player->filters, SEARCH_CACHE);
    default: return true;
    }
}

void nd_chooser_destroy(nd_chooser *chooser)
{
    if (!chooser->player) return;
    if (chooser->player->kind == ND_PLAYER_NET) nd_judge_destroy(&chooser->judge);
    if (chooser->player->kind == ND_PLAYER_SEARCH) nd_search_destroy(&chooser->search);
}

static double linear_score(const nd_chooser *chooser, const nd_packed *result, bool race)
{
    const nd_player *player = chooser->player;
    nd_board after;
    nd_unpack(result, &after);
    if (player->kind == ND_PLAYER_GREEDY) return nd_greedy_score(chooser->rules, player->weights, &after);
    return nd_pubeval_score(player->weights, player->weights + ND_PUBEVAL_INPUTS, race, &after);
}

static size_t choose_linear(const nd_chooser *chooser, const nd_packed *board, const nd_plays *plays, uint64_t key)
{
    const bool race = nd_classify(chooser->rules, board) == ND_RACE;
    const double noise = chooser->player->noise;
    size_t best = 0;
    double best_score = nd_worth_seen(linear_score(chooser, &plays->results[0], race), noise, key, &plays->results[0]);
    for (size_t i = 1; i < plays->count; i++) {
        const double score = nd_worth_seen(linear_score(chooser, &plays->results[i], race), noise, key, &plays->results[i]);
        if (score < best_score || (score == best_score && !nd_result_before(plays, i, best))) continue;
        best = i;
        best_score = score;
    }
    return best;
}

size_t nd_choose(nd_chooser *chooser, const nd_packed *board, int seat, int turns, const nd_plays *plays, nd_luck luck)
{
    if (plays->count == 1) return 0;
    const double noise = chooser->player->noise;
    const uint64_t key = noise > 0 ? nd_noise_key(luck.seed, luck.game, seat, luck.turn) : 0;
    switch (chooser->player->kind) {
    case ND_PLAYER_NET:
        return nd_judge_plays(&chooser->judge, board, seat, plays) ? nd_best_seen(chooser->judge.equities, plays, noise, key) : SIZE_MAX;
    case ND_PLAYER_RANDOM:
        return nd_uniform(luck.seed, seat ? ND_CHOICE_SEAT_1 : ND_CHOICE_SEAT_0, luck.game, luck.turn, (uint32_t)plays->count);
    case ND_PLAYER_SEARCH: return nd_search_best(&chooser->search, board, seat, turns, plays, chooser->player->plies);
    default: return choose_linear(chooser, board, plays, key);
    }
}
