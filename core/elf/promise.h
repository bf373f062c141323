/*
 * Computes a digest of the interface that an ELF shared library provides to the programs linked against it. An update
 * that does not change it requires no rebuild. See System V ABI, chapters 4 and 5; symbol versions are in the format of
 * the GNU tools.
 */
#ifndef SPATE_ELF_PROMISE_H
#define SPATE_ELF_PROMISE_H

#include "digest/sha256.h"
#include "shared/status.h"

/* Bytes in memory or, if `bytes` is NULL, an open file. Such a file is read and never mapped, because it may change at
 * any time. */
typedef struct spate_elf_source {
    const uint8_t *bytes;
    int descriptor;
    uint64_t length;
} spate_elf_source;

/*
 * SHA-256 over the class, byte order, machine, SONAME and the sorted names of the versions that the library defines. If
 * it defines none, over the names of the exported symbols instead of the versions.
 *
 * Returns SPATE_CORRUPT if the file is not a shared library, has no SONAME (and therefore no stable interface) or
 * cannot be parsed; or SPATE_NO_MEMORY.
 */
spate_status spate_elf_promise(const spate_elf_source *source, uint8_t out[SPATE_SHA256_LENGTH]);

#endif
