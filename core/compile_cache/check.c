/* Checks a compile cache before any part of it is used. */
#include "compile_cache/inner.h"

#include "base/bounds.h"
#include "digest/crc32c.h"

#include <string.h>

uint32_t spate_compile_cache_checksum(const uint8_t *bytes, size_t tables_length) {
    size_t after = offsetof(disk_header, checksum) + sizeof(uint32_t);
    uint32_t crc = spate_crc32c(0, bytes, offsetof(disk_header, checksum));
    return spate_crc32c(crc, bytes + after, tables_length - after);
}

/* Whether a section is aligned, starts after the header and ends within the tables. */
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

/* Whether the length of a path or name is allowed and its only NUL is the terminator. */
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

/* Whether each slot names an existing entry and at least one slot is free, so that every search ends. */
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
