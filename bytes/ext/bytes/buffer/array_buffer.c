#include "buffer/array_buffer.h"

#include <ruby/encoding.h>
#include <ruby/ractor.h>

#include <math.h>
#include <string.h>

VALUE spate_class_array_buffer;

/* ---- The object -------------------------------------------------------------------------------------------------- */

static void buffer_mark(void *pointer) {
    /* Not movable, because the bytes of an embedded String are in its slot. */
    rb_gc_mark(((spate_array_buffer *)pointer)->owner);
}

/*
 * At process exit, objects are freed in any order. A buffer may be freed before the objects that pin its bytes. In that
 * case the last unpin frees the struct.
 */
static void buffer_free(void *pointer) {
    spate_array_buffer *buffer = pointer;
    if (buffer->pins) {
        buffer->orphaned = true;
        return;
    }
    if (NIL_P(buffer->owner))
        ruby_xfree(buffer->data);
    ruby_xfree(buffer);
}

static size_t buffer_size(const void *pointer) {
    const spate_array_buffer *buffer = pointer;
    return sizeof *buffer + (NIL_P(buffer->owner) ? buffer->capacity : 0);
}

const rb_data_type_t spate_array_buffer_type = {
    .wrap_struct_name = "Spate::ArrayBuffer",
    .function = {.dmark = buffer_mark, .dfree = buffer_free, .dsize = buffer_size},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED | RUBY_TYPED_FROZEN_SHAREABLE,
};

static VALUE buffer_allocate(VALUE klass) {
    spate_array_buffer *buffer;
    VALUE self = TypedData_Make_Struct(klass, spate_array_buffer, &spate_array_buffer_type, buffer);
    buffer->owner = Qnil;
    return self;
}

spate_array_buffer *spate_array_buffer_of(VALUE self) {
    return rb_check_typeddata(self, &spate_array_buffer_type);
}

static void check_attached(const spate_array_buffer *buffer) {
    if (buffer->detached)
        rb_raise(rb_eTypeError, "the ArrayBuffer is detached");
}

static void check_unpinned(const spate_array_buffer *buffer, const char *what) {
    if (buffer->pins)
        rb_raise(rb_eTypeError, "the ArrayBuffer cannot be %s: its bytes are in use (%u pins)", what, buffer->pins);
}

spate_array_buffer *spate_array_buffer_readable(VALUE self) {
    spate_array_buffer *buffer = spate_array_buffer_of(self);
    check_attached(buffer);
    return buffer;
}

spate_array_buffer *spate_array_buffer_writable(VALUE self) {
    spate_array_buffer *buffer = spate_array_buffer_of(self);
    rb_check_frozen(self);
    check_attached(buffer);
    return buffer;
}

void spate_array_buffer_pin(spate_array_buffer *buffer) {
    __atomic_add_fetch(&buffer->pins, 1, __ATOMIC_RELAXED); /* frozen buffers are shared between Ractors */
}

void spate_array_buffer_unpin(spate_array_buffer *buffer) {
    if (__atomic_sub_fetch(&buffer->pins, 1, __ATOMIC_RELAXED) == 0 && buffer->orphaned)
        buffer_free(buffer);
}

static void check_length(size_t length) {
    if (length == SIZE_MAX) /* means a number that is too large, see spate_to_index_slowly */
        rb_raise(rb_eRangeError, "the length is too large: at most %zu", SPATE_LENGTH_LIMIT);
    if (length > SPATE_LENGTH_LIMIT)
        rb_raise(rb_eRangeError, "length %zu is too large: at most %zu", length, SPATE_LENGTH_LIMIT);
}

static void give(spate_array_buffer *buffer, size_t length, size_t max_length, bool resizable) {
    check_length(max_length);
    buffer->data = length ? ruby_xcalloc(length, 1) : NULL;
    buffer->length = buffer->capacity = length;
    buffer->max_length = max_length;
    buffer->resizable = resizable;
    buffer->made = true;
}

static VALUE make(VALUE klass, size_t length, size_t max_length, bool resizable) {
    VALUE self = buffer_allocate(klass);
    give(spate_array_buffer_of(self), length, max_length, resizable);
    return self;
}

VALUE spate_array_buffer_new(size_t length) {
    return make(spate_class_array_buffer, length, length, false);
}

