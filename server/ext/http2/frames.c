#include "frame.h"
#include "native.h"

#include <string.h>

/*
 * Methods of WriteBuffer that append frames (RFC 9113, section 6). They raise ConnectionError when the frames do not
 * fit.
 */

/* Maximum payload. A peer may allow more (section 6.5.2), but larger frames are not faster and delay other streams. */
#define MAX_PAYLOAD ((size_t)16384)

/* Maximum number of frames that `file` appends. */
#define SLICES 32

/* frame(type, flags, stream, payload): appends a frame. payload: a String or nil. */
static VALUE append_frame(VALUE self, VALUE type, VALUE flags, VALUE stream, VALUE payload) {
    uint8_t number = (uint8_t)NUM2UINT(type), bits = (uint8_t)NUM2UINT(flags);
    uint32_t id = NUM2UINT(stream);
    size_t length = 0;
    if (!NIL_P(payload)) {
        Check_Type(payload, T_STRING);
        length = (size_t)RSTRING_LEN(payload);
    }
    uint8_t *at = spate_write_buffer->place(self, SPATE_FRAME_HEADER_BYTES + length);
    spate_frame_write_header(at, (uint32_t)length, number, bits, id);
    if (length)
        memcpy(at + SPATE_FRAME_HEADER_BYTES, RSTRING_PTR(payload), length);
    spate_write_buffer->filled(self, SPATE_FRAME_HEADER_BYTES + length);
    return self;
}

/* word(type, stream, number): appends a frame with a payload of 32 bits: RST_STREAM, WINDOW_UPDATE. */
static VALUE append_word(VALUE self, VALUE type, VALUE stream, VALUE number) {
    uint32_t id = NUM2UINT(stream), word = NUM2UINT(number);
    uint8_t kind = (uint8_t)NUM2UINT(type);
    uint8_t *at = spate_write_buffer->place(self, SPATE_FRAME_HEADER_BYTES + 4);
    spate_frame_write_header(at, 4, kind, 0, id);
    spate_store32(at + SPATE_FRAME_HEADER_BYTES, word);
    spate_write_buffer->filled(self, SPATE_FRAME_HEADER_BYTES + 4);
    return self;
}

/* Number of frames for `length` bytes of payload, at least 1. */
static size_t frames_of(size_t length) {
    return length ? (length + MAX_PAYLOAD - 1) / MAX_PAYLOAD : 1;
}

/*
 * headers(stream, encoder, status, fields, end_stream): appends HEADERS and CONTINUATION frames. status: nil for
 * trailers. Raises ArgumentError or TypeError for an invalid field, before anything is encoded or written.
 */
static VALUE append_headers(VALUE self, VALUE stream, VALUE encoder, VALUE status, VALUE fields, VALUE end_stream) {
    uint32_t id = NUM2UINT(stream);
    const spate_hpack_output *block = spate_encoder_block(encoder, status, fields);
    size_t frames = frames_of(block->length), done = 0;
    uint8_t *at = spate_write_buffer->place(self, block->length + frames * SPATE_FRAME_HEADER_BYTES);
    for (size_t i = 0; i < frames; i++) {
        size_t length = block->length - done < MAX_PAYLOAD ? block->length - done : MAX_PAYLOAD;
        uint8_t flags = i + 1 == frames ? SPATE_FLAG_END_HEADERS : 0;
        if (i == 0 && RTEST(end_stream))
            flags |= SPATE_FLAG_END_STREAM;
        spate_frame_write_header(at, (uint32_t)length, i ? SPATE_FRAME_CONTINUATION : SPATE_FRAME_HEADERS, flags, id);
        if (length)
            memcpy(at + SPATE_FRAME_HEADER_BYTES, block->bytes + done, length);
        at += SPATE_FRAME_HEADER_BYTES + length;
        done += length;
    }
    spate_write_buffer->filled(self, block->length + frames * SPATE_FRAME_HEADER_BYTES);
    return self;
}

/*
 * data(stream, bytes, offset, length, end_stream): appends DATA frames with a part of a String. Appends one empty frame
 * if length is 0.
 */
