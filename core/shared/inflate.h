/*
 * Inflates data (RFC 1950-1952). Whole buffers use libdeflate if it was found at build time (SPATE_HAVE_LIBDEFLATE),
 * otherwise zlib. Streams use zlib.
 */
#ifndef SPATE_INFLATE_H
#define SPATE_INFLATE_H

#include "shared/buffer.h"

/*
 * SPATE_GZIP reads all members of a gzip file. Only zero padding may follow the last one; otherwise the result is
 * SPATE_CORRUPT. SPATE_GZIP_FIRST reads the first member and ignores the rest, like Ruby's GzipReader and therefore
 * RubyGems. It is used for a gem's data.tar.gz and metadata.gz.
 */
typedef enum spate_container { SPATE_RAW, SPATE_ZLIB, SPATE_GZIP, SPATE_GZIP_FIRST } spate_container;

/*
 * Inflates a whole input. Replaces the content of `output`, whose memory is reused; after a failure its length is 0.
 *
 * If `consumed` is given, reads only the first stream or member and sets *consumed to the offset of its end; any bytes
 * may follow. The length in a gzip trailer is only used to guess the output size, and only if it is plausible.
 *
 * Returns SPATE_LIMIT rather than more than `max_output` bytes, SPATE_TRUNCATED, SPATE_CORRUPT or SPATE_CHECKSUM.
 */
spate_status spate_inflate(spate_container container, const uint8_t *input, size_t length, size_t max_output,
                           spate_buffer *output, size_t *consumed, spate_error *error);

/*
 * Like spate_inflate, but uses only libdeflate and reads only the first stream or member. For callers that have their
 * own inflater. They must use it after any status except SPATE_OK, SPATE_LIMIT and SPATE_NO_MEMORY, and always if
 * libdeflate is not available.
 */
spate_status spate_inflate_attempt(spate_container container, const uint8_t *input, size_t length, size_t max_output,
                                   spate_buffer *output, size_t *consumed);

/* Returns the untrusted length in the last four bytes of a gzip file (ISIZE in RFC 1952), or 0 if the input is shorter
 * than 18 bytes. */
size_t spate_gzip_claimed_length(const uint8_t *input, size_t length);

/* A stream that inflates an input in memory (or mapped) in steps. */
typedef struct spate_inflate_stream spate_inflate_stream;
spate_status spate_inflate_open(spate_inflate_stream **stream, spate_container container, const uint8_t *input,
                                size_t length, uint64_t max_output, spate_error *error);
/* Writes up to `capacity` bytes. *produced is 0 only at the end, where the checksum and length are verified. */
spate_status spate_inflate_read(spate_inflate_stream *stream, uint8_t *out, size_t capacity, size_t *produced,
                                spate_error *error);
void spate_inflate_close(spate_inflate_stream *stream);

/* Returns the name of the library for whole buffers, such as "libdeflate 1.14" or "zlib 1.2.13". */
const char *spate_inflate_backend(void);

/*
 * The headers and trailers around a deflate stream: RFC 1950 (zlib) and RFC 1952 (gzip). One parser is used for whole
 * buffers and streams and with both libraries, so that all accept the same input.
 */

/* Parses the header at the start of `input` and sets *header to its length. */
spate_status spate_container_open(spate_container container, const uint8_t *input, size_t length, size_t *header,
                                  spate_error *error);

/* Update a checksum, with libdeflate if available. A CRC-32 starts with 0, an Adler-32 with 1. */
uint32_t spate_crc32(uint32_t sum, const uint8_t *bytes, size_t length);
uint32_t spate_adler32(uint32_t sum, const uint8_t *bytes, size_t length);

/* The checksum of the content, in the container's format: CRC-32, Adler-32 or none. */
uint32_t spate_container_sum_start(spate_container container);
uint32_t spate_container_sum(spate_container container, uint32_t sum, const uint8_t *bytes, size_t length);

/* Compares the trailer at the start of `input` with the checksum and length of the content. Sets *trailer to its
 * length. */
spate_status spate_container_close(spate_container container, const uint8_t *input, size_t length, uint32_t sum,
                                   uint64_t content_length, size_t *trailer, spate_error *error);

/* Checks the bytes after a member. Sets *another to whether they are another member. */
spate_status spate_container_next(spate_container container, const uint8_t *rest, size_t length, bool *another,
                                  spate_error *error);

#endif
