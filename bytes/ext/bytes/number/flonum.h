#ifndef SPATE_BYTES_FLONUM_H
#define SPATE_BYTES_FLONUM_H

/*
 * A Float that is no object as a double, without the call that RFLOAT_VALUE is: it stands in front of each float written.
 *
 *   double  seee eeee eeee mmmm… (52)         turned left by three bits, the lowest two then being Ruby's tag
 *   VALUE   eeee eeee mmmm… (52) e10          of the exponent's three highest bits, 011 or 100, the last is kept
 *
 * So since Ruby 2.0. Whether it is so here is found out when the extension is loaded.
 */
#include <ruby.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

extern bool spate_flonum_is_known;

void spate_init_flonum(void);

/* Whether it is one, and its packing is known. */
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
