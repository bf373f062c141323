#include "number/type.h"

#include <math.h>

/* 2^64 and 2^63 as doubles. */
#define TWO_64 18446744073709551616.0
#define TWO_63 9223372036854775808.0

NORETURN(static void no_number(VALUE object));
static void no_number(VALUE object) {
    rb_raise(rb_eTypeError, "no implicit conversion of %s into a number", rb_obj_classname(object));
}

static uint64_t bits_of_double(double value) {
    if (!isfinite(value))
        return 0;
    double magnitude = fmod(trunc(fabs(value)), TWO_64);
    uint64_t bits = magnitude < TWO_63 ? (uint64_t)(int64_t)magnitude
                                       : (uint64_t)(int64_t)(magnitude - TWO_63) + ((uint64_t)1 << 63);
    return value < 0 ? 0 - bits : bits;
}

static uint64_t bits_of_bignum(VALUE number) {
    uint64_t bits = 0;
    rb_integer_pack(number, &bits, 1, sizeof bits, 0, INTEGER_PACK_NATIVE_BYTE_ORDER | INTEGER_PACK_2COMP);
    return bits;
}

uint64_t spate_to_bits_slowly(VALUE number) {
    if (RB_FLOAT_TYPE_P(number))
        return bits_of_double(RFLOAT_VALUE(number));
    if (NIL_P(number) || RB_TYPE_P(number, T_STRING))
        no_number(number);
    number = rb_to_int(number);
    return FIXNUM_P(number) ? (uint64_t)FIX2LONG(number) : bits_of_bignum(number);
}

uint64_t spate_to_big_bits(VALUE number) {
    if (FIXNUM_P(number))
        return (uint64_t)FIX2LONG(number);
    if (!RB_TYPE_P(number, T_BIGNUM))
        rb_raise(rb_eTypeError, "no implicit conversion of %s into a BigInt: expected an Integer",
                 rb_obj_classname(number));
    return bits_of_bignum(number);
}

double spate_to_double_slowly(VALUE number) {
    if (RB_FLOAT_TYPE_P(number))
        return RFLOAT_VALUE(number);
    if (RB_TYPE_P(number, T_BIGNUM))
        return rb_big2dbl(number);
    if (NIL_P(number) || RB_TYPE_P(number, T_STRING) || !rb_obj_is_kind_of(number, rb_cNumeric))
        no_number(number);
    return RFLOAT_VALUE(rb_to_float(number));
}

uint8_t spate_to_clamped(VALUE number) {
    if (FIXNUM_P(number)) {
        long value = FIX2LONG(number);
        return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
    }
    if (RB_TYPE_P(number, T_BIGNUM))
        return RBIGNUM_NEGATIVE_P(number) ? 0 : 255;
    double value = spate_to_double(number);
    if (!(value > 0))
        return 0;
    return value >= 255 ? 255 : (uint8_t)rint(value);
}

/*
 * Rounds the significand of 53 bits once. Converting to binary32 first would round twice.
 *
 *   binary64  s eeeeeeeeeee mmmm… (52)      binary16  s eeeee mmmmmmmmmm
 */
uint16_t spate_half_from_double_slowly(double value) {
    uint64_t bits = spate_bits_of_double(value);
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    if (exponent == 1024)
        return sign | (fraction ? 0x7e00 : 0x7c00);
    if (exponent > 15)
        return sign | 0x7c00;
    if (exponent < -25)
        return sign;
    /* Number of dropped bits of the significand: 42, and more for a subnormal half. */
    int lost = exponent >= -14 ? 42 : 42 + (-14 - exponent);
    uint64_t significand = fraction | (uint64_t)1 << 52;
    uint64_t kept = significand >> lost;
    uint64_t rest = significand & (((uint64_t)1 << lost) - 1);
    uint64_t half = (uint64_t)1 << (lost - 1);
    if (rest > half || (rest == half && (kept & 1)))
        kept++;
    /* A carry out of the fraction increments the exponent, up to infinity. */
    uint64_t base = exponent >= -14 ? (uint64_t)(exponent + 14) << 10 : 0;
    return sign | (uint16_t)(base + kept);
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

#define DEFINE_INTEGER(name, type, storage, title)                                                                     \
    static VALUE load_##name(const uint8_t *at) {                                                                      \
        type value;                                                                                                    \
        memcpy(&value, at, sizeof value);                                                                              \
        return LL2NUM((long long)value);                                                                               \
    }                                                                                                                  \
    static void store_##name(uint8_t *at, uint64_t bits) {                                                             \
        storage value = (storage)bits;                                                                                 \
        memcpy(at, &value, sizeof value);                                                                              \
    }                                                                                                                  \
    static int compare_##name(const void *left, const void *right) {                                                   \
        type a, b;                                                                                                     \
        memcpy(&a, left, sizeof a);                                                                                    \
        memcpy(&b, right, sizeof b);                                                                                   \
        return a < b ? -1 : a > b;                                                                                     \
    }

