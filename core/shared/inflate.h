/*
 * Inflate, RFC 1950-1952: whole buffers through libdeflate if it was found at build time (SPATE_HAVE_LIBDEFLATE), else
 * zlib; streams through zlib.
 */
#ifndef SPATE_INFLATE_H
#define SPATE_INFLATE_H

#include "shared/buffer.h"

/*
 * SPATE_GZIP reads all members of a gzip file, one after the other; after the last only zero padding may follow, else
 * the input is SPATE_CORRUPT. SPATE_GZIP_FIRST reads the first member and ignores the rest, as Ruby's GzipReader, and
 * so RubyGems, does: it is used for a gem's data.tar.gz and metadata.gz.
 */
typedef enum spate_container { SPATE_RAW, SPATE_ZLIB, SPATE_GZIP, SPATE_GZIP_FIRST } spate_container;

/*
 * Inflates one whole input, replacing output's content (its memory is reused; its length is 0 after a failure).
 * Never more than max_output bytes are produced: SPATE_LIMIT. If `consumed` is given, only the first stream or
 * member is read, any bytes may follow it, and *consumed is its end. A gzip trailer's length only sizes the
 * first guess, within what the input could plausibly hold. SPATE_TRUNCATED, SPATE_CORRUPT, SPATE_CHECKSUM.
 */
spate_status spate_inflate(spate_container container, const uint8_t *input, size_t length, size_t max_output,
                           spate_buffer *output, size_t *consumed, spate_error *error);

/*
 * The same through libdeflate alone, for a caller with its own inflater for errors: after any status but SPATE_OK,
 * SPATE_LIMIT and SPATE_NO_MEMORY the caller has to use that one, and always without libdeflate. Reads the first
 * stream or member only.
 */
spate_status spate_inflate_attempt(spate_container container, const uint8_t *input, size_t length, size_t max_output,
                                   spate_buffer *output, size_t *consumed);

/* The length in a gzip file's last four bytes (RFC 1952, ISIZE), untrusted. 0 if shorter than 18 bytes. */
size_t spate_gzip_claimed_length(const uint8_t *input, size_t length);

/* A stream over an input that is wholly in memory (or mapped), read in steps of the caller's size. */
typedef struct spate_inflate_stream spate_inflate_stream;
spate_status spate_inflate_open(spate_inflate_stream **stream, spate_container container, const uint8_t *input,
                                size_t length, uint64_t max_output, spate_error *error);
/* Fills up to `capacity` bytes; *produced is 0 only at the end. Checks CRC and length at the end. */
spate_status spate_inflate_read(spate_inflate_stream *stream, uint8_t *out, size_t capacity, size_t *produced,
                                spate_error *error);
void spate_inflate_close(spate_inflate_stream *stream);

/* "libdeflate 1.14" or "zlib 1.2.13": the library for whole buffers. */
const char *spate_inflate_backend(void);

/*
 * The headers and trailers around a deflate stream: RFC 1950 (zlib) and RFC 1952 (gzip). One parser for whole buffers
 * and for streams, used with either library, so that all accept and refuse the same.
 */

/* *header is the length of the header at input's start. */
spate_status spate_container_open(spate_container container, const uint8_t *input, size_t length, size_t *header,
                                  spate_error *error);

/* Running checksums, through libdeflate if available. They begin with 0 and 1. */
uint32_t spate_crc32(uint32_t sum, const uint8_t *bytes, size_t length);
uint32_t spate_adler32(uint32_t sum, const uint8_t *bytes, size_t length);

/* The running checksum of the content: CRC-32, Adler-32, or nothing. */
uint32_t spate_container_sum_start(spate_container container);
uint32_t spate_container_sum(spate_container container, uint32_t sum, const uint8_t *bytes, size_t length);

/* Compares the trailer at input's start with the content's checksum and length; *trailer is its length. */
spate_status spate_container_close(spate_container container, const uint8_t *input, size_t length, uint32_t sum,
                                   uint64_t content_length, size_t *trailer, spate_error *error);

/* Looks at the bytes behind a member: *another is whether they are a further member. */
spate_status spate_container_next(spate_container container, const uint8_t *rest, size_t length, bool *another,
                                  spate_error *error);

#endif
