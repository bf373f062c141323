#include "native.h"
#include "frame.h"

#include <errno.h>
#include <ruby/thread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/*
 * What one connection has to write, in one ArrayBuffer, so that many frames go out in one call and a file's bytes are read
 * into their frame's place. The buffer comes from a pool when the first byte is written and goes back with the last:
 * an idle connection holds none.
 *
 *     0          start                  end        DATA_BYTES          BYTES
 *     |  written  |  frames to be written |  room    |  room of HEADERS and control frames only  |
 */
#define DATA_BYTES ((size_t)256 << 10)
#define RESERVE ((size_t)64 << 10)
#define BYTES (DATA_BYTES + RESERVE)
/* From here on a system call is worth the way out of Ruby's lock and back. */
#define WITHOUT_LOCK ((size_t)64 << 10)
#define ENHANCE_YOUR_CALM 0xb
#define SLICES 64

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

typedef struct outbox {
    VALUE pool;   /* Array of ArrayBuffers of BYTES each */
    VALUE buffer; /* pinned while it is here, or nil */
    uint8_t *bytes;
    size_t start, end;
    spate_hpack_output block;
} outbox;

static void outbox_mark(void *pointer) {
    const outbox *box = pointer;
    rb_gc_mark(box->pool);
    rb_gc_mark(box->buffer);
}

static void outbox_free(void *pointer) {
    free(((outbox *)pointer)->block.bytes);
    xfree(pointer);
}

