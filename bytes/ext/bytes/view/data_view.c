#include "view/view.h"

#include <ruby/encoding.h>

static VALUE class_data_view;
static ID id_little_endian, id_littleEndian;

/* ---- Construction and properties --------------------------------------------------------------------------------- */

NORETURN(static void raise_no_buffer(VALUE given));

static void raise_no_buffer(VALUE given) {
    const char *instead = "";
    if (RB_TYPE_P(given, T_STRING))
        instead =
            "; use ArrayBuffer.from(string) for a copy of its bytes, or ArrayBuffer.wrap(string) to read them in place";
    else if (rb_typeddata_is_kind_of(given, &spate_view_type))
        instead = "; use its buffer, byte_offset and byte_length";
    else if (RB_INTEGER_TYPE_P(given))
        instead = "; use ArrayBuffer.new(length)";
    rb_raise(rb_eTypeError, "DataView.new expects an ArrayBuffer, got %s%s",
             NIL_P(given) ? "nil" : rb_obj_classname(given), instead);
}

/*
 * DataView.new(buffer, byte_offset = 0, byte_length = the rest): without a length, the view follows the length of a
 * resizable buffer. ECMA-262 25.3.2.1. Raises IndexError if the range is not within the buffer.
 */
static VALUE view_initialize(int argc, VALUE *argv, VALUE self) {
    VALUE buffer, offset_given, length_given;
    rb_scan_args(argc, argv, "12", &buffer, &offset_given, &length_given);
    if (!rb_typeddata_is_kind_of(buffer, &spate_array_buffer_type))
        raise_no_buffer(buffer);
    size_t offset = NIL_P(offset_given) ? 0 : spate_to_index(offset_given, "byte_offset");
    size_t length = NIL_P(length_given) ? 0 : spate_to_index(length_given, "byte_length");
    const spate_array_buffer *target = spate_array_buffer_readable(buffer);
    if (offset > target->length)
        spate_out_of_bounds("byte_offset", offset, 1, target->length);
    size_t rest = target->length - offset;
    if (!NIL_P(length_given) && length > rest)
        rb_raise(rb_eIndexError, "byte_offset %zu and byte_length %zu are out of bounds: the length is %zu", offset,
                 length, target->length);
    bool tracking = NIL_P(length_given) && target->resizable;
    spate_view_open(self, buffer, offset, NIL_P(length_given) ? rest : length, tracking);
    return self;
}

static VALUE view_initialize_copy(VALUE self, VALUE other) {
    if (self == other)
        return self;
    const spate_view *from = spate_view_of(other);
    if (!rb_obj_is_kind_of(other, class_data_view) || NIL_P(from->buffer))
        rb_raise(rb_eTypeError, "expected a DataView");
    spate_view_open(self, from->buffer, from->offset, from->byte_length, from->tracking);
    return self;
}

static VALUE view_buffer(VALUE self) {
    return spate_view_of(self)->buffer;
}

/* byte_length: raises TypeError if the view is outside its buffer. */
static VALUE view_byte_length(VALUE self) {
    const spate_view *view = spate_view_of(self);
    spate_view_check(view);
    return SIZET2NUM(spate_view_bytes(view));
}

static VALUE view_byte_offset(VALUE self) {
    const spate_view *view = spate_view_of(self);
    spate_view_check(view);
    return SIZET2NUM(view->offset);
}

static VALUE view_inspect(VALUE self) {
    const spate_view *view = spate_view_of(self);
    VALUE text = rb_enc_sprintf(rb_utf8_encoding(), "#<%" PRIsVALUE " ", rb_obj_class(self));
    if (NIL_P(view->buffer) || spate_view_is_out(view))
        return rb_str_cat_cstr(text, view->target->detached ? "detached>" : "out of bounds>");
    rb_str_catf(text, "byte_offset=%zu byte_length=%zu ", view->offset, spate_view_bytes(view));
    spate_append_dump(text, spate_view_data(view), spate_view_bytes(view));
    return rb_str_cat_cstr(text, ">");
}

static VALUE view_to_s(VALUE self) {
    spate_bytes bytes = spate_bytes_of(self);
    VALUE string = rb_str_new(NULL, (long)bytes.length);
    bytes = spate_bytes_of(self); /* read again: allocating the String may run the garbage collector, although
                                   * that does not move data */
    if (bytes.length)
        memcpy(RSTRING_PTR(string), bytes.data, bytes.length);
    return string;
}

