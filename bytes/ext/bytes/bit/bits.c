#include "bit/bits.h"

/* A field of 64 bits that begins within a byte spans nine bytes. */
static uint64_t get_big(const uint8_t *at, unsigned offset, unsigned width) {
    uint64_t word = spate_load_uint64_t(at, false) << offset;
    if (offset + width > 64)
        word |= at[8] >> (8 - offset);
    return word >> (64 - width);
}

static uint64_t get_little(const uint8_t *at, unsigned offset, unsigned width) {
    uint64_t word = spate_load_uint64_t(at, true) >> offset;
    if (offset + width > 64)
        word |= (uint64_t)at[8] << (64 - offset);
    return spate_low_bits(word, width);
}

uint64_t spate_bits_get(const uint8_t *bytes, size_t length, uint64_t position, unsigned width, spate_bit_order order) {
    size_t first = (size_t)(position >> 3);
    unsigned offset = (unsigned)(position & 7);
    uint8_t copy[9] = {0};
    const uint8_t *at = bytes + first;
    if (length - first < sizeof copy) {
        memcpy(copy, at, length - first);
        at = copy;
    }
    return order == SPATE_BIG ? get_big(at, offset, width) : get_little(at, offset, width);
}

void spate_bits_put(uint8_t *bytes, uint64_t position, uint64_t value, unsigned width, spate_bit_order order) {
    while (width) {
        uint8_t *at = bytes + (position >> 3);
        unsigned offset = (unsigned)(position & 7);
        unsigned room = 8 - offset;
        unsigned now = width < room ? width : room;
        unsigned shift = order == SPATE_BIG ? room - now : offset;
        uint8_t mask = (uint8_t)(((1u << now) - 1) << shift);
        uint64_t piece = order == SPATE_BIG ? value >> (width - now) : value;
        *at = (uint8_t)((*at & ~mask) | ((uint8_t)(piece << shift) & mask));
        if (order == SPATE_LITTLE)
            value >>= now;
        position += now;
        width -= now;
    }
}

unsigned spate_to_width(VALUE number) {
    long width = NUM2LONG(number);
    if (width < 1 || width > 64)
        rb_raise(rb_eRangeError, "a field has 1 to 64 bits, not %ld", width);
    return (unsigned)width;
}

NORETURN(static void no_fit(VALUE number, unsigned width, const char *kind));
static void no_fit(VALUE number, unsigned width, const char *kind) {
    rb_raise(rb_eRangeError, "%" PRIsVALUE " does not fit %u %s bits", number, width, kind);
}

static void check_integer(VALUE number) {
    if (!RB_INTEGER_TYPE_P(number))
        rb_raise(rb_eTypeError, "no implicit conversion of %s into Integer", rb_obj_classname(number));
}

uint64_t spate_to_field(VALUE number, unsigned width) {
    if (RB_LIKELY(FIXNUM_P(number))) {
        long value = FIX2LONG(number);
        if (value < 0 || (width < 64 && (uint64_t)value >> width))
            no_fit(number, width, "unsigned");
        return (uint64_t)value;
    }
    check_integer(number);
    uint64_t bits = 0;
    int sign = rb_integer_pack(number, &bits, 1, sizeof bits, 0, INTEGER_PACK_NATIVE_BYTE_ORDER);
    if (sign < 0 || sign > 1 || (width < 64 && bits >> width))
        no_fit(number, width, "unsigned");
    return bits;
}

uint64_t spate_to_signed_field(VALUE number, unsigned width) {
    check_integer(number);
    uint64_t bits = 0;
    int sign = rb_integer_pack(number, &bits, 1, sizeof bits, 0, INTEGER_PACK_NATIVE_BYTE_ORDER | INTEGER_PACK_2COMP);
    int64_t value = (int64_t)bits;
    bool fits = sign >= -1 && sign <= 1 && (sign == 0 || (sign < 0) == (value < 0));
    if (!fits || (width < 64 && (value < -((int64_t)1 << (width - 1)) || value >= (int64_t)1 << (width - 1))))
        no_fit(number, width, "signed");
    return spate_low_bits(bits, width);
}

VALUE spate_signed_field(uint64_t bits, unsigned width) {
    unsigned unused = 64 - width;
    return LL2NUM((int64_t)(bits << unused) >> unused);
}

spate_bit_order spate_take_bit_order(VALUE options) {
    VALUE order = Qnil;
    ID names[1] = {rb_intern("order")};
    if (!NIL_P(options))
        rb_get_kwargs(options, names, 0, 1, &order);
    if (order == Qundef || NIL_P(order) || order == ID2SYM(rb_intern("big")))
        return SPATE_BIG;
    if (order == ID2SYM(rb_intern("little")))
        return SPATE_LITTLE;
    rb_raise(rb_eArgError, "the order of bits is :big or :little, not %" PRIsVALUE, rb_inspect(order));
}