SPATE_INTEGER_TYPES(DEFINE_INTEGER)

static VALUE load_big_int64(const uint8_t *at) {
    int64_t value;
    memcpy(&value, at, sizeof value);
    return LL2NUM(value);
}

static VALUE load_big_uint64(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return ULL2NUM(value);
}

static void store_64(uint8_t *at, uint64_t bits) {
    memcpy(at, &bits, sizeof bits);
}

static int compare_big_int64(const void *left, const void *right) {
    int64_t a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return a < b ? -1 : a > b;
}

static int compare_big_uint64(const void *left, const void *right) {
    uint64_t a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return a < b ? -1 : a > b;
}

static int compare_doubles(double a, double b) {
    if (isnan(a) || isnan(b))
        return isnan(a) ? !isnan(b) : -1;
    if (a == 0 && b == 0)
        return !!signbit(b) - !!signbit(a);
    return a < b ? -1 : a > b;
}

static VALUE load_float16(const uint8_t *at) {
    uint16_t bits;
    memcpy(&bits, at, sizeof bits);
    return DBL2NUM(spate_double_from_half(bits));
}

static VALUE load_float32(const uint8_t *at) {
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    return DBL2NUM(spate_float_of_bits(bits));
}

static VALUE load_float64(const uint8_t *at) {
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    return DBL2NUM(spate_double_of_bits(bits));
}

static uint64_t convert_float16(VALUE number) {
    return spate_half_from_double(spate_to_double(number));
}

static uint64_t convert_float32(VALUE number) {
    return spate_bits_of_float(spate_to_double(number));
}

static uint64_t convert_float64(VALUE number) {
    return spate_bits_of_double(spate_to_double(number));
}

static uint64_t convert_clamped(VALUE number) {
    return spate_to_clamped(number);
}

static int compare_float16(const void *left, const void *right) {
    uint16_t a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return compare_doubles(spate_double_from_half(a), spate_double_from_half(b));
}

static int compare_float32(const void *left, const void *right) {
    uint32_t a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return compare_doubles(spate_float_of_bits(a), spate_float_of_bits(b));
}

static int compare_float64(const void *left, const void *right) {
    uint64_t a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return compare_doubles(spate_double_of_bits(a), spate_double_of_bits(b));
}

#define INTEGER_ROW(name, type, storage, title)                                                                        \
    {title, sizeof(type), load_##name, spate_to_bits_slowly, store_##name, compare_##name, false, false},

const spate_type spate_types[SPATE_TYPES] = {
    SPATE_INTEGER_TYPES(INTEGER_ROW){"Uint8Clamped", 1, load_uint8, convert_clamped, store_uint8, compare_uint8, false,
                                     false},
    {"BigInt64", 8, load_big_int64, spate_to_big_bits, store_64, compare_big_int64, false, true},
    {"BigUint64", 8, load_big_uint64, spate_to_big_bits, store_64, compare_big_uint64, false, true},
    {"Float16", 2, load_float16, convert_float16, store_uint16, compare_float16, true, false},
    {"Float32", 4, load_float32, convert_float32, store_uint32, compare_float32, true, false},
    {"Float64", 8, load_float64, convert_float64, store_64, compare_float64, true, false},
};

bool spate_flonum_is_known = true;

void spate_init_flonum(void) {
    static const double samples[] = {
        0.0, 1.0, -1.5, 0.1, -1e-70, 1e70, 1.7272337110188893e-77, -1.1579208923731620e+77};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        VALUE number = DBL2NUM(samples[i]);
        if (RB_FLONUM_P(number) && spate_double_of_flonum(number) != samples[i]) {
            spate_flonum_is_known = false;
            return;
        }
    }
}
