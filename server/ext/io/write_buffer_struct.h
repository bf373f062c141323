#ifndef SPATE_SERVER_WRITE_BUFFER_STRUCT_H
#define SPATE_SERVER_WRITE_BUFFER_STRUCT_H

/*
 * Internals of WriteBuffer. Suggested reading order: write_buffer.c (the buffer), write_buffer_files.c (adding files),
 * write_buffer_flush.c (sending), io_call.c (the system calls).
 */
#include "native.h"

#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

#define SPATE_WRITE_BUFFER_DATA_BYTES ((size_t)256 << 10)
#define SPATE_WRITE_BUFFER_RESERVE ((size_t)64 << 10)
#define SPATE_WRITE_BUFFER_BYTES (SPATE_WRITE_BUFFER_DATA_BYTES + SPATE_WRITE_BUFFER_RESERVE)
/* Files that may wait at once. */
#define SPATE_WRITE_BUFFER_FILES 8

typedef struct waiting_file {
    int fd; /* the write buffer's own */
    off_t position;
    size_t left; /* bytes */
    size_t at;   /* offset in the buffer of the first byte behind it */
} waiting_file;

/*
 * What one connection has to write, in one ArrayBuffer, so that many frames go out in one call and a file's bytes are read
 * into their frame's place. The buffer comes from a pool when the first byte is written and goes back with the last:
 * an idle connection holds none.
 *
 *     0          start                  end        DATA_BYTES          BYTES
 *     |  written  |  frames to be written |  room    |  room of heads and control frames only  |
 *
 * Where flush writes to the socket itself, bytes of files that go out as they are (HTTP/1.1 in clear text) do not come into
 * the buffer: a file waits between two of its bytes, at `at`, and goes out by sendfile(2) in its turn. The descriptor is the
 * write_buffer's own, so that whoever put it there may close theirs. No other transport ever meets a file here.
 */
typedef struct write_buffer {
    VALUE pool;   /* Array of ArrayBuffers of BYTES each */
    VALUE buffer; /* pinned while it is here, or nil */
    uint8_t *bytes;
    size_t start, end;
    waiting_file files[SPATE_WRITE_BUFFER_FILES];
    unsigned file_count;
    bool direct; /* flush was called: this write_buffer writes to a socket */
} write_buffer;

write_buffer *spate_write_buffer_of(VALUE object);
/* Where `length` more bytes go, to be followed by `end` growing. Raises ConnectionError where there is no room. */
uint8_t *spate_write_buffer_place(write_buffer *out, size_t length);
/* Bytes of content that fit. */
size_t spate_write_buffer_room(const write_buffer *out);
/* Bytes of the files that wait. */
size_t spate_write_buffer_file_bytes(const write_buffer *out);
/* The first `count` files will not be sent any more. */
void spate_write_buffer_drop_files(write_buffer *out, unsigned count);
bool spate_write_buffer_is_empty(const write_buffer *out);
/* To be called with the last byte. */
void spate_write_buffer_give_back(write_buffer *out);

#endif
