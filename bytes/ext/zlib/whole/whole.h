/*
 * Whole buffers: through libdeflate if it was found at build time, else zlib. Results, errors and messages are zlib's;
 * compressed bytes may differ from zlib's unless identical ones are asked for (Spate::Zlib.identical).
 */
#ifndef SPATE_ZLIB_WHOLE_H
#define SPATE_ZLIB_WHOLE_H

#include "whole/bytes.h"
#include "stream/zstream.h"

/* With the GVL, which is released depending on size. Raise. *consumed, if not NULL, is how much the stream took. */
VALUE spate_whole_inflate(spate_container container, VALUE string, uint64_t max_output, size_t *consumed);
VALUE spate_whole_deflate(spate_container container, VALUE string, int level); /* as Spate::Zlib.identical says */
VALUE spate_whole_deflate_as(spate_container container, VALUE string, int level, bool identical);

/* Spate::Zlib.identical */
bool spate_zlib_identical(void);
void spate_zlib_set_identical(bool value);

#endif
