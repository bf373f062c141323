#ifndef SPATE_BYTES_BITS_H
#define SPATE_BYTES_BITS_H

/*
 * Bit fields in either order. In big-endian order (networks, most formats) the first bit is a byte's highest, in
 * little-endian order (deflate, many codecs) its lowest; a field's bits follow in the same order.
 */
#include "number/type.h"

typedef enum spate_bit_order { SPATE_BIG, SPATE_LITTLE } spate_bit_order;

static inline uint64_t spate_low_bits(uint64_t value, unsigned width) {
    return width < 64 ? value & (((uint64_t)1 << width) - 1) : value;
}

/* The `width` (1 to 64) bits at this bit of `bytes`, all of which must lie within `length`. */
uint64_t spate_bits_get(const uint8_t *bytes, size_t length, uint64_t position, unsigned width, spate_bit_order order);

/* Overwrites them; bits beside them stay. */
void spate_bits_put(uint8_t *bytes, uint64_t position, uint64_t value, unsigned width, spate_bit_order order);

/* A width from Ruby: RangeError outside 1 to 64. */
unsigned spate_to_width(VALUE number);

/* An unsigned number that fits `width` bits; RangeError otherwise, TypeError for anything but an Integer. */
uint64_t spate_to_field(VALUE number, unsigned width);
/* The same in two's complement. */
uint64_t spate_to_signed_field(VALUE number, unsigned width);
VALUE spate_signed_field(uint64_t bits, unsigned width);

/* Of the keywords, order: :big (the default, nil) or :little. ArgumentError for others. */
spate_bit_order spate_take_bit_order(VALUE options);

void spate_init_bit_reader(VALUE spate);
void spate_init_bit_writer(VALUE spate);

#endif
