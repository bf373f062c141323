/* Inflates or deflates whole Strings with libdeflate without the GVL. */
#ifndef SPATE_ZLIB_ONESHOT_WITHOUT_GVL_H
#define SPATE_ZLIB_ONESHOT_WITHOUT_GVL_H

#include <ruby.h>

#include "shared/inflate.h" /* the core's */

/* Arguments and result of the work. The output begins in a hidden String and is reallocated if that is too small. */
typedef struct spate_oneshot {
    spate_container container;
    const uint8_t *input;
    size_t length;
    size_t max_output;
    int level;
    spate_buffer output;
    size_t consumed;
    spate_status status;
} spate_oneshot;

/*
 * Calls `work` with a copy of `given`, `string` as input and a new String of `capacity` bytes for the output, as a job
 * (see release.h) or in place. Returns the result, or Qundef if `*status` is not SPATE_OK. Sets `*consumed` unless
 * NULL. Needs the GVL; may raise.
 */
VALUE spate_oneshot_without_gvl(void (*work)(void *whole), spate_oneshot given, VALUE string, size_t capacity,
                                bool as_job, size_t *consumed, spate_status *status);

#endif
