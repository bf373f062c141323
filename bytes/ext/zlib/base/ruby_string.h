/* Strings that are filled before other Ruby code can see them. All functions need the GVL and may raise. */
#ifndef SPATE_ZLIB_RUBY_STRING_H
#define SPATE_ZLIB_RUBY_STRING_H

#include <ruby.h>

#include <stddef.h>
#include <stdint.h>

/* Copies of this many bytes or more release the GVL. */
#define SPATE_STRING_RELEASED_FROM ((size_t)1024 * 1024)

/* Returns a new binary String with a copy of the bytes, which must stay valid while the GVL is released. */
VALUE spate_string_of(const uint8_t *bytes, size_t length);

/* Returns an empty String that is hidden from ObjectSpace and not embedded. `capacity` in bytes. */
VALUE spate_string_hidden(size_t capacity);

/* Makes a hidden String visible with this length, and frees unused memory. */
VALUE spate_string_reveal(VALUE hidden, size_t length);

/* Returns this thread's scratch buffer of SPATE_SCRATCH bytes, or NULL when out of memory. The thread owns it. */
#define SPATE_SCRATCH ((size_t)64 * 1024)
uint8_t *spate_scratch(void);

void spate_init_ruby_string(void);

#endif
