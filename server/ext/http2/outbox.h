#ifndef SPATE_SERVER_OUTBOX_H
#define SPATE_SERVER_OUTBOX_H

/*
 * For extensions that take an Outbox's bytes another way than by its flush.
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

#define SPATE_OUTBOX_ABI_VERSION 1

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
