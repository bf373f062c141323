/* Deflates whole buffers through libdeflate, whose compressors are large and kept for the next call. No Ruby. */
#ifndef SPATE_ZLIB_COMPRESSOR_H
#define SPATE_ZLIB_COMPRESSOR_H

#include "shared/inflate.h"

/*
 * False without libdeflate, for little input, or without memory: then zlib has to do it. output is replaced, and grows.
 */
bool spate_compress(spate_container container, int zlib_level, const uint8_t *input, size_t length,
                    spate_buffer *output);

/* The largest possible output. 0 without libdeflate. */
size_t spate_compress_bound(size_t length);

#endif
