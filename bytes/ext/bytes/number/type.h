/*
 * The element types of ECMA-262 table 70: conversions between numbers and bytes. Numbers wrap around as in JavaScript.
 * Other objects raise TypeError, as is usual in Ruby.
 */
#ifndef SPATE_BYTES_TYPE_H
#define SPATE_BYTES_TYPE_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * Converts flonums (Floats stored in the VALUE itself) to double without the function call of RFLOAT_VALUE, because
 * each write of a float needs the conversion.
 *
 *   double  seee eeee eeee mmmm… (52)         rotated left by three bits; the lowest two become Ruby's tag
 *   VALUE   eeee eeee mmmm… (52) e10          the exponent's three highest bits are 011 or 100; the last one is kept
 *
 * Ruby uses this encoding since 2.0. Loading the extension checks that it still does.
 */
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

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SPATE_LITTLE_HOST true
#else
#define SPATE_LITTLE_HOST false
#endif

/* X(name, C type, storage of that width, Ruby's name, JavaScript's name) */
#define SPATE_INTEGER_TYPES(X)                                                                                         \
    X(int8, int8_t, uint8_t, "Int8")                                                                                   \
    X(uint8, uint8_t, uint8_t, "Uint8")                                                                                \
    X(int16, int16_t, uint16_t, "Int16")                                                                               \
    X(uint16, uint16_t, uint16_t, "Uint16")                                                                            \
    X(int32, int32_t, uint32_t, "Int32")                                                                               \
    X(uint32, uint32_t, uint32_t, "Uint32")

/* ---- Bytes ------------------------------------------------------------------------------------------------------- */

static inline uint8_t spate_swap_uint8_t(uint8_t bits) {
    return bits;
}
static inline uint16_t spate_swap_uint16_t(uint16_t bits) {
    return __builtin_bswap16(bits);
}
static inline uint32_t spate_swap_uint32_t(uint32_t bits) {
    return __builtin_bswap32(bits);
}
static inline uint64_t spate_swap_uint64_t(uint64_t bits) {
    return __builtin_bswap64(bits);
}

/* Loads and stores unaligned values in the requested byte order. */
#define SPATE_DEFINE_ACCESS(storage)                                                                                   \
    static inline storage spate_load_##storage(const uint8_t *at, bool little) {                                       \
        storage bits;                                                                                                  \
        memcpy(&bits, at, sizeof bits);                                                                                \
        return little == SPATE_LITTLE_HOST ? bits : spate_swap_##storage(bits);                                        \
    }                                                                                                                  \
    static inline void spate_store_##storage(uint8_t *at, storage bits, bool little) {                                 \
        if (little != SPATE_LITTLE_HOST)                                                                               \
            bits = spate_swap_##storage(bits);                                                                         \
        memcpy(at, &bits, sizeof bits);                                                                                \
    }

SPATE_DEFINE_ACCESS(uint8_t)
SPATE_DEFINE_ACCESS(uint16_t)
SPATE_DEFINE_ACCESS(uint32_t)
SPATE_DEFINE_ACCESS(uint64_t)

/* ---- Numbers to bits --------------------------------------------------------------------------------------------- */

/* Returns the integer part of a number modulo 2^64; 0 for NaN and the infinities (ECMA-262 7.1.6 to 7.1.12). */
uint64_t spate_to_bits_slowly(VALUE number);

static inline uint64_t spate_to_bits(VALUE number) {
    if (FIXNUM_P(number))
        return (uint64_t)FIX2LONG(number);
    return spate_to_bits_slowly(number);
}

/* Returns an Integer modulo 2^64. Raises TypeError for a Float (ECMA-262 7.1.13 ToBigInt). */
uint64_t spate_to_big_bits(VALUE number);

/* Clamps a number to 0..255 and rounds halves to even (ECMA-262 7.1.12 ToUint8Clamp). */
uint8_t spate_to_clamped(VALUE number);

double spate_to_double_slowly(VALUE number);

/* Whether the conversion to double neither raises nor calls a function. */
static inline bool spate_is_plain_number(VALUE number) {
    return spate_is_flonum(number) || FIXNUM_P(number);
}

