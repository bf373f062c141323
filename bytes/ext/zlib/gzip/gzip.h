/* gzip files (RFC 1952) by hand: shared by gzip.c and batch/batch.c. */
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

/* 0 if Zlib.gunzip refuses it or it is cut off. */
size_t spate_gzip_header_length(const uint8_t *bytes, size_t length);

/* SPATE_GZIP_HEADER bytes. */
void spate_gzip_write_header(uint8_t *header, int level, uint32_t mtime);

void spate_init_gzip_reader(VALUE reader);

#endif
