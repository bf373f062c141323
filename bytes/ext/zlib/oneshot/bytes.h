/* Inflates and deflates whole buffers. No Ruby; safe on any thread. */
#ifndef SPATE_ZLIB_ONESHOT_BYTES_H
#define SPATE_ZLIB_ONESHOT_BYTES_H

#include "shared/inflate.h"

#include <zlib.h>

/* The result of inflating a buffer. */
typedef struct spate_oneshot_result {
    int answer;          /* Z_OK, or zlib's code: Z_BUF_ERROR if the input is truncated, Z_DATA_ERROR, ... */
    bool limited;        /* there is more output than max_output */
    const char *message; /* zlib's message (static), or NULL for the standard text of the code */
    size_t consumed;     /* bytes of input, including the stream's trailer */
    uint32_t sum;        /* CRC-32 of the output, if want_sum and Z_OK */
} spate_oneshot_result;

/*
 * Inflates the stream at the start of `input` into `output`, which grows; further input is ignored. `container`:
 * SPATE_ZLIB, SPATE_RAW or SPATE_GZIP_FIRST. On failure the length of `output` is 0. The caller frees it.
 */
void spate_oneshot_inflate_bytes(spate_container container, const uint8_t *input, size_t length, uint64_t max_output,
                                 bool want_sum, spate_buffer *output, spate_oneshot_result *result);

/*
 * Deflates with zlib level -1 to 9 into `output`, which grows and which the caller frees. `identical`: produce the same
 * bytes as zlib. `container`: SPATE_ZLIB or SPATE_RAW; for gzip the caller adds header and trailer. Returns false when
 * out of memory.
 */
bool spate_oneshot_deflate_bytes(spate_container container, const uint8_t *input, size_t length, int level,
                                 bool identical, spate_buffer *output);

/* inflateInit2 and deflateInit2 for a container. Return zlib's code. */
int spate_oneshot_open_inflate(z_stream *zlib, spate_container container);
int spate_oneshot_open_deflate(z_stream *zlib, spate_container container, int level);

/* Deflates whole buffers with libdeflate. Caches its compressors, which are large. No Ruby; thread-safe. */

/*
 * Replaces the content of `output`, which grows. Returns false without libdeflate, for short input, or when out of
 * memory: the caller then uses zlib. `zlib_level`: -1 to 9.
 */
bool spate_compress(spate_container container, int zlib_level, const uint8_t *input, size_t length,
                    spate_buffer *output);

/* Maximum bytes of output for `length` bytes of input, or 0 without libdeflate. */
size_t spate_compress_bound(size_t length);

#endif
