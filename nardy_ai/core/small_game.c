#include "small_game.h"

#include <stdlib.h>
#include <string.h>

enum { POINT_MASK = 0xffffff, NO_HITS = 0x7fff };

/* ---- rows ----------------------------------------------------------------------------------------- */

static int choose(int n, int k)
{
    int result = 1;
    for (int i = 0; i < k; i++) result = result * (n - i) / (i + 1);
    return result;
}

int nd_small_row(const nd_small_game *game, const nd_row *row)
{
    int number = 0, left = game->rules.checkers;
    for (int column = ND_BAR; column >= 0 && left > 0; column--)
        for (int count = nd_row_count(row, column); count > 0; count--, left--) number += choose(column + left, left);
    return number;
}

/* The row of the next number: the last of the lists of pips that can grow does, and those behind it begin anew. */
static bool next_pips(int *pips, int count, int most)
{
    for (int i = count - 1; i >= 0; i--) {
        if (pips[i] >= (i > 0 ? pips[i - 1] : most)) {
            pips[i] = 0;
            continue;
        }
        pips[i]++;
        return true;
    }
    return false;
}

static void describe(nd_small_game *game, int number, const int8_t *counts)
{
    for (int column = 0; column < ND_POINTS; column++) {
        if (counts[column] == 0) continue;
        const uint32_t bit = 1u << nd_facing(&game->rules, column);
        game->own[number] |= 1u << column;
        if (game->rules.family == ND_LONG || counts[column] > 1) game->closed[number] |= bit;
        else game->blots[number] |= bit;
    }
}

static void link_hits(nd_small_game *game, int number, int8_t *counts)
{
    for (int column = 0; column < ND_POINTS; column++) {
        game->hit[number * ND_POINTS + column] = (uint16_t)number;
        if (game->rules.family == ND_LONG || counts[column] != 1) continue;
        nd_board board;
        memset(&board, 0, sizeof board);
        memcpy(board.row[0], counts, ND_COLUMNS);
        board.row[0][column]--;
        board.row[0][ND_BAR]++;
        const nd_packed packed = nd_pack(&board);
        game->hit[number * ND_POINTS + column] = (uint16_t)nd_small_row(game, &packed.row[0]);
    }
}

typedef struct row_bytes {
    int8_t counts[ND_COLUMNS];
    uint16_t number;
} row_bytes;

static int compare_bytes(const void *a, const void *b)
{
    return memcmp(((const row_bytes *)a)->counts, ((const row_bytes *)b)->counts, ND_COLUMNS);
}

static bool fill_rows(nd_small_game *game)
{
    const int checkers = game->rules.checkers, most = game->rules.family == ND_LONG ? 24 : 25;
    int pips[ND_SMALL_CHECKERS] = {0};
    row_bytes *all = malloc((size_t)game->rows * sizeof *all);
    if (!all) return false;
    for (int number = 0; number < game->rows; number++) {
        nd_board board;
        memset(&board, 0, sizeof board);
        for (int i = 0; i < checkers; i++) board.row[0][pips[i] ? pips[i] - 1 : ND_OFF]++;
        const nd_packed packed = nd_pack(&board);
        game->packed[number] = packed.row[0];
        describe(game, number, board.row[0]);
        link_hits(game, number, board.row[0]);
        memcpy(all[number].counts, board.row[0], ND_COLUMNS);
        all[number].number = (uint16_t)number;
        next_pips(pips, checkers, most);
    }
    qsort(all, (size_t)game->rows, sizeof *all, compare_bytes);
    for (int place = 0; place < game->rows; place++) game->order[all[place].number] = (uint16_t)place;
    free(all);
    return true;
}

nd_small_game *nd_small_game_create(const nd_rules *rules, const char **fault)
{
    *fault = "exact solutions reach games of up to 3 checkers a side";
    if (rules->checkers > ND_SMALL_CHECKERS) return NULL;
    *fault = "out of memory";
    nd_small_game *game = calloc(1, sizeof *game);
    if (!game) return NULL;
    game->rules = *rules;
    game->seats = nd_rules_use_seat(rules) ? 2 : 1;
    game->rows = choose((rules->family == ND_LONG ? 24 : 25) + rules->checkers, rules->checkers);
    const size_t rows = (size_t)game->rows;
    game->packed = malloc(rows * sizeof *game->packed);
    game->own = calloc(rows, sizeof *game->own);
    game->closed = calloc(rows, sizeof *game->closed);
    game->blots = calloc(rows, sizeof *game->blots);
    game->hit = malloc(rows * ND_POINTS * sizeof *game->hit);
    game->order = malloc(rows * sizeof *game->order);
    game->replies = calloc(rows, sizeof *game->replies);
    if (game->packed && game->own && game->closed && game->blots && game->hit && game->order && game->replies &&
        fill_rows(game)) {
        const nd_board start = nd_start(rules);
        const nd_packed packed = nd_pack(&start);
        game->start = nd_small_row(game, &packed.row[0]);
        return game;
    }
    nd_small_game_destroy(game);
    return NULL;
}

