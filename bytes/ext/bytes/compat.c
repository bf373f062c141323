#include "view/view.h"

/*
 * The interface of the gem arraybuffer 0.0.7, implemented with Spate's buffers: Spate::Compat::ArrayBuffer and
 * DataView. `require "spate/bytes/compat/arraybuffer"` also defines them at the top level. Differences: an index
 * outside of the buffer is rejected, `bytes` returns a copy, `dup` copies the bytes, and setBytes may fill a buffer to
 * its last byte.
 */
static VALUE class_buffer, class_view;

/* ---- ArrayBuffer ------------------------------------------------------------------------------------------------- */

/* ArrayBuffer.new(size): creates a buffer of `size` zero bytes. */
static VALUE buffer_initialize(VALUE self, VALUE size) {
    VALUE options = rb_hash_new(), arguments[2] = {UINT2NUM(NUM2UINT(size)), options};
    rb_hash_aset(options, ID2SYM(rb_intern("max_byte_length")), UINT2NUM(UINT32_MAX));
    return rb_call_super_kw(2, arguments, RB_PASS_KEYWORDS);
}

/*
 * Converts an index. Negative indexes count from the end. Raises ArgumentError outside of the buffer, as the gem does.
 * Runs no Ruby code.
 */
static size_t position(int index, size_t size, const char *message) {
    int64_t at = index;
    if (at < 0)
        at += (int64_t)size;
    if (at < 0 || (uint64_t)at >= size)
        rb_raise(rb_eArgError, "%s: %lld", message, (long long)at);
    return (size_t)at;
}

static VALUE buffer_get(VALUE self, VALUE index) {
    int at = NUM2INT(index); /* the conversion may run Ruby code, so the buffer is checked afterwards */
    const spate_array_buffer *buffer = spate_array_buffer_readable(self);
    return INT2FIX(buffer->data[position(at, buffer->length, "Index out of bounds")]);
}

/* Stores the value modulo 256. */
static VALUE buffer_set(VALUE self, VALUE index, VALUE value) {
    int at = NUM2INT(index);
    unsigned number = NUM2UINT(value);
    const spate_array_buffer *buffer = spate_array_buffer_writable(self);
    buffer->data[position(at, buffer->length, "Index out of bounds")] = (uint8_t)number;
    return self;
}

static void need_block(void) {
    if (!rb_block_given_p())
        rb_raise(rb_eArgError, "no block given");
}

static VALUE buffer_each(VALUE self) {
    need_block();
    for (size_t i = 0; i < spate_array_buffer_of(self)->length; i++)
        rb_yield(INT2FIX(spate_array_buffer_of(self)->data[i]));
    return self;
}

static VALUE buffer_realloc(VALUE self, VALUE size) {
    size_t length = NUM2UINT(size);
    spate_array_buffer *buffer = spate_array_buffer_writable(self);
    if (length != buffer->length)
        spate_array_buffer_resize(buffer, length);
    return self;
}

/* ---- DataView ---------------------------------------------------------------------------------------------------- */

typedef struct old_view {
    VALUE buffer;
    size_t offset;
    size_t size; /* as passed by the caller; the buffer may be shorter */
    bool little;
} old_view;

static void view_mark(void *pointer) {
    rb_gc_mark(((old_view *)pointer)->buffer);
}

static size_t view_memory(const void *pointer) {
    return sizeof(old_view);
}

