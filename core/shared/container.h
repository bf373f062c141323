/*
 * The headers and trailers around a deflate stream: RFC 1950 (zlib) and RFC 1952 (gzip). One parser for whole buffers
 * and for streams, used with either library, so that all accept and refuse the same.
 */
#ifndef SPATE_CONTAINER_H
#define SPATE_CONTAINER_H

#include "shared/inflate.h"

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
