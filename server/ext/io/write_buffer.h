#ifndef SPATE_SERVER_WRITE_BUFFER_H
#define SPATE_SERVER_WRITE_BUFFER_H

/*
 * The interface for extensions that append to a WriteBuffer, or send its bytes without calling `flush`.
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
     * Returns the ArrayBuffer that contains the unsent bytes, and sets their offset and length in it. Returns nil and
     * sets length to 0 when all bytes are sent. The buffer belongs to the WriteBuffer; it stays the same until the next
     * call of `written`, `place` or a Ruby method. Raises TypeError unless `write_buffer` is a WriteBuffer.
     */
    VALUE (*waiting)(VALUE write_buffer, size_t *offset, size_t *length);
    /*
     * Removes the first `count` unsent bytes. An empty buffer is returned to its pool. Raises RangeError when fewer
     * bytes are unsent, TypeError as above.
     */
    void (*written)(VALUE write_buffer, size_t count);
    /* Returns how many bytes of content fit. Headers and control frames may use 64 KB more. Raises TypeError. */
    size_t (*room)(VALUE write_buffer);
    /*
     * Reserves `length` bytes and returns their address, valid until the next call. The caller writes there and then
     * calls `filled` with the number of bytes written. Raises ConnectionError when they do not fit, TypeError.
     */
    uint8_t *(*place)(VALUE write_buffer, size_t length);
    void (*filled)(VALUE write_buffer, size_t count);
    /*
     * Reads from `position` of a file into `slices` (inside of reserved bytes; modified by the call). Releases the GVL
     * for large reads. `length` is the sum of the slices' lengths. Returns the bytes read, fewer than `length` at the
     * end of the file. Raises SystemCallError.
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
