#ifndef SPATE_BYTES_H
#define SPATE_BYTES_H

/*
 * For extensions that work on Spate's buffers without a call into Ruby.
 *
 *     rb_require("spate/bytes");
 *     const spate_bytes_abi *abi = spate_bytes_load();      // raises where the versions do not fit
 *     uint8_t *data = abi->pin(buffer, &length, true);      // may raise TypeError, FrozenError
 *     ...                                                   // data stays where it is until unpin
 *     abi->unpin(buffer);
 *
 * The table only grows: `size` tells how much of it there is. Another `version` fits nobody.
 */
#include <ruby.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPATE_BYTES_ABI_VERSION 1

typedef struct spate_bytes_abi {
    uint32_t version;
    uint32_t size; /* bytes of this struct as the library was built */

    /* A new ArrayBuffer of `length` zero bytes. Raises NoMemoryError, RangeError. */
    VALUE (*create)(size_t length);
    /* Whether `object` is an ArrayBuffer, a DataView or a typed array. Never raises. */
    bool (*has_bytes)(VALUE object);
    /* The bytes of any of these, for reading or writing. Raises TypeError, FrozenError. The caller keeps `object` alive. */
    uint8_t *(*pin)(VALUE object, size_t *length, bool writable);
    /* Undoes one pin. Never raises. */
    void (*unpin)(VALUE object);
    /* Resizes a resizable ArrayBuffer. Raises RangeError, TypeError, NoMemoryError. */
    void (*resize)(VALUE buffer, size_t length);
} spate_bytes_abi;

/* The table of the loaded library. Raises LoadError if its version does not match. */
static inline const spate_bytes_abi *spate_bytes_load_version(uint32_t version) {
    VALUE native = rb_const_get(rb_const_get(rb_cObject, rb_intern("Spate")), rb_intern("Native"));
    VALUE address = rb_const_get(native, rb_intern("BYTES_ABI"));
    const spate_bytes_abi *abi = (const spate_bytes_abi *)NUM2SIZET(address);
    if (abi->version != version || abi->size < sizeof *abi)
        rb_raise(rb_eLoadError, "spate/bytes has interface %u of %u bytes, %u of %u are wanted", abi->version,
                 abi->size, version, (unsigned)sizeof *abi);
    return abi;
}

/* The version that this header describes. */
static inline const spate_bytes_abi *spate_bytes_load(void) {
    return spate_bytes_load_version(SPATE_BYTES_ABI_VERSION);
}

#endif
