#include "frame.h"
#include "native.h"
#include "outbox_struct.h"

#include <string.h>

/* Frames into the buffer: RFC 9113, section 6. */

static VALUE outbox_frame(VALUE self, VALUE type, VALUE flags, VALUE stream, VALUE payload) {
    outbox *box = spate_outbox_of(self);
    uint8_t number = (uint8_t)NUM2UINT(type), bits = (uint8_t)NUM2UINT(flags);
    uint32_t id = NUM2UINT(stream);
    size_t length = 0;
    if (!NIL_P(payload)) {
        Check_Type(payload, T_STRING);
        length = (size_t)RSTRING_LEN(payload);
    }
    uint8_t *at = spate_outbox_place(box, SPATE_FRAME_HEADER_BYTES + length);
    spate_frame_write_header(at, (uint32_t)length, number, bits, id);
    if (length)
        memcpy(at + SPATE_FRAME_HEADER_BYTES, RSTRING_PTR(payload), length);
    box->end += SPATE_FRAME_HEADER_BYTES + length;
    return self;
}

/* word(type, stream, number): a frame whose payload is 32 bits: RST_STREAM, WINDOW_UPDATE. */
static VALUE outbox_word(VALUE self, VALUE type, VALUE stream, VALUE number) {
    outbox *box = spate_outbox_of(self);
    uint32_t id = NUM2UINT(stream), word = NUM2UINT(number);
    uint8_t kind = (uint8_t)NUM2UINT(type);
    uint8_t *at = spate_outbox_place(box, SPATE_FRAME_HEADER_BYTES + 4);
    spate_frame_write_header(at, 4, kind, 0, id);
    spate_store32(at + SPATE_FRAME_HEADER_BYTES, word);
    box->end += SPATE_FRAME_HEADER_BYTES + 4;
    return self;
}

static int count_unfrozen(VALUE name, VALUE value, VALUE argument) {
    if (!OBJ_FROZEN(name) || !RB_TYPE_P(value, T_STRING) || !OBJ_FROZEN(value))
        *(unsigned *)argument += 1;
    return ST_CONTINUE;
}

/*
 * The same frozen fields again, and a table that is what it was after a block that put nothing into it: the block has the
 * same bytes. So the block of a file that is asked for again and again is encoded once.
 */
static bool same_block(const outbox *box, VALUE encoder, VALUE status, VALUE fields) {
    const spate_hpack_encoder *e = spate_encoder_of(encoder);
    return fields == box->block_fields && status == box->block_status && encoder == box->block_encoder &&
           e->table.inserted == box->block_inserted && e->table.count == box->block_count && !e->update_due;
}

static void encode_block(outbox *box, VALUE encoder, VALUE status, VALUE fields) {
    if (same_block(box, encoder, status, fields))
        return;
    spate_hpack_encoder *e = spate_encoder_of(encoder);
    uint32_t inserted = e->table.inserted;
    bool update = e->update_due;
    unsigned unfrozen = 0;
    box->block_fields = Qnil;
    box->block.length = 0;
    spate_encode_block(e, status, fields, &box->block);
    if (update || e->table.inserted != inserted || !OBJ_FROZEN(fields))
        return;
    rb_hash_foreach(fields, count_unfrozen, (VALUE)&unfrozen);
    if (unfrozen)
        return;
    box->block_fields = fields;
    box->block_status = status;
    box->block_encoder = encoder;
    box->block_inserted = e->table.inserted;
    box->block_count = e->table.count;
}

/*
 * headers(stream, encoder, status, fields, end_stream, max_frame): HEADERS and as many CONTINUATIONs as it takes. `status`
 * nil: trailers. ArgumentError, TypeError where a field is wrong; then nothing was encoded or written.
 */
static VALUE outbox_headers(VALUE self, VALUE stream, VALUE encoder, VALUE status, VALUE fields, VALUE end_stream,
                            VALUE max_frame) {
    outbox *box = spate_outbox_of(self);
    uint32_t id = NUM2UINT(stream);
    size_t most = spate_outbox_frame_size(max_frame), done = 0;
    encode_block(box, encoder, status, fields);
    size_t frames = box->block.length ? (box->block.length + most - 1) / most : 1;
    uint8_t *at = spate_outbox_place(box, box->block.length + frames * SPATE_FRAME_HEADER_BYTES);
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

/* data(stream, bytes, offset, length, end_stream, max_frame): DATA frames of a String's bytes; an empty one for length 0. */
static VALUE outbox_data(VALUE self, VALUE stream, VALUE bytes, VALUE offset, VALUE length, VALUE end_stream,
                         VALUE max_frame) {
    outbox *box = spate_outbox_of(self);
    uint32_t id = NUM2UINT(stream);
    size_t from = NUM2SIZET(offset), left = NUM2SIZET(length), most = spate_outbox_frame_size(max_frame);
    Check_Type(bytes, T_STRING);
    if (from > (size_t)RSTRING_LEN(bytes) || left > (size_t)RSTRING_LEN(bytes) - from)
        rb_raise(rb_eIndexError, "%zu bytes at %zu are outside of %ld", left, from, RSTRING_LEN(bytes));
    do {
        size_t part = left < most ? left : most;
        uint8_t *at = spate_outbox_place(box, SPATE_FRAME_HEADER_BYTES + part);
        uint8_t flags = part == left && RTEST(end_stream) ? SPATE_FLAG_END_STREAM : 0;
        spate_frame_write_header(at, (uint32_t)part, SPATE_FRAME_DATA, flags, id);
        memcpy(at + SPATE_FRAME_HEADER_BYTES, RSTRING_PTR(bytes) + from, part);
        box->end += SPATE_FRAME_HEADER_BYTES + part;
        from += part;
        left -= part;
    } while (left > 0);
    return self;
}

void spate_init_outbox_frames(VALUE box) {
    rb_define_method(box, "frame", outbox_frame, 4);
    rb_define_method(box, "word", outbox_word, 3);
    rb_define_method(box, "headers", outbox_headers, 6);
    rb_define_method(box, "data", outbox_data, 6);
}
