#ifndef SPATE_SERVER_WRITE_BUFFER_STRUCT_H
#define SPATE_SERVER_WRITE_BUFFER_STRUCT_H

/*
 * Internals of WriteBuffer. Suggested reading order: write_buffer.c (the buffer), write_buffer_flush.c (adding files,
 * sending), io_call.c (the system calls).
 */
#include "native.h"

#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

#define SPATE_WRITE_BUFFER_DATA_BYTES ((size_t)256 << 10)
#define SPATE_WRITE_BUFFER_RESERVE ((size_t)64 << 10)
#define SPATE_WRITE_BUFFER_BYTES (SPATE_WRITE_BUFFER_DATA_BYTES + SPATE_WRITE_BUFFER_RESERVE)
/* Maximum number of queued files. */
#define SPATE_WRITE_BUFFER_FILES 8

typedef struct queued_file {
    int fd; /* a duplicate, closed by the write buffer */
    off_t position;
    size_t left; /* bytes still to be sent */
    size_t at;   /* offset in the buffer of the first byte to be sent after the file */
} queued_file;

/*
 * The unsent bytes of one connection in one ArrayBuffer. Many frames are sent in one call, and a file's bytes are read
 * directly into their frame. The buffer is taken from a pool for the first byte and returned after the last, so an idle
 * connection has no buffer.
 *
 *     0          start                  end        DATA_BYTES          BYTES
 *     |   sent    |        unsent         |   free   |  reserved for headers and control frames  |
 *
 * If `flush` writes to the socket itself (HTTP/1.1 without TLS), files bypass the buffer: a file is queued in front of
 * the byte at offset `at` and sent by sendfile(2). Its descriptor is a duplicate: the caller may close the original.
 * With any other transport, `files` is empty.
 */
typedef struct write_buffer {
    VALUE pool;   /* Array of ArrayBuffers of BYTES each */
    VALUE buffer; /* from the pool, pinned while this struct refers to it; or nil */
    uint8_t *bytes;
    size_t start, end;
    queued_file files[SPATE_WRITE_BUFFER_FILES];
    unsigned file_count;
    bool direct; /* set by the first flush: this write buffer writes to a socket */
} write_buffer;

/* Returns the struct of a Ruby WriteBuffer, which remains its owner. Raises TypeError. */
write_buffer *spate_write_buffer_of(VALUE object);
/*
 * Reserves `length` bytes and returns their address, valid until the next call. The caller adds the bytes written to
 * `end`. Raises ConnectionError when they do not fit.
 */
uint8_t *spate_write_buffer_place(write_buffer *out, size_t length);
/* Returns how many bytes of content fit. */
size_t spate_write_buffer_room(const write_buffer *out);
/* Returns the number of unsent bytes of the queued files. */
size_t spate_write_buffer_file_bytes(const write_buffer *out);
/* Closes the first `count` queued files and removes them from the queue. */
void spate_write_buffer_drop_files(write_buffer *out, unsigned count);
bool spate_write_buffer_is_empty(const write_buffer *out);
/* Returns the ArrayBuffer to the pool and discards its bytes. Call it when the last byte is sent. */
void spate_write_buffer_release(write_buffer *out);

#endif
