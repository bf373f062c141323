/* Computes SHA-256 (objects, archives, checksums), SHA-512 (npm integrity, checksums.yaml) and SHA-1 (old
 * checksums.yaml only). */
#ifndef SPATE_DIGEST_H
#define SPATE_DIGEST_H

#include "shared/status.h"

typedef enum spate_digest_kind { SPATE_SHA1, SPATE_SHA256, SPATE_SHA512 } spate_digest_kind;

#define SPATE_DIGEST_MAX 64
#define SPATE_SHA256_BYTES 32

typedef struct spate_digest spate_digest;

/* A streaming digest. Release it with spate_digest_free. Not thread-safe. After spate_digest_finish it can be used for
 * another message. */
spate_status spate_digest_new(spate_digest **digest, spate_digest_kind kind);
spate_status spate_digest_update(spate_digest *digest, const void *bytes, size_t length);
spate_status spate_digest_finish(spate_digest *digest, uint8_t *out);
void spate_digest_free(spate_digest *digest);
size_t spate_digest_bytes(spate_digest_kind kind);

/* The digest of one message. Each thread reuses its context, so that only its first call allocates memory. */
spate_status spate_digest_once(spate_digest_kind kind, const void *bytes, size_t length, uint8_t *out);

/* SHA-256 of the next *length bytes of an open file. Sets *length to the number of bytes read, which is smaller at the
 * end of the file. `path` is only used in errors. */
spate_status spate_digest_descriptor(int descriptor, const char *path, uint64_t *length, const spate_cancel *cancel,
                                     uint8_t sha256[SPATE_SHA256_BYTES], spate_error *error);
/* SHA-256 of a whole file. */
spate_status spate_digest_file(const char *path, const spate_cancel *cancel, uint8_t sha256[SPATE_SHA256_BYTES],
                               spate_error *error);

#endif
