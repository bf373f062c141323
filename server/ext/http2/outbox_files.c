#include "frame.h"
#include "native.h"
#include "outbox_call.h"
#include "outbox_struct.h"

#include <fcntl.h>

/* Files into the buffer, or behind what waits in it. */

/* Frames that one call reads. */
#define SLICES 64

/* Bytes of files that may wait: each time that more are asked for, Ruby's lock must be waited for. */
#define FILE_BYTES ((size_t)16 << 20)

/* Reads until the slices are full or the file ends. Answers the bytes read. */
static size_t fill(int fd, struct iovec *slices, int count, off_t position, size_t length) {
    size_t done = 0;
    while (count > 0) {
        outbox_call c = {
            .kind = SPATE_CALL_READ, .fd = fd, .slices = slices, .count = count, .position = position + (off_t)done};
        spate_outbox_run(&c, length - done);
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

/* One frame's payload a slice, behind the room of its header. Answers how many slices `wanted` bytes take. */
static int plan(struct iovec slices[SLICES], uint8_t *at, size_t wanted, size_t most) {
    int count = 0;
    for (size_t planned = 0; planned < wanted; planned += slices[count++].iov_len) {
        size_t part = wanted - planned < most ? wanted - planned : most;
        slices[count] = (struct iovec){at + SPATE_FRAME_HEADER_BYTES, part};
        at += SPATE_FRAME_HEADER_BYTES + part;
    }
    return count;
}

/* The headers of the frames that hold `done` bytes. `last`: flags of the last one. Answers where the frames end. */
static uint8_t *write_headers(uint8_t *at, uint32_t id, size_t done, size_t most, uint8_t last) {
    for (size_t left = done; left > 0;) {
        size_t part = left < most ? left : most;
        spate_frame_write_header(at, (uint32_t)part, SPATE_FRAME_DATA, part == left ? last : 0, id);
        at += SPATE_FRAME_HEADER_BYTES + part;
        left -= part;
    }
    return at;
}

/*
 * file(stream, fd, position, length, end_stream, max_frame): DATA frames whose payload is read into its place, no more than
 * fit. Answers the payload's bytes; fewer than fit and were asked for where the file has become shorter: then the last
 * frame does not end the stream. SystemCallError.
 */
static VALUE outbox_file(VALUE self, VALUE stream, VALUE descriptor, VALUE position, VALUE length, VALUE end_stream,
                         VALUE max_frame) {
    outbox *box = spate_outbox_of(self);
    struct iovec slices[SLICES];
    uint32_t id = NUM2UINT(stream);
    int fd = NUM2INT(descriptor);
    size_t asked = NUM2SIZET(length), most = spate_outbox_frame_size(max_frame),
           fits = spate_outbox_payload_room(box, most);
    off_t from = NUM2OFFT(position);
    size_t wanted = asked < fits ? asked : fits;
    if (wanted > most * SLICES)
        wanted = most * SLICES;
    if (wanted == 0)
        return INT2FIX(0);
    uint8_t *first = spate_outbox_place(box, wanted + (wanted + most - 1) / most * SPATE_FRAME_HEADER_BYTES);
    size_t done = fill(fd, slices, plan(slices, first, wanted, most), from, wanted);
    uint8_t last = done == asked && RTEST(end_stream) ? SPATE_FLAG_END_STREAM : 0;
    box->end += (size_t)(write_headers(first, id, done, most, last) - first);
    return SIZET2NUM(done);
}

/* files?: whether files wait. */
static VALUE outbox_has_files(VALUE self) {
    return RBOOL(spate_outbox_of(self)->file_count > 0);
}

/* Bytes of files that may be put behind what waits. */
static size_t file_room(const outbox *box) {
    if (!box->direct || box->file_count == SPATE_OUTBOX_FILES)
        return spate_outbox_room(box);
    return FILE_BYTES - spate_outbox_file_bytes(box);
}

/* file_room: bytes of a file that raw_file takes. */
static VALUE outbox_file_room(VALUE self) {
    return SIZET2NUM(file_room(spate_outbox_of(self)));
}

/* Puts a file behind all that waits. False where that cannot be: its bytes must come into the buffer. */
static bool put_file(outbox *box, int fd, off_t position, size_t length) {
#ifdef __linux__
    if (!box->direct || box->file_count == SPATE_OUTBOX_FILES)
        return false;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return false;
    box->files[box->file_count++] = (waiting_file){own, position, length, box->end};
    return true;
#else
    return false;
#endif
}

/*
 * raw_file(fd, position, length): a file's bytes as they are, no more than file_room. Answers how many; they are read now,
 * or where flush can have the system send them, then. SystemCallError.
 */
static VALUE outbox_raw_file(VALUE self, VALUE descriptor, VALUE position, VALUE length) {
    outbox *box = spate_outbox_of(self);
    size_t asked = NUM2SIZET(length), fits = file_room(box), wanted = asked < fits ? asked : fits;
    int fd = NUM2INT(descriptor);
    off_t from = NUM2OFFT(position);
    if (wanted == 0)
        return INT2FIX(0);
    if (put_file(box, fd, from, wanted))
        return SIZET2NUM(wanted);
    if (wanted > spate_outbox_room(box))
        wanted = spate_outbox_room(box);
    if (wanted == 0)
        return INT2FIX(0);
    struct iovec slice = {spate_outbox_place(box, wanted), wanted};
    size_t done = fill(fd, &slice, 1, from, wanted);
    box->end += done;
    return SIZET2NUM(done);
}

void spate_init_outbox_files(VALUE box) {
    rb_define_method(box, "files?", outbox_has_files, 0);
    rb_define_method(box, "file", outbox_file, 6);
    rb_define_method(box, "raw_file", outbox_raw_file, 3);
    rb_define_method(box, "file_room", outbox_file_room, 0);
}
