#ifndef SPATE_SERVER_OUTBOX_H
#define SPATE_SERVER_OUTBOX_H

/*
 * For extensions that put bytes of their own into an Outbox, or take its bytes another way than by its flush.
 *
 *     const spate_outbox_abi *abi = spate_outbox_load();          // raises where the versions do not fit
 *     VALUE buffer = abi->waiting(outbox, &offset, &length);      // nil where nothing waits
 *     uint8_t *bytes = spate_bytes->pin(buffer, &size, false);    // they lie at bytes + offset until unpin
 *     ...
 *     spate_bytes->unpin(buffer);
 *     abi->written(outbox, count);
 */
#include <ruby.h>

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define SPATE_OUTBOX_ABI_VERSION 2

typedef struct spate_outbox_abi {
    uint32_t version;
    uint32_t size; /* bytes of this struct */
    /*
     * The ArrayBuffer in which an Outbox's bytes wait, and where; nil where none wait. Raises TypeError for
     * another object.
     */
    VALUE (*waiting)(VALUE outbox, size_t *offset, size_t *length);
    /*
     * The first `count` of them are written; with the last the buffer goes back to its pool. Raises RangeError,
     * TypeError.
     */
    void (*written)(VALUE outbox, size_t count);
    /* Bytes of content that fit; there is more room, but that is for what must be said to the peer. */
    size_t (*room)(VALUE outbox);
    /*
     * Where `length` more bytes go, to be followed by `filled` with how many came there. Raises ConnectionError where
     * there is no room.
     */
    uint8_t *(*place)(VALUE outbox, size_t length);
    void (*filled)(VALUE outbox, size_t count);
    /*
     * Reads a file from `position` into slices of such a place, without Ruby's lock where they are large. Answers the
     * bytes: fewer than `length`, which is their sum, at the file's end. Raises SystemCallError.
     */
    size_t (*read_file)(int fd, struct iovec *slices, int count, off_t position, size_t length);
} spate_outbox_abi;

static inline const spate_outbox_abi *spate_outbox_load(void) {
    VALUE server = rb_const_get(rb_const_get(rb_cObject, rb_intern("Spate")), rb_intern("Server"));
    VALUE address = rb_const_get(rb_const_get(server, rb_intern("Native")), rb_intern("OUTBOX_ABI"));
    const spate_outbox_abi *abi = (const spate_outbox_abi *)NUM2SIZET(address);
    if (abi->version != SPATE_OUTBOX_ABI_VERSION || abi->size < sizeof *abi)
        rb_raise(rb_eLoadError, "the outbox has interface %u of %u bytes, %u of %u are wanted", abi->version, abi->size,
                 SPATE_OUTBOX_ABI_VERSION, (unsigned)sizeof *abi);
    return abi;
}

#endif
