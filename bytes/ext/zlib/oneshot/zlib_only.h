/*
 * Inflates and deflates whole Strings with zlib: for its error messages, its exact output, or without libdeflate. Needs
 * the GVL, which is released depending on size. Raises zlib's errors, OutputLimitError.
 */
#ifndef SPATE_ZLIB_ONLY_H
#define SPATE_ZLIB_ONLY_H

#include "oneshot/bytes.h"

#include <ruby.h>

/* Returns a new String. Sets `*consumed`, unless NULL, to the bytes of input consumed. `max_output` in bytes. */
VALUE spate_zlib_only_inflate(spate_container container, VALUE string, uint64_t max_output, size_t *consumed);
VALUE spate_zlib_only_deflate(spate_container container, VALUE string, int level);

#endif
