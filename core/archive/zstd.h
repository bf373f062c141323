/*
 * Zstandard through the system's libzstd.so.1, version 1.4 or newer, which is loaded on first use. Files are processed
 * piece by piece with a window of 8 MiB, so memory use is bounded whatever a frame's header requests.
 */
#ifndef SPATE_ZSTD_H
#define SPATE_ZSTD_H

#include "shared/status.h"

/* Returns NULL if the library is available, otherwise a one-line reason. */
const char *spate_zstd_missing(void);

/* Compresses `from`, from its current position to its end, into one frame with a checksum. `level` is 1 to 19. Returns
 * SPATE_SYSTEM if the library is missing. */
spate_status spate_zstd_compress(int from, int to, int level, const spate_cancel *cancel, spate_error *error);

/*
 * Decompresses `from`, which must consist of exactly one frame. Returns SPATE_LIMIT above `max` bytes, SPATE_TRUNCATED,
 * SPATE_CORRUPT, or SPATE_SYSTEM if the library is missing. On failure, `to` is incomplete.
 */
spate_status spate_zstd_expand(int from, int to, uint64_t max, const spate_cancel *cancel, spate_error *error);

#endif
