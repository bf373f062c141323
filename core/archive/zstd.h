/*
 * Zstandard by the system's own library, which is loaded on first use: libzstd.so.1, 1.4 or newer. A file is read and
 * written piece by piece, with a window of 8 MiB: repetitions within that cost little at any level, and no file gets a
 * larger window, regardless of its header.
 */
#ifndef SPATE_ZSTD_H
#define SPATE_ZSTD_H

#include "shared/status.h"

/* NULL if the library is available, else one line that says why it cannot be used. */
const char *spate_zstd_missing(void);

/* Compresses `from`, from its current position, into one frame with a checksum. level: 1 to 19. SPATE_SYSTEM without
 * the library. */
spate_status spate_zstd_compress(int from, int to, int level, const spate_cancel *cancel, spate_error *error);

/*
 * Expands one frame, which has to be all of `from`. SPATE_LIMIT above `max` bytes, SPATE_TRUNCATED, SPATE_CORRUPT,
 * SPATE_SYSTEM without the library; `to` is then incomplete.
 */
spate_status spate_zstd_expand(int from, int to, uint64_t max, const spate_cancel *cancel, spate_error *error);

#endif
