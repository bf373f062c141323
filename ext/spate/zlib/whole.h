/*
 * Whole buffers: through libdeflate where it was found at build time, else zlib. Results, errors and messages are
 * zlib's; compressed bytes may differ from zlib's unless Spate::Zlib.identical is set.
 */
#ifndef SPATE_ZLIB_WHOLE_H
#define SPATE_ZLIB_WHOLE_H

#include "zstream.h"

/* What inflating or deflating a whole buffer answered. No Ruby. */
typedef struct spate_whole_result {
    int answer;   /* Z_OK, or zlib's answer: Z_BUF_ERROR where the input is cut off, Z_DATA_ERROR, Z_NEED_DICT … */
    bool limited; /* more than max_output bytes would come out */
    char message[64]; /* zlib's, or "" */
    size_t consumed;  /* bytes of input that the stream took, its trailer included */
    uint32_t sum;     /* of raw streams: CRC-32 of the output, where asked for */
} spate_whole_result;

/*
 * Without Ruby, for any thread: inflates one zlib (SPATE_ZLIB) or raw (SPATE_RAW) stream at the start of input into
 * output, which grows; anything may follow it. On failure output's length is 0.
 */
void spate_whole_inflate_bytes(spate_container container, const uint8_t *input, size_t length, uint64_t max_output,
                               bool want_sum, spate_buffer *output, spate_whole_result *result);

/*
 * Without Ruby, for any thread: deflates with a zlib level -1..9. `identical`: zlib's own bytes. gzip has no header
 * here: the caller writes it, deflates SPATE_RAW, and appends the trailer. False for want of memory.
 */
bool spate_whole_deflate_bytes(spate_container container, const uint8_t *input, size_t length, int level,
                               bool identical, spate_buffer *output);

/* With the GVL: Zlib.inflate and Zlib.deflate of a String, released by size. Raise. */
VALUE spate_whole_inflate(spate_container container, VALUE string, uint64_t max_output, size_t *consumed);
VALUE spate_whole_deflate(spate_container container, VALUE string, int level);

/* Spate::Zlib.identical */
bool spate_zlib_identical(void);

/* A String of these bytes: copied, without the GVL where they are many. */
VALUE spate_zlib_string(const uint8_t *bytes, size_t length);

/* Running checksums, through libdeflate where it is there. Any thread. */
uint32_t spate_zlib_crc32(uint32_t sum, const uint8_t *bytes, size_t length);
uint32_t spate_zlib_adler32(uint32_t sum, const uint8_t *bytes, size_t length);

#endif
