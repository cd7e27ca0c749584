#include "position.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Bytes as one word, the first one lowest. Compilers make a single load of the loop. */
static uint64_t load_bytes(const int8_t *in, int count)
{
    uint64_t bytes = 0;
    for (int i = 0; i < count; i++) bytes |= (uint64_t)(uint8_t)in[i] << (8 * i);
    return bytes;
}

/* Eight bytes to eight four-bit counts. */
static uint64_t gather(uint64_t bytes)
{
    uint64_t x = bytes & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x >> 4) & 0x00ff00ff00ff00ffu;
    x = (x | x >> 8) & 0x0000ffff0000ffffu;
    return (x | x >> 16) & 0xffffffffu;
}

nd_packed nd_pack(const nd_board *board)
{
    nd_packed packed;
    for (int side = 0; side < 2; side++) {
        const int8_t *in = board->row[side];
        packed.row[side].low = gather(load_bytes(in, 8)) | gather(load_bytes(in + 8, 8)) << 32;
        packed.row[side].high = gather(load_bytes(in + 16, 8)) | gather(load_bytes(in + 24, 2)) << 32;
    }
    return packed;
}

#if defined(__SSE2__)

/* Sixteen four-bit counts to sixteen bytes. */
static __m128i spread(uint64_t nibbles)
{
    const __m128i even = _mm_set_epi64x(0, (long long)(nibbles & 0x0f0f0f0f0f0f0f0fu));
    const __m128i odd = _mm_set_epi64x(0, (long long)(nibbles >> 4 & 0x0f0f0f0f0f0f0f0fu));
    return _mm_unpacklo_epi8(even, odd);
}

static void unpack_row(const nd_row *row, int8_t *out)
{
    const __m128i high = spread(row->high);
    const int last = _mm_extract_epi16(high, 4);
    _mm_storeu_si128((__m128i *)(void *)out, spread(row->low));
    _mm_storel_epi64((__m128i *)(void *)(out + 16), high);
    out[24] = (int8_t)(last & 255);
    out[25] = (int8_t)(last >> 8);
}

#else

static void store_bytes(int8_t *out, uint64_t bytes, int count)
{
    for (int i = 0; i < count; i++) out[i] = (int8_t)(bytes >> (8 * i) & 255);
}

/* Eight four-bit counts to eight bytes. */
static uint64_t spread(uint64_t nibbles)
{
    uint64_t x = nibbles & 0xffffffffu;
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
    return x;
}

static void unpack_row(const nd_row *row, int8_t *out)
{
    store_bytes(out, spread(row->low), 8);
    store_bytes(out + 8, spread(row->low >> 32), 8);
    store_bytes(out + 16, spread(row->high), 8);
    store_bytes(out + 24, spread(row->high >> 32), 2);
}

#endif

void nd_unpack(const nd_packed *packed, nd_board *board)
{
    unpack_row(&packed->row[0], board->row[0]);
    unpack_row(&packed->row[1], board->row[1]);
}

/* One bit for each non-empty four-bit field of a word. */
static uint32_t occupied_fields(uint64_t word)
{
    uint64_t x = word | word >> 1;
    x |= x >> 2;
    x &= 0x1111111111111111u;
    x = (x | x >> 3) & 0x0303030303030303u;
    x = (x | x >> 6) & 0x000f000f000f000fu;
    x = (x | x >> 12) & 0x000000ff000000ffu;
    return (uint32_t)((x | x >> 24) & 0xffff);
}

uint32_t nd_row_occupied(const nd_row *row)
{
    return occupied_fields(row->low) | occupied_fields(row->high) << 16;
}

uint32_t nd_row_made(const nd_row *row)
{
    const uint64_t twos = 0x7777777777777777u;
    return occupied_fields(row->low >> 1 & twos) | occupied_fields(row->high >> 1 & twos) << 16;
}

nd_board nd_start(const nd_rules *rules)
{
    nd_board board;
    memset(&board, 0, sizeof board);
    memcpy(board.row[0], rules->start, 24);
    memcpy(board.row[1], rules->start, 24);
    return board;
}

/* What can be wrong with a row by itself, in passes without branches. */
typedef struct row_facts {
    int sum;
    bool out_of_range;
} row_facts;

static row_facts read_row(const int8_t *row, int checkers)
{
    unsigned sum = 0, out_of_range = 0;
    for (int column = 0; column < ND_COLUMNS; column++) sum += (uint8_t)row[column];
    for (int column = 0; column < ND_COLUMNS; column++) out_of_range |= (uint8_t)row[column] > checkers;
    return (row_facts){(int)sum, out_of_range != 0};
}

static bool share_a_point(const nd_rules *rules, const nd_board *board)
{
    const nd_packed packed = nd_pack(board);
    const uint32_t mine = nd_row_occupied(&packed.row[0]) & 0xffffff, his = nd_row_occupied(&packed.row[1]) & 0xffffff;
    return (mine & (rules->family == ND_LONG ? his << 12 | his >> 12 : nd_mirrored(his))) != 0;
}

const char *nd_board_fault(const nd_rules *rules, const nd_board *board, int seat, int turns)
{
    if (seat != 0 && seat != 1) return "seat must be 0 (the player on roll started) or 1";
    if (turns < 0 || turns > 3) return "turns must lie between 0 and 3 (3: three or more)";
    for (int side = 0; side < 2; side++) {
        const row_facts facts = read_row(board->row[side], rules->checkers);
        if (facts.out_of_range)
            return side ? "row 1 has a count below 0 or above the number of checkers"
                        : "row 0 has a count below 0 or above the number of checkers";
        if (facts.sum != rules->checkers)
            return side ? "the checkers of row 1 do not add up to the game's number"
                        : "the checkers of row 0 do not add up to the game's number";
        if (rules->family == ND_LONG && board->row[side][ND_BAR] != 0) return "long nardy has no bar (column 24)";
    }
    if (share_a_point(rules, board)) return "both sides stand on one point";
    bool mine = board->row[0][ND_OFF] == rules->checkers, his = board->row[1][ND_OFF] == rules->checkers;
    if (mine && his && !(rules->last_roll && seat == 0)) return "both sides have borne off all checkers";
    if (mine && !his && !rules->last_roll) return "the player on roll has already borne off all checkers";
    if (mine && seat == 1) return "the second player has already borne off all checkers and cannot be on roll";
    return NULL;
}

static int highest_bit(uint32_t mask)
{
    int bit = -1;
    while (mask) {
        mask >>= 1;
        bit++;
    }
    return bit;
}

nd_class nd_classify(const nd_rules *rules, const nd_packed *packed)
{
    /* Own points (1..25) of the rearmost checkers; 0 when all are off. */
    int mine = highest_bit(nd_row_occupied(&packed->row[0]) & 0x1ffffff) + 1;
    int his = highest_bit(nd_row_occupied(&packed->row[1]) & 0x1ffffff) + 1;
    if (mine == 0 || his == 0) return ND_RACE;
    if (rules->family == ND_SHORT) return mine + his > 24 ? ND_CONTACT : ND_RACE;
    /* Both run the same way: paths are apart once both have left the far half of their boards. */
    return mine > 12 || his > 12 ? ND_CONTACT : ND_RACE;
}

int nd_pips(const nd_board *board, int row)
{
    int pips = 0;
    for (int column = 0; column <= ND_BAR; column++) pips += (column + 1) * board->row[row][column];
    return pips;
}
