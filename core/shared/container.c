#include "shared/inflate.h"

#include <string.h>
#include <zlib.h>
#ifdef SPATE_HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

/*
 * RFC 1952:  1f 8b | CM=8 | FLG | MTIME (4) | XFL | OS | extra | name\0 | comment\0 | CRC16
 *                         FLG:      0x04      0x08     0x10        0x02
 */
enum { GZIP_HEADER_CRC = 0x02, GZIP_EXTRA = 0x04, GZIP_NAME = 0x08, GZIP_COMMENT = 0x10, GZIP_RESERVED = 0xe0 };
#define GZIP_FIXED_HEADER 10
#define GZIP_TRAILER 8
#define ZLIB_HEADER 2
#define ZLIB_TRAILER 4
#define ZLIB_DICTIONARY 0x20

static uint32_t little_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
}

uint32_t spate_crc32(uint32_t sum, const uint8_t *bytes, size_t length) {
#ifdef SPATE_HAVE_LIBDEFLATE
    return libdeflate_crc32(sum, bytes, length);
#else
    return (uint32_t)crc32_z(sum, bytes, length);
#endif
}

uint32_t spate_adler32(uint32_t sum, const uint8_t *bytes, size_t length) {
#ifdef SPATE_HAVE_LIBDEFLATE
    return libdeflate_adler32(sum, bytes, length);
#else
    return (uint32_t)adler32_z(sum, bytes, length);
#endif
}

static spate_status truncated_header(spate_error *error, const char *format_name) {
    return spate_fail(error, SPATE_TRUNCATED, NULL, "the %s header is cut off", format_name);
}

static spate_status open_zlib(const uint8_t *input, size_t length, size_t *header, spate_error *error) {
    if (length < ZLIB_HEADER)
        return truncated_header(error, "zlib");
    if ((input[0] & 15) != 8 || input[0] >> 4 > 7 || (input[0] << 8 | input[1]) % 31 != 0)
        return spate_fail(error, SPATE_CORRUPT, NULL, "not zlib data: it begins with %02x %02x", input[0], input[1]);
    if (input[1] & ZLIB_DICTIONARY)
        return spate_fail(error, SPATE_CORRUPT, NULL, "the zlib data needs a preset dictionary");
    *header = ZLIB_HEADER;
    return SPATE_OK;
}

/* Advances *at past a NUL-terminated field. */
static bool skip_text(const uint8_t *input, size_t length, size_t *at) {
    const uint8_t *nul = memchr(input + *at, 0, length - *at);
    if (nul == NULL)
        return false;
    *at = (size_t)(nul - input) + 1;
    return true;
}

static spate_status open_gzip(const uint8_t *input, size_t length, size_t *header, spate_error *error) {
    static const uint8_t magic[] = {0x1f, 0x8b};
    size_t known = length < sizeof magic ? length : sizeof magic;

    if (known > 0 && memcmp(input, magic, known) != 0) {
        return spate_fail(error, SPATE_CORRUPT, NULL, "not gzip data: it begins with %02x %02x", input[0],
                          length > 1 ? input[1] : 0);
    }
    if (length < GZIP_FIXED_HEADER)
        return truncated_header(error, "gzip");
    if (input[2] != 8)
        return spate_fail(error, SPATE_CORRUPT, NULL, "gzip method %u, expected 8 (deflate)", input[2]);
    uint8_t flags = input[3];
    if (flags & GZIP_RESERVED)
        return spate_fail(error, SPATE_CORRUPT, NULL, "gzip flags %02x use reserved bits", flags);
    size_t at = GZIP_FIXED_HEADER;
    if (flags & GZIP_EXTRA) {
        if (length - at < 2)
            return truncated_header(error, "gzip");
        size_t extra = (size_t)input[at] | (size_t)input[at + 1] << 8;
        if (length - at - 2 < extra)
            return truncated_header(error, "gzip");
        at += 2 + extra;
    }
    if ((flags & GZIP_NAME && !skip_text(input, length, &at)) ||
        (flags & GZIP_COMMENT && !skip_text(input, length, &at)))
        return truncated_header(error, "gzip");
    if (flags & GZIP_HEADER_CRC) {
        if (length - at < 2)
            return truncated_header(error, "gzip");
        unsigned expected = (unsigned)input[at] | (unsigned)input[at + 1] << 8;
        unsigned found = spate_crc32(0, input, at) & 0xffff;
        if (expected != found) {
            return spate_fail(error, SPATE_CHECKSUM, NULL, "gzip header CRC: expected %04x, found %04x", expected,
                              found);
        }
        at += 2;
    }
    *header = at;
    return SPATE_OK;
}

