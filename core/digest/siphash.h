/*
 * SipHash-2-4 with 128 bits of output (Aumasson, Bernstein: "SipHash: a fast short-input PRF", and its reference code)
 * under a fixed key. It identifies the content of a file when a boot compares files with a record.
 */
#ifndef SPATE_SIPHASH_H
#define SPATE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#define SPATE_SIPHASH_BYTES 16

typedef struct spate_siphash {
    uint64_t v[4];
    uint64_t length;
    uint8_t rest[8]; /* the last length % 8 bytes */
} spate_siphash;

/* The key consists of the bytes 0 to 15, as in the published test vectors. */
void spate_siphash_begin(spate_siphash *hash);
void spate_siphash_add(spate_siphash *hash, const void *bytes, size_t length);
void spate_siphash_end(spate_siphash *hash, uint8_t out[SPATE_SIPHASH_BYTES]);

void spate_siphash_of(const void *bytes, size_t length, uint8_t out[SPATE_SIPHASH_BYTES]);

#endif
