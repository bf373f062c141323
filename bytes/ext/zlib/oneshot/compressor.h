/* Deflates whole buffers with libdeflate. Caches its compressors, which are large. No Ruby; thread-safe. */
#ifndef SPATE_ZLIB_COMPRESSOR_H
#define SPATE_ZLIB_COMPRESSOR_H

#include "shared/inflate.h"

/*
 * Replaces the content of `output`, which grows. Returns false without libdeflate, for short input, or when out of
 * memory: the caller then uses zlib. `zlib_level`: -1 to 9.
 */
bool spate_compress(spate_container container, int zlib_level, const uint8_t *input, size_t length,
                    spate_buffer *output);

/* Maximum bytes of output for `length` bytes of input, or 0 without libdeflate. */
size_t spate_compress_bound(size_t length);

#endif
