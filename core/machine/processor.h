/*
 * Identifies the kind of this machine's processor, as far as it affects a compiler's "native" target: two machines with
 * the same digest can run each other's code.
 */
#ifndef SPATE_PROCESSOR_H
#define SPATE_PROCESSOR_H

#include "digest/sha256.h"
#include "shared/status.h"

/*
 * SHA-256 over the vendors, models and features in `path` (NULL: /proc/cpuinfo): each different line once, sorted.
 * Without such a file, over the system's name of the processor. SPATE_SYSTEM with errno, SPATE_NO_MEMORY.
 */
spate_status spate_processor(const char *path, uint8_t out[SPATE_SHA256_LENGTH]);

#endif
