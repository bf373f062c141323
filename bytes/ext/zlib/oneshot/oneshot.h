/*
 * Inflates and deflates whole Strings with libdeflate if it was found at build time, else with zlib. Results, errors
 * and messages are those of zlib; compressed bytes may differ unless Spate::Zlib.identical is set.
 */
#ifndef SPATE_ZLIB_ONESHOT_H
#define SPATE_ZLIB_ONESHOT_H

#include "oneshot/bytes.h"
#include "shared/inflate.h" /* in core/ */
#include "stream/zstream.h"

#include <ruby.h>

/*
 * The following functions return a new String. They need the GVL and release it depending on size. They raise zlib's
 * errors and OutputLimitError. `*consumed`, unless NULL, is set to the bytes of input consumed. `max_output` is in
 * bytes.
 */
VALUE spate_oneshot_inflate(spate_container container, VALUE string, uint64_t max_output, size_t *consumed);
VALUE spate_oneshot_deflate(spate_container container, VALUE string, int level); /* uses Spate::Zlib.identical */
VALUE spate_oneshot_deflate_as(spate_container container, VALUE string, int level, bool identical);

/* Spate::Zlib.identical */
bool spate_zlib_identical(void);
void spate_zlib_set_identical(bool value);

/* Inflates or deflates whole Strings with libdeflate without the GVL. */

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

/*
 * Inflates and deflates whole Strings with zlib. Used for zlib's error messages or its exact output, and if libdeflate
 * is missing. Needs the GVL, which is released depending on size. Raises zlib's errors, OutputLimitError.
 */

/* Returns a new String. Sets `*consumed`, unless NULL, to the bytes of input consumed. `max_output` in bytes. */
VALUE spate_zlib_only_inflate(spate_container container, VALUE string, uint64_t max_output, size_t *consumed);
VALUE spate_zlib_only_deflate(spate_container container, VALUE string, int level);

#endif