/* DataViews are equal if their bytes are equal. */
static VALUE view_equal(VALUE self, VALUE other) {
    if (self == other)
        return Qtrue;
    if (!rb_obj_is_kind_of(other, class_data_view))
        return Qfalse;
    const spate_view *a = spate_view_of(self), *b = spate_view_of(other);
    if (spate_view_is_out(a) || spate_view_is_out(b) || spate_view_bytes(a) != spate_view_bytes(b))
        return Qfalse;
    size_t length = spate_view_bytes(a);
    return length == 0 || memcmp(spate_view_data(a), spate_view_data(b), length) == 0 ? Qtrue : Qfalse;
}

/*
 * Compares the bytes, then the lengths. Returns nil unless `other` is a DataView. Raises TypeError if one of them is
 * outside its buffer.
 */
static VALUE view_compare(VALUE self, VALUE other) {
    if (!rb_obj_is_kind_of(other, class_data_view))
        return Qnil;
    spate_bytes a = spate_bytes_of(self), b = spate_bytes_of(other);
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.data, b.data, shorter) : 0;
    if (order == 0)
        order = a.length < b.length ? -1 : a.length > b.length;
    return INT2FIX(order < 0 ? -1 : order > 0);
}

/* Returns [buffer, byte_offset, byte_length]. The length is nil if the view follows the buffer's length. */
static VALUE view_marshal_dump(VALUE self) {
    const spate_view *view = spate_view_of(self);
    spate_view_check(view);
    return rb_ary_new_from_args(3, view->buffer, SIZET2NUM(view->offset),
                                view->tracking ? Qnil : SIZET2NUM(view->byte_length));
}

static VALUE view_marshal_load(VALUE self, VALUE dumped) {
    Check_Type(dumped, T_ARRAY);
    VALUE arguments[3] = {rb_ary_entry(dumped, 0), rb_ary_entry(dumped, 1), rb_ary_entry(dumped, 2)};
    return view_initialize(3, arguments, self);
}

static VALUE view_hash(VALUE self) {
    const spate_view *view = spate_view_of(self);
    size_t length = spate_view_bytes(view);
    return ST2FIX(rb_memhash(length ? spate_view_data(view) : (const uint8_t *)"", (long)length));
}

/* ---- Access ------------------------------------------------------------------------------------------------------ */

NORETURN(static void refuse(const spate_view *view, size_t index, size_t width));
static void refuse(const spate_view *view, size_t index, size_t width) {
    spate_view_check(view);
    spate_out_of_bounds("byte_offset", index, width, spate_view_bytes(view));
}

/*
 * Returns the address of `width` bytes at `index`: the part of ECMA-262 25.3.1.5 GetViewValue and 25.3.1.6 SetViewValue
 * that checks the buffer and the range.
 */
static inline uint8_t *place(const spate_view *view, size_t index, size_t width) {
    size_t length = spate_view_bytes(view);
    if (RB_UNLIKELY(index > length || width > length - index || NIL_P(view->buffer)))
        refuse(view, index, width);
    return spate_view_data(view) + index;
}

/* Converts the last argument of JavaScript's form, which is a boolean or a Hash with the keyword. */
static bool take_little(VALUE argument) {
    if (!RB_TYPE_P(argument, T_HASH))
        return RTEST(argument);
    VALUE value = rb_hash_lookup2(argument, ID2SYM(id_little_endian), Qundef);
    if (value == Qundef)
        value = rb_hash_lookup2(argument, ID2SYM(id_littleEndian), Qundef);
    if (value == Qundef || RHASH_SIZE(argument) != 1)
        rb_raise(rb_eArgError, "unknown keywords: %" PRIsVALUE " (little_endian is known)",
                 rb_inspect(rb_funcall(argument, rb_intern("keys"), 0)));
    return RTEST(value);
}

/* The slow path for unusual arguments. */
NOINLINE(static const uint8_t *seek(VALUE self, VALUE offset, size_t width));
static const uint8_t *seek(VALUE self, VALUE offset, size_t width) {
    const spate_view *view = spate_view_of(self);
    return place(view, spate_to_index(offset, "byte_offset"), width);
}

