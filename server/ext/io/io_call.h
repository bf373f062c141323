#ifndef SPATE_SERVER_IO_CALL_H
#define SPATE_SERVER_IO_CALL_H

/*
 * The system calls of a write buffer. Calls that read or send files release the GVL. Reacquiring the GVL takes up to
 * 100 ms for each busy Ruby thread, so writes to a socket keep the GVL, and one call sends as much of a file as it can
 * until the reactor has other work.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

typedef struct io_call {
    enum { SPATE_CALL_READ, SPATE_CALL_SEND, SPATE_CALL_SEND_FILE, SPATE_CALL_SEND_COPY } kind;
    int fd;               /* READ: the file; other calls: the socket */
    int file;             /* SEND_FILE, SEND_COPY */
    int wake;             /* SEND_FILE: readable when the reactor has other work; -1: do not wait for the socket */
    bool more;            /* SEND: a file follows these bytes */
    struct iovec *slices; /* READ: destination, inside the pinned buffer */
    int count;            /* READ: number of slices */
    uint8_t *bytes;       /* SEND */
    size_t length;        /* all but READ: number of bytes */
    off_t position;       /* all but SEND: offset in the file */
    ssize_t result;       /* bytes transferred, or -1 */
    int error;            /* errno, or 0 */
    bool done;
} io_call;

/*
 * Makes the call and sets `result` and `error`; repeats it after EINTR. Releases the GVL if `length`, the bytes to
 * transfer, is large. Does not raise.
 */
void spate_io_call_run(io_call *c, size_t length);
/* See read_file in write_buffer.h. */
size_t spate_io_read_file(int fd, struct iovec *slices, int count, off_t position, size_t length);

#endif
