/* Deflating whole buffers through libdeflate, whose compressors are large and kept for the next call. No Ruby. */
#ifndef SPATE_ZLIB_COMPRESSOR_H
#define SPATE_ZLIB_COMPRESSOR_H

#include "shared/inflate.h"

/* False where there is no libdeflate, little to do, or no memory: then zlib has to do it. output is replaced, and grows. */
bool spate_compress(spate_container container, int zlib_level, const uint8_t *input, size_t length,
                    spate_buffer *output);

/* What output has to hold at the worst. 0 without libdeflate. */
size_t spate_compress_bound(size_t length);

#endif
