#include "cache.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS = 4 };

bool nd_cache_create(nd_cache *cache, size_t bytes, size_t outcomes)
{
    memset(cache, 0, sizeof *cache);
    cache->outcomes = outcomes;
    const size_t each = sizeof *cache->keys + outcomes * sizeof *cache->values;
    if (bytes / each < WAYS) return true;
    size_t entries = WAYS;
    while (entries <= bytes / each / 2) entries *= 2;
    cache->keys = calloc(entries, sizeof *cache->keys);
    cache->values = malloc(entries * outcomes * sizeof *cache->values);
    if (!cache->keys || !cache->values) {
        nd_cache_destroy(cache);
        return false;
    }
    cache->entries = entries;
    return true;
}

void nd_cache_destroy(nd_cache *cache)
{
    free(cache->keys);
    free(cache->values);
    memset(cache, 0, sizeof *cache);
}

/* The first entry of the few where a key may stand. */
static size_t bucket_of(const nd_cache *cache, const nd_cache_key *key)
{
    const nd_row *mine = &key->board.row[0], *his = &key->board.row[1];
    uint64_t h = mine->low * 0x9E3779B97F4A7C15u ^ mine->high * 0xC2B2AE3D27D4EB4Fu;
    h ^= (his->low ^ his->high << 17) * 0x165667B19E3779F9u;
    h += (uint64_t)(key->seat | key->turns << 1 | key->plies << 3) * 0xD6E8FEB86659FD93u;
    h ^= h >> 32;
    h *= 0x9E3779B97F4A7C15u;
    return (size_t)(h >> 32) % (cache->entries / WAYS) * WAYS;
}

static bool same(const nd_cache_key *entry, const nd_cache_key *key)
{
    return entry->plies == key->plies && entry->seat == key->seat && entry->turns == key->turns &&
           nd_packed_equal(&entry->board, &key->board);
}

bool nd_cache_find(nd_cache *cache, const nd_cache_key *key, float *outcomes)
{
    if (cache->entries == 0) return false;
    cache->asked++;
    const size_t first = bucket_of(cache, key);
    for (size_t at = first; at < first + WAYS; at++) {
        if (!same(&cache->keys[at], key)) continue;
        memcpy(outcomes, cache->values + at * cache->outcomes, cache->outcomes * sizeof *outcomes);
        cache->found++;
        return true;
    }
    return false;
}

void nd_cache_keep(nd_cache *cache, const nd_cache_key *key, const float *outcomes)
{
    if (cache->entries == 0) return;
    const size_t first = bucket_of(cache, key);
    size_t at = first;
    while (at < first + WAYS && cache->keys[at].plies != 0 && !same(&cache->keys[at], key)) at++;
    if (at == first + WAYS) at = first + cache->clock++ % WAYS;
    cache->keys[at] = *key;
    memcpy(cache->values + at * cache->outcomes, outcomes, cache->outcomes * sizeof *outcomes);
}
