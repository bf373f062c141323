#ifndef SPATE_SERVER_IO_CALL_H
#define SPATE_SERVER_IO_CALL_H

/*
 * The system calls that a write buffer makes. Those that read files, or send them, do not block Ruby's other threads. What
 * comes back to Ruby waits for the lock behind each thread that computes, a tenth of a second for each of them: so a
 * socket is written to without giving the lock up, and a file goes on its way as long as nobody else needs the reactor.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

typedef struct io_call {
    enum { SPATE_CALL_READ, SPATE_CALL_SEND, SPATE_CALL_SEND_FILE, SPATE_CALL_SEND_COPY } kind;
    int fd;               /* READ: the file; the others: the socket */
    int file;             /* SEND_FILE, SEND_COPY */
    int wake;             /* SEND_FILE: readable when somebody else's turn has come; -1: the socket is not waited for */
    bool more;            /* SEND: a file comes behind it */
    struct iovec *slices; /* READ: where to, all in the write buffer's pinned buffer */
    int count;            /* READ: of the slices */
    uint8_t *bytes;       /* SEND */
    size_t length;        /* all but READ */
    off_t position;       /* all but SEND: in the file */
    ssize_t result;       /* bytes; -1: see error */
    int error;            /* errno, or 0 */
    bool made;
} io_call;

/* Makes the call, again where a signal came. `length`: the bytes in question. Raises nothing. */
void spate_io_call_run(io_call *c, size_t length);
/* As read_file of write_buffer.h. */
size_t spate_io_read_file(int fd, struct iovec *slices, int count, off_t position, size_t length);

#endif