static inline double spate_to_double(VALUE number) {
    if (spate_is_flonum(number))
        return spate_double_of_flonum(number);
    return FIXNUM_P(number) ? (double)FIX2LONG(number) : spate_to_double_slowly(number);
}

static inline uint32_t spate_bits_of_float(double value) {
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return value != value ? 0x7fc00000 : bits;
}

static inline uint64_t spate_bits_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value != value ? 0x7ff8000000000000 : bits;
}

static inline double spate_float_of_bits(uint32_t bits) {
    float single;
    memcpy(&single, &bits, sizeof single);
    return single;
}

static inline double spate_double_of_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Converts a double to IEEE 754 binary16. Rounds once, halves to even. NaN becomes 0x7e00. */
uint16_t spate_half_from_double_slowly(double value);

/*
 * Fast path for normal numbers: the bias of the exponent changes from 1023 to 15, and 42 bits of the significand are
 * rounded away; a carry increments the exponent, up to infinity.
 */
static inline uint16_t spate_half_from_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t rebiased = (bits & ~((uint64_t)1 << 63)) - ((uint64_t)1008 << 52);
    if (rebiased - ((uint64_t)1 << 52) >= (uint64_t)30 << 52)
        return spate_half_from_double_slowly(value);
    rebiased += (((uint64_t)1 << 41) - 1) + (rebiased >> 42 & 1);
    return (uint16_t)(bits >> 48 & 0x8000) | (uint16_t)(rebiased >> 42);
}

static inline double spate_double_from_half(uint16_t bits) {
    uint64_t sign = (uint64_t)(bits & 0x8000) << 48, exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    if (exponent == 0)
        return spate_double_of_bits(spate_bits_of_double((double)fraction * 0x1p-24) | sign);
    exponent = exponent == 31 ? 0x7ff : exponent + 1008;
    return spate_double_of_bits(sign | exponent << 52 | fraction << 42);
}

/* ---- Conversion between bits and Ruby numbers -------------------------------------------------------------------- */

#define SPATE_INT8(bits) INT2FIX((int8_t)(bits))
#define SPATE_UINT8(bits) INT2FIX(bits)
#define SPATE_INT16(bits) INT2FIX((int16_t)(bits))
#define SPATE_UINT16(bits) INT2FIX(bits)
#define SPATE_INT32(bits) LL2NUM((int32_t)(bits))
#define SPATE_UINT32(bits) LL2NUM(bits)
#define SPATE_INT64(bits) LL2NUM((int64_t)(bits))
#define SPATE_UINT64(bits) ULL2NUM(bits)
#define SPATE_HALF(bits) DBL2NUM(spate_double_from_half(bits))
#define SPATE_FLOAT(bits) DBL2NUM(spate_float_of_bits(bits))
#define SPATE_DOUBLE(bits) DBL2NUM(spate_double_of_bits(bits))

#define SPATE_HALF_OF(value) spate_half_from_double(spate_to_double(value))
#define SPATE_FLOAT_OF(value) spate_bits_of_float(spate_to_double(value))
#define SPATE_DOUBLE_OF(value) spate_bits_of_double(spate_to_double(value))

/* ---- Type table for typed arrays --------------------------------------------------------------------------------- */

typedef struct spate_type {
    const char *name;                                    /* "Int8": the class is Int8Array */
    size_t width;                                        /* bytes of an element */
    VALUE (*load)(const uint8_t *at);                    /* in the machine's byte order, as in typed arrays */
    uint64_t (*convert)(VALUE number);                   /* to the element's bits; may run Ruby code and raise */
    void (*store)(uint8_t *at, uint64_t bits);           /* never raises */
    int (*compare)(const void *left, const void *right); /* ECMA-262 23.2.4.7: -0 before 0, NaN last */
    bool floating;
    bool big; /* BigInt64 and BigUint64: mixing them with other types raises TypeError */
} spate_type;

enum { SPATE_TYPES = 12 };
extern const spate_type spate_types[SPATE_TYPES];

#endif