spate_status spate_container_open(spate_container container, const uint8_t *input, size_t length, size_t *header,
                                  spate_error *error) {
    *header = 0;
    switch (container) {
    case SPATE_RAW: return SPATE_OK;
    case SPATE_ZLIB: return open_zlib(input, length, header, error);
    case SPATE_GZIP:
    case SPATE_GZIP_FIRST: return open_gzip(input, length, header, error);
    }
    return spate_fail(error, SPATE_CORRUPT, NULL, "unknown container %d", (int)container);
}

uint32_t spate_container_sum_start(spate_container container) {
    return container == SPATE_ZLIB ? 1 : 0;
}

uint32_t spate_container_sum(spate_container container, uint32_t sum, const uint8_t *bytes, size_t length) {
    switch (container) {
    case SPATE_RAW: break;
    case SPATE_ZLIB: return length == 0 ? sum : spate_adler32(sum, bytes, length);
    case SPATE_GZIP:
    case SPATE_GZIP_FIRST: return length == 0 ? sum : spate_crc32(sum, bytes, length);
    }
    return sum;
}

static spate_status compare_sum(const char *what, uint32_t expected, uint32_t found, spate_error *error) {
    if (expected == found)
        return SPATE_OK;
    return spate_fail(error, SPATE_CHECKSUM, NULL, "%s: expected %08x, found %08x", what, expected, found);
}

spate_status spate_container_close(spate_container container, const uint8_t *input, size_t length, uint32_t sum,
                                   uint64_t content_length, size_t *trailer, spate_error *error) {
    *trailer = 0;
    if (container == SPATE_RAW)
        return SPATE_OK;
    size_t needed = container == SPATE_ZLIB ? ZLIB_TRAILER : GZIP_TRAILER;
    if (length < needed)
        return spate_fail(error, SPATE_TRUNCATED, NULL, "the compressed data ends before its checksum");
    *trailer = needed;
    if (container == SPATE_ZLIB)
        return compare_sum("Adler-32", big_endian(input), sum, error);
    spate_status status = compare_sum("CRC-32", little_endian(input), sum, error);
    if (status != SPATE_OK)
        return status;
    uint32_t claimed = little_endian(input + 4);
    if (claimed != (uint32_t)content_length) {
        return spate_fail(error, SPATE_CHECKSUM, NULL, "gzip length: expected %u bytes, found %u (both modulo 2^32)",
                          claimed, (uint32_t)content_length);
    }
    return SPATE_OK;
}

spate_status spate_container_next(spate_container container, const uint8_t *rest, size_t length, bool *another,
                                  spate_error *error) {
    *another = false;
    if (container == SPATE_GZIP_FIRST || length == 0)
        return SPATE_OK;
    if (container == SPATE_GZIP && length >= 2 && rest[0] == 0x1f && rest[1] == 0x8b) {
        *another = true;
        return SPATE_OK;
    }
    if (rest[0] == 0 && memcmp(rest, rest + 1, length - 1) == 0) /* only zeros: each byte equals the one before */
        return SPATE_OK;
    return spate_fail(error, SPATE_CORRUPT, NULL, "%zu bytes of other data follow it", length);
}
