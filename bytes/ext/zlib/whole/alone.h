/*
 * Whole Strings through zlib alone: for its errors, its exact bytes, or without libdeflate. With the GVL, which is
 * released depending on size. Raises zlib's errors, OutputLimitError.
 */
#ifndef SPATE_ZLIB_ALONE_H
#define SPATE_ZLIB_ALONE_H

#include "whole/bytes.h"

#include <ruby.h>

/* `consumed` may be NULL. */
VALUE spate_alone_inflate(spate_container container, VALUE string, uint64_t max_output, size_t *consumed);
VALUE spate_alone_deflate(spate_container container, VALUE string, int level);

#endif
