/* Whole buffers and checksums without Ruby, for any thread. */
#ifndef SPATE_ZLIB_WHOLE_BYTES_H
#define SPATE_ZLIB_WHOLE_BYTES_H

#include <zlib.h>

#include "shared/container.h"

/* The result of inflating or deflating a whole buffer. */
typedef struct spate_whole_result {
    int answer;   /* Z_OK, or zlib's code: Z_BUF_ERROR if the input is cut off, Z_DATA_ERROR, Z_NEED_DICT … */
    bool limited; /* more than max_output bytes would come out */
    const char *message; /* zlib's, static; or NULL: the code's usual text */
    size_t consumed;     /* bytes of input that the stream consumed, including its trailer */
    uint32_t sum;        /* CRC-32 of the output, if it was wanted and the code is Z_OK */
} spate_whole_result;

/*
 * Inflates the one stream at the start of input into output, which grows; anything may
 * follow it. SPATE_ZLIB, SPATE_RAW, SPATE_GZIP_FIRST. On failure output's length is 0.
 */
void spate_whole_inflate_bytes(spate_container container, const uint8_t *input, size_t length, uint64_t max_output,
                               bool want_sum, spate_buffer *output, spate_whole_result *result);

/*
 * Deflates with a zlib level -1..9 into output. `identical`: zlib's own bytes. SPATE_ZLIB or SPATE_RAW: for gzip the
 * caller writes header and trailer around the latter. False without memory.
 */
bool spate_whole_deflate_bytes(spate_container container, const uint8_t *input, size_t length, int level,
                               bool identical, spate_buffer *output);

/* inflateInit2 and deflateInit2 for a container. */
int spate_whole_open_inflate(z_stream *zlib, spate_container container);
int spate_whole_open_deflate(z_stream *zlib, spate_container container, int level);

#endif
