#include "level.h"

#include "evaluate.h"
#include "random.h"

/* As `nardy levels` finds them for strong nets of each family: level 1 is about even with the greedy judgement,
 * and the steps up to the net that looks ahead are about even in points a game. */
static const double NOISE[2][ND_LEVELS - 1] = {
    [ND_LONG] = {0.077, 0.070, 0.063, 0.055, 0.047, 0.038, 0.027, 0.015, 0.005},
    [ND_SHORT] = {0.075, 0.069, 0.063, 0.056, 0.049, 0.041, 0.032, 0.021, 0.010},
};

nd_level nd_level_default(nd_family family, int level)
{
    const nd_level full = {0, 1};
    if (level >= ND_LEVELS) return full;
    const nd_level found = {NOISE[family][level < 1 ? 0 : level - 1], 0};
    return found;
}

uint64_t nd_noise_key(uint64_t seed, uint64_t game, int seat, uint32_t turn)
{
    uint32_t words[4];
    nd_words(seed, seat ? ND_CHOICE_SEAT_1 : ND_CHOICE_SEAT_0, game, turn, words);
    return (uint64_t)words[1] << 32 | words[0];
}

/* The finalizer of splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t hash_of(uint64_t key, const nd_packed *board)
{
    const uint64_t words[4] = {board->row[0].low, board->row[0].high, board->row[1].low, board->row[1].high};
    uint64_t hash = key;
    for (int i = 0; i < 4; i++) hash = mixed((hash ^ words[i]) + 0x9e3779b97f4a7c15u);
    return hash;
}

/* Twelve uniform numbers added up, and the polynomial of Teichroew (1953; Knuth, volume 2) that straightens the
 * sum to a normal number: right to 0.0002 within three deviations. */
double nd_noise(uint64_t key, const nd_packed *result)
{
    uint32_t words[4];
    uint32_t sum = 6; /* half a step for each of the twelve */
    nd_words(key, ND_NOISE, hash_of(key, result), 0, words);
    for (int i = 0; i < 4; i++) sum += (words[i] & 1023) + (words[i] >> 10 & 1023) + (words[i] >> 20 & 1023);
    const double r = ((double)sum - 6144) / 4096;
    const double q = r * r;
    double x = 0.029899776;
    x = x * q + 0.008355968;
    x = x * q + 0.076542912;
    x = x * q + 0.252408784;
    x = x * q + 3.949846138;
    return x * r;
}

size_t nd_best_seen(const float *equities, const nd_plays *plays, double noise, uint64_t key)
{
    size_t best = 0;
    double best_worth = nd_worth_seen(equities[0], noise, key, &plays->results[0]);
    for (size_t i = 1; i < plays->count; i++) {
        const double worth = nd_worth_seen(equities[i], noise, key, &plays->results[i]);
        if (worth < best_worth || (worth == best_worth && !nd_result_before(plays, i, best))) continue;
        best = i;
        best_worth = worth;
    }
    return best;
}
