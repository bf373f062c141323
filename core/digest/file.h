/* SHA-256 of files. */
#ifndef SPATE_DIGEST_FILE_H
#define SPATE_DIGEST_FILE_H

#include "digest/digest.h"

/* Of the next *length bytes of an open file; *length becomes the number found. `path` is for errors. */
spate_status spate_digest_descriptor(int descriptor, const char *path, uint64_t *length, const spate_cancel *cancel,
                                     uint8_t sha256[SPATE_SHA256_BYTES], spate_error *error);
/* Of a whole file. */
spate_status spate_digest_file(const char *path, const spate_cancel *cancel, uint8_t sha256[SPATE_SHA256_BYTES],
                               spate_error *error);

#endif
