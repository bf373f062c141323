#ifndef SPATE_BYTES_BITS_H
#define SPATE_BYTES_BITS_H

/*
 * Bit fields in both bit orders. In big-endian order (network protocols, most formats), the first bit is the most
 * significant bit of a byte. In little-endian order (deflate, many codecs), it is the least significant bit. The bits
 * of a field have the same order.
 */
#include "number/type.h"

typedef enum spate_bit_order { SPATE_BIG, SPATE_LITTLE } spate_bit_order;

static inline uint64_t spate_low_bits(uint64_t value, unsigned width) {
    return width < 64 ? value & (((uint64_t)1 << width) - 1) : value;
}

/* Returns `width` (1 to 64) bits at bit `position` of `bytes`. The caller checks that they are within `length`. */
uint64_t spate_bits_get(const uint8_t *bytes, size_t length, uint64_t position, unsigned width, spate_bit_order order);

/* Overwrites `width` bits at bit `position` and no others. The caller checks the bounds. */
void spate_bits_put(uint8_t *bytes, uint64_t position, uint64_t value, unsigned width, spate_bit_order order);

/* Converts a width in bits. Raises RangeError unless it is 1 to 64, TypeError. */
unsigned spate_to_width(VALUE number);

/* Converts an unsigned Integer of at most `width` bits. Raises RangeError if it does not fit, TypeError. */
uint64_t spate_to_field(VALUE number, unsigned width);
/* Converts a signed Integer to two's complement. Raises like spate_to_field. */
uint64_t spate_to_signed_field(VALUE number, unsigned width);
/* Converts `width` bits in two's complement to an Integer. */
VALUE spate_signed_field(uint64_t bits, unsigned width);

/* Reads the keyword `order`: :big (the default, also for nil) or :little. Raises ArgumentError. */
spate_bit_order spate_take_bit_order(VALUE options);

void spate_init_bit_reader(VALUE spate);
void spate_init_bit_writer(VALUE spate);

#endif
