#include "encode_prospects.h"

#include <string.h>

#include "encode_bits.h"

enum { ALL = 0xffffff, ON_BAR = 1 << ND_BAR, HOME = 6, STEPS = 8, ROLLS = 21, MIXED = 15, ROOM = 24, CHANCES = 36 };
/* Where the kinds of inputs begin in a side's part. */
enum { AT_BACK = 4, AT_HITS = AT_BACK + STEPS, AT_ANY = AT_HITS + ND_POINTS };
enum { WINDOWS = 19, WINDOW = 6, AT_TRAPPED = 3 * WINDOWS, BLOCKS = WINDOWS - 1 };

int nd_prospects(nd_family family)
{
    return family == ND_SHORT ? ND_PROSPECTS_SHORT : ND_PROSPECTS_LONG;
}

int nd_prospect_most(nd_family family, int input)
{
    if (family == ND_LONG) return input < AT_TRAPPED ? 1 : ND_MAX_CHECKERS;
    if (input >= AT_HITS || input < 2) return CHANCES;
    return input < AT_BACK ? HOME : 1;
}

float nd_prospect_scale(nd_family family, int input)
{
    /* More than five behind a block are rare. */
    return 1.0f / (float)(family == ND_LONG && input >= AT_TRAPPED ? 5 : nd_prospect_most(family, input));
}

static int ones(uint32_t bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

/* The sum of four-bit fields. */
static int fields(uint64_t word)
{
    const uint64_t pairs = (word & 0x0f0f0f0f0f0f0f0fu) + (word >> 4 & 0x0f0f0f0f0f0f0f0fu);
    return (int)(pairs * 0x0101010101010101u >> 56);
}

static void entering(const nd_row *row, const nd_row *other, uint8_t *side)
{
    const int bar = nd_row_count(row, ND_BAR);
    const int closed = bar ? ones(nd_row_made(other) & 63) : 0, open = HOME - closed;
    side[0] = (uint8_t)(bar ? CHANCES - closed * closed : 0);
    side[1] = (uint8_t)(bar > 1 ? open * open : 0);
    side[2] = (uint8_t)closed;
    side[3] = (uint8_t)(bar > 1 ? closed : 0);
}

static void back(const nd_row *row, uint8_t *side)
{
    const int checkers = fields(row->high >> 4 * (18 - 16) & 0xfffffff);
    for (int i = 0; i < STEPS; i++) side[AT_BACK + i] = checkers > i;
}

/* Fills `hit` with the blots that each roll can hit, those of two different dice first, in the other's numbers. */
static void hits_of_rolls(uint32_t hitters, int bar, uint32_t open, uint32_t blots, uint32_t hit[ROOM])
{
    int roll = 0;
    for (int x = 1; x < 6; x++)
        for (int y = x + 1; y <= 6; y++) {
            const uint32_t by_x = bar ? open & ON_BAR >> x : hitters >> x & open, by_y = bar ? open & ON_BAR >> y : hitters >> y & open;
            uint32_t found = by_x | by_y;
            if (bar == 0) found |= by_x >> y | by_y >> x;
            if (bar == 1 && by_x) found |= (hitters | by_x) >> y;
            if (bar == 1 && by_y) found |= (hitters | by_y) >> x;
            hit[roll++] = found & blots;
        }
    for (int x = 1; x <= 6; x++) {
        uint32_t at = hitters, found = 0;
        if (bar) found = open & ON_BAR >> x, at = found ? at | found : 0;
        for (int moves = bar; moves < 4; moves++) {
            at = at >> x & open;
            found |= at;
        }
        hit[roll++] = found & blots;
    }
    while (roll < ROOM) hit[roll++] = 0;
}

static void hits(const nd_row *row, const nd_row *other, uint8_t *side)
{
    static const uint8_t WEIGHTS[ROOM] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1};
    const uint32_t made = nd_row_made(row) & ALL, his = nd_row_occupied(other) & (ALL | ON_BAR);
    const uint32_t blots = nd_mirrored(nd_row_occupied(row) & ~made & ALL);
    memset(side + AT_HITS, 0, ND_POINTS + 2);
    /* His rearmost checker must be above my rearmost blot. */
    if (!blots || his <= (blots & (0u - blots))) return;
    uint32_t hit[ROOM];
    hits_of_rolls(his & ALL, nd_row_count(other, ND_BAR), ~nd_mirrored(made) & ALL, blots, hit);
    int any = 0, several = 0;
    for (int roll = 0; roll < ROOM; roll++) {
        any += hit[roll] ? WEIGHTS[roll] : 0;
        several += hit[roll] & (hit[roll] - 1) ? WEIGHTS[roll] : 0;
    }
    side[AT_ANY] = (uint8_t)any;
    side[AT_ANY + 1] = (uint8_t)several;
    for (int column = 0; any && column < ND_POINTS; column++) {
        if (!(blots >> column & 1)) continue;
        uint32_t rolls = 0;
        for (int roll = 0; roll < ROOM; roll++) rolls += (hit[roll] >> column & 1) * WEIGHTS[roll];
        side[AT_HITS + ND_POINTS - 1 - column] = (uint8_t)rolls;
    }
}

/* Of six points in a row from each on, by bits: at least four are among `points`, at least five, all six. */
static void windows(uint32_t points, uint32_t least[3])
{
    const uint32_t a = points, b = points >> 1, c = points >> 2, d = points >> 3, e = points >> 4, f = points >> 5;
    const uint32_t low = a ^ b ^ c, high = d ^ e ^ f, carry = low & high;
    const uint32_t two_low = (a & b) | (c & (a ^ b)), two_high = (d & e) | (f & (d ^ e));
    const uint32_t ones_of = low ^ high, twos = two_low ^ two_high ^ carry;
    const uint32_t fours = (two_low & two_high) | (carry & (two_low ^ two_high));
    least[0] = fours;
    least[1] = fours & (ones_of | twos);
    least[2] = fours & twos;
}

/* Checkers on a column or above. */
static int from_column(const nd_row *row, int column)
{
    const uint64_t high = row->high & 0xffffffffu;
    return column < 16 ? fields(row->low >> 4 * column) + fields(high) : fields(high >> 4 * (column - 16));
}

static void seams(const nd_row *row, const nd_row *other, uint8_t *side)
{
    const uint32_t mine = nd_row_occupied(row) & ALL, his = nd_row_occupied(other) & ALL;
    uint32_t least[3];
    windows(mine, least);
    for (int i = 0; i < 3; i++) nd_spread(least[i], WINDOWS, side + i * WINDOWS);
    windows((his >> 12 | his << 12) & ALL, least);
    for (int start = 0; start < BLOCKS; start++)
        side[AT_TRAPPED + start] = (uint8_t)(least[1] >> start & 1 ? from_column(row, start + WINDOW) : 0);
}

void nd_prospects_of(nd_family family, const nd_row *row, const nd_row *other, uint8_t *side)
{
    if (family == ND_LONG) {
        seams(row, other, side);
        return;
    }
    entering(row, other, side);
    back(row, side);
    hits(row, other, side);
}
