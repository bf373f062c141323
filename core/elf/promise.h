/*
 * The interface that an ELF shared library provides to programs linked against it (System V ABI, chapters 4 and 5;
 * symbol versions as the GNU tools write them): an update that keeps it does not require a rebuild.
 */
#ifndef SPATE_ELF_PROMISE_H
#define SPATE_ELF_PROMISE_H

#include "digest/sha256.h"
#include "shared/status.h"

/* Bytes in memory or, if `bytes` is NULL, an open file. The file may change meanwhile: it is read, never mapped. */
typedef struct spate_elf_source {
    const uint8_t *bytes;
    int descriptor;
    uint64_t length;
} spate_elf_source;

/*
 * SHA-256 over class, byte order, machine, SONAME and the sorted names of the versions that it defines; if it defines
 * none, the names of the symbols that it exports. SPATE_CORRUPT if it is not such a library, has no SONAME (and so no
 * stable interface) or cannot be parsed; SPATE_NO_MEMORY.
 */
spate_status spate_elf_promise(const spate_elf_source *source, uint8_t out[SPATE_SHA256_LENGTH]);

#endif
