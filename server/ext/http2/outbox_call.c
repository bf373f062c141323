#include "outbox_call.h"

#include <errno.h>
#include <ruby.h>
#include <ruby/thread.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/sendfile.h>
#endif

/* From here on a system call is worth the way out of Ruby's lock and back. */
#define WITHOUT_LOCK ((size_t)64 << 10)

/* Of a file that sendfile cannot read. */
#define COPY_BYTES ((size_t)32 << 10)

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifndef MSG_MORE
#define MSG_MORE 0
#endif

static ssize_t read_slices(const outbox_call *c) {
#ifdef HAVE_PREADV
    return preadv(c->fd, c->slices, c->count, c->position);
#else
    return pread(c->fd, c->slices[0].iov_base, c->slices[0].iov_len, c->position);
#endif
}

static ssize_t send_file(const outbox_call *c) {
#ifdef __linux__
    off_t position = c->position;
    return sendfile(c->fd, c->file, &position, c->length);
#else
    errno = ENOSYS;
    return -1;
#endif
}

/* What sendfile does, for files that it cannot read. */
static ssize_t send_copy(const outbox_call *c) {
    char bytes[COPY_BYTES];
    ssize_t count = pread(c->file, bytes, c->length < sizeof bytes ? c->length : sizeof bytes, c->position);
    return count > 0 ? send(c->fd, bytes, (size_t)count, MSG_NOSIGNAL | MSG_DONTWAIT) : count;
}

static ssize_t perform_now(const outbox_call *c) {
    switch (c->kind) {
    case SPATE_CALL_READ: return read_slices(c);
    case SPATE_CALL_SEND:
        return send(c->fd, c->bytes, c->length, MSG_NOSIGNAL | MSG_DONTWAIT | (c->more ? MSG_MORE : 0));
    case SPATE_CALL_SEND_FILE: return send_file(c);
    case SPATE_CALL_SEND_COPY: return send_copy(c);
    }
    return -1;
}

static void *perform(void *argument) {
    outbox_call *c = argument;
    c->result = perform_now(c);
    c->error = c->result < 0 ? errno : 0;
    c->made = true;
    return NULL;
}

/* An exception for this thread is left to a later call of Ruby's own: here it would hide what the call did. */
void spate_outbox_run(outbox_call *c, size_t length) {
    do {
        c->made = false;
        if (length >= WITHOUT_LOCK)
            rb_nogvl(perform, c, RUBY_UBF_IO, NULL, RB_NOGVL_INTR_FAIL);
        if (!c->made)
            perform(c);
    } while (c->result < 0 && c->error == EINTR);
}
