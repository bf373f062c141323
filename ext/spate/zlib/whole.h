/*
 * Whole buffers: through libdeflate where it was found at build time, else zlib. Results, errors and messages are
 * zlib's; compressed bytes may differ from zlib's unless that is asked for (Spate::Zlib.identical).
 */
#ifndef SPATE_ZLIB_WHOLE_H
#define SPATE_ZLIB_WHOLE_H

#include "zstream.h"

/* What inflating or deflating a whole buffer answered. No Ruby. */
typedef struct spate_whole_result {
    int answer;   /* Z_OK, or zlib's answer: Z_BUF_ERROR where the input is cut off, Z_DATA_ERROR, Z_NEED_DICT … */
    bool limited; /* more than max_output bytes would come out */
    const char *message; /* zlib's, static; or NULL: its usual text for the answer */
    size_t consumed;     /* bytes of input that the stream took, its trailer included */
    uint32_t sum;        /* CRC-32 of the output, where it was wanted and the answer is Z_OK */
} spate_whole_result;

/*
 * Without Ruby, for any thread: inflates the one stream at the start of input into output, which grows; anything may
 * follow it. SPATE_ZLIB, SPATE_RAW, SPATE_GZIP_FIRST. On failure output's length is 0.
 */
void spate_whole_inflate_bytes(spate_container container, const uint8_t *input, size_t length, uint64_t max_output,
                               bool want_sum, spate_buffer *output, spate_whole_result *result);

/*
 * Without Ruby, for any thread: deflates with a zlib level -1..9 into output. `identical`: zlib's own bytes. SPATE_ZLIB
 * or SPATE_RAW: for gzip the caller writes header and trailer around the latter. False for want of memory.
 */
bool spate_whole_deflate_bytes(spate_container container, const uint8_t *input, size_t length, int level,
                               bool identical, spate_buffer *output);

/* inflateInit2 and deflateInit2 for a container. */
int spate_whole_open_inflate(z_stream *zlib, spate_container container);
int spate_whole_open_deflate(z_stream *zlib, spate_container container, int level);

/*
 * With the GVL, which is released by size. Raise. Where `consumed` is not NULL it tells how much the stream took.
 * `attempt` answers Qundef where the stream is not plainly good (and always without libdeflate): then zlib has to say
 * what it is. It raises OutputLimitError.
 */
VALUE spate_whole_inflate(spate_container container, VALUE string, uint64_t max_output, size_t *consumed);
VALUE spate_whole_attempt(spate_container container, VALUE string, uint64_t max_output, size_t *consumed);
VALUE spate_whole_deflate(spate_container container, VALUE string, int level); /* as Spate::Zlib.identical says */
VALUE spate_whole_deflate_as(spate_container container, VALUE string, int level, bool identical);

/* Spate::Zlib.identical */
bool spate_zlib_identical(void);

/* A String of these bytes: copied without the GVL where they are many. The bytes must stay meanwhile. May raise. */
VALUE spate_zlib_string(const uint8_t *bytes, size_t length);

/* Running checksums, through libdeflate where it is there. Any thread. They begin with 0 and 1. */
uint32_t spate_zlib_crc32(uint32_t sum, const uint8_t *bytes, size_t length);
uint32_t spate_zlib_adler32(uint32_t sum, const uint8_t *bytes, size_t length);

#endif
