#include "frame.h"
#include "native.h"
#include "outbox_struct.h"

#include <errno.h>
#include <fcntl.h>
#include <ruby/thread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#ifdef __linux__
#include <sys/sendfile.h>
#endif

/* Files into the buffer or behind it, and all of it to a socket. */

/* From here on a system call is worth the way out of Ruby's lock and back. */
#define WITHOUT_LOCK ((size_t)64 << 10)
#define SLICES 64
/* Bytes of files that may wait. */
#define FILE_BYTES ((size_t)1 << 20)
/* Of a file that sendfile cannot read. */
#define COPY_BYTES ((size_t)32 << 10)

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifndef MSG_MORE
#define MSG_MORE 0
#endif

/* A system call without Ruby's lock. */
typedef struct call {
    enum { READ, SEND, SEND_FILE, SEND_COPY } kind;
    int fd;
    int file;  /* of SEND_FILE and SEND_COPY */
    bool more; /* of SEND: a file comes behind it */
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

static ssize_t send_file(const call *c) {
#ifdef __linux__
    off_t position = c->position;
    return sendfile(c->fd, c->file, &position, c->length);
#else
    errno = ENOSYS;
    return -1;
#endif
}

/* What sendfile does, for files that it cannot read. */
static ssize_t send_copy(const call *c) {
    char bytes[COPY_BYTES];
    ssize_t count = pread(c->file, bytes, c->length < sizeof bytes ? c->length : sizeof bytes, c->position);
    return count > 0 ? send(c->fd, bytes, (size_t)count, MSG_NOSIGNAL | MSG_DONTWAIT) : count;
}

static ssize_t perform_now(const call *c) {
    switch (c->kind) {
    case READ:
        return read_slices(c);
    case SEND:
        return send(c->fd, c->bytes, c->length, MSG_NOSIGNAL | MSG_DONTWAIT | (c->more ? MSG_MORE : 0));
    case SEND_FILE:
        return send_file(c);
    default:
        return send_copy(c);
    }
}

static void *perform(void *argument) {
    call *c = argument;
    c->result = perform_now(c);
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
    outbox *box = spate_outbox_of(self);
    struct iovec slices[SLICES];
    uint32_t id = NUM2UINT(stream);
    int fd = NUM2INT(descriptor), count = 0;
    size_t asked = NUM2SIZET(length), most = NUM2SIZET(max_frame), fits = spate_outbox_payload_room(box, most);
    off_t from = NUM2OFFT(position);
    size_t wanted = asked < fits ? asked : fits, planned = 0;
    if (wanted > most * SLICES)
        wanted = most * SLICES;
    if (wanted == 0)
        return INT2FIX(0);
    uint8_t *first = spate_outbox_place(box, wanted + (wanted + most - 1) / most * SPATE_FRAME_HEADER_BYTES), *at = first;
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

static bool would_block(const call *c) {
    return c->result < 0 && (c->error == EAGAIN || c->error == EWOULDBLOCK);
}

/* The protocol counted on these bytes: the connection cannot go on. */
static void fail_file(const outbox *box, const char *reason) {
    rb_raise(rb_path2class("Spate::Server::Body::Truncated"), "a file ends %zu bytes early: %s",
             spate_outbox_file_bytes(box), reason);
}

/* The first file, which nothing waits before. Answers whether all of it went. */
static bool flush_file(outbox *box, int fd) {
    waiting_file *file = &box->files[0];
    call c = {.kind = SEND_FILE, .fd = fd, .file = file->fd, .position = file->position, .length = file->left};
    run(&c, c.length);
    if (c.result < 0 && (c.error == EINVAL || c.error == ENOSYS || c.error == EOVERFLOW)) {
        c.kind = SEND_COPY;
        run(&c, c.length);
    }
    if (would_block(&c))
        return false;
    if (c.result < 0 && (c.error == EPIPE || c.error == ECONNRESET || c.error == ENOTCONN || c.error == ETIMEDOUT))
        rb_syserr_fail(c.error, "sendfile");
    if (c.result < 0)
        fail_file(box, strerror(c.error));
    if (c.result == 0)
        fail_file(box, "it was cut off while it was sent");
    file->position += c.result;
    file->left -= (size_t)c.result;
    if (file->left > 0)
        return false;
    spate_outbox_drop_files(box, 1);
    return true;
}

/* The buffer's bytes up to the next file. Answers whether all of them went. */
static bool flush_bytes(outbox *box, int fd) {
    size_t until = box->file_count ? box->files[0].at : box->end;
    call c = {.kind = SEND, .fd = fd, .bytes = box->bytes + box->start, .length = until - box->start,
              .more = box->file_count > 0};
    run(&c, c.length);
    if (would_block(&c))
        return false;
    if (c.result < 0)
        rb_syserr_fail(c.error, "send");
    box->start += (size_t)c.result;
    if (box->start == box->end) {
        spate_outbox_give_back(box); /* a long file needs no buffer while it goes out */
        for (unsigned i = 0; i < box->file_count; i++)
            box->files[i].at = 0;
        return true;
    }
    return box->start == until;
}

/* Unlike send, sendfile cannot be told for once not to wait. */
static void make_direct(outbox *box, int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (!(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0))
        rb_sys_fail("fcntl");
    box->direct = true;
}

/*
 * flush(fd): writes what the socket takes, in one call as long as no file waits. True when nothing is left.
 * SystemCallError; Body::Truncated where a file is no longer what was promised.
 */
static VALUE outbox_flush(VALUE self, VALUE descriptor) {
    outbox *box = spate_outbox_of(self);
    int fd = NUM2INT(descriptor);
    if (!box->direct)
        make_direct(box, fd);
    while (!spate_outbox_is_empty(box)) {
        bool file_is_next = box->file_count > 0 && box->files[0].at == box->start;
        if (!(file_is_next ? flush_file(box, fd) : flush_bytes(box, fd)))
            return Qfalse;
    }
    if (!NIL_P(box->buffer))
        spate_outbox_give_back(box);
    return Qtrue;
}

void spate_init_outbox_files(VALUE box) {
    rb_define_method(box, "file", outbox_file, 6);
    rb_define_method(box, "raw_file", outbox_raw_file, 3);
    rb_define_method(box, "file_room", outbox_file_room, 0);
    rb_define_method(box, "flush", outbox_flush, 1);
}
