/*
 * Inflate, RFC 1950-1952: whole buffers through libdeflate where it was found at
 * build time (SPATE_HAVE_LIBDEFLATE), else zlib; streams through zlib.
 */
#ifndef SPATE_INFLATE_H
#define SPATE_INFLATE_H

#include "shared/buffer.h"

/*
 * SPATE_GZIP takes all members of a gzip file, one after the other; what follows the last must be zero padding or
 * nothing, else the input is SPATE_CORRUPT. SPATE_GZIP_FIRST takes the first member and ignores whatever follows, as
 * Ruby's GzipReader, and so RubyGems, does: it is the one for a gem's data.tar.gz and metadata.gz.
 */
typedef enum spate_container { SPATE_RAW, SPATE_ZLIB, SPATE_GZIP, SPATE_GZIP_FIRST } spate_container;

/*
 * Inflates one whole input, replacing what output held (its memory is reused; its length is 0 after a failure).
 * Never more than max_output bytes are produced: SPATE_LIMIT. Where `consumed` is given, only the first stream or
 * member is taken, anything may follow it, and *consumed says where it ended. A gzip trailer's length only sizes the
 * first guess, within what the input could plausibly hold. SPATE_TRUNCATED, SPATE_CORRUPT, SPATE_CHECKSUM.
 */
spate_status spate_inflate(spate_container container, const uint8_t *input, size_t length, size_t max_output,
                           spate_buffer *output, size_t *consumed, spate_error *error);

/*
 * The same through libdeflate alone, for a caller that has an inflater of its own for errors: any status but SPATE_OK,
 * SPATE_LIMIT and SPATE_NO_MEMORY means that the caller has to ask that one. Without libdeflate it always has to. Takes
 * the first stream or member only.
 */
spate_status spate_inflate_attempt(spate_container container, const uint8_t *input, size_t length, size_t max_output,
                                   spate_buffer *output, size_t *consumed);

/* The length that a gzip file's last four bytes claim (RFC 1952, ISIZE), untrusted. 0 if shorter than 18 bytes. */
size_t spate_gzip_claimed_length(const uint8_t *input, size_t length);

/* A stream over an input that is wholly in memory (or mapped), read in steps of the caller's size. */
typedef struct spate_inflate_stream spate_inflate_stream;
spate_status spate_inflate_open(spate_inflate_stream **stream, spate_container container, const uint8_t *input,
                                size_t length, uint64_t max_output, spate_error *error);
/* Fills up to `capacity` bytes; *produced is 0 only at the end. Checks CRC and length at the end. */
spate_status spate_inflate_read(spate_inflate_stream *stream, uint8_t *out, size_t capacity, size_t *produced,
                                spate_error *error);
void spate_inflate_close(spate_inflate_stream *stream);

/* "libdeflate 1.14" or "zlib 1.2.13": what whole buffers go through. */
const char *spate_inflate_backend(void);

#endif
