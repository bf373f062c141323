/* SHA-256 (objects, archives, checksums), SHA-512 (npm integrity, checksums.yaml), SHA-1 (old checksums.yaml only);
 * SHA-256 of files. */
#ifndef SPATE_DIGEST_H
#define SPATE_DIGEST_H

#include "shared/status.h"

typedef enum spate_digest_kind { SPATE_SHA1, SPATE_SHA256, SPATE_SHA512 } spate_digest_kind;

#define SPATE_DIGEST_MAX 64
#define SPATE_SHA256_BYTES 32

typedef struct spate_digest spate_digest;

/* A streaming digest; free with spate_digest_free. Not shared between threads.
 * finish may be called once, and leaves it ready for the next message. */
spate_status spate_digest_new(spate_digest **digest, spate_digest_kind kind);
spate_status spate_digest_update(spate_digest *digest, const void *bytes, size_t length);
spate_status spate_digest_finish(spate_digest *digest, uint8_t *out);
void spate_digest_free(spate_digest *digest);
size_t spate_digest_bytes(spate_digest_kind kind);

/* One message, with a context cached per thread: no allocation after the first call of a thread. */
spate_status spate_digest_once(spate_digest_kind kind, const void *bytes, size_t length, uint8_t *out);

/* SHA-256 of files. */

/* Of the next *length bytes of an open file; *length becomes the number found. `path` is for errors. */
spate_status spate_digest_descriptor(int descriptor, const char *path, uint64_t *length, const spate_cancel *cancel,
                                     uint8_t sha256[SPATE_SHA256_BYTES], spate_error *error);
/* Of a whole file. */
spate_status spate_digest_file(const char *path, const spate_cancel *cancel, uint8_t sha256[SPATE_SHA256_BYTES],
                               spate_error *error);

#endif
