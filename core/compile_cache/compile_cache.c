/* Reads the contents of a compile cache. */
#include "compile_cache/inner.h"

#include "digest/crc32c.h"

#include <string.h>
#include <sys/mman.h>

enum { NOT_CHECKED = 0, GOOD = 1, DAMAGED = 2 };

uint32_t spate_compile_cache_hash_more(uint32_t hash, const char *path, size_t length) {
    return spate_crc32c(hash, path, length);
}

uint32_t spate_compile_cache_hash(const char *path, size_t length) {
    return spate_compile_cache_hash_more(0, path, length);
}

size_t spate_compile_cache_count(const spate_compile_cache *compile_cache) {
    return compile_cache->entry_count;
}

size_t spate_compile_cache_data_count(const spate_compile_cache *compile_cache) {
    return compile_cache->data_count;
}

uint64_t spate_compile_cache_length(const spate_compile_cache *compile_cache) {
    return compile_cache->length;
}

spate_compile_cache_file spate_compile_cache_file_at(const spate_compile_cache *compile_cache, size_t index) {
    const disk_entry *disk = &compile_cache->entries[index];
    spate_compile_cache_file file = {
        .path = compile_cache->strings + disk->path,
        .path_length = disk->path_length,
        .size = disk->size,
        .mtime_ns = disk->mtime_ns,
        .ctime_ns = disk->ctime_ns,
        .recorded_ns = disk->recorded_ns,
        .inode = disk->inode,
        .flags = disk->flags,
        .blob = compile_cache->bytes + disk->blob,
        .blob_length = disk->blob_length,
    };
    memcpy(file.hash, disk->hash, sizeof(file.hash));
    return file;
}

spate_compile_cache_data spate_compile_cache_data_at(const spate_compile_cache *compile_cache, size_t index) {
    const disk_data *disk = &compile_cache->data[index];
    return (spate_compile_cache_data){
        .name = compile_cache->strings + disk->name,
        .name_length = disk->name_length,
        .bytes = compile_cache->bytes + disk->offset,
        .length = disk->length,
    };
}

bool spate_compile_cache_find(const spate_compile_cache *compile_cache, uint32_t hash, const char *path, size_t length,
                              size_t *index) {
    for (uint32_t at = hash & compile_cache->slot_mask; compile_cache->slots[at].entry != 0;
         at = (at + 1) & compile_cache->slot_mask) {
        if (compile_cache->slots[at].hash != hash)
            continue;
        const disk_entry *entry = &compile_cache->entries[compile_cache->slots[at].entry - 1];
        if (entry->path_length == length && memcmp(compile_cache->strings + entry->path, path, length) == 0) {
            *index = compile_cache->slots[at].entry - 1;
            return true;
        }
    }
    return false;
}

bool spate_compile_cache_find_data(const spate_compile_cache *compile_cache, const char *name, size_t length,
                                   size_t *index) {
    for (size_t i = 0; i < compile_cache->data_count; i++) {
        const disk_data *data = &compile_cache->data[i];
        if (data->name_length == length && memcmp(compile_cache->strings + data->name, name, length) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static bool check(atomic_uchar *checked, const uint8_t *bytes, uint32_t length, uint32_t checksum) {
    unsigned char state = atomic_load_explicit(checked, memory_order_relaxed);
    if (state == NOT_CHECKED) {
        state = spate_crc32c(0, bytes, length) == checksum ? GOOD : DAMAGED;
        atomic_store_explicit(checked, state, memory_order_relaxed);
    }
    return state == GOOD;
}

bool spate_compile_cache_check_blob(spate_compile_cache *compile_cache, size_t index) {
    const disk_entry *entry = &compile_cache->entries[index];
    return check(&compile_cache->checked[index], compile_cache->bytes + entry->blob, entry->blob_length,
                 entry->blob_checksum);
}

bool spate_compile_cache_check_data(spate_compile_cache *compile_cache, size_t index) {
    const disk_data *data = &compile_cache->data[index];
    return check(&compile_cache->checked[compile_cache->entry_count + index], compile_cache->bytes + data->offset,
                 data->length, data->checksum);
}

void spate_compile_cache_rest(const spate_compile_cache *compile_cache) {
    if (compile_cache->mapped)
        (void)madvise((void *)(uintptr_t)compile_cache->bytes, compile_cache->length, MADV_DONTNEED);
}