static void drop_replies(nd_replies *replies)
{
    free(replies->keys);
    free(replies->places);
    free(replies->lists);
    memset(replies, 0, sizeof *replies);
}

void nd_small_game_destroy(nd_small_game *game)
{
    if (!game) return;
    for (int row = 0; game->replies && row < game->rows; row++) drop_replies(&game->replies[row]);
    free(game->packed);
    free(game->own);
    free(game->closed);
    free(game->blots);
    free(game->hit);
    free(game->order);
    free(game->replies);
    free(game);
}

nd_packed nd_small_board(const nd_small_game *game, int mine, int his)
{
    const nd_packed board = {{game->packed[mine], game->packed[his]}};
    return board;
}

/* ---- plays ---------------------------------------------------------------------------------------- */

/* Every column where a movement of the roll could land if nothing stood in its way; more would do no harm. */
static uint32_t touched_by(uint32_t occupied, nd_roll roll)
{
    uint32_t touched = 0;
    if (roll.high == roll.low)
        for (int k = 1; k <= 4; k++) touched |= occupied >> (k * roll.high);
    else touched = occupied >> roll.high | occupied >> roll.low | occupied >> (roll.high + roll.low);
    return touched & POINT_MASK;
}

static uint64_t sight(const nd_small_game *game, int his, uint32_t touched)
{
    return (game->closed[his] & touched) + ((uint64_t)(game->blots[his] & touched) << 24) + 1;
}

static size_t slot_of(uint64_t key)
{
    return (size_t)(key * 0x9E3779B97F4A7C15u >> 40);
}

const uint32_t *nd_small_plays(const nd_small_game *game, int mine, int his, int roll)
{
    const nd_replies *replies = &game->replies[mine];
    const uint64_t key = sight(game, his, replies->touched[roll]);
    const uint32_t begin = replies->slots[roll], mask = replies->masks[roll];
    size_t slot = slot_of(key) & mask;
    while (replies->keys[begin + slot] != key) slot = (slot + 1) & mask;
    return replies->lists + replies->places[begin + slot];
}

/* Growing arrays of one thread while it fills rows. */
typedef struct filling {
    nd_plays plays;
    uint64_t *seen; /* sights of one roll, hashed */
    uint32_t *seen_places;
    size_t seen_mask;
    uint64_t *keys;
    uint32_t *places;
    size_t slots, slots_room;
    uint32_t *lists;
    size_t words, words_room;
} filling;

static bool filling_create(filling *filling, int rows)
{
    memset(filling, 0, sizeof *filling);
    filling->seen_mask = 1;
    while (filling->seen_mask < 2 * (size_t)rows) filling->seen_mask *= 2;
    filling->seen_mask--;
    filling->slots_room = filling->words_room = 1 << 14;
    filling->seen = malloc((filling->seen_mask + 1) * sizeof *filling->seen);
    filling->seen_places = malloc((filling->seen_mask + 1) * sizeof *filling->seen_places);
    filling->keys = malloc(filling->slots_room * sizeof *filling->keys);
    filling->places = malloc(filling->slots_room * sizeof *filling->places);
    filling->lists = malloc(filling->words_room * sizeof *filling->lists);
    return filling->seen && filling->seen_places && filling->keys && filling->places && filling->lists &&
           nd_plays_create(&filling->plays);
}

static void filling_destroy(filling *filling)
{
    nd_plays_destroy(&filling->plays);
    free(filling->seen);
    free(filling->seen_places);
    free(filling->keys);
    free(filling->places);
    free(filling->lists);
}

static bool make_slots(filling *filling, size_t count)
{
    if (filling->slots + count > filling->slots_room) {
        const size_t room = 2 * (filling->slots + count);
        uint64_t *keys = realloc(filling->keys, room * sizeof *keys);
        if (keys) filling->keys = keys;
        uint32_t *places = realloc(filling->places, room * sizeof *places);
        if (places) filling->places = places;
        if (!keys || !places) return false;
        filling->slots_room = room;
    }
    memset(filling->keys + filling->slots, 0, count * sizeof *filling->keys);
    memset(filling->places + filling->slots, 0, count * sizeof *filling->places);
    filling->slots += count;
    return true;
}

static bool make_words(filling *filling, size_t count)
{
    if (filling->words + count <= filling->words_room) return true;
    const size_t room = 2 * (filling->words + count);
    uint32_t *lists = realloc(filling->lists, room * sizeof *lists);
    if (!lists) return false;
    filling->lists = lists;
    filling->words_room = room;
    return true;
}

