/*
 * SHA-256 (FIPS 180-4) without libcrypto, because loading libcrypto would slow down a boot. Uses the processor's
 * instructions if it has them. For large data use digest.h, which chooses the faster implementation.
 */
#ifndef SPATE_SHA256_H
#define SPATE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPATE_SHA256_LENGTH 32

typedef struct spate_sha256 {
    uint32_t state[8];
    uint64_t length;  /* number of bytes added so far */
    uint8_t rest[64]; /* the last length % 64 bytes */
} spate_sha256;

void spate_sha256_begin(spate_sha256 *hash);
void spate_sha256_add(spate_sha256 *hash, const void *bytes, size_t length);
/* Do not use the hash afterwards. */
void spate_sha256_end(spate_sha256 *hash, uint8_t out[SPATE_SHA256_LENGTH]);

void spate_sha256_of(const void *bytes, size_t length, uint8_t out[SPATE_SHA256_LENGTH]);
/* The same in plain C, on any processor. */
void spate_sha256_portable(const void *bytes, size_t length, uint8_t out[SPATE_SHA256_LENGTH]);
/* Whether spate_sha256_of uses the processor's SHA instructions. */
bool spate_sha256_by_instruction(void);
/* The implementation that spate_sha256_of uses: "sha-ni" or "c". */
const char *spate_sha256_backend(void);

#endif
