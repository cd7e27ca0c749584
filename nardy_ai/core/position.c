#include "position.h"

#include <string.h>

nd_packed nd_pack(const nd_board *board)
{
    nd_packed packed;
    for (int side = 0; side < 2; side++) {
        uint64_t low = 0, high = 0;
        for (int column = 15; column >= 0; column--) low = low << 4 | (uint64_t)(board->row[side][column] & 15);
        for (int column = 25; column >= 16; column--) high = high << 4 | (uint64_t)(board->row[side][column] & 15);
        packed.row[side].low = low;
        packed.row[side].high = high;
    }
    return packed;
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

static void store_bytes(int8_t *out, uint64_t bytes, int count)
{
    for (int i = 0; i < count; i++) out[i] = (int8_t)(bytes >> (8 * i) & 255);
}

void nd_unpack(const nd_packed *packed, nd_board *board)
{
    for (int side = 0; side < 2; side++) {
        const nd_row *row = &packed->row[side];
        int8_t *out = board->row[side];
        store_bytes(out, spread(row->low), 8);
        store_bytes(out + 8, spread(row->low >> 32), 8);
        store_bytes(out + 16, spread(row->high), 8);
        store_bytes(out + 24, spread(row->high >> 32), 2);
    }
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

nd_board nd_start(const nd_rules *rules)
{
    nd_board board;
    memset(&board, 0, sizeof board);
    memcpy(board.row[0], rules->start, 24);
    memcpy(board.row[1], rules->start, 24);
    return board;
}

static int row_sum(const int8_t *row)
{
    int sum = 0;
    for (int column = 0; column < ND_COLUMNS; column++) sum += row[column];
    return sum;
}

const char *nd_board_fault(const nd_rules *rules, const nd_board *board, int seat, int turns)
{
    if (seat != 0 && seat != 1) return "seat must be 0 (the player on roll started) or 1";
    if (turns < 0 || turns > 3) return "turns must lie between 0 and 3 (3: three or more)";
    for (int side = 0; side < 2; side++) {
        for (int column = 0; column < ND_COLUMNS; column++)
            if (board->row[side][column] < 0 || board->row[side][column] > rules->checkers)
                return side ? "row 1 has a count below 0 or above the number of checkers"
                            : "row 0 has a count below 0 or above the number of checkers";
        if (row_sum(board->row[side]) != rules->checkers)
            return side ? "the checkers of row 1 do not add up to the game's number"
                        : "the checkers of row 0 do not add up to the game's number";
        if (rules->family == ND_LONG && board->row[side][ND_BAR] != 0) return "long nardy has no bar (column 24)";
    }
    for (int column = 0; column < ND_POINTS; column++)
        if (board->row[0][column] && board->row[1][nd_facing(rules, column)])
            return "both sides stand on one point";
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