static inline const uint8_t *read_at(VALUE self, VALUE offset, size_t width) {
    const uint8_t *at = spate_view_at(self, offset, width);
    return RB_LIKELY(at != NULL) ? at : seek(self, offset, width);
}

/*
 * Defines for each type the getters get_X_be(byte_offset), get_X_le(byte_offset) and getX(byte_offset, little_endian =
 * false), and the setters, which have the value as the second argument and return nil as in JavaScript. `from_bits`
 * creates the Ruby object. `to_bits` may raise and run Ruby code, so it is called after the index is converted and
 * before the range is checked. If `plain` is true for a value, `to_bits` does neither.
 */
#define DEFINE_GETTERS(name, storage, from_bits)                                                                       \
    static VALUE get_##name##_be(VALUE self, VALUE offset) {                                                           \
        return from_bits(spate_load_##storage(read_at(self, offset, sizeof(storage)), false));                         \
    }                                                                                                                  \
    static VALUE get_##name##_le(VALUE self, VALUE offset) {                                                           \
        return from_bits(spate_load_##storage(read_at(self, offset, sizeof(storage)), true));                          \
    }                                                                                                                  \
    NOINLINE(static VALUE look_up_##name(int argc, VALUE *argv, VALUE self));                                          \
    static VALUE look_up_##name(int argc, VALUE *argv, VALUE self) {                                                   \
        rb_check_arity(argc, 1, 2);                                                                                    \
        const spate_view *view = spate_view_of(self);                                                                  \
        size_t index = spate_to_index(argv[0], "byte_offset");                                                         \
        bool little = argc == 2 && take_little(argv[1]);                                                               \
        return from_bits(spate_load_##storage(place(view, index, sizeof(storage)), little));                           \
    }                                                                                                                  \
    static VALUE get_##name(int argc, VALUE *argv, VALUE self) {                                                       \
        if (RB_UNLIKELY(argc != 2 || !RB_SPECIAL_CONST_P(argv[1])))                                                    \
            return look_up_##name(argc, argv, self);                                                                   \
        return RTEST(argv[1]) ? get_##name##_le(self, argv[0]) : get_##name##_be(self, argv[0]);                       \
    }

#define DEFINE_SETTERS(name, storage, plain, to_bits)                                                                  \
    NOINLINE(static VALUE put_##name(VALUE self, VALUE offset, VALUE value, bool little));                             \
    static VALUE put_##name(VALUE self, VALUE offset, VALUE value, bool little) {                                      \
        const spate_view *view = spate_view_of(self);                                                                  \
        size_t index = spate_to_index(offset, "byte_offset");                                                          \
        storage bits = (storage)to_bits(value);                                                                        \
        spate_view_check_frozen(self, view);                                                                           \
        spate_store_##storage(place(view, index, sizeof(storage)), bits, little);                                      \
        return Qnil;                                                                                                   \
    }                                                                                                                  \
    static inline VALUE put_quickly_##name(VALUE self, VALUE offset, VALUE value, bool little) {                       \
        if (RB_UNLIKELY(!plain(value)))                                                                                \
            return put_##name(self, offset, value, little);                                                            \
        storage bits = (storage)to_bits(value);                                                                        \
        uint8_t *at = spate_view_at(self, offset, sizeof(storage));                                                    \
        if (RB_UNLIKELY(at == NULL || !spate_view_is_writable(self)))                                                  \
            return put_##name(self, offset, value, little);                                                            \
        spate_store_##storage(at, bits, little);                                                                       \
        return Qnil;                                                                                                   \
    }                                                                                                                  \
    static VALUE set_##name##_be(VALUE self, VALUE offset, VALUE value) {                                              \
        return put_quickly_##name(self, offset, value, false);                                                         \
    }                                                                                                                  \
    static VALUE set_##name##_le(VALUE self, VALUE offset, VALUE value) {                                              \
        return put_quickly_##name(self, offset, value, true);                                                          \
    }                                                                                                                  \
    static VALUE set_##name(int argc, VALUE *argv, VALUE self) {                                                       \
        rb_check_arity(argc, 2, 3);                                                                                    \
        if (argc == 3 && (RB_SPECIAL_CONST_P(argv[2]) ? RTEST(argv[2]) : take_little(argv[2])))                        \
            return set_##name##_le(self, argv[0], argv[1]);                                                            \
        return set_##name##_be(self, argv[0], argv[1]);                                                                \
    }

