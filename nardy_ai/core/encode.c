#include "encode.h"

#include <string.h>

static const char *const NAMES[ND_ENCODINGS] = {"short-1", "long-1", "long-1-seat", "short-2", "long-2", "long-2-seat",
                                                "short-3", "long-3", "long-3-seat"};

const char *nd_encoding_name(nd_encoding encoding)
{
    return NAMES[encoding];
}

nd_family nd_encoding_family(nd_encoding encoding)
{
    return nd_encoding_of_scout(encoding) == ND_SHORT_1 ? ND_SHORT : ND_LONG;
}

bool nd_encoding_sees_seat(nd_encoding encoding)
{
    return nd_encoding_of_scout(encoding) == ND_LONG_1_SEAT;
}

/* The encodings come in threes: each line of three sees more than the one before. */
nd_sight nd_encoding_sight(nd_encoding encoding)
{
    return (nd_sight)(encoding / ND_SHORT_2);
}

nd_encoding nd_encoding_of_scout(nd_encoding encoding)
{
    return (nd_encoding)(encoding % ND_SHORT_2);
}

int nd_encoding_inputs(nd_encoding encoding)
{
    static const int COLUMNS[] = {196, 194, 195};
    return COLUMNS[nd_encoding_of_scout(encoding)] + nd_shape_inputs(nd_encoding_family(encoding), nd_encoding_sight(encoding));
}

nd_encoding nd_encoding_for(const nd_rules *rules)
{
    if (rules->family == ND_SHORT) return ND_SHORT_1;
    return rules->last_roll ? ND_LONG_1_SEAT : ND_LONG_1;
}

static void fill_point(nd_family family, int count, float *units)
{
    units[0] = family == ND_SHORT ? count == 1 : count >= 1;
    units[1] = count >= 2;
    units[2] = count >= 3;
    units[3] = count > 3 ? (float)(count - 3) / (family == ND_SHORT ? 2.0f : 4.0f) : 0;
}

void nd_encoding_fill(nd_encoding encoding, nd_encoding_table *table)
{
    const nd_family family = nd_encoding_family(encoding);
    int next = 0;
    memset(table, 0, sizeof *table);
    memset(table->index, -1, sizeof table->index);
    for (int side = 0; side < 2; side++)
        for (int column = 0; column < ND_COLUMNS; column++) {
            if (column == ND_BAR && family == ND_LONG) continue;
            const int units = column < ND_POINTS ? ND_UNITS : 1;
            for (int unit = 0; unit < units; unit++) table->index[side][column][unit] = (int16_t)next++;
            for (int count = 1; count < ND_COUNTS; count++) {
                float *value = table->value[side][column][count];
                if (column < ND_POINTS) fill_point(family, count, value);
                else value[0] = (float)count / (column == ND_BAR ? 2.0f : 15.0f);
            }
        }
    table->seat_input = nd_encoding_sees_seat(encoding) ? next++ : -1;
    table->sight = nd_encoding_sight(encoding);
    table->shape_input = table->sight == ND_SEES_POINTS ? -1 : next;
    table->inputs = nd_encoding_inputs(encoding);
    table->family = family;
}

void nd_encode(const nd_encoding_table *table, const nd_board *board, int seat, float *out)
{
    memset(out, 0, (size_t)table->inputs * sizeof *out);
    for (int side = 0; side < 2; side++)
        for (int column = 0; column < ND_COLUMNS; column++) {
            const int count = board->row[side][column];
            for (int unit = 0; unit < ND_UNITS; unit++) {
                const int index = table->index[side][column][unit];
                if (index >= 0) out[index] = table->value[side][column][count][unit];
            }
        }
    if (table->seat_input >= 0) out[table->seat_input] = (float)seat;
    if (table->shape_input < 0) return;
    uint8_t shape[ND_MAX_SHAPE];
    const nd_packed packed = nd_pack(board);
    nd_shape(table->family, table->sight, &packed, shape);
    for (int i = 0; i < table->inputs - table->shape_input; i++)
        out[table->shape_input + i] = (float)shape[i] * nd_shape_scale(table->family, i);
}
