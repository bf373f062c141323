#ifndef SPATE_SERVER_WRITE_BUFFER_H
#define SPATE_SERVER_WRITE_BUFFER_H

/*
 * For extensions that append to a WriteBuffer, or send its bytes without its flush.
 *
 *     const spate_write_buffer_abi *abi = spate_write_buffer_load(); // raises when the versions differ
 *     VALUE buffer = abi->waiting(write_buffer, &offset, &length);   // nil when empty
 *     uint8_t *bytes = spate_bytes->pin(buffer, &size, false);       // bytes + offset is valid until unpin
 *     ...
 *     spate_bytes->unpin(buffer);
 *     abi->written(write_buffer, count);
 */
#include <ruby.h>

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define SPATE_WRITE_BUFFER_ABI_VERSION 2

typedef struct spate_write_buffer_abi {
    uint32_t version;
    uint32_t size; /* bytes of this struct */
    /*
     * The ArrayBuffer in which a WriteBuffer's bytes wait, and where; nil where none wait. Raises TypeError for
     * another object.
     */
    VALUE (*waiting)(VALUE write_buffer, size_t *offset, size_t *length);
    /*
     * The first `count` of them are written; with the last the buffer goes back to its pool. Raises RangeError,
     * TypeError.
     */
    void (*written)(VALUE write_buffer, size_t count);
    /* Bytes of content that fit; there is more room, but that is for what must be said to the peer. */
    size_t (*room)(VALUE write_buffer);
    /*
     * Where `length` more bytes go, to be followed by `filled` with how many came there. Raises ConnectionError where
     * there is no room.
     */
    uint8_t *(*place)(VALUE write_buffer, size_t length);
    void (*filled)(VALUE write_buffer, size_t count);
    /*
     * Reads a file from `position` into slices of such a place, without Ruby's lock where they are large. Answers the
     * bytes: fewer than `length`, which is their sum, at the file's end. Raises SystemCallError.
     */
    size_t (*read_file)(int fd, struct iovec *slices, int count, off_t position, size_t length);
} spate_write_buffer_abi;

static inline const spate_write_buffer_abi *spate_write_buffer_load(void) {
    VALUE server = rb_const_get(rb_const_get(rb_cObject, rb_intern("Spate")), rb_intern("Server"));
    VALUE address = rb_const_get(rb_const_get(server, rb_intern("Native")), rb_intern("WRITE_BUFFER_ABI"));
    const spate_write_buffer_abi *abi = (const spate_write_buffer_abi *)NUM2SIZET(address);
    if (abi->version != SPATE_WRITE_BUFFER_ABI_VERSION || abi->size < sizeof *abi)
        rb_raise(rb_eLoadError,
                 "spate-server's write buffer has ABI version %u with %u bytes, expected version %u with %u",
                 abi->version, abi->size, SPATE_WRITE_BUFFER_ABI_VERSION, (unsigned)sizeof *abi);
    return abi;
}

#endif
