#ifndef SPATE_BYTES_H
#define SPATE_BYTES_H

/*
 * The interface for extensions that access Spate's buffers without calling Ruby methods. All functions need the GVL.
 *
 *     rb_require("spate/bytes");
 *     const spate_bytes_abi *abi = spate_bytes_load();      // raises LoadError when the versions differ
 *     uint8_t *data = abi->pin(buffer, &length, true);      // may raise TypeError, FrozenError
 *     ...                                                   // data is valid until unpin, also without the GVL
 *     abi->unpin(buffer);
 *
 * New functions are added at the end and increase `size`. Incompatible changes increase `version`.
 */
#include <ruby.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPATE_BYTES_ABI_VERSION 1

typedef struct spate_bytes_abi {
    uint32_t version;
    uint32_t size; /* bytes of this struct in the loaded library */

    /*
     * Returns a new ArrayBuffer of `length` zero bytes, with a fixed length. The caller must keep it reachable. Raises
     * RangeError if `length` is too large, NoMemoryError.
     */
    VALUE (*create)(size_t length);
    /* Returns whether `object`, any VALUE, is an ArrayBuffer, a DataView or a typed array. Does not raise. */
    bool (*has_bytes)(VALUE object);
    /*
     * Returns the address of the object's bytes and sets `*length` to their number. The bytes belong to the object,
     * which the caller must keep reachable, and are neither moved nor freed before `unpin`. Until then the buffer
     * cannot be resized or transferred. The address may be NULL if there are no bytes. Pins are counted. Raises
     * TypeError for other or detached objects and views outside their buffer, and FrozenError if `writable` and the
     * object is frozen.
     */
    uint8_t *(*pin)(VALUE object, size_t *length, bool writable);
    /* Releases one pin of `object`, which must be pinned. Does not raise. */
    void (*unpin)(VALUE object);
    /*
     * Resizes a resizable ArrayBuffer to `length` bytes; new bytes are zero. Raises RangeError beyond its maximum or
     * for a fixed length, TypeError for a pinned or detached buffer or another object, FrozenError, NoMemoryError.
     */
    void (*resize)(VALUE buffer, size_t length);
} spate_bytes_abi;

/*
 * Returns the table of the loaded library (static memory). Raises LoadError if it does not have this version, NameError
 * before `require "spate/bytes"`.
 */
static inline const spate_bytes_abi *spate_bytes_load_version(uint32_t version) {
    VALUE native = rb_const_get(rb_const_get(rb_cObject, rb_intern("Spate")), rb_intern("Native"));
    VALUE address = rb_const_get(native, rb_intern("BYTES_ABI"));
    const spate_bytes_abi *abi = (const spate_bytes_abi *)NUM2SIZET(address);
    if (abi->version != version || abi->size < sizeof *abi)
        rb_raise(rb_eLoadError, "spate/bytes has ABI version %u with %u bytes, expected version %u with %u",
                 abi->version, abi->size, version, (unsigned)sizeof *abi);
    return abi;
}

/* Like spate_bytes_load_version, for the version of this header. */
static inline const spate_bytes_abi *spate_bytes_load(void) {
    return spate_bytes_load_version(SPATE_BYTES_ABI_VERSION);
}

#endif