VALUE spate_array_buffer_copy(const uint8_t *bytes, size_t length) {
    VALUE self = spate_array_buffer_new(length);
    if (length)
        memcpy(spate_array_buffer_of(self)->data, bytes, length);
    return self;
}

/* Grows by at least half, so that bytes appended one by one are not copied each time. */
static size_t grown(const spate_array_buffer *buffer, size_t length) {
    size_t half_more = buffer->capacity + buffer->capacity / 2;
    size_t wanted = half_more > length ? half_more : length;
    return wanted < buffer->max_length ? wanted : buffer->max_length;
}

void spate_array_buffer_resize(spate_array_buffer *buffer, size_t length) {
    check_unpinned(buffer, "resized");
    if (length > buffer->capacity) {
        size_t capacity = grown(buffer, length);
        buffer->data = ruby_xrealloc(buffer->data, capacity);
        memset(buffer->data + buffer->capacity, 0, capacity - buffer->capacity);
        buffer->capacity = capacity;
    } else if (length < buffer->length) {
        memset(buffer->data + length, 0, buffer->length - length);
    }
    buffer->length = length;
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

NORETURN(static void negative(VALUE number, const char *what));
static void negative(VALUE number, const char *what) {
    rb_raise(rb_eIndexError, "%s %" PRIsVALUE " is negative", what, number);
}

static size_t index_of_float(VALUE number, const char *what) {
    double value = RFLOAT_VALUE(number);
    if (value <= -1.0)
        negative(number, what);
    if (value != value || value < 1.0)
        return 0;
    return value < (double)SPATE_LENGTH_LIMIT ? (size_t)value : SIZE_MAX;
}

size_t spate_to_index_slowly(VALUE number, const char *what) {
    if (RB_FLOAT_TYPE_P(number))
        return index_of_float(number, what);
    number = rb_to_int(number);
    if (FIXNUM_P(number) ? FIX2LONG(number) < 0 : RBIGNUM_NEGATIVE_P(number))
        negative(number, what);
    return FIXNUM_P(number) ? (size_t)FIX2LONG(number) : SIZE_MAX;
}

size_t spate_to_position(VALUE number, size_t length) {
    if (!FIXNUM_P(number)) {
        if (RB_FLOAT_TYPE_P(number)) {
            double value = RFLOAT_VALUE(number);
            if (value != value)
                return 0;
            if (fabs(value) > (double)SPATE_LENGTH_LIMIT)
                return value < 0 ? 0 : length;
            number = LL2NUM((long long)value);
        } else {
            number = rb_to_int(number);
        }
    }
    if (!FIXNUM_P(number))
        return RBIGNUM_NEGATIVE_P(number) ? 0 : length;
    long value = FIX2LONG(number);
    if (value >= 0)
        return (size_t)value < length ? (size_t)value : length;
    return (size_t)-value < length ? length - (size_t)-value : 0;
}

void spate_out_of_bounds(const char *what, size_t index, size_t width, size_t length) {
    if (index == SIZE_MAX)
        rb_raise(rb_eIndexError, "%s is out of bounds: the length is %zu", what, length);
    if (width > 1)
        rb_raise(rb_eIndexError, "%s %zu is out of bounds: %zu bytes wide, the length is %zu", what, index, width,
                 length);
    rb_raise(rb_eIndexError, "%s %zu is out of bounds: the length is %zu", what, index, length);
}

/* ---- Construction ------------------------------------------------------------------------------------------------ */

static ID id_max_byte_length, id_maxByteLength;

/* Returns the keyword in either spelling, or Qnil if it is missing. */
static VALUE take_max_byte_length(VALUE options) {
    ID names[2] = {id_max_byte_length, id_maxByteLength};
    VALUE values[2];
    if (NIL_P(options))
        return Qnil;
    rb_get_kwargs(options, names, 0, 2, values);
    if (values[0] != Qundef && !NIL_P(values[0]))
        return values[0];
    return values[1] == Qundef ? Qnil : values[1];
}

/*
 * ArrayBuffer.new(byte_length = 0, max_byte_length: nil): creates a buffer of zero bytes, which is resizable with
 * `max_byte_length`. ECMA-262 25.1.4.1. Raises IndexError for a negative length, RangeError if byte_length exceeds the
 * maximum.
 */
static VALUE buffer_initialize(int argc, VALUE *argv, VALUE self) {
    VALUE length, options;
    rb_scan_args(argc, argv, "01:", &length, &options);
    size_t bytes = NIL_P(length) ? 0 : spate_to_index(length, "byte_length");
    VALUE maximum = take_max_byte_length(options);
    size_t most = NIL_P(maximum) ? bytes : spate_to_index(maximum, "max_byte_length");
    spate_array_buffer *buffer = spate_array_buffer_of(self);
    if (buffer->made)
        rb_raise(rb_eTypeError, "the ArrayBuffer is initialized already");
    rb_check_frozen(self);
    if (bytes > most)
        rb_raise(rb_eRangeError, "byte_length %zu is larger than max_byte_length %zu", bytes, most);
    give(buffer, bytes, most, !NIL_P(maximum));
    return self;
}

static VALUE buffer_initialize_copy(VALUE self, VALUE other) {
    spate_array_buffer *from = spate_array_buffer_readable(other);
    spate_array_buffer *buffer = spate_array_buffer_of(self);
    if (self == other)
        return self;
    rb_check_frozen(self);
    if (buffer->made)
        rb_raise(rb_eTypeError, "the ArrayBuffer is initialized already");
    give(buffer, from->length, from->max_length, from->resizable);
    if (from->length)
        memcpy(buffer->data, from->data, from->length);
    return self;
}

/*
 * ArrayBuffer.wrap(string): returns a frozen buffer with the bytes of a String. Does not copy them if the String is
 * frozen.
 */
static VALUE buffer_s_wrap(VALUE klass, VALUE string) {
    StringValue(string);
    VALUE self = buffer_allocate(klass);
    spate_array_buffer *buffer = spate_array_buffer_of(self);
    VALUE frozen = rb_str_new_frozen(string);
    RB_OBJ_WRITE(self, &buffer->owner, frozen);
    buffer->data = (uint8_t *)RSTRING_PTR(frozen);
    buffer->length = buffer->capacity = buffer->max_length = (size_t)RSTRING_LEN(frozen);
    buffer->made = true;
    return rb_obj_freeze(self);
}

/* ArrayBuffer.is_view(object): returns whether the object is a DataView or a typed array. ECMA-262 25.1.5.1. */
static VALUE buffer_s_is_view(VALUE klass, VALUE object) {
    VALUE spate = rb_const_get(rb_cObject, rb_intern("Spate"));
    bool view = rb_obj_is_kind_of(object, rb_const_get(spate, rb_intern("DataView"))) ||
                rb_obj_is_kind_of(object, rb_const_get(spate, rb_intern("TypedArray")));
    return view ? Qtrue : Qfalse;
}

/* ---- Properties -------------------------------------------------------------------------------------------------- */

static VALUE buffer_byte_length(VALUE self) {
    return SIZET2NUM(spate_array_buffer_of(self)->length);
}

static VALUE buffer_max_byte_length(VALUE self) {
    const spate_array_buffer *buffer = spate_array_buffer_of(self);
    return SIZET2NUM(buffer->detached ? 0 : buffer->max_length);
}

static VALUE buffer_is_resizable(VALUE self) {
    return spate_array_buffer_of(self)->resizable ? Qtrue : Qfalse;
}

static VALUE buffer_is_detached(VALUE self) {
    return spate_array_buffer_of(self)->detached ? Qtrue : Qfalse;
}

static VALUE buffer_is_immutable(VALUE self) {
    return OBJ_FROZEN(self) ? Qtrue : Qfalse;
}

/* freeze: after this call the buffer is immutable and may be shared between Ractors. */
static VALUE buffer_freeze(VALUE self) {
    const spate_array_buffer *buffer = spate_array_buffer_of(self);
    if (buffer->writers)
        check_unpinned(buffer, "frozen");
    return rb_call_super(0, NULL);
}

static VALUE buffer_is_pinned(VALUE self) {
    return spate_array_buffer_of(self)->pins ? Qtrue : Qfalse;
}

/* ---- Resizing and transferring ----------------------------------------------------------------------------------- */

/*
 * resize(byte_length): resizes a resizable buffer; new bytes are zero. ECMA-262 25.1.6.6. Raises RangeError beyond the
 * maximum.
 */
static VALUE buffer_resize(VALUE self, VALUE length) {
    spate_array_buffer *buffer = spate_array_buffer_of(self);
    if (!buffer->resizable)
        rb_raise(rb_eTypeError, "the ArrayBuffer has a fixed length: only one with a max_byte_length can be resized");
    size_t bytes = spate_to_index(length, "byte_length");
    buffer = spate_array_buffer_writable(self);
    if (bytes > buffer->max_length)
        rb_raise(rb_eRangeError, "byte_length %zu is larger than max_byte_length %zu", bytes, buffer->max_length);
    spate_array_buffer_resize(buffer, bytes);
    return self;
}

/* Moves the bytes of `self` to a new buffer and detaches `self`. Does not copy them if the length stays the same. */
static VALUE move(VALUE self, VALUE wanted, bool keep_resizable) {
    spate_array_buffer *buffer = spate_array_buffer_of(self);
    bool given = !NIL_P(wanted);
    size_t length = given ? spate_to_index(wanted, "byte_length") : 0;
    buffer = spate_array_buffer_writable(self);
    if (!given)
        length = buffer->length;
    check_unpinned(buffer, "transferred");
    bool resizable = keep_resizable && buffer->resizable;
    if (resizable && length > buffer->max_length)
        rb_raise(rb_eRangeError, "byte_length %zu is larger than max_byte_length %zu", length, buffer->max_length);
    check_length(length);
    VALUE result = buffer_allocate(spate_class_array_buffer);
    spate_array_buffer *to = spate_array_buffer_of(result);
    if (length != buffer->capacity) {
        if (length == 0) {
            ruby_xfree(buffer->data);
            buffer->data = NULL;
        } else {
            buffer->data = ruby_xrealloc(buffer->data, length);
        }
        if (length > buffer->capacity)
            memset(buffer->data + buffer->capacity, 0, length - buffer->capacity);
    }
    *to = (spate_array_buffer){.data = buffer->data,
                               .length = length,
                               .capacity = length,
                               .max_length = resizable ? buffer->max_length : length,
                               .owner = Qnil,
                               .resizable = resizable,
                               .made = true};
    *buffer = (spate_array_buffer){.owner = Qnil, .resizable = buffer->resizable, .detached = true, .made = true};
    return result;
}

/*
 * transfer(byte_length = self.byte_length): moves the bytes to a new buffer and detaches this one. ECMA-262 25.1.6.8.
 */
static VALUE buffer_transfer(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 0, 1);
    return move(self, argc ? argv[0] : Qnil, true);
}

