#include "random.h"

#include <stddef.h>

const char *nd_purpose_name(int purpose)
{
    static const char *const NAMES[ND_PURPOSES] = {
        NULL,      "dice_training", "dice_duel", "dice_rollout", "choice_seat_0",  "choice_seat_1",
        "shuffle", "test",          "dice_play", "stray",        "dice_benchmark", "choice_benchmark",
        "noise"};
    return purpose > 0 && purpose < ND_PURPOSES ? NAMES[purpose] : NULL;
}

void nd_philox(uint32_t counter[4], const uint32_t key[2])
{
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c0;
        uint64_t b = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        uint32_t n2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c0 = n0;
        c1 = (uint32_t)b;
        c2 = n2;
        c3 = (uint32_t)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    counter[0] = c0;
    counter[1] = c1;
    counter[2] = c2;
    counter[3] = c3;
}

void nd_words(uint64_t seed, uint32_t purpose, uint64_t game, uint32_t index, uint32_t words[4])
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    words[0] = index;
    words[1] = purpose;
    words[2] = (uint32_t)game;
    words[3] = (uint32_t)(game >> 32);
    nd_philox(words, key);
}

/* Uniform below `bound` from the words of successive counters. The top byte of the purpose word numbers
 * the retries, which are so rare (all four words refused) that no other stream is touched. */
uint32_t nd_uniform(uint64_t seed, uint32_t purpose, uint64_t game, uint32_t index, uint32_t bound)
{
    const uint32_t limit = (uint32_t)((((uint64_t)1 << 32) / bound) * bound - 1);
    for (uint32_t retry = 0; ; retry++) {
        uint32_t words[4];
        nd_words(seed, purpose | retry << 24, game, index, words);
        for (int i = 0; i < 4; i++)
            if (words[i] <= limit) return words[i] % bound;
    }
}

void nd_dice(uint64_t seed, uint32_t purpose, uint64_t game, uint32_t turn, bool pair, uint8_t dice[2])
{
    uint32_t roll = nd_uniform(seed, purpose, game, turn, pair ? 30 : 36);
    if (pair) {
        uint32_t first = roll / 5, second = roll % 5;
        dice[0] = (uint8_t)(first + 1);
        dice[1] = (uint8_t)(second + (second >= first) + 1);
    } else {
        dice[0] = (uint8_t)(roll / 6 + 1);
        dice[1] = (uint8_t)(roll % 6 + 1);
    }
}