static const rb_data_type_t view_type = {
    .wrap_struct_name = "Spate::Compat::DataView",
    .function = {.dmark = view_mark, .dfree = RUBY_DEFAULT_FREE, .dsize = view_memory},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static VALUE view_allocate(VALUE klass) {
    old_view *view;
    VALUE self = TypedData_Make_Struct(klass, old_view, &view_type, view);
    view->buffer = Qnil;
    return self;
}

static old_view *view_of(VALUE self) {
    old_view *view = rb_check_typeddata(self, &view_type);
    if (NIL_P(view->buffer))
        rb_raise(rb_eTypeError, "the DataView is not initialized");
    return view;
}

static size_t from_end(VALUE given, size_t otherwise, size_t length, const char *what) {
    long value = NIL_P(given) ? (long)otherwise : NUM2INT(given);
    if (value < 0)
        value += (long)length;
    if (value < 0)
        rb_raise(rb_eArgError, "calculated %s is negative: %ld", what, value);
    return (size_t)value;
}

static bool take_endianess(VALUE options) {
    ID names[1] = {rb_intern("endianess")};
    VALUE given = Qundef;
    if (NIL_P(options))
        return false;
    rb_get_kwargs(options, names, 0, 1, &given);
    if (given == Qundef)
        return false;
    Check_Type(given, T_SYMBOL);
    if (given != ID2SYM(rb_intern("little")) && given != ID2SYM(rb_intern("big")))
        rb_raise(rb_eArgError, "endianess must be either :big or :little");
    return given == ID2SYM(rb_intern("little"));
}

/* DataView.new(buffer, offset = 0, size = buffer.size, endianess: :big) */
static VALUE view_initialize(int argc, VALUE *argv, VALUE self) {
    VALUE buffer, offset, size, options;
    rb_scan_args(argc, argv, "12:", &buffer, &offset, &size, &options);
    size_t length = spate_array_buffer_readable(buffer)->length;
    old_view made = {.size = from_end(size, length, length, "size"), .offset = from_end(offset, 0, length, "offset")};
    made.little = take_endianess(options);
    old_view *view = rb_check_typeddata(self, &view_type);
    view->size = made.size;
    view->offset = made.offset;
    view->little = made.little;
    RB_OBJ_WRITE(self, &view->buffer, buffer);
    return self;
}

static VALUE view_initialize_copy(VALUE self, VALUE other) {
    const old_view *from = view_of(other);
    old_view *view = rb_check_typeddata(self, &view_type);
    view->size = from->size;
    view->offset = from->offset;
    view->little = from->little;
    RB_OBJ_WRITE(self, &view->buffer, from->buffer);
    return self;
}

static VALUE view_size(VALUE self) {
    return SIZET2NUM(view_of(self)->size);
}

static VALUE view_offset(VALUE self) {
    return SIZET2NUM(view_of(self)->offset);
}

static VALUE view_set_size(VALUE self, VALUE size) {
    old_view *view = view_of(self);
    size_t length = spate_array_buffer_readable(view->buffer)->length;
    view->size = from_end(size, length, length, "size");
    return self;
}

static VALUE view_set_offset(VALUE self, VALUE offset) {
    old_view *view = view_of(self);
    view->offset = from_end(offset, 0, spate_array_buffer_readable(view->buffer)->length, "offset");
    return self;
}

static VALUE view_endianess(VALUE self) {
    return ID2SYM(rb_intern(view_of(self)->little ? "little" : "big"));
}

/* The number of the view's bytes that are within the buffer. */
static size_t there(const old_view *view, const spate_array_buffer *buffer) {
    size_t rest = view->offset < buffer->length ? buffer->length - view->offset : 0;
    return view->size < rest ? view->size : rest;
}

VALUE spate_compat_view(VALUE self, spate_bytes *out) {
    const old_view *view = view_of(self);
    const spate_array_buffer *buffer = spate_array_buffer_of(view->buffer);
    *out = (spate_bytes){.length = there(view, buffer)};
    if (out->length)
        out->data = buffer->data + view->offset;
    return view->buffer;
}

static VALUE view_each(VALUE self) {
    const old_view *view = view_of(self);
    need_block();
    for (size_t i = 0; i < there(view, spate_array_buffer_of(view->buffer)); i++)
        rb_yield(INT2FIX(spate_array_buffer_of(view->buffer)->data[view->offset + i]));
    return self;
}

static VALUE view_to_s(VALUE self) {
    const old_view *view = view_of(self);
    const spate_array_buffer *buffer = spate_array_buffer_readable(view->buffer);
    size_t length = there(view, buffer);
    VALUE string = rb_str_new(NULL, (long)length);
    if (length)
        memcpy(RSTRING_PTR(string), buffer->data + view->offset, length);
    return string;
}

/*
 * Returns the address of `width` bytes. Raises ArgumentError unless the index is in the view and all bytes are in the
 * buffer.
 */
static uint8_t *place(const old_view *view, int index, size_t width, const spate_array_buffer *buffer) {
    size_t at = view->offset + position(index, view->size, "index out of bounds");
    if (at >= buffer->length || width > buffer->length - at)
        rb_raise(rb_eArgError, "index out of underlying buffer bounds: %zu", width ? at + width - 1 : at);
    return buffer->data + at;
}

/* getBit(index): returns a bit of the view. Bit 0 is the least significant bit of the first byte. */
static VALUE view_get_bit(VALUE self, VALUE index) {
    const old_view *view = view_of(self);
    size_t bit = position(NUM2INT(index), view->size * 8, "index out of bounds");
    const spate_array_buffer *buffer = spate_array_buffer_readable(view->buffer);
    size_t at = view->offset + bit / 8;
    if (at >= buffer->length)
        rb_raise(rb_eArgError, "index out of underlying buffer bounds: %zu", at);
    return INT2FIX(buffer->data[at] >> (bit & 7) & 1);
}

static VALUE get(VALUE self, VALUE index, size_t width) {
    const old_view *view = view_of(self);
    int wanted = NUM2INT(index);
    const uint8_t *at = place(view, wanted, width, spate_array_buffer_readable(view->buffer));
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | at[view->little ? width - 1 - i : i];
    return ULL2NUM(value);
}

/* Writes a number. Values outside the type's range are clamped to it. */
static VALUE set(VALUE self, int index, int64_t value, size_t width) {
    const old_view *view = view_of(self);
    uint8_t *at = place(view, index, width, spate_array_buffer_writable(view->buffer));
    int64_t most = ((int64_t)1 << 8 * width) - 1;
    uint64_t bits = (uint64_t)(value < 0 ? 0 : value > most ? most : value);
    for (size_t i = 0; i < width; i++, bits >>= 8)
        at[view->little ? i : width - 1 - i] = (uint8_t)bits;
    return self;
}

#define DEFINE_WIDTH(bits, convert)                                                                                    \
    static VALUE view_get_##bits(VALUE self, VALUE index) {                                                            \
        return get(self, index, bits / 8);                                                                             \
    }                                                                                                                  \
    static VALUE view_set_##bits(VALUE self, VALUE index, VALUE value) {                                               \
        int at = NUM2INT(index);                                                                                       \
        return set(self, at, convert(value), bits / 8);                                                                \
    }