/* Like transfer, but the new buffer has a fixed length. ECMA-262 25.1.6.9. */
static VALUE buffer_transfer_to_fixed_length(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 0, 1);
    return move(self, argc ? argv[0] : Qnil, false);
}

/* Like transfer, but the new buffer is frozen. */
static VALUE buffer_transfer_to_immutable(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 0, 1);
    return rb_obj_freeze(move(self, argc ? argv[0] : Qnil, false));
}

/*
 * Converts the bounds of a slice as in JavaScript: negative bounds count from the end, and both are clamped. The count
 * is never negative.
 */
static void take_range(int argc, const VALUE *argv, size_t length, size_t *from, size_t *count) {
    size_t start = argc > 0 && !NIL_P(argv[0]) ? spate_to_position(argv[0], length) : 0;
    size_t end = argc > 1 && !NIL_P(argv[1]) ? spate_to_position(argv[1], length) : length;
    *from = start;
    *count = end > start ? end - start : 0;
}

/* Converts a Range as in Array#[]. Returns false unless the only argument is a Range. */
static bool take_ruby_range(int argc, VALUE *argv, size_t length, size_t *from, size_t *count) {
    long start, size;
    if (argc != 1 || !rb_obj_is_kind_of(argv[0], rb_cRange))
        return false;
    if (RTEST(rb_range_beg_len(argv[0], &start, &size, (long)length, 0))) {
        *from = (size_t)start;
        *count = (size_t)size;
    } else {
        *from = *count = 0;
    }
    return true;
}

