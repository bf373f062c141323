/* Checks that bytes are a complete manifest of this version with valid offsets. */
#include "manifest/format.h"

#include "base/bounds.h"

#include <string.h>
#include <zlib.h>

#define CHECKED_FROM offsetof(disk_header, header_length)

uint32_t spate_manifest_checksum(const uint8_t *bytes, size_t length) {
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes + CHECKED_FROM, length - CHECKED_FROM);
}

static const char *entries_fault(const disk_entry *entries, size_t count, const char *strings,
                                 uint64_t strings_length) {
    const char *before = NULL;
    for (size_t i = 0; i < count; i++) {
        const disk_entry *entry = &entries[i];
        uint32_t offset = LE32(entry->path);
        uint32_t length = LE32(entry->path_length);
        if (LE32(entry->type) > SPATE_ENTRY_DIRECTORY || LE32(entry->mode) > 0777)
            return "an entry of unknown type or mode";
        if (length == 0 || length >= MANIFEST_LENGTH_MAX ||
            !spate_text_inside(strings, strings_length, offset, length) ||
            !spate_text_inside(strings, strings_length, LE32(entry->target), LE32(entry->target_length)))
            return "a string outside of the strings";
        const char *path = strings + offset;
        if (before && strcmp(before, path) >= 0)
            return "paths out of order";
        /* No writer produces such a path; a reader that trusted it would link outside its tree. */
        if (path[0] == '/' || spate_climbs(path))
            return "a path that leaves the tree";
        before = path;
    }
    return NULL;
}

const char *spate_manifest_fault(const uint8_t *bytes, size_t length, disk_header *header) {
    if (length < sizeof(*header))
        return "shorter than a header";
    memcpy(header, bytes, sizeof(*header));
    if (memcmp(header->magic, MANIFEST_MAGIC, sizeof(header->magic)) != 0)
        return "no manifest";
    if (LE32(header->version) != SPATE_MANIFEST_VERSION || LE32(header->header_length) != sizeof(*header))
        return "a manifest of another version";
    if (LE64(header->file_length) != length)
        return "cut off or grown";
    if (LE32(header->checksum) != spate_manifest_checksum(bytes, length))
        return "its checksum differs";
    uint64_t entries = LE64(header->entries);
    if (entries % 8 != 0 || !spate_inside(entries, (uint64_t)LE32(header->count) * sizeof(disk_entry), length) ||
        !spate_inside(LE64(header->strings), LE64(header->strings_length), length) ||
        !spate_inside(LE64(header->facts), LE64(header->facts_length), length))
        return "an offset outside of the file";
    return entries_fault((const disk_entry *)(const void *)(bytes + entries), LE32(header->count),
                         (const char *)bytes + LE64(header->strings), LE64(header->strings_length));
}
