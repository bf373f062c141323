/* Whole buffers through libdeflate without the GVL. With it; may raise. */
#ifndef SPATE_ZLIB_WHOLE_RELEASED_H
#define SPATE_ZLIB_WHOLE_RELEASED_H

#include <ruby.h>

#include "shared/inflate.h" /* the core's */

/* The work of a separate thread, malloc'd. The output starts out in a hidden String. */
typedef struct spate_whole {
    spate_container container;
    const uint8_t *input;
    size_t length;
    size_t max_output;
    int level;
    spate_buffer output;
    size_t consumed;
    spate_status status;
} spate_whole;

/*
 * Runs `work` without the GVL over the string into a String of `capacity`, if that suffices; as a piece (release.h), or
 * briefly. Returns the String, or Qundef with *status. `consumed` may be NULL.
 */
VALUE spate_whole_released(void (*work)(void *whole), spate_whole given, VALUE string, size_t capacity, bool piece,
                           size_t *consumed, spate_status *status);

#endif
