/* Whole buffers and sums without Ruby, for any thread. */
#ifndef SPATE_ZLIB_WHOLE_BYTES_H
#define SPATE_ZLIB_WHOLE_BYTES_H

#include <zlib.h>

#include "shared/inflate.h" /* the core's */

/* What inflating or deflating a whole buffer answered. */
typedef struct spate_whole_result {
    int answer;   /* Z_OK, or zlib's answer: Z_BUF_ERROR where the input is cut off, Z_DATA_ERROR, Z_NEED_DICT … */
    bool limited; /* more than max_output bytes would come out */
    const char *message; /* zlib's, static; or NULL: its usual text for the answer */
    size_t consumed;     /* bytes of input that the stream took, its trailer included */
    uint32_t sum;        /* CRC-32 of the output, where it was wanted and the answer is Z_OK */
} spate_whole_result;

/*
 * Inflates the one stream at the start of input into output, which grows; anything may
 * follow it. SPATE_ZLIB, SPATE_RAW, SPATE_GZIP_FIRST. On failure output's length is 0.
 */
void spate_whole_inflate_bytes(spate_container container, const uint8_t *input, size_t length, uint64_t max_output,
                               bool want_sum, spate_buffer *output, spate_whole_result *result);

/*
 * Deflates with a zlib level -1..9 into output. `identical`: zlib's own bytes. SPATE_ZLIB
 * or SPATE_RAW: for gzip the caller writes header and trailer around the latter. False for want of memory.
 */
bool spate_whole_deflate_bytes(spate_container container, const uint8_t *input, size_t length, int level,
                               bool identical, spate_buffer *output);

/* inflateInit2 and deflateInit2 for a container. */
int spate_whole_open_inflate(z_stream *zlib, spate_container container);
int spate_whole_open_deflate(z_stream *zlib, spate_container container, int level);

/* Running checksums, through libdeflate where it is there. They begin with 0 and 1. */
uint32_t spate_zlib_crc32(uint32_t sum, const uint8_t *bytes, size_t length);
uint32_t spate_zlib_adler32(uint32_t sum, const uint8_t *bytes, size_t length);

#endif