/* slice(begin = 0, end = byte_length), slice(range): returns a copy. ECMA-262 25.1.6.7. */
static VALUE buffer_slice(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 0, 2);
    size_t from, count;
    const spate_array_buffer *buffer = spate_array_buffer_readable(self);
    size_t length = buffer->length;
    if (!take_ruby_range(argc, argv, length, &from, &count))
        take_range(argc, argv, length, &from, &count);
    VALUE result = spate_array_buffer_new(count);
    /* The conversion of the arguments may have run Ruby code that made the buffer shorter. */
    buffer = spate_array_buffer_readable(self);
    size_t there = from < buffer->length ? buffer->length - from : 0;
    if (there > count)
        there = count;
    if (there)
        memcpy(spate_array_buffer_of(result)->data, buffer->data + from, there);
    return result;
}

static VALUE buffer_slice_to_immutable(int argc, VALUE *argv, VALUE self) {
    return rb_obj_freeze(buffer_slice(argc, argv, self));
}

/* ---- Conversion -------------------------------------------------------------------------------------------------- */

/* to_s: returns the bytes as a new binary String. */
static VALUE buffer_to_s(VALUE self) {
    const spate_array_buffer *buffer = spate_array_buffer_readable(self);
    VALUE string = rb_str_new(NULL, (long)buffer->length);
    if (buffer->length)
        memcpy(RSTRING_PTR(string), buffer->data, buffer->length);
    RB_GC_GUARD(self);
    return string;
}

