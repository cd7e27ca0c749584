/* level.h - weaker play on purpose: noise on what plays are judged to be worth. The dice never know of it.
 *
 * A level is a spread of noise in points of equity and a number of plies of look-ahead. The noise of a play is
 * a standard normal number that depends on a 64-bit key and on the board the play leaves, and on nothing else:
 * not on the other plays, their order, the thread, the batch, or how often one asks.
 */
#ifndef ND_LEVEL_H
#define ND_LEVEL_H

#include "plays.h"

enum { ND_LEVELS = 10 };

#define ND_MAX_NOISE 1e9 /* beyond any judgement's worth mentioning, and below that of a finished game */

typedef struct nd_level {
    double noise; /* points of equity, one standard deviation; 0: none */
    int plies;
} nd_level;

/* What levels 1 (weakest) .. ND_LEVELS (all that the net can do) are for a model that has no table of its own. */
nd_level nd_level_default(nd_family family, int level);

/* The key of a turn's noise: equal seats of equal turns of both games of a pair have the same. */
uint64_t nd_noise_key(uint64_t seed, uint64_t game, int seat, uint32_t turn);

/* A standard normal number, within 8.7 either way. It is made of whole numbers by additions and multiplications
 * alone, so that it has the same bits on every machine. */
double nd_noise(uint64_t key, const nd_packed *result);

/* A worth as it looks through the noise; without noise it is the worth itself. */
static inline double nd_worth_seen(double worth, double noise, uint64_t key, const nd_packed *result)
{
    return noise > 0 ? worth + noise * nd_noise(key, result) : worth;
}

/* The result that looks best, ties by the order of their bytes as without noise. */
size_t nd_best_seen(const float *equities, const nd_plays *plays, double noise, uint64_t key);

#endif