static uint32_t reply_of(const nd_small_game *game, const nd_packed *before, const nd_packed *result)
{
    uint32_t hits = NO_HITS;
    if (!nd_row_equal(&before->row[1], &result->row[1]))
        for (int column = 0; column < ND_POINTS; column++)
            if (nd_row_count(&result->row[1], column) < nd_row_count(&before->row[1], column))
                hits = (hits << 5 | (uint32_t)column) & NO_HITS;
    return (uint32_t)nd_small_row(game, &result->row[0]) | hits << 16;
}

static bool append_list(filling *filling, const nd_small_game *game, const nd_packed *board, nd_roll roll)
{
    nd_plays *plays = &filling->plays;
    if (!nd_plays_generate(plays, &game->rules, board, 0, 3, roll.high, roll.low)) return false;
    if (!make_words(filling, plays->count + 1)) return false;
    filling->lists[filling->words++] = (uint32_t)plays->count | (plays->passed ? ND_LIST_PASSED : 0);
    /* Replies that hit stand behind the others. */
    size_t front = filling->words, back = filling->words += plays->count;
    for (size_t i = 0; i < plays->count; i++) {
        const uint32_t reply = reply_of(game, board, &plays->results[i]);
        filling->lists[nd_reply_hits(reply) ? --back : front++] = reply;
    }
    return true;
}

static bool fill_roll(filling *filling, const nd_small_game *game, int mine, int number, nd_replies *replies)
{
    const nd_roll roll = nd_roll_at(number);
    const uint32_t bar = (uint32_t)nd_row_count(&game->packed[mine], ND_BAR) ? 1u << ND_BAR : 0;
    const uint32_t touched = touched_by(game->own[mine] | bar, roll);
    size_t sights = 0;
    memset(filling->seen, 0, (filling->seen_mask + 1) * sizeof *filling->seen);
    for (int his = 0; his < game->rows; his++) {
        if (!nd_small_apart(game, mine, his)) continue;
        const uint64_t key = sight(game, his, touched);
        size_t at = slot_of(key) & filling->seen_mask;
        while (filling->seen[at] != 0 && filling->seen[at] != key) at = (at + 1) & filling->seen_mask;
        if (filling->seen[at] == key) continue;
        filling->seen[at] = key;
        filling->seen_places[at] = (uint32_t)filling->words;
        sights++;
        const nd_packed board = nd_small_board(game, mine, his);
        if (!append_list(filling, game, &board, roll)) return false;
    }
    size_t size = 2;
    while (2 * size < 3 * sights) size *= 2;
    const size_t begin = filling->slots;
    if (!make_slots(filling, size)) return false;
    for (size_t i = 0; i <= filling->seen_mask; i++) {
        if (filling->seen[i] == 0) continue;
        size_t slot = slot_of(filling->seen[i]) & (size - 1);
        while (filling->keys[begin + slot] != 0) slot = (slot + 1) & (size - 1);
        filling->keys[begin + slot] = filling->seen[i];
        filling->places[begin + slot] = filling->seen_places[i];
    }
    replies->touched[number] = touched;
    replies->slots[number] = (uint32_t)begin;
    replies->masks[number] = (uint32_t)size - 1;
    return true;
}

static bool fill_row(filling *filling, nd_small_game *game, int mine)
{
    nd_replies replies;
    memset(&replies, 0, sizeof replies);
    filling->slots = filling->words = 0;
    for (int roll = 0; roll < ND_ROLLS; roll++)
        if (!fill_roll(filling, game, mine, roll, &replies)) return false;
    replies.keys = malloc(filling->slots * sizeof *replies.keys);
    replies.places = malloc(filling->slots * sizeof *replies.places);
    replies.lists = malloc(filling->words * sizeof *replies.lists);
    if (!replies.keys || !replies.places || !replies.lists) {
        drop_replies(&replies);
        return false;
    }
    memcpy(replies.keys, filling->keys, filling->slots * sizeof *replies.keys);
    memcpy(replies.places, filling->places, filling->slots * sizeof *replies.places);
    memcpy(replies.lists, filling->lists, filling->words * sizeof *replies.lists);
    game->replies[mine] = replies;
    return true;
}

bool nd_small_game_fill(nd_small_game *game, int begin, int end)
{
    filling filling;
    bool fine = filling_create(&filling, game->rows);
    /* Row 0 has nothing left to play. */
    for (int mine = begin > 1 ? begin : 1; fine && mine < end; mine++)
        if (!game->replies[mine].lists) fine = fill_row(&filling, game, mine);
    filling_destroy(&filling);
    return fine;
}
