/* encode_bits.h - sets of points taken apart, for the inputs that see several points at once. */
#ifndef ND_ENCODE_BITS_H
#define ND_ENCODE_BITS_H

#include <stdint.h>

/* Bits 0 .. count - 1, a byte each; up to seven bytes more are overwritten. */
static inline void nd_spread(uint32_t bits, int count, uint8_t *out)
{
    for (int at = 0; at < count; at += 8, bits >>= 8) {
        /* Byte k of the product's masked copy holds bit k; adding 127 carries it to the byte's top. */
        uint64_t bytes = (bits & 255) * 0x0101010101010101u & 0x8040201008040201u;
        bytes = (bytes + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
        for (int k = 0; k < 8; k++) out[at + k] = (uint8_t)(bytes >> 8 * k);
    }
}

#endif