#define VIEW_TYPES(X)                                                                                                  \
    X(int8, "Int8", uint8_t, SPATE_INT8, FIXNUM_P, spate_to_bits)                                                      \
    X(uint8, "Uint8", uint8_t, SPATE_UINT8, FIXNUM_P, spate_to_bits)                                                   \
    X(int16, "Int16", uint16_t, SPATE_INT16, FIXNUM_P, spate_to_bits)                                                  \
    X(uint16, "Uint16", uint16_t, SPATE_UINT16, FIXNUM_P, spate_to_bits)                                               \
    X(int32, "Int32", uint32_t, SPATE_INT32, FIXNUM_P, spate_to_bits)                                                  \
    X(uint32, "Uint32", uint32_t, SPATE_UINT32, FIXNUM_P, spate_to_bits)                                               \
    X(big_int64, "BigInt64", uint64_t, SPATE_INT64, FIXNUM_P, spate_to_big_bits)                                       \
    X(big_uint64, "BigUint64", uint64_t, SPATE_UINT64, FIXNUM_P, spate_to_big_bits)                                    \
    X(float16, "Float16", uint16_t, SPATE_HALF, spate_is_plain_number, SPATE_HALF_OF)                                  \
    X(float32, "Float32", uint32_t, SPATE_FLOAT, spate_is_plain_number, SPATE_FLOAT_OF)                                \
    X(float64, "Float64", uint64_t, SPATE_DOUBLE, spate_is_plain_number, SPATE_DOUBLE_OF)

#define DEFINE_TYPE(name, title, storage, from_bits, plain, to_bits)                                                   \
    DEFINE_GETTERS(name, storage, from_bits)                                                                           \
    DEFINE_SETTERS(name, storage, plain, to_bits)

VIEW_TYPES(DEFINE_TYPE)

/* ---- 24 bits, as in frame and record headers --------------------------------------------------------------------- */

static inline VALUE get_24(VALUE self, VALUE offset, bool little) {
    const uint8_t *at = read_at(self, offset, 3);
    long value = little ? at[0] | at[1] << 8 | at[2] << 16 : at[0] << 16 | at[1] << 8 | at[2];
    return LONG2FIX(value);
}

static VALUE get_uint24_be(VALUE self, VALUE offset) {
    return get_24(self, offset, false);
}

static VALUE get_uint24_le(VALUE self, VALUE offset) {
    return get_24(self, offset, true);
}

static inline VALUE store_24(uint8_t *at, uint32_t bits, bool little) {
    at[little ? 0 : 2] = (uint8_t)bits;
    at[1] = (uint8_t)(bits >> 8);
    at[little ? 2 : 0] = (uint8_t)(bits >> 16);
    return Qnil;
}

NOINLINE(static VALUE put_24(VALUE self, VALUE offset, VALUE value, bool little));
static VALUE put_24(VALUE self, VALUE offset, VALUE value, bool little) {
    const spate_view *view = spate_view_of(self);
    size_t index = spate_to_index(offset, "byte_offset");
    uint32_t bits = (uint32_t)spate_to_bits(value);
    spate_view_check_frozen(self, view);
    return store_24(place(view, index, 3), bits, little);
}

static inline VALUE set_24(VALUE self, VALUE offset, VALUE value, bool little) {
    uint8_t *at = spate_view_at(self, offset, 3);
    if (RB_UNLIKELY(at == NULL || !FIXNUM_P(value) || !spate_view_is_writable(self)))
        return put_24(self, offset, value, little);
    return store_24(at, (uint32_t)FIX2LONG(value), little);
}

static VALUE set_uint24_be(VALUE self, VALUE offset, VALUE value) {
    return set_24(self, offset, value, false);
}

static VALUE set_uint24_le(VALUE self, VALUE offset, VALUE value) {
    return set_24(self, offset, value, true);
}

/* ---- Many bytes -------------------------------------------------------------------------------------------------- */

