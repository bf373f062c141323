#ifndef SPATE_BYTES_FLONUM_H
#define SPATE_BYTES_FLONUM_H

/*
 * Converts flonums (Floats stored in the VALUE itself) to double without the function call of RFLOAT_VALUE, which would
 * precede each write of a float.
 *
 *   double  seee eeee eeee mmmm… (52)         rotated left by three bits; the lowest two become Ruby's tag
 *   VALUE   eeee eeee mmmm… (52) e10          the exponent's three highest bits are 011 or 100; the last one is kept
 *
 * Ruby uses this encoding since 2.0. Loading the extension checks that it still does.
 */
#include <ruby.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

extern bool spate_flonum_is_known;

/* Sets spate_flonum_is_known. */
void spate_init_flonum(void);

/* Whether `number` is a flonum with the known encoding. */
static inline bool spate_is_flonum(VALUE number) {
    return RB_FLONUM_P(number) && RB_LIKELY(spate_flonum_is_known);
}

static inline double spate_double_of_flonum(VALUE number) {
    uint64_t packed = number;
    if (packed == 0x8000000000000002)
        return 0.0;
    packed = (packed & ~(uint64_t)3) | (2 - (packed >> 63));
    uint64_t bits = packed >> 3 | packed << 61;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
