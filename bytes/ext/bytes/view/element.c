#include "view/view.h"

/*
 * array[index], array.at(index) and array[index] = number for each class. These functions are specialized for the
 * element's width and type, and handle only plain indexes and values. typed_array.c handles all other cases.
 */

static uint8_t clamped(VALUE number) {
    long value = FIX2LONG(number);
    return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

/* The element types, in the order of spate_types. */
#define ELEMENTS(X)                                                                                                    \
    X(0, uint8_t, SPATE_INT8, FIXNUM_P, spate_to_bits)                                                                 \
    X(1, uint8_t, SPATE_UINT8, FIXNUM_P, spate_to_bits)                                                                \
    X(2, uint16_t, SPATE_INT16, FIXNUM_P, spate_to_bits)                                                               \
    X(3, uint16_t, SPATE_UINT16, FIXNUM_P, spate_to_bits)                                                              \
    X(4, uint32_t, SPATE_INT32, FIXNUM_P, spate_to_bits)                                                               \
    X(5, uint32_t, SPATE_UINT32, FIXNUM_P, spate_to_bits)                                                              \
    X(6, uint8_t, SPATE_UINT8, FIXNUM_P, clamped)                                                                      \
    X(7, uint64_t, SPATE_INT64, FIXNUM_P, spate_to_bits)                                                               \
    X(8, uint64_t, SPATE_UINT64, FIXNUM_P, spate_to_bits)                                                              \
    X(9, uint16_t, SPATE_HALF, spate_is_plain_number, SPATE_HALF_OF)                                                   \
    X(10, uint32_t, SPATE_FLOAT, spate_is_plain_number, SPATE_FLOAT_OF)                                                \
    X(11, uint64_t, SPATE_DOUBLE, spate_is_plain_number, SPATE_DOUBLE_OF)

#define DEFINE_ELEMENT(number, storage, from_bits, plain, to_bits)                                                     \
    static VALUE at_##number(VALUE self, VALUE index) {                                                                \
        const uint8_t *at = spate_view_element(self, index, sizeof(storage));                                          \
        if (RB_UNLIKELY(at == NULL))                                                                                   \
            return spate_array_at(self, index);                                                                        \
        return from_bits(spate_load_##storage(at, SPATE_LITTLE_HOST));                                                 \
    }                                                                                                                  \
    static VALUE aref_##number(int argc, VALUE *argv, VALUE self) {                                                    \
        const uint8_t *at = argc == 1 ? spate_view_element(self, argv[0], sizeof(storage)) : NULL;                     \
        if (RB_UNLIKELY(at == NULL))                                                                                   \
            return spate_array_aref(argc, argv, self);                                                                 \
        return from_bits(spate_load_##storage(at, SPATE_LITTLE_HOST));                                                 \
    }                                                                                                                  \
    static VALUE aset_##number(VALUE self, VALUE index, VALUE value) {                                                 \
        if (RB_UNLIKELY(!plain(value)))                                                                                \
            return spate_array_aset(self, index, value);                                                               \
        storage bits = (storage)to_bits(value);                                                                        \
        uint8_t *at = spate_view_element(self, index, sizeof(storage));                                                \
        if (RB_UNLIKELY(at == NULL || !spate_view_is_writable(self)))                                                  \
            return spate_array_aset(self, index, value);                                                               \
        spate_store_##storage(at, bits, SPATE_LITTLE_HOST);                                                            \
        return value;                                                                                                  \
    }

ELEMENTS(DEFINE_ELEMENT)

#define REGISTER(number, storage, from_bits, plain, to_bits)                                                           \
    rb_define_method(classes[number], "at", at_##number, 1);                                                           \
    rb_define_method(classes[number], "[]", aref_##number, -1);                                                        \
    rb_define_method(classes[number], "[]=", aset_##number, 2);

void spate_init_elements(const VALUE *classes) {
    ELEMENTS(REGISTER)
}
