#include "native.h"
#include "outbox_call.h"
#include "outbox_struct.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* What waits, to a socket: the buffer's bytes, and the files between them. */

static bool would_block(const outbox_call *c) {
    return c->result < 0 && (c->error == EAGAIN || c->error == EWOULDBLOCK);
}

/* The protocol counted on these bytes: the connection cannot go on. */
static void fail_file(const outbox *box, const char *reason) {
    rb_raise(rb_path2class("Spate::Server::Response::Body::Truncated"), "a file ends %zu bytes early: %s",
             spate_outbox_file_bytes(box), reason);
}

/* The first file, which nothing waits before. Answers whether all of it went. */
static bool flush_file(outbox *box, int fd, int wake) {
    waiting_file *file = &box->files[0];
    outbox_call c = {.kind = SPATE_CALL_SEND_FILE,
                     .fd = fd,
                     .file = file->fd,
                     .wake = wake,
                     .position = file->position,
                     .length = file->left};
    spate_outbox_run(&c, c.length);
    if (c.result < 0 && (c.error == EINVAL || c.error == ENOSYS || c.error == EOVERFLOW)) {
        c.kind = SPATE_CALL_SEND_COPY;
        spate_outbox_run(&c, c.length);
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
    outbox_call c = {.kind = SPATE_CALL_SEND,
                     .fd = fd,
                     .bytes = box->bytes + box->start,
                     .length = until - box->start,
                     .more = box->file_count > 0};
    spate_outbox_run(&c, c.length);
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
 * flush(fd, wake = nil): writes what the socket takes, in one call as long as no file waits. True when nothing is left.
 * wake: a descriptor that becomes readable when the caller has something else to do; until then, and not for long, a
 * file's bytes are waited with for room.
 * SystemCallError; Body::Truncated where a file is no longer what was promised.
 */
static VALUE outbox_flush(int argc, VALUE *argv, VALUE self) {
    outbox *box = spate_outbox_of(self);
    VALUE descriptor, waker;
    rb_scan_args(argc, argv, "11", &descriptor, &waker);
    int fd = NUM2INT(descriptor), wake = NIL_P(waker) ? -1 : NUM2INT(waker);
    if (!box->direct)
        make_direct(box, fd);
    while (!spate_outbox_is_empty(box)) {
        bool file_is_next = box->file_count > 0 && box->files[0].at == box->start;
        if (!(file_is_next ? flush_file(box, fd, wake) : flush_bytes(box, fd)))
            return Qfalse;
    }
    if (!NIL_P(box->buffer))
        spate_outbox_give_back(box);
    return Qtrue;
}

void spate_init_outbox_flush(VALUE box) {
    rb_define_method(box, "flush", outbox_flush, -1);
}
