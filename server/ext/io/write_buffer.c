#include "write_buffer.h"
#include "io_call.h"
#include "native.h"
#include "write_buffer_struct.h"

#include <string.h>
#include <unistd.h>

const spate_bytes_abi *spate_bytes;

static void write_buffer_mark(void *pointer) {
    const write_buffer *out = pointer;
    rb_gc_mark(out->pool);
    rb_gc_mark(out->buffer);
}

void spate_write_buffer_drop_files(write_buffer *out, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        close(out->files[i].fd);
    out->file_count -= count;
    memmove(out->files, out->files + count, out->file_count * sizeof out->files[0]);
}

static void write_buffer_free(void *pointer) {
    write_buffer *out = pointer;
    spate_write_buffer_drop_files(out, out->file_count);
    xfree(out);
}

static const rb_data_type_t write_buffer_type = {
    .wrap_struct_name = "Spate::Server::Native::WriteBuffer",
    .function = {write_buffer_mark, write_buffer_free, NULL},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE write_buffer_alloc(VALUE klass) {
    write_buffer *out;
    VALUE self = TypedData_Make_Struct(klass, write_buffer, &write_buffer_type, out);
    out->pool = out->buffer = Qnil;
    return self;
}

write_buffer *spate_write_buffer_of(VALUE self) {
    return rb_check_typeddata(self, &write_buffer_type);
}

/* WriteBuffer.new(pool). pool: an Array of unused ArrayBuffers, shared by connections. */
static VALUE write_buffer_initialize(VALUE self, VALUE pool) {
    Check_Type(pool, T_ARRAY);
    spate_write_buffer_of(self)->pool = pool;
    return self;
}

static void take_buffer(write_buffer *out) {
    size_t length;
    VALUE buffer = rb_ary_pop(out->pool);
    if (NIL_P(buffer))
        buffer = spate_bytes->create(SPATE_WRITE_BUFFER_BYTES);
    uint8_t *bytes = spate_bytes->pin(buffer, &length, true);
    if (length < SPATE_WRITE_BUFFER_BYTES) {
        spate_bytes->unpin(buffer);
        rb_raise(rb_eArgError, "a pooled buffer has %zu bytes instead of %zu", length, SPATE_WRITE_BUFFER_BYTES);
    }
    out->bytes = bytes;
    out->buffer = buffer;
    out->start = out->end = 0;
}

void spate_write_buffer_release(write_buffer *out) {
    VALUE buffer = out->buffer;
    out->buffer = Qnil;
    out->bytes = NULL;
    out->start = out->end = 0;
    if (NIL_P(buffer))
        return;
    spate_bytes->unpin(buffer);
    rb_ary_push(out->pool, buffer);
}

/*
 * Raises ConnectionError when the buffer is full, which happens when a peer sends requests and does not read the
 * responses.
 */
uint8_t *spate_write_buffer_place(write_buffer *out, size_t length) {
    if (NIL_P(out->buffer))
        take_buffer(out);
    if (SPATE_WRITE_BUFFER_BYTES - out->end < length && out->start > 0) {
        memmove(out->bytes, out->bytes + out->start, out->end - out->start);
        for (unsigned i = 0; i < out->file_count; i++)
            out->files[i].at -= out->start;
        out->end -= out->start;
        out->start = 0;
    }
    if (SPATE_WRITE_BUFFER_BYTES - out->end < length)
        rb_raise(rb_path2class("Spate::Server::ConnectionError"), "the peer does not read its responses");
    return out->bytes + out->end;
}

size_t spate_write_buffer_room(const write_buffer *out) {
    if (NIL_P(out->buffer))
        return SPATE_WRITE_BUFFER_DATA_BYTES;
    return out->end < SPATE_WRITE_BUFFER_DATA_BYTES ? SPATE_WRITE_BUFFER_DATA_BYTES - out->end : 0;
}

static VALUE write_buffer_room(VALUE self) {
    return SIZET2NUM(spate_write_buffer_room(spate_write_buffer_of(self)));
}

/*
 * raw(bytes): appends a String unframed, for HTTP/1.1. Returns self. Raises ConnectionError when the String does not
 * fit.
 */
static VALUE write_buffer_raw(VALUE self, VALUE bytes) {
    write_buffer *out = spate_write_buffer_of(self);
    Check_Type(bytes, T_STRING);
    size_t length = (size_t)RSTRING_LEN(bytes);
    uint8_t *at = spate_write_buffer_place(out, length);
    memcpy(at, RSTRING_PTR(bytes), length);
    out->end += length;
    return self;
}

size_t spate_write_buffer_file_bytes(const write_buffer *out) {
    size_t bytes = 0;
    for (unsigned i = 0; i < out->file_count; i++)
        bytes += out->files[i].left;
    return bytes;
}

bool spate_write_buffer_is_empty(const write_buffer *out) {
    return out->start == out->end && out->file_count == 0;
}

static VALUE write_buffer_pending(VALUE self) {
    const write_buffer *out = spate_write_buffer_of(self);
    return SIZET2NUM(out->end - out->start + spate_write_buffer_file_bytes(out));
}

static VALUE write_buffer_empty(VALUE self) {
    return RBOOL(spate_write_buffer_is_empty(spate_write_buffer_of(self)));
}

static VALUE write_buffer_clear(VALUE self) {
    write_buffer *out = spate_write_buffer_of(self);
    spate_write_buffer_drop_files(out, out->file_count);
    spate_write_buffer_release(out);
    return self;
}

/* to_s: returns a copy of the buffered bytes, without queued files. */
static VALUE write_buffer_to_s(VALUE self) {
    const write_buffer *out = spate_write_buffer_of(self);
    return rb_str_new((const char *)out->bytes + (out->bytes ? out->start : 0), (long)(out->end - out->start));
}

static void written(write_buffer *out, size_t count) {
    if (count > out->end - out->start)
        rb_raise(rb_eRangeError, "%zu bytes were written of %zu", count, out->end - out->start);
    out->start += count;
    if (spate_write_buffer_is_empty(out))
        spate_write_buffer_release(out);
}

/* written(count): removes the first `count` bytes, which the caller has sent without flush. Raises RangeError. */
static VALUE write_buffer_written(VALUE self, VALUE count) {
    written(spate_write_buffer_of(self), NUM2SIZET(count));
    return self;
}

/* The interface that write_buffer.h declares. */
static VALUE abi_waiting(VALUE self, size_t *offset, size_t *length) {
    const write_buffer *out = spate_write_buffer_of(self);
    *offset = out->start;
    *length = out->end - out->start;
    return *length ? out->buffer : Qnil;
}

static void abi_written(VALUE self, size_t count) {
    written(spate_write_buffer_of(self), count);
}

static size_t abi_room(VALUE self) {
    return spate_write_buffer_room(spate_write_buffer_of(self));
}

static uint8_t *abi_place(VALUE self, size_t length) {
    return spate_write_buffer_place(spate_write_buffer_of(self), length);
}

static void abi_filled(VALUE self, size_t count) {
    spate_write_buffer_of(self)->end += count;
}

static const spate_write_buffer_abi table = {
    .version = SPATE_WRITE_BUFFER_ABI_VERSION,
    .size = sizeof(spate_write_buffer_abi),
    .waiting = abi_waiting,
    .written = abi_written,
    .room = abi_room,
    .place = abi_place,
    .filled = abi_filled,
    .read_file = spate_io_read_file,
};

VALUE spate_init_write_buffer(VALUE native) {
    VALUE klass = rb_define_class_under(native, "WriteBuffer", rb_cObject);
    rb_define_const(native, "WRITE_BUFFER_ABI", SIZET2NUM((size_t)&table));
    rb_define_const(klass, "BYTES", SIZET2NUM(SPATE_WRITE_BUFFER_BYTES));
    rb_define_alloc_func(klass, write_buffer_alloc);
    rb_define_method(klass, "initialize", write_buffer_initialize, 1);
    rb_define_method(klass, "room", write_buffer_room, 0);
    rb_define_method(klass, "raw", write_buffer_raw, 1);
    rb_define_method(klass, "pending", write_buffer_pending, 0);
    rb_define_method(klass, "empty?", write_buffer_empty, 0);
    rb_define_method(klass, "clear", write_buffer_clear, 0);
    rb_define_method(klass, "to_s", write_buffer_to_s, 0);
    rb_define_method(klass, "written", write_buffer_written, 1);
    return klass;
}