DEFINE_WIDTH(8, NUM2INT)
DEFINE_WIDTH(16, NUM2INT)
DEFINE_WIDTH(24, NUM2INT)
DEFINE_WIDTH(32, NUM2LONG)

static VALUE set_array(VALUE self, int index, VALUE array) {
    const old_view *view = view_of(self);
    long length = RARRAY_LEN(array);
    uint8_t *at = place(view, index, (size_t)length, spate_array_buffer_writable(view->buffer));
    for (long i = 0; i < length; i++)
        if (!FIXNUM_P(RARRAY_AREF(array, i)))
            rb_raise(rb_eRuntimeError, "array contains non fixnum value at index %ld", i);
    for (long i = 0; i < length; i++) {
        long value = FIX2LONG(RARRAY_AREF(array, i));
        at[i] = (uint8_t)(value < 0 ? 0 : value > 0xff ? 0xff : value);
    }
    return self;
}

/* setBytes(index, bytes): writes the bytes of a String, an Array, an ArrayBuffer or a DataView. */
static VALUE view_set_bytes(VALUE self, VALUE index, VALUE source) {
    int from = NUM2INT(index); /* may run Ruby code that changes the source */
    if (RB_TYPE_P(source, T_ARRAY))
        return set_array(self, from, source);
    if (rb_typeddata_is_kind_of(source, &view_type))
        source = view_to_s(source);
    if (!RB_TYPE_P(source, T_STRING) && !rb_typeddata_is_kind_of(source, &spate_array_buffer_type))
        rb_raise(rb_eArgError, "Invalid type: %" PRIsVALUE, rb_obj_class(source));
    const old_view *view = view_of(self);
    spate_bytes bytes = spate_bytes_of(source);
    uint8_t *at = place(view, from, bytes.length, spate_array_buffer_writable(view->buffer));
    if (bytes.length)
        memmove(at, bytes.data, bytes.length);
    RB_GC_GUARD(source);
    return self;
}

static void define_buffer(VALUE compat) {
    VALUE klass = class_buffer = rb_define_class_under(compat, "ArrayBuffer", spate_class_array_buffer);
    rb_include_module(klass, rb_mEnumerable);
    rb_define_method(klass, "initialize", buffer_initialize, 1);
    rb_define_method(klass, "[]", buffer_get, 1);
    rb_define_method(klass, "[]=", buffer_set, 2);
    rb_define_method(klass, "each", buffer_each, 0);
    rb_define_method(klass, "realloc", buffer_realloc, 1);
    rb_define_alias(klass, "bytes", "to_s");
}

static void define_view(VALUE compat) {
    VALUE klass = class_view = rb_define_class_under(compat, "DataView", rb_cObject);
    rb_include_module(klass, rb_mEnumerable);
    rb_define_alloc_func(klass, view_allocate);
    rb_define_method(klass, "initialize", view_initialize, -1);
    rb_define_method(klass, "initialize_copy", view_initialize_copy, 1);
    rb_define_method(klass, "getBit", view_get_bit, 1);
    rb_define_method(klass, "getU8", view_get_8, 1);
    rb_define_method(klass, "getU16", view_get_16, 1);
    rb_define_method(klass, "getU24", view_get_24, 1);
    rb_define_method(klass, "getU32", view_get_32, 1);
    rb_define_method(klass, "setU8", view_set_8, 2);
    rb_define_method(klass, "setU16", view_set_16, 2);
    rb_define_method(klass, "setU24", view_set_24, 2);
    rb_define_method(klass, "setU32", view_set_32, 2);
    rb_define_method(klass, "setBytes", view_set_bytes, 2);
    rb_define_method(klass, "endianess", view_endianess, 0);
    rb_define_method(klass, "offset", view_offset, 0);
    rb_define_method(klass, "offset=", view_set_offset, 1);
    rb_define_method(klass, "size", view_size, 0);
    rb_define_method(klass, "size=", view_set_size, 1);
    rb_define_alias(klass, "length", "size");
    rb_define_alias(klass, "length=", "size=");
    rb_define_method(klass, "each", view_each, 0);
    rb_define_method(klass, "to_s", view_to_s, 0);
}

void spate_init_compat(VALUE spate) {
    VALUE compat = rb_define_module_under(spate, "Compat");
    define_buffer(compat);
    define_view(compat);
}
