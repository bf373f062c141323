/*
 * Identifies the type of this machine's processor, as far as it affects a compiler's "native" target. Machines with the
 * same digest can run each other's code.
 */
#ifndef SPATE_PROCESSOR_H
#define SPATE_PROCESSOR_H

#include "digest/sha256.h"
#include "shared/status.h"

/*
 * SHA-256 over the vendor, model and feature lines of `path` (/proc/cpuinfo if NULL), sorted and without duplicates. On
 * macOS, over the processor's brand name. Returns SPATE_SYSTEM with errno set, or SPATE_NO_MEMORY.
 */
spate_status spate_processor(const char *path, uint8_t out[SPATE_SHA256_LENGTH]);

#endif
