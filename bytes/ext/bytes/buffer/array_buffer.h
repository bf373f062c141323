#ifndef SPATE_BYTES_ARRAY_BUFFER_H
#define SPATE_BYTES_ARRAY_BUFFER_H

/*
 * Bytes that an ArrayBuffer owns. Views keep a pointer to this struct, never to its data: resizing moves the data, and
 * detaching takes it away.
 */
#include <ruby.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A longer length is a mistake or an attack: it fits no memory. Sums of two lengths stay within size_t. */
#if SIZE_MAX > UINT32_MAX
#define SPATE_LENGTH_LIMIT ((size_t)1 << 47)
#else
#define SPATE_LENGTH_LIMIT ((size_t)1 << 30)
#endif

typedef struct spate_array_buffer {
    uint8_t *data;     /* NULL if length is 0 */
    size_t length;     /* bytes in use; 0 once detached */
    size_t capacity;   /* bytes allocated; those past length are zero */
    size_t max_length; /* of a resizable buffer; otherwise equal to length */
    VALUE owner;       /* the frozen String whose bytes these are, or Qnil: then data is ours to free */
    uint32_t pins;     /* holders of data while other Ruby code runs; a pinned buffer is neither resized nor detached */
    bool resizable;
    bool detached;
    bool made;         /* initialize ran */
    bool orphaned;     /* its object is gone; pins keep it */
    uint32_t writers;  /* pins of writers without Ruby's lock: the buffer cannot be frozen meanwhile */
} spate_array_buffer;

extern const rb_data_type_t spate_array_buffer_type;
extern VALUE spate_class_array_buffer;

/* The struct of an ArrayBuffer. Raises TypeError for anything else. It lives as long as `buffer` is reachable. */
spate_array_buffer *spate_array_buffer_of(VALUE buffer);

/* A new ArrayBuffer of `length` zero bytes. Raises NoMemoryError, or RangeError for an impossible length. */
VALUE spate_array_buffer_new(size_t length);

/* A new ArrayBuffer with a copy of these bytes. `bytes` must not move meanwhile: it is no Ruby object's memory. */
VALUE spate_array_buffer_copy(const uint8_t *bytes, size_t length);

/* Raises TypeError for a detached buffer, FrozenError for a frozen one. */
spate_array_buffer *spate_array_buffer_writable(VALUE buffer);

/* Raises TypeError for a detached buffer. */
spate_array_buffer *spate_array_buffer_readable(VALUE buffer);

/* Between these two the data neither moves nor disappears. Counted; never raise. */
void spate_array_buffer_pin(spate_array_buffer *buffer);
void spate_array_buffer_unpin(spate_array_buffer *buffer);

/*
 * Resizes the buffer; new bytes are zero. `length` must not exceed max_length. Raises NoMemoryError, TypeError if it is
 * pinned.
 */
void spate_array_buffer_resize(spate_array_buffer *buffer, size_t length);

/* ---- Numbers from Ruby ------------------------------------------------------------------------------------------- */

/*
 * ECMA-262 7.1.22 ToIndex: an offset or a length. Floats are truncated. A negative number raises IndexError (`what`
 * names it), anything but a number TypeError. A number that fits no size_t becomes SIZE_MAX, which is outside any
 * buffer.
 */
size_t spate_to_index_slowly(VALUE number, const char *what);

static inline size_t spate_to_index(VALUE number, const char *what) {
    if (FIXNUM_P(number) && FIX2LONG(number) >= 0)
        return (size_t)FIX2LONG(number);
    return spate_to_index_slowly(number, what);
}

/* A position as in Array#[] or String#slice: negative counts from the end; clamped to 0..length. */
size_t spate_to_position(VALUE number, size_t length);

/* Raises IndexError: `what` at `index`, `width` wide, is outside `length`. */
NORETURN(void spate_out_of_bounds(const char *what, size_t index, size_t width, size_t length));

/* A short hex dump for inspect: "12 34 ab … (16384 bytes)". */
void spate_append_dump(VALUE text, const uint8_t *bytes, size_t length);

void spate_init_array_buffer(VALUE spate);
void spate_init_data_view(VALUE spate);
void spate_init_typed_array(VALUE spate);
void spate_init_text(VALUE spate);
void spate_init_memory_view(VALUE spate);
void spate_init_transfer(VALUE spate);
void spate_init_abi(VALUE spate);
void spate_init_wire(VALUE spate);
void spate_init_compat(VALUE spate);

#endif
