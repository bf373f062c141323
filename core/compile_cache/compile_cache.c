/* Reads the contents of a compile cache. */
#include "compile_cache/inner.h"

#include "base/bounds.h"
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

/* ---- validation of the whole file, before any part of it is used ---- */

uint32_t spate_compile_cache_checksum(const uint8_t *bytes, size_t tables_length) {
    size_t after = offsetof(disk_header, checksum) + sizeof(uint32_t);
    uint32_t crc = spate_crc32c(0, bytes, offsetof(disk_header, checksum));
    return spate_crc32c(crc, bytes + after, tables_length - after);
}

/* Whether a section is 8-aligned, starts after the header and ends within the tables. */
static bool section_fits(const disk_header *header, uint64_t offset, uint64_t count, size_t size) {
    return offset % 8 == 0 && offset >= sizeof(*header) && spate_inside(offset, count * size, header->tables_length);
}

static bool sections_fit(const disk_header *header) {
    return header->entry_count <= SPATE_COMPILE_CACHE_ENTRIES_MAX &&
           header->data_count <= SPATE_COMPILE_CACHE_DATA_MAX &&
           header->slot_count <= 4 * SPATE_COMPILE_CACHE_ENTRIES_MAX && header->slot_count > header->entry_count &&
           (header->slot_count & (header->slot_count - 1)) == 0 &&
           section_fits(header, header->slots, header->slot_count, sizeof(disk_slot)) &&
           section_fits(header, header->entries, header->entry_count, sizeof(disk_entry)) &&
           section_fits(header, header->data, header->data_count, sizeof(disk_data)) &&
           section_fits(header, header->strings, header->strings_length, 1);
}

/* Whether a path or name has an allowed length and is terminated by its only NUL. */
static bool string_fits(const disk_header *header, const char *strings, uint32_t offset, uint32_t length) {
    return length > 0 && length <= SPATE_COMPILE_CACHE_PATH_MAX &&
           spate_text_inside(strings, header->strings_length, offset, length);
}

static bool bytes_fit(const disk_header *header, uint64_t offset, uint32_t length) {
    return offset % COMPILE_CACHE_ALIGNMENT == 0 && offset >= header->tables_length &&
           spate_inside(offset, length, header->length);
}

static bool entries_fit(const disk_header *header, const uint8_t *bytes) {
    const disk_entry *entries = (const disk_entry *)(const void *)(bytes + header->entries);
    const disk_data *data = (const disk_data *)(const void *)(bytes + header->data);
    const char *strings = (const char *)bytes + header->strings;
    for (uint32_t i = 0; i < header->entry_count; i++)
        if (!string_fits(header, strings, entries[i].path, entries[i].path_length) ||
            !bytes_fit(header, entries[i].blob, entries[i].blob_length))
            return false;
    for (uint32_t i = 0; i < header->data_count; i++)
        if (!string_fits(header, strings, data[i].name, data[i].name_length) ||
            !bytes_fit(header, data[i].offset, data[i].length))
            return false;
    return true;
}

/* Whether each slot refers to an existing entry. The number of used slots equals the number of entries, so at least one
 * slot is free and every search ends. */
static bool slots_fit(const disk_header *header, const uint8_t *bytes) {
    const disk_slot *slots = (const disk_slot *)(const void *)(bytes + header->slots);
    uint32_t used = 0;
    for (uint32_t i = 0; i < header->slot_count; i++) {
        if (slots[i].entry > header->entry_count)
            return false;
        used += slots[i].entry != 0;
    }
    return used == header->entry_count;
}

spate_compile_cache_fault spate_compile_cache_fault_of(const uint8_t *bytes, size_t length, const uint8_t *key,
                                                       disk_header *header) {
    if (length < sizeof(*header))
        return SPATE_COMPILE_CACHE_SHORT;
    memcpy(header, bytes, sizeof(*header));
    if (memcmp(header->magic, COMPILE_CACHE_MAGIC, sizeof(header->magic)) != 0)
        return SPATE_COMPILE_CACHE_MAGIC;
    if (header->endian != COMPILE_CACHE_ENDIAN || header->version != SPATE_COMPILE_CACHE_VERSION ||
        header->header_length != sizeof(*header))
        return SPATE_COMPILE_CACHE_OTHER_VERSION;
    if (header->length != length)
        return SPATE_COMPILE_CACHE_SHORT;
    if (memcmp(header->key, key, SPATE_COMPILE_CACHE_KEY_BYTES) != 0)
        return SPATE_COMPILE_CACHE_OTHER_KEY;
    if (header->tables_length < sizeof(*header) || header->tables_length > length)
        return SPATE_COMPILE_CACHE_LIMITS;
    if (header->checksum != spate_compile_cache_checksum(bytes, (size_t)header->tables_length))
        return SPATE_COMPILE_CACHE_BAD_CHECKSUM;
    if (!sections_fit(header) || !slots_fit(header, bytes) || !entries_fit(header, bytes))
        return SPATE_COMPILE_CACHE_LIMITS;
    return SPATE_COMPILE_CACHE_FINE;
}