/*
 * to_str: returns the frozen String that this buffer wraps, otherwise a copy, because a String never points to foreign
 * memory.
 */
static VALUE buffer_to_str(VALUE self) {
    const spate_array_buffer *buffer = spate_array_buffer_readable(self);
    return NIL_P(buffer->owner) ? buffer_to_s(self) : buffer->owner;
}

static bool same_bytes(const spate_array_buffer *a, const spate_array_buffer *b) {
    return a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

static bool is_buffer(VALUE object) {
    return rb_typeddata_is_kind_of(object, &spate_array_buffer_type);
}

static VALUE buffer_equal(VALUE self, VALUE other) {
    if (self == other)
        return Qtrue;
    if (!is_buffer(other))
        return Qfalse;
    const spate_array_buffer *a = spate_array_buffer_of(self), *b = spate_array_buffer_of(other);
    return a->detached == b->detached && same_bytes(a, b) ? Qtrue : Qfalse;
}

static VALUE buffer_compare(VALUE self, VALUE other) {
    if (!is_buffer(other))
        return Qnil;
    const spate_array_buffer *a = spate_array_buffer_readable(self), *b = spate_array_buffer_readable(other);
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = shorter ? memcmp(a->data, b->data, shorter) : 0;
    if (order == 0)
        order = a->length < b->length ? -1 : a->length > b->length;
    return INT2FIX(order < 0 ? -1 : order > 0);
}

static VALUE buffer_hash(VALUE self) {
    const spate_array_buffer *buffer = spate_array_buffer_of(self);
    st_index_t hash = rb_memhash(buffer->data ? buffer->data : (const uint8_t *)"", (long)buffer->length);
    return ST2FIX(hash);
}

#define DUMPED 16

void spate_append_dump(VALUE text, const uint8_t *bytes, size_t length) {
    static const char digits[] = "0123456789abcdef";
    size_t shown = length > DUMPED ? DUMPED : length;
    for (size_t i = 0; i < shown; i++) {
        char pair[3] = {i ? ' ' : '<', digits[bytes[i] >> 4], digits[bytes[i] & 15]};
        rb_str_cat(text, pair, 3);
    }
    if (shown == 0)
        rb_str_cat_cstr(text, "<");
    rb_str_cat_cstr(text, length > shown ? " …>" : ">");
}

static VALUE buffer_inspect(VALUE self) {
    const spate_array_buffer *buffer = spate_array_buffer_of(self);
    VALUE text = rb_enc_sprintf(rb_utf8_encoding(), "#<%" PRIsVALUE " ", rb_obj_class(self));
    if (buffer->detached)
        return rb_str_cat_cstr(text, "detached>");
    rb_str_catf(text, "byte_length=%zu", buffer->length);
    if (buffer->resizable)
        rb_str_catf(text, " max_byte_length=%zu", buffer->max_length);
    rb_str_cat_cstr(text, " ");
    spate_append_dump(text, buffer->data, buffer->length);
    return rb_str_cat_cstr(text, ">");
}

/* marshal_dump: returns [bytes, max_byte_length or nil]. */
static VALUE buffer_marshal_dump(VALUE self) {
    const spate_array_buffer *buffer = spate_array_buffer_readable(self);
    return rb_assoc_new(buffer_to_s(self), buffer->resizable ? SIZET2NUM(buffer->max_length) : Qnil);
}

static VALUE buffer_marshal_load(VALUE self, VALUE dumped) {
    Check_Type(dumped, T_ARRAY);
    VALUE bytes = rb_ary_entry(dumped, 0), maximum = rb_ary_entry(dumped, 1);
    Check_Type(bytes, T_STRING);
    size_t most = NIL_P(maximum) ? 0 : spate_to_index(maximum, "max_byte_length");
    size_t length = (size_t)RSTRING_LEN(bytes);
    if (NIL_P(maximum))
        most = length;
    spate_array_buffer *buffer = spate_array_buffer_of(self);
    rb_check_frozen(self);
    if (buffer->made || most < length)
        rb_raise(rb_eTypeError, "not a marshalled ArrayBuffer");
    give(buffer, length, most, !NIL_P(maximum));
    if (length)
        memcpy(buffer->data, RSTRING_PTR(bytes), length);
    RB_GC_GUARD(bytes);
    return self;
}

static void alias(VALUE klass, const char *javascript, const char *ruby) {
    rb_define_alias(klass, javascript, ruby);
}

void spate_init_array_buffer(VALUE spate) {
    VALUE klass = spate_class_array_buffer = rb_define_class_under(spate, "ArrayBuffer", rb_cObject);
    rb_gc_register_mark_object(klass);
    id_max_byte_length = rb_intern("max_byte_length");
    id_maxByteLength = rb_intern("maxByteLength");
    rb_include_module(klass, rb_mComparable);
    rb_define_alloc_func(klass, buffer_allocate);
    rb_define_singleton_method(klass, "wrap", buffer_s_wrap, 1);
    rb_define_singleton_method(klass, "view?", buffer_s_is_view, 1);
    rb_define_singleton_method(klass, "isView", buffer_s_is_view, 1);
    rb_define_method(klass, "initialize", buffer_initialize, -1);
    rb_define_method(klass, "initialize_copy", buffer_initialize_copy, 1);
    rb_define_method(klass, "byte_length", buffer_byte_length, 0);
    rb_define_method(klass, "max_byte_length", buffer_max_byte_length, 0);
    rb_define_method(klass, "resizable?", buffer_is_resizable, 0);
    rb_define_method(klass, "detached?", buffer_is_detached, 0);
    rb_define_method(klass, "immutable?", buffer_is_immutable, 0);
    rb_define_method(klass, "pinned?", buffer_is_pinned, 0);
    rb_define_method(klass, "freeze", buffer_freeze, 0);
    rb_define_method(klass, "resize", buffer_resize, 1);
    rb_define_method(klass, "transfer", buffer_transfer, -1);
    rb_define_method(klass, "transfer_to_fixed_length", buffer_transfer_to_fixed_length, -1);
    rb_define_method(klass, "transfer_to_immutable", buffer_transfer_to_immutable, -1);
    rb_define_method(klass, "slice", buffer_slice, -1);
    rb_define_method(klass, "slice_to_immutable", buffer_slice_to_immutable, -1);
    rb_define_method(klass, "to_s", buffer_to_s, 0);
    rb_define_method(klass, "to_str", buffer_to_str, 0);
    rb_define_method(klass, "==", buffer_equal, 1);
    rb_define_method(klass, "eql?", buffer_equal, 1);
    rb_define_method(klass, "<=>", buffer_compare, 1);
    rb_define_method(klass, "hash", buffer_hash, 0);
    rb_define_method(klass, "inspect", buffer_inspect, 0);
    rb_define_method(klass, "marshal_dump", buffer_marshal_dump, 0);
    rb_define_method(klass, "marshal_load", buffer_marshal_load, 1);
    alias(klass, "byteLength", "byte_length");
    alias(klass, "bytesize", "byte_length");
    alias(klass, "length", "byte_length");
    alias(klass, "size", "byte_length");
    alias(klass, "maxByteLength", "max_byte_length");
    alias(klass, "resizable", "resizable?");
    alias(klass, "detached", "detached?");
    alias(klass, "immutable", "immutable?");
    alias(klass, "transferToFixedLength", "transfer_to_fixed_length");
    alias(klass, "transferToImmutable", "transfer_to_immutable");
    alias(klass, "sliceToImmutable", "slice_to_immutable");
}
