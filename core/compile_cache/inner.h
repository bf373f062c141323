/* Internals of compile caches: compile_cache.c validates and reads, open.c opens, plan.c and write.c write. */
#ifndef SPATE_COMPILE_CACHE_INNER_H
#define SPATE_COMPILE_CACHE_INNER_H

#include "compile_cache/format.h"

#include <stdatomic.h>

struct spate_compile_cache {
    const uint8_t *bytes;
    size_t length;
    bool mapped; /* whether `bytes` is a mapping of the file; if not, it is not owned */
    const disk_slot *slots;
    const disk_entry *entries;
    const disk_data *data;
    const char *strings;
    uint32_t slot_mask;
    uint32_t entry_count;
    uint32_t data_count;
    atomic_uchar *checked; /* NOT_CHECKED, GOOD or DAMAGED for each blob, then for each data entry */
};

/*
 * Returns why the bytes (8-aligned) are not a compile cache with this key. If it returns SPATE_COMPILE_CACHE_FINE, all
 * offsets and lengths of the tables are valid, and *header is filled in. Reads no blob.
 */
spate_compile_cache_fault spate_compile_cache_fault_of(const uint8_t *bytes, size_t length, const uint8_t *key,
                                                       disk_header *header);

/* The contents of a compile cache to write, and the offset of each part. */

typedef struct compile_cache_plan {
    const spate_compile_cache_file *files;
    size_t file_count;
    const spate_compile_cache_data *data;
    size_t data_count;
    disk_header header;
    uint8_t *tables; /* header.tables_length bytes, zeroed; owned by the caller */
} compile_cache_plan;

static inline uint64_t spate_compile_cache_aligned(uint64_t offset) {
    return (offset + COMPILE_CACHE_ALIGNMENT - 1) & ~(uint64_t)(COMPILE_CACHE_ALIGNMENT - 1);
}

/* Fills in the header. Returns SPATE_REFUSED or SPATE_LIMIT as spate_compile_cache_write does. `path` is only used in
 * errors. */
spate_status spate_compile_cache_lay_out(compile_cache_plan *plan, const uint8_t *key, const char *path,
                                         spate_error *error);
/* Fills in the tables, the checksum last. Returns SPATE_REFUSED if a path or name occurs twice. */
spate_status spate_compile_cache_fill(const compile_cache_plan *plan, const char *path, spate_error *error);

#endif