/* get_bytes(byte_offset, byte_length): returns a new binary String. */
static VALUE get_bytes(VALUE self, VALUE offset, VALUE length) {
    const spate_view *view = spate_view_of(self);
    size_t index = spate_to_index(offset, "byte_offset"), count = spate_to_index(length, "byte_length");
    spate_view_check(view);
    place(view, index, count);
    VALUE string = rb_str_new(NULL, (long)count);
    if (count)
        memcpy(RSTRING_PTR(string), place(view, index, count), count);
    return string;
}

/*
 * set_bytes(byte_offset, bytes): copies the bytes of a String, an ArrayBuffer, a DataView or a typed array. Returns
 * their number.
 */
static VALUE set_bytes(VALUE self, VALUE offset, VALUE source) {
    const spate_view *view = spate_view_of(self);
    size_t index = spate_to_index(offset, "byte_offset");
    if (!RB_TYPE_P(source, T_STRING) && !RB_TYPE_P(source, T_DATA))
        StringValue(source);
    spate_view_check_frozen(self, view);
    spate_view_check(view);
    spate_bytes bytes = spate_bytes_of(source);
    uint8_t *at = place(view, index, bytes.length);
    if (bytes.length)
        memmove(at, bytes.data, bytes.length);
    return SIZET2NUM(bytes.length);
}

/* ---- Method definitions ------------------------------------------------------------------------------------------ */

#define REGISTER(name, title, storage, from_bits, plain, to_bits)                                                      \
    rb_define_method(klass, "get_" #name "_be", get_##name##_be, 1);                                                   \
    rb_define_method(klass, "get_" #name "_le", get_##name##_le, 1);                                                   \
    rb_define_method(klass, "set_" #name "_be", set_##name##_be, 2);                                                   \
    rb_define_method(klass, "set_" #name "_le", set_##name##_le, 2);                                                   \
    rb_define_method(klass, "get" title, get_##name, -1);                                                              \
    rb_define_method(klass, "set" title, set_##name, -1);

void spate_init_data_view(VALUE spate) {
    VALUE klass = class_data_view = rb_define_class_under(spate, "DataView", rb_cObject);
    rb_gc_register_mark_object(klass);
    id_little_endian = rb_intern("little_endian");
    id_littleEndian = rb_intern("littleEndian");
    rb_include_module(klass, rb_mComparable);
    rb_define_alloc_func(klass, spate_view_allocate);
    rb_define_method(klass, "initialize", view_initialize, -1);
    rb_define_method(klass, "initialize_copy", view_initialize_copy, 1);
    rb_define_method(klass, "buffer", view_buffer, 0);
    rb_define_method(klass, "byte_length", view_byte_length, 0);
    rb_define_method(klass, "byte_offset", view_byte_offset, 0);
    rb_define_method(klass, "to_s", view_to_s, 0);
    rb_define_method(klass, "inspect", view_inspect, 0);
    rb_define_method(klass, "==", view_equal, 1);
    rb_define_method(klass, "eql?", view_equal, 1);
    rb_define_method(klass, "<=>", view_compare, 1);
    rb_define_method(klass, "hash", view_hash, 0);
    rb_define_method(klass, "marshal_dump", view_marshal_dump, 0);
    rb_define_method(klass, "marshal_load", view_marshal_load, 1);
    VIEW_TYPES(REGISTER)
    rb_define_method(klass, "get_int8", get_int8_be, 1);
    rb_define_method(klass, "get_uint8", get_uint8_be, 1);
    rb_define_method(klass, "set_int8", set_int8_be, 2);
    rb_define_method(klass, "set_uint8", set_uint8_be, 2);
    rb_define_method(klass, "get_uint24_be", get_uint24_be, 1);
    rb_define_method(klass, "get_uint24_le", get_uint24_le, 1);
    rb_define_method(klass, "set_uint24_be", set_uint24_be, 2);
    rb_define_method(klass, "set_uint24_le", set_uint24_le, 2);
    rb_define_method(klass, "get_bytes", get_bytes, 2);
    rb_define_method(klass, "set_bytes", set_bytes, 2);
    rb_define_method(rb_const_get(spate, rb_intern("TypedArray")), "set_bytes", set_bytes, 2);
    rb_define_alias(klass, "byteLength", "byte_length");
    rb_define_alias(klass, "byteOffset", "byte_offset");
    rb_define_alias(klass, "bytesize", "byte_length");
}
