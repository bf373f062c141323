#ifndef SPATE_BYTES_ARRAY_BUFFER_H
#define SPATE_BYTES_ARRAY_BUFFER_H

/*
 * The bytes of an ArrayBuffer. Views store a pointer to this struct, never to its data: `data` moves when the buffer is
 * resized, and is NULL after the buffer is detached.
 */
#include <ruby.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum length in bytes. The sum of two lengths does not overflow size_t. */
#if SIZE_MAX > UINT32_MAX
#define SPATE_LENGTH_LIMIT ((size_t)1 << 47)
#else
#define SPATE_LENGTH_LIMIT ((size_t)1 << 30)
#endif

typedef struct spate_array_buffer {
    uint8_t *data;     /* NULL if length is 0 */
    size_t length;     /* bytes in use; 0 after detaching */
    size_t capacity;   /* bytes allocated; those past length are zero */
    size_t max_length; /* maximum length of a resizable buffer; otherwise equal to length */
    VALUE owner;       /* the frozen String that owns data; Qnil if data is allocated by malloc */
    uint32_t pins;     /* a pinned buffer cannot be resized or detached */
    bool resizable;
    bool detached;
    bool made;        /* initialized */
    bool orphaned;    /* the ArrayBuffer was freed; the last unpin frees this struct */
    uint32_t writers; /* pins of writers that have released the GVL; the buffer cannot be frozen meanwhile */
} spate_array_buffer;

extern const rb_data_type_t spate_array_buffer_type;
extern VALUE spate_class_array_buffer;

/* Returns the struct of an ArrayBuffer, valid as long as `buffer` is reachable. Raises TypeError. */
spate_array_buffer *spate_array_buffer_of(VALUE buffer);

/* Returns a new ArrayBuffer of `length` zero bytes. Raises NoMemoryError, or RangeError beyond SPATE_LENGTH_LIMIT. */
VALUE spate_array_buffer_new(size_t length);

/* Returns a new ArrayBuffer with a copy of the bytes, which must not be in a movable Ruby object. Raises as above. */
VALUE spate_array_buffer_copy(const uint8_t *bytes, size_t length);

/* Like spate_array_buffer_of, but also raises TypeError if the buffer is detached, FrozenError if it is frozen. */
spate_array_buffer *spate_array_buffer_writable(VALUE buffer);

/* Like spate_array_buffer_of, but also raises TypeError if the buffer is detached. */
spate_array_buffer *spate_array_buffer_readable(VALUE buffer);

/* Between pin and unpin the data is neither moved nor freed. Pins are counted. Do not raise. */
void spate_array_buffer_pin(spate_array_buffer *buffer);
void spate_array_buffer_unpin(spate_array_buffer *buffer);

/*
 * Resizes the buffer to `length` bytes, at most max_length; new bytes are zero. Raises NoMemoryError, or TypeError if
 * it is pinned.
 */
void spate_array_buffer_resize(spate_array_buffer *buffer, size_t length);

/* ---- Numbers from Ruby ------------------------------------------------------------------------------------------- */

/*
 * ECMA-262 7.1.22 ToIndex: converts an offset or a length. Floats are truncated. Numbers beyond size_t become SIZE_MAX,
 * which is outside any buffer. Raises IndexError for a negative number, TypeError for other objects. `what`: the name
 * of the argument, for the message.
 */
size_t spate_to_index_slowly(VALUE number, const char *what);

static inline size_t spate_to_index(VALUE number, const char *what) {
    if (FIXNUM_P(number) && FIX2LONG(number) >= 0)
        return (size_t)FIX2LONG(number);
    return spate_to_index_slowly(number, what);
}

/* Converts a position. Negative numbers count from the end. The result is clamped to 0..length. Raises TypeError. */
size_t spate_to_position(VALUE number, size_t length);

/*
 * Raises IndexError for `width` bytes at `index` that are not within `length` bytes. `what`: the name of the argument.
 */
NORETURN(void spate_out_of_bounds(const char *what, size_t index, size_t width, size_t length));

/* Appends a short hex dump for inspect: "<12 34 ab …>". */
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
