#include "io_call.h"

#include <errno.h>
#include <poll.h>
#include <ruby.h>
#include <ruby/thread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/sendfile.h>
#endif

/* A call for at least this many bytes releases the GVL. With fewer bytes, reacquiring it may take longer than the
 * call. */
#define RELEASE_BYTES ((size_t)64 << 10)

/* Maximum time, in milliseconds, that one call may spend sending a file. Timeouts are checked between calls. */
#define SEND_FILE_MS 200

/* Size of the buffer for files that sendfile does not support. */
#define COPY_BYTES ((size_t)32 << 10)

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifndef MSG_MORE
#define MSG_MORE 0
#endif

static ssize_t read_slices(const io_call *c) {
#ifdef HAVE_PREADV
    return preadv(c->fd, c->slices, c->count, c->position);
#else
    return pread(c->fd, c->slices[0].iov_base, c->slices[0].iov_len, c->position);
#endif
}

#ifdef __linux__
static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits until the full socket is writable. Returns false when the reactor has other work first, or on timeout. */
static bool wait_writable(const io_call *c, int64_t until) {
    struct pollfd waited[] = {{.fd = c->wake, .events = POLLIN}, {.fd = c->fd, .events = POLLOUT}};
    /* Polls `wake` alone first, because it may be an epoll descriptor that also reports the writable socket. */
    if (c->wake < 0 || poll(waited, 1, 0) != 0)
        return false;
    int64_t left = until - milliseconds();
    return left > 0 && poll(waited, 2, (int)left) > 0 && waited[1].revents == POLLOUT;
}

static ssize_t send_file(const io_call *c) {
    off_t position = c->position;
    size_t left = c->length;
    ssize_t sent;
    int64_t until = milliseconds() + SEND_FILE_MS;
    do {
        sent = sendfile(c->fd, c->file, &position, left);
        if (sent > 0)
            left -= (size_t)sent;
    } while (left > 0 && (sent > 0 || (sent < 0 && errno == EAGAIN && wait_writable(c, until))));
    return left < c->length ? (ssize_t)(c->length - left) : sent; /* after a partial send, the next call returns the
                                                                   * error */
}
#else
static ssize_t send_file(const io_call *c) {
    (void)c;
    errno = ENOSYS;
    return -1;
}
#endif

/* Sends files that sendfile does not support. */
static ssize_t send_copy(const io_call *c) {
    char bytes[COPY_BYTES];
    ssize_t count = pread(c->file, bytes, c->length < sizeof bytes ? c->length : sizeof bytes, c->position);
    return count > 0 ? send(c->fd, bytes, (size_t)count, MSG_NOSIGNAL | MSG_DONTWAIT) : count;
}

static ssize_t perform_now(const io_call *c) {
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
    io_call *c = argument;
    c->result = perform_now(c);
    c->error = c->result < 0 ? errno : 0;
    c->done = true;
    return NULL;
}

/* Does not handle pending interrupts, because raising here would lose the call's result. Ruby handles them later. */
void spate_io_call_run(io_call *c, size_t length) {
    do {
        c->done = false;
        if (length >= RELEASE_BYTES && c->kind != SPATE_CALL_SEND)
            rb_nogvl(perform, c, RUBY_UBF_IO, NULL, RB_NOGVL_INTR_FAIL);
        if (!c->done) {
            c->wake = -1; /* do not wait while holding the GVL */
            perform(c);
        }
    } while (c->result < 0 && c->error == EINTR);
}

size_t spate_io_read_file(int fd, struct iovec *slices, int count, off_t position, size_t length) {
    size_t done = 0;
    while (count > 0) {
        io_call c = {
            .kind = SPATE_CALL_READ, .fd = fd, .slices = slices, .count = count, .position = position + (off_t)done};
        spate_io_call_run(&c, length - done);
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