static VALUE append_data(VALUE self, VALUE stream, VALUE bytes, VALUE offset, VALUE length, VALUE end_stream) {
    uint32_t id = NUM2UINT(stream);
    size_t from = NUM2SIZET(offset), left = NUM2SIZET(length);
    Check_Type(bytes, T_STRING);
    if (from > (size_t)RSTRING_LEN(bytes) || left > (size_t)RSTRING_LEN(bytes) - from)
        rb_raise(rb_eIndexError, "%zu bytes at %zu are outside of %ld", left, from, RSTRING_LEN(bytes));
    do {
        size_t part = left < MAX_PAYLOAD ? left : MAX_PAYLOAD;
        uint8_t *at = spate_write_buffer->place(self, SPATE_FRAME_HEADER_BYTES + part);
        uint8_t flags = part == left && RTEST(end_stream) ? SPATE_FLAG_END_STREAM : 0;
        spate_frame_write_header(at, (uint32_t)part, SPATE_FRAME_DATA, flags, id);
        memcpy(at + SPATE_FRAME_HEADER_BYTES, RSTRING_PTR(bytes) + from, part);
        spate_write_buffer->filled(self, SPATE_FRAME_HEADER_BYTES + part);
        from += part;
        left -= part;
    } while (left > 0);
    return self;
}

/* The number of payload bytes that fit into the write buffer, as frames of at most MAX_PAYLOAD. */
static size_t data_room(VALUE self) {
    size_t room = spate_write_buffer->room(self), frame = MAX_PAYLOAD + SPATE_FRAME_HEADER_BYTES, rest = room % frame;
    return room / frame * MAX_PAYLOAD + (rest > SPATE_FRAME_HEADER_BYTES ? rest - SPATE_FRAME_HEADER_BYTES : 0);
}

static VALUE get_data_room(VALUE self) {
    return SIZET2NUM(data_room(self));
}

/* Sets one slice for the payload of each frame, leaving space for the headers. Returns the number of slices. */
static int plan(struct iovec slices[SLICES], uint8_t *at, size_t wanted) {
    int count = 0;
    for (size_t planned = 0; planned < wanted; planned += slices[count++].iov_len) {
        size_t part = wanted - planned < MAX_PAYLOAD ? wanted - planned : MAX_PAYLOAD;
        slices[count] = (struct iovec){at + SPATE_FRAME_HEADER_BYTES, part};
        at += SPATE_FRAME_HEADER_BYTES + part;
    }
    return count;
}

/*
 * Writes the headers of frames with `done` bytes of payload in total. `last`: flags of the last frame. Returns the size
 * of the frames with their headers.
 */
static size_t write_headers(uint8_t *at, uint32_t id, size_t done, uint8_t last) {
    const uint8_t *first = at;
    for (size_t left = done; left > 0;) {
        size_t part = left < MAX_PAYLOAD ? left : MAX_PAYLOAD;
        spate_frame_write_header(at, (uint32_t)part, SPATE_FRAME_DATA, part == left ? last : 0, id);
        at += SPATE_FRAME_HEADER_BYTES + part;
        left -= part;
    }
    return (size_t)(at - first);
}

/*
 * file(stream, fd, position, length, end_stream): reads a file directly into DATA frames, as many bytes as fit. Returns
 * the number of payload bytes. If the file ends early, the number is smaller and the last frame does not end the
 * stream. Raises SystemCallError.
 */
static VALUE append_file(VALUE self, VALUE stream, VALUE descriptor, VALUE position, VALUE length, VALUE end_stream) {
    struct iovec slices[SLICES];
    uint32_t id = NUM2UINT(stream);
    int fd = NUM2INT(descriptor);
    size_t asked = NUM2SIZET(length), fits = data_room(self);
    off_t from = NUM2OFFT(position);
    size_t wanted = asked < fits ? asked : fits;
    if (wanted > MAX_PAYLOAD * SLICES)
        wanted = MAX_PAYLOAD * SLICES;
    if (wanted == 0)
        return INT2FIX(0);
    uint8_t *first = spate_write_buffer->place(self, wanted + frames_of(wanted) * SPATE_FRAME_HEADER_BYTES);
    size_t done = spate_write_buffer->read_file(fd, slices, plan(slices, first, wanted), from, wanted);
    uint8_t last = done == asked && RTEST(end_stream) ? SPATE_FLAG_END_STREAM : 0;
    spate_write_buffer->filled(self, write_headers(first, id, done, last));
    return SIZET2NUM(done);
}

void spate_init_frames(VALUE native) {
    VALUE klass = rb_const_get(native, rb_intern("WriteBuffer"));
    rb_define_method(klass, "frame", append_frame, 4);
    rb_define_method(klass, "word", append_word, 3);
    rb_define_method(klass, "headers", append_headers, 5);
    rb_define_method(klass, "data", append_data, 5);
    rb_define_method(klass, "data_room", get_data_room, 0);
    rb_define_method(klass, "file", append_file, 5);
}
