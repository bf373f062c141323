#include "frame.h"
#include "native.h"

/*
 * Reads frames from a buffer. Its methods return the properties of the last frame, so no object is created per frame.
 */
typedef struct reader {
    spate_frame_reader frames;
    spate_frame frame;
    uint32_t min_join; /* minimum content, in bytes, of DATA frames that are joined */
    size_t base;       /* offset of the frame in the buffer */
} reader;

static const rb_data_type_t reader_type = {
    "Spate::Server::Native::FrameReader", {NULL, RUBY_DEFAULT_FREE, NULL}, 0, 0, RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE reader_alloc(VALUE klass) {
    reader *r;
    return TypedData_Make_Struct(klass, reader, &reader_type, r);
}

static reader *reader_of(VALUE self) {
    return rb_check_typeddata(self, &reader_type);
}

/*
 * FrameReader.new(max_length, min_join). max_length: the server's SETTINGS_MAX_FRAME_SIZE. min_join: minimum content,
 * in bytes, of DATA frames that are joined.
 */
static VALUE reader_initialize(VALUE self, VALUE max_length, VALUE min_join) {
    reader *r = reader_of(self);
    r->frames.max_length = NUM2UINT(max_length);
    r->min_join = NUM2UINT(min_join);
    return self;
}

/*
 * next(buffer, from, to, max): reads the frame at offset `from` and returns its type, or nil if it is incomplete before
 * `to`. Joins up to `max` consecutive DATA frames of a stream. The other methods describe this frame. Raises
 * ConnectionError, or StreamError, after which `size` is valid and reading can continue.
 */
static VALUE reader_next(VALUE self, VALUE buffer, VALUE from, VALUE to, VALUE max) {
    reader *r = reader_of(self);
    size_t first = NUM2SIZET(from), last = NUM2SIZET(to), length;
    uint32_t frames = NUM2UINT(max);
    spate_frame_error error = {0, NULL};
    const uint8_t *bytes = spate_bytes->pin(buffer, &length, false);
    if (last > length || first > last) {
        spate_bytes->unpin(buffer);
        rb_raise(rb_eIndexError, "frames from %zu to %zu are outside of %zu bytes", first, last, length);
    }
    spate_frame_status status = spate_frame_read(&r->frames, bytes + first, last - first, &r->frame, &error);
    if (status == SPATE_FRAME_READ && r->frame.type == SPATE_FRAME_DATA && r->frame.content >= r->min_join)
        spate_frame_join(&r->frames, bytes + first, last - first, &r->frame, frames, r->min_join);
    spate_bytes->unpin(buffer);
    r->base = first;
    switch (status) {
    case SPATE_FRAME_READ: return INT2FIX(r->frame.type);
    case SPATE_FRAME_PARTIAL: return Qnil;
    case SPATE_FRAME_STREAM_ERROR: spate_raise_stream_error(error.code, r->frame.stream, error.reason);
    case SPATE_FRAME_CONNECTION_ERROR: spate_raise_connection_error(error.code, error.reason);
    }
    return Qnil;
}

/*
 * data(buffer): returns the content of the last DATA frame as a String. `buffer` must be the buffer that the frame was
 * read from. Raises IndexError.
 */
static VALUE reader_data(VALUE self, VALUE buffer) {
    reader *r = reader_of(self);
    size_t length;
    VALUE string = rb_str_new(NULL, r->frame.content);
    const uint8_t *bytes = spate_bytes->pin(buffer, &length, false);
    bool inside = r->frame.type == SPATE_FRAME_DATA && r->base <= length && r->frame.size <= length - r->base;
    if (inside)
        spate_frame_copy(&r->frame, bytes + r->base, (uint8_t *)RSTRING_PTR(string));
    spate_bytes->unpin(buffer);
    if (!inside)
        rb_raise(rb_eIndexError, "the last frame is not DATA of this buffer");
    return string;
}

#define FACT(name, expression)                                                                                         \
    static VALUE reader_##name(VALUE self) {                                                                           \
        const reader *r = reader_of(self);                                                                             \
        return expression;                                                                                             \
    }

FACT(size, UINT2NUM(r->frame.size))
FACT(count, UINT2NUM(r->frame.count))
FACT(length, UINT2NUM(r->frame.length))
FACT(type_number, INT2FIX(r->frame.type))
FACT(flags, INT2FIX(r->frame.flags))
FACT(stream, UINT2NUM(r->frame.stream))
FACT(content_offset, SIZET2NUM(r->base + r->frame.offset))
FACT(content_length, UINT2NUM(r->frame.content))
FACT(word, UINT2NUM(r->frame.word))
FACT(last_stream, UINT2NUM(r->frame.last_stream))
FACT(ack, RBOOL(r->frame.flags &SPATE_FLAG_ACK))
FACT(end_stream, RBOOL(r->frame.flags &SPATE_FLAG_END_STREAM))
FACT(end_headers, RBOOL(r->frame.flags &SPATE_FLAG_END_HEADERS))
FACT(self_dependent, RBOOL((r->frame.flags & SPATE_FLAG_PRIORITY) && r->frame.word == r->frame.stream))

void spate_init_frame_reader(VALUE native) {
    VALUE r = rb_define_class_under(native, "FrameReader", rb_cObject);
    rb_define_alloc_func(r, reader_alloc);
    rb_define_method(r, "initialize", reader_initialize, 2);
    rb_define_method(r, "next", reader_next, 4);
    rb_define_method(r, "data", reader_data, 1);
    rb_define_method(r, "size", reader_size, 0);
    rb_define_method(r, "count", reader_count, 0);
    rb_define_method(r, "length", reader_length, 0);
    rb_define_method(r, "type", reader_type_number, 0);
    rb_define_method(r, "flags", reader_flags, 0);
    rb_define_method(r, "stream", reader_stream, 0);
    rb_define_method(r, "content_offset", reader_content_offset, 0);
    rb_define_method(r, "content_length", reader_content_length, 0);
    rb_define_method(r, "word", reader_word, 0);
    rb_define_method(r, "last_stream", reader_last_stream, 0);
    rb_define_method(r, "ack?", reader_ack, 0);
    rb_define_method(r, "end_stream?", reader_end_stream, 0);
    rb_define_method(r, "end_headers?", reader_end_headers, 0);
    rb_define_method(r, "self_dependent?", reader_self_dependent, 0);
}
