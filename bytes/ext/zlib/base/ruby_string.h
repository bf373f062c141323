/* Ruby Strings to write into before other code can see them. With the GVL; may raise. */
#ifndef SPATE_ZLIB_RUBY_STRING_H
#define SPATE_ZLIB_RUBY_STRING_H

#include <ruby.h>

#include <stddef.h>
#include <stdint.h>

/* From this length on copying takes long enough to let others run. */
#define SPATE_STRING_RELEASED_FROM ((size_t)1024 * 1024)

/* A String of these bytes: copied without the GVL if they are many. The bytes must stay valid meanwhile. */
VALUE spate_string_of(const uint8_t *bytes, size_t length);

/* An empty String that no Ruby code can find and whose bytes are not embedded in the object. */
VALUE spate_string_hidden(size_t capacity);

/* Makes it visible with this length and gives surplus memory back. */
VALUE spate_string_reveal(VALUE hidden, size_t length);

/* A buffer of this thread for a small call's output before its length is known; NULL without memory. */
#define SPATE_SCRATCH ((size_t)64 * 1024)
uint8_t *spate_scratch(void);

void spate_init_ruby_string(void);

#endif
