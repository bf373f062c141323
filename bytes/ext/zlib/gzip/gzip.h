/* Headers of gzip files (RFC 1952), for gzip.c and batch/pool.c. */
#ifndef SPATE_ZLIB_GZIP_H
#define SPATE_ZLIB_GZIP_H

#include <ruby.h>
#include <stddef.h>
#include <stdint.h>

#define SPATE_GZIP_HEADER 10
#define SPATE_GZIP_FOOTER 8
#ifdef _WIN32
#define SPATE_GZIP_OS 11
#else
#define SPATE_GZIP_OS 3
#endif

/* Returns the length of the header at the start of `bytes`, or 0 if it is invalid or truncated. */
size_t spate_gzip_header_length(const uint8_t *bytes, size_t length);

/* Writes a header of SPATE_GZIP_HEADER bytes. `mtime`: seconds since 1970. */
void spate_gzip_write_header(uint8_t *header, int level, uint32_t mtime);

void spate_init_gzip_reader(VALUE reader);

#endif
