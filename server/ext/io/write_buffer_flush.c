#include "io_call.h"
#include "native.h"
#include "write_buffer_struct.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Sends the buffered bytes, and the queued files between them, to a socket. */

static bool would_block(const io_call *c) {
    return c->result < 0 && (c->error == EAGAIN || c->error == EWOULDBLOCK);
}

/* The protocol has already announced these bytes, so the connection must be closed. */
static void fail_file(const write_buffer *out, const char *reason) {
    rb_raise(rb_path2class("Spate::Server::Response::Body::Truncated"), "a file ends %zu bytes early: %s",
             spate_write_buffer_file_bytes(out), reason);
}

/* Sends the first queued file. Returns whether all of it was sent. */
static bool flush_file(write_buffer *out, int fd, int wake) {
    queued_file *file = &out->files[0];
    io_call c = {.kind = SPATE_CALL_SEND_FILE,
                 .fd = fd,
                 .file = file->fd,
                 .wake = wake,
                 .position = file->position,
                 .length = file->left};
    spate_io_call_run(&c, c.length);
    if (c.result < 0 && (c.error == EINVAL || c.error == ENOSYS || c.error == EOVERFLOW)) {
        c.kind = SPATE_CALL_SEND_COPY;
        spate_io_call_run(&c, c.length);
    }
    if (would_block(&c))
        return false;
    if (c.result < 0 && (c.error == EPIPE || c.error == ECONNRESET || c.error == ENOTCONN || c.error == ETIMEDOUT))
        rb_syserr_fail(c.error, "sendfile");
    if (c.result < 0)
        fail_file(out, strerror(c.error));
    if (c.result == 0)
        fail_file(out, "it was truncated during the transfer");
    file->position += c.result;
    file->left -= (size_t)c.result;
    if (file->left > 0)
        return false;
    spate_write_buffer_drop_files(out, 1);
    return true;
}

/* Sends the buffered bytes up to the next file. Returns whether all of them were sent. */
static bool flush_bytes(write_buffer *out, int fd) {
    size_t until = out->file_count ? out->files[0].at : out->end;
    io_call c = {.kind = SPATE_CALL_SEND,
                 .fd = fd,
                 .bytes = out->bytes + out->start,
                 .length = until - out->start,
                 .more = out->file_count > 0};
    spate_io_call_run(&c, c.length);
    if (would_block(&c))
        return false;
    if (c.result < 0)
        rb_syserr_fail(c.error, "send");
    out->start += (size_t)c.result;
    if (out->start == out->end) {
        spate_write_buffer_release(out); /* a long file needs no buffer while it is sent */
        for (unsigned i = 0; i < out->file_count; i++)
            out->files[i].at = 0;
        return true;
    }
    return out->start == until;
}

/* Makes the socket nonblocking, because sendfile has no flag like MSG_DONTWAIT. */
static void make_direct(write_buffer *out, int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (!(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0))
        rb_sys_fail("fcntl");
    out->direct = true;
}

/*
 * flush(fd, wake = nil): writes as much as the socket accepts, with one call if no file is queued. Returns true when
 * nothing is left. wake: a descriptor that becomes readable when the caller has other work. If the socket is full, a
 * call that sends a file waits until then, for at most 200 ms. Raises SystemCallError, or Body::Truncated when a file
 * cannot be read up to the announced length.
 */
static VALUE write_buffer_flush(int argc, VALUE *argv, VALUE self) {
    write_buffer *out = spate_write_buffer_of(self);
    VALUE descriptor, waker;
    rb_scan_args(argc, argv, "11", &descriptor, &waker);
    int fd = NUM2INT(descriptor), wake = NIL_P(waker) ? -1 : NUM2INT(waker);
    if (!out->direct)
        make_direct(out, fd);
    while (!spate_write_buffer_is_empty(out)) {
        bool file_is_next = out->file_count > 0 && out->files[0].at == out->start;
        if (!(file_is_next ? flush_file(out, fd, wake) : flush_bytes(out, fd)))
            return Qfalse;
    }
    if (!NIL_P(out->buffer))
        spate_write_buffer_release(out);
    return Qtrue;
}

void spate_init_write_buffer_flush(VALUE klass) {
    rb_define_method(klass, "flush", write_buffer_flush, -1);
}

/* Adds files: reads them into the buffer, or queues them after the buffered bytes. */

/* Maximum bytes of queued files. The limit is large because each refill waits for the GVL. */
#define FILE_BYTES ((size_t)16 << 20)

/* files?: whether files are queued. */
static VALUE write_buffer_has_files(VALUE self) {
    return RBOOL(spate_write_buffer_of(self)->file_count > 0);
}

static size_t file_room(const write_buffer *out) {
    if (!out->direct || out->file_count == SPATE_WRITE_BUFFER_FILES)
        return spate_write_buffer_room(out);
    return FILE_BYTES - spate_write_buffer_file_bytes(out);
}

/* file_room: bytes of a file that raw_file accepts. */
static VALUE write_buffer_file_room(VALUE self) {
    return SIZET2NUM(file_room(spate_write_buffer_of(self)));
}

/* Queues a file. Returns false when its bytes must be read into the buffer instead. */
static bool queue_file(write_buffer *out, int fd, off_t position, size_t length) {
#ifdef __linux__
    if (!out->direct || out->file_count == SPATE_WRITE_BUFFER_FILES)
        return false;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return false;
    out->files[out->file_count++] = (queued_file){own, position, length, out->end};
    return true;
#else
    return false;
#endif
}

/*
 * raw_file(fd, position, length): appends a file's bytes unframed, at most file_room of them. Returns their number. The
 * bytes are read now, or queued if `flush` can use sendfile. Raises SystemCallError.
 */
static VALUE write_buffer_raw_file(VALUE self, VALUE descriptor, VALUE position, VALUE length) {
    write_buffer *out = spate_write_buffer_of(self);
    size_t asked = NUM2SIZET(length), fits = file_room(out), wanted = asked < fits ? asked : fits;
    int fd = NUM2INT(descriptor);
    off_t from = NUM2OFFT(position);
    if (wanted == 0)
        return INT2FIX(0);
    if (queue_file(out, fd, from, wanted))
        return SIZET2NUM(wanted);
    if (wanted > spate_write_buffer_room(out))
        wanted = spate_write_buffer_room(out);
    if (wanted == 0)
        return INT2FIX(0);
    struct iovec slice = {spate_write_buffer_place(out, wanted), wanted};
    size_t done = spate_io_read_file(fd, &slice, 1, from, wanted);
    out->end += done;
    return SIZET2NUM(done);
}

void spate_init_write_buffer_files(VALUE klass) {
    rb_define_method(klass, "files?", write_buffer_has_files, 0);
    rb_define_method(klass, "raw_file", write_buffer_raw_file, 3);
    rb_define_method(klass, "file_room", write_buffer_file_room, 0);
}
