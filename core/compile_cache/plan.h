/* The contents of a compile cache to be written, and the place of each part. */
#ifndef SPATE_COMPILE_CACHE_PLAN_H
#define SPATE_COMPILE_CACHE_PLAN_H

#include "compile_cache/format.h"

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

/* Fills in the header. SPATE_REFUSED, SPATE_LIMIT: see spate_compile_cache_write. `path` is for errors. */
spate_status spate_compile_cache_lay_out(compile_cache_plan *plan, const uint8_t *key, const char *path,
                                         spate_error *error);
/* Fills in the tables, the checksum last. SPATE_REFUSED if a path or name occurs twice. */
spate_status spate_compile_cache_fill(const compile_cache_plan *plan, const char *path, spate_error *error);

#endif