static const rb_data_type_t outbox_type = {
    "Spate::Server::Native::Outbox", {outbox_mark, outbox_free, NULL}, 0, 0, RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE outbox_alloc(VALUE klass) {
    outbox *box;
    VALUE self = TypedData_Make_Struct(klass, outbox, &outbox_type, box);
    box->pool = box->buffer = Qnil;
    return self;
}

static outbox *outbox_of(VALUE self) {
    return rb_check_typeddata(self, &outbox_type);
}

/* Outbox.new(pool): an Array that connections share. */
static VALUE outbox_initialize(VALUE self, VALUE pool) {
    Check_Type(pool, T_ARRAY);
    outbox_of(self)->pool = pool;
    return self;
}

static void take_buffer(outbox *box) {
    size_t length;
    VALUE buffer = rb_ary_pop(box->pool);
    if (NIL_P(buffer))
        buffer = spate_bytes->create(BYTES);
    box->bytes = spate_bytes->pin(buffer, &length, true);
    box->buffer = buffer;
    box->start = box->end = 0;
    if (length < BYTES)
        rb_raise(rb_eArgError, "a pooled buffer has %zu bytes instead of %zu", length, BYTES);
}

static void give_buffer_back(outbox *box) {
    VALUE buffer = box->buffer;
    box->buffer = Qnil;
    box->bytes = NULL;
    box->start = box->end = 0;
    if (NIL_P(buffer))
        return;
    spate_bytes->unpin(buffer);
    rb_ary_push(box->pool, buffer);
}

/* Where `length` more bytes go. A peer that makes us answer and does not read the answers comes to the end of the room. */
static uint8_t *place(outbox *box, size_t length) {
    if (NIL_P(box->buffer))
        take_buffer(box);
    if (BYTES - box->end < length && box->start > 0) {
        memmove(box->bytes, box->bytes + box->start, box->end - box->start);
        box->end -= box->start;
        box->start = 0;
    }
    if (BYTES - box->end < length)
        spate_raise_connection_error(ENHANCE_YOUR_CALM, "the peer does not read what it asked for");
    return box->bytes + box->end;
}

static VALUE outbox_frame(VALUE self, VALUE type, VALUE flags, VALUE stream, VALUE payload) {
    outbox *box = outbox_of(self);
    uint8_t number = (uint8_t)NUM2UINT(type), bits = (uint8_t)NUM2UINT(flags);
    uint32_t id = NUM2UINT(stream);
    size_t length = 0;
    if (!NIL_P(payload)) {
        Check_Type(payload, T_STRING);
        length = (size_t)RSTRING_LEN(payload);
    }
    uint8_t *at = place(box, SPATE_FRAME_HEADER_BYTES + length);
    spate_frame_write_header(at, (uint32_t)length, number, bits, id);
    if (length)
        memcpy(at + SPATE_FRAME_HEADER_BYTES, RSTRING_PTR(payload), length);
    box->end += SPATE_FRAME_HEADER_BYTES + length;
    return self;
}

/* word(type, stream, number): a frame whose payload is 32 bits: RST_STREAM, WINDOW_UPDATE. */
static VALUE outbox_word(VALUE self, VALUE type, VALUE stream, VALUE number) {
    outbox *box = outbox_of(self);
    uint32_t id = NUM2UINT(stream), word = NUM2UINT(number);
    uint8_t kind = (uint8_t)NUM2UINT(type);
    uint8_t *at = place(box, SPATE_FRAME_HEADER_BYTES + 4);
    spate_frame_write_header(at, 4, kind, 0, id);
    spate_store32(at + SPATE_FRAME_HEADER_BYTES, word);
    box->end += SPATE_FRAME_HEADER_BYTES + 4;
    return self;
}

/*
 * headers(stream, encoder, status, fields, end_stream, max_frame): HEADERS and as many CONTINUATIONs as it takes. `status`
 * nil: trailers. ArgumentError, TypeError where a field is wrong; then nothing was encoded or written.
 */
static VALUE outbox_headers(VALUE self, VALUE stream, VALUE encoder, VALUE status, VALUE fields, VALUE end_stream,
                            VALUE max_frame) {
    outbox *box = outbox_of(self);
    uint32_t id = NUM2UINT(stream);
    size_t most = NUM2SIZET(max_frame), done = 0;
    box->block.length = 0;
    spate_encode_block(spate_encoder_of(encoder), status, fields, &box->block);
    size_t frames = box->block.length ? (box->block.length + most - 1) / most : 1;
    uint8_t *at = place(box, box->block.length + frames * SPATE_FRAME_HEADER_BYTES);
    for (size_t i = 0; i < frames; i++) {
        size_t length = box->block.length - done < most ? box->block.length - done : most;
        uint8_t flags = i + 1 == frames ? SPATE_FLAG_END_HEADERS : 0;
        if (i == 0 && RTEST(end_stream))
            flags |= SPATE_FLAG_END_STREAM;
        spate_frame_write_header(at, (uint32_t)length, i ? SPATE_FRAME_CONTINUATION : SPATE_FRAME_HEADERS, flags, id);
        if (length)
            memcpy(at + SPATE_FRAME_HEADER_BYTES, box->block.bytes + done, length);
        at += SPATE_FRAME_HEADER_BYTES + length;
        done += length;
    }
    box->end += box->block.length + frames * SPATE_FRAME_HEADER_BYTES;
    return self;
}

static size_t room(const outbox *box) {
    if (NIL_P(box->buffer))
        return DATA_BYTES;
    return box->end < DATA_BYTES ? DATA_BYTES - box->end : 0;
}

/* Payload bytes of DATA that fit, in frames of `most` bytes. */
static size_t payload_room(const outbox *box, size_t most) {
    size_t free_bytes = room(box), frame = most + SPATE_FRAME_HEADER_BYTES;
    size_t rest = free_bytes % frame;
    return free_bytes / frame * most + (rest > SPATE_FRAME_HEADER_BYTES ? rest - SPATE_FRAME_HEADER_BYTES : 0);
}

static VALUE outbox_data_room(VALUE self, VALUE max_frame) {
    return SIZET2NUM(payload_room(outbox_of(self), NUM2SIZET(max_frame)));
}

static VALUE outbox_room(VALUE self) {
    return SIZET2NUM(room(outbox_of(self)));
}

/* data(stream, bytes, offset, length, end_stream, max_frame): DATA frames of a String's bytes; an empty one for length 0. */
static VALUE outbox_data(VALUE self, VALUE stream, VALUE bytes, VALUE offset, VALUE length, VALUE end_stream,
                         VALUE max_frame) {
    outbox *box = outbox_of(self);
    uint32_t id = NUM2UINT(stream);
    size_t from = NUM2SIZET(offset), left = NUM2SIZET(length), most = NUM2SIZET(max_frame);
    Check_Type(bytes, T_STRING);
    if (from > (size_t)RSTRING_LEN(bytes) || left > (size_t)RSTRING_LEN(bytes) - from)
        rb_raise(rb_eIndexError, "%zu bytes at %zu are outside of %ld", left, from, RSTRING_LEN(bytes));
    do {
        size_t part = left < most ? left : most;
        uint8_t *at = place(box, SPATE_FRAME_HEADER_BYTES + part);
        uint8_t flags = part == left && RTEST(end_stream) ? SPATE_FLAG_END_STREAM : 0;
        spate_frame_write_header(at, (uint32_t)part, SPATE_FRAME_DATA, flags, id);
        memcpy(at + SPATE_FRAME_HEADER_BYTES, RSTRING_PTR(bytes) + from, part);
        box->end += SPATE_FRAME_HEADER_BYTES + part;
        from += part;
        left -= part;
    } while (left > 0);
    return self;
}

/* A system call without Ruby's lock. */
typedef struct call {
    enum { READ, SEND } kind;
    int fd;
    struct iovec *slices;
    int count;
    uint8_t *bytes;
    size_t length;
    off_t position;
    ssize_t result;
    int error;
} call;

static ssize_t read_slices(const call *c) {
#ifdef HAVE_PREADV
    return preadv(c->fd, c->slices, c->count, c->position);
#else
    return pread(c->fd, c->slices[0].iov_base, c->slices[0].iov_len, c->position);
#endif
}

static void *perform(void *argument) {
    call *c = argument;
    c->result = c->kind == READ ? read_slices(c) : send(c->fd, c->bytes, c->length, MSG_NOSIGNAL | MSG_DONTWAIT);
    c->error = c->result < 0 ? errno : 0;
    return NULL;
}

static void run(call *c, size_t length) {
    do {
        if (length >= WITHOUT_LOCK)
            rb_nogvl(perform, c, RUBY_UBF_IO, NULL, 0);
        else
            perform(c);
    } while (c->result < 0 && c->error == EINTR);
}

/* Reads until the slices are full or the file ends. Answers the bytes read. */
static size_t fill(int fd, struct iovec *slices, int count, off_t position, size_t length) {
    size_t done = 0;
    while (count > 0) {
        call c = {.kind = READ, .fd = fd, .slices = slices, .count = count, .position = position + (off_t)done};
        run(&c, length - done);
        if (c.result < 0)
            rb_syserr_fail(c.error, "pread");
        if (c.result == 0)
            break;
        done += (size_t)c.result;
        for (size_t got = (size_t)c.result; got > 0;) {
            size_t part = got < slices->iov_len ? got : slices->iov_len;
            slices->iov_base = (uint8_t *)slices->iov_base + part;
            slices->iov_len -= part;
            got -= part;
            if (slices->iov_len == 0) {
                slices++;
                count--;
            }
        }
    }
    return done;
}

/*
 * file(stream, fd, position, length, end_stream, max_frame): DATA frames whose payload is read into its place, no more than
 * fit. Answers the payload's bytes; fewer than fit and were asked for where the file has become shorter: then the last
 * frame does not end the stream. SystemCallError.
 */
static VALUE outbox_file(VALUE self, VALUE stream, VALUE descriptor, VALUE position, VALUE length, VALUE end_stream,
                         VALUE max_frame) {
    outbox *box = outbox_of(self);
    struct iovec slices[SLICES];
    uint32_t id = NUM2UINT(stream);
    int fd = NUM2INT(descriptor), count = 0;
    size_t asked = NUM2SIZET(length), most = NUM2SIZET(max_frame), fits = payload_room(box, most);
    off_t from = NUM2OFFT(position);
    size_t wanted = asked < fits ? asked : fits, planned = 0;
    if (wanted > most * SLICES)
        wanted = most * SLICES;
    if (wanted == 0)
        return INT2FIX(0);
    uint8_t *first = place(box, wanted + (wanted + most - 1) / most * SPATE_FRAME_HEADER_BYTES), *at = first;
    for (; planned < wanted; planned += slices[count++].iov_len) {
        size_t part = wanted - planned < most ? wanted - planned : most;
        slices[count] = (struct iovec){at + SPATE_FRAME_HEADER_BYTES, part};
        at += SPATE_FRAME_HEADER_BYTES + part;
    }
    size_t done = fill(fd, slices, count, from, wanted);
    at = first;
    for (size_t left = done; left > 0;) {
        size_t part = left < most ? left : most;
        uint8_t flags = part == left && done == asked && RTEST(end_stream) ? SPATE_FLAG_END_STREAM : 0;
        spate_frame_write_header(at, (uint32_t)part, SPATE_FRAME_DATA, flags, id);
        at += SPATE_FRAME_HEADER_BYTES + part;
        left -= part;
    }
    box->end += (size_t)(at - first);
    return SIZET2NUM(done);
}

/* raw(bytes): a String as it is, as HTTP/1.1 has it. */
static VALUE outbox_raw(VALUE self, VALUE bytes) {
    outbox *box = outbox_of(self);
    Check_Type(bytes, T_STRING);
    size_t length = (size_t)RSTRING_LEN(bytes);
    memcpy(place(box, length), RSTRING_PTR(bytes), length);
    box->end += length;
    return self;
}

/* raw_file(fd, position, length): a file's bytes as they are, no more than fit. Answers how many. */
static VALUE outbox_raw_file(VALUE self, VALUE descriptor, VALUE position, VALUE length) {
    outbox *box = outbox_of(self);
    size_t asked = NUM2SIZET(length), fits = room(box), wanted = asked < fits ? asked : fits;
    int fd = NUM2INT(descriptor);
    off_t from = NUM2OFFT(position);
    if (wanted == 0)
        return INT2FIX(0);
    struct iovec slice = {place(box, wanted), wanted};
    size_t done = fill(fd, &slice, 1, from, wanted);
    box->end += done;
    return SIZET2NUM(done);
}

/* flush(fd): writes what the socket takes in one call. True when nothing is left. SystemCallError. */
static VALUE outbox_flush(VALUE self, VALUE descriptor) {
    outbox *box = outbox_of(self);
    int fd = NUM2INT(descriptor);
    if (NIL_P(box->buffer))
        return Qtrue;
    call c = {.kind = SEND, .fd = fd, .bytes = box->bytes + box->start, .length = box->end - box->start};
    if (c.length > 0)
        run(&c, c.length);
    if (c.result < 0 && c.error != EAGAIN && c.error != EWOULDBLOCK)
        rb_syserr_fail(c.error, "send");
    if (c.result > 0)
        box->start += (size_t)c.result;
    if (box->start < box->end)
        return Qfalse;
    give_buffer_back(box);
    return Qtrue;
}

static VALUE outbox_pending(VALUE self) {
    const outbox *box = outbox_of(self);
    return SIZET2NUM(box->end - box->start);
}

static VALUE outbox_empty(VALUE self) {
    const outbox *box = outbox_of(self);
    return RBOOL(box->end == box->start);
}

static VALUE outbox_clear(VALUE self) {
    give_buffer_back(outbox_of(self));
    return self;
}

/* The bytes that wait, as a String: for TLS, and to look at. */
static VALUE outbox_to_s(VALUE self) {
    const outbox *box = outbox_of(self);
    return rb_str_new((const char *)box->bytes + (box->bytes ? box->start : 0), (long)(box->end - box->start));
}

/* written(count): the first `count` waiting bytes went another way than by flush. */
static VALUE outbox_written(VALUE self, VALUE count) {
    outbox *box = outbox_of(self);
    size_t bytes = NUM2SIZET(count);
    if (bytes > box->end - box->start)
        rb_raise(rb_eRangeError, "%zu bytes were written of %zu", bytes, box->end - box->start);
    box->start += bytes;
    if (box->start == box->end)
        give_buffer_back(box);
    return self;
}

void spate_init_outbox(VALUE native) {
    VALUE box = rb_define_class_under(native, "Outbox", rb_cObject);
    rb_define_const(box, "BYTES", SIZET2NUM(BYTES));
    rb_define_alloc_func(box, outbox_alloc);
    rb_define_method(box, "initialize", outbox_initialize, 1);
    rb_define_method(box, "frame", outbox_frame, 4);
    rb_define_method(box, "word", outbox_word, 3);
    rb_define_method(box, "headers", outbox_headers, 6);
    rb_define_method(box, "data", outbox_data, 6);
    rb_define_method(box, "data_room", outbox_data_room, 1);
    rb_define_method(box, "room", outbox_room, 0);
    rb_define_method(box, "file", outbox_file, 6);
    rb_define_method(box, "raw", outbox_raw, 1);
    rb_define_method(box, "raw_file", outbox_raw_file, 3);
    rb_define_method(box, "flush", outbox_flush, 1);
    rb_define_method(box, "pending", outbox_pending, 0);
    rb_define_method(box, "empty?", outbox_empty, 0);
    rb_define_method(box, "clear", outbox_clear, 0);
    rb_define_method(box, "to_s", outbox_to_s, 0);
    rb_define_method(box, "written", outbox_written, 1);
}
