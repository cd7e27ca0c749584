/* cache.h - values of positions that were searched before: a transposition table of bounded size.
 *
 * A key is everything that a value depends on, and is compared in full, so that what is found is what would
 * be computed again: a cache changes the speed and never an answer. It belongs to one search and one thread.
 */
#ifndef ND_CACHE_H
#define ND_CACHE_H

#include "position.h"

typedef struct nd_cache_key {
    nd_packed board;
    uint8_t seat, turns, plies; /* plies at least 1: 0 marks an empty entry */
} nd_cache_key;

typedef struct nd_cache {
    uint64_t asked, found;
    size_t entries; /* that it holds when full; 0: it holds nothing */
    /* private */
    nd_cache_key *keys;
    float *values; /* [entries][outcomes] */
    size_t outcomes;
    uint32_t clock;
} nd_cache;

/* At most `bytes` of memory; too few for a handful of entries: the cache is off. false: out of memory. */
bool nd_cache_create(nd_cache *cache, size_t bytes, size_t outcomes);
void nd_cache_destroy(nd_cache *cache);

/* Whether the key is known; then its outcomes are copied out. */
bool nd_cache_find(nd_cache *cache, const nd_cache_key *key, float *outcomes);

/* Keeps a value in the place of another once its part of the table is full. */
void nd_cache_keep(nd_cache *cache, const nd_cache_key *key, const float *outcomes);

#endif
