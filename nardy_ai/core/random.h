/* random.h - counter-based randomness (Philox4x32-10, Salmon et al. 2011).
 *
 * A number depends on its key and counter alone: (seed; purpose, game, turn). Nothing is drawn in
 * sequence, so a game's dice do not depend on who played what, in which thread or in which order.
 */
#ifndef ND_RANDOM_H
#define ND_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef enum nd_purpose {
    ND_DICE_TRAINING = 1,
    ND_DICE_DUEL = 2,
    ND_DICE_ROLLOUT = 3,
    ND_CHOICE_SEAT_0 = 4,
    ND_CHOICE_SEAT_1 = 5,
    ND_SHUFFLE = 6,
    ND_TEST = 7,
    ND_DICE_PLAY = 8,
    ND_STRAY = 9, /* plays other than the best, for more kinds of positions */
    ND_DICE_BENCHMARK = 10,
    ND_CHOICE_BENCHMARK = 11,
    ND_NOISE = 12, /* of levels of play */
    ND_PURPOSES = 13
} nd_purpose;

const char *nd_purpose_name(int purpose); /* NULL outside 1 .. ND_PURPOSES - 1 */

void nd_philox(uint32_t counter[4], const uint32_t key[2]); /* the block replaces the counter */

/* Four words for (seed; purpose, game, index). */
void nd_words(uint64_t seed, uint32_t purpose, uint64_t game, uint32_t index, uint32_t words[4]);

/* The two dice of a turn, unbiased. `pair`: an opening roll in which the dice differ. */
void nd_dice(uint64_t seed, uint32_t purpose, uint64_t game, uint32_t turn, bool pair, uint8_t dice[2]);

/* Uniform in 0 .. bound - 1, unbiased; bound > 0. */
uint32_t nd_uniform(uint64_t seed, uint32_t purpose, uint64_t game, uint32_t index, uint32_t bound);

#endif
