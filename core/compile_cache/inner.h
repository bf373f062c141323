/* Internals of the reader of compile caches: check.c validates, open.c opens, compile_cache.c reads. */
#ifndef SPATE_COMPILE_CACHE_INNER_H
#define SPATE_COMPILE_CACHE_INNER_H

#include "compile_cache/format.h"

#include <stdatomic.h>

struct spate_compile_cache {
    const uint8_t *bytes;
    size_t length;
    bool mapped; /* false: the bytes are borrowed */
    const disk_slot *slots;
    const disk_entry *entries;
    const disk_data *data;
    const char *strings;
    uint32_t slot_mask;
    uint32_t entry_count;
    uint32_t data_count;
    atomic_uchar *checked; /* one flag per blob, then one per data entry */
};

/*
 * Why the bytes (8-aligned) are not a compile cache with this key. With SPATE_COMPILE_CACHE_FINE all offsets and
 * lengths of the tables are valid, and *header is filled in. Reads no blob.
 */
spate_compile_cache_fault spate_compile_cache_fault_of(const uint8_t *bytes, size_t length, const uint8_t *key,
                                                       disk_header *header);

#endif
