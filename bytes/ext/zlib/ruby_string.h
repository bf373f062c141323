/* Ruby Strings to write into before anybody sees them. With the GVL; may raise. */
#ifndef SPATE_ZLIB_RUBY_STRING_H
#define SPATE_ZLIB_RUBY_STRING_H

#include <ruby.h>

#include <stddef.h>
#include <stdint.h>

/* From here on copying takes long enough to let others run. */
#define SPATE_STRING_RELEASED_FROM ((size_t)1024 * 1024)

/* A String of these bytes: copied without the GVL where they are many. The bytes must stay meanwhile. */
VALUE spate_string_of(const uint8_t *bytes, size_t length);

/* An empty one that no Ruby code can find, whose bytes are not in the object itself. */
VALUE spate_string_hidden(size_t capacity);

/* That, shown with this length; what it has too much is given back. */
VALUE spate_string_reveal(VALUE hidden, size_t length);

/* What a small call's output is written to before its length is known: this thread's; NULL for want of memory. */
#define SPATE_SCRATCH ((size_t)64 * 1024)
uint8_t *spate_scratch(void);

void spate_init_ruby_string(void);

#endif
