/* Writes a manifest to its file. */
#include "manifest/format.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

static int by_path(const void *left, const void *right) {
    return strcmp((*(const spate_entry *const *)left)->path, (*(const spate_entry *const *)right)->path);
}

static bool sorted(const spate_entry *const *order, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (strcmp(order[i - 1]->path, order[i]->path) > 0)
            return false;
    return true;
}

/* Returns the first path that two entries have, or NULL. */
static const char *duplicate(const spate_entry *const *order, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (strcmp(order[i - 1]->path, order[i]->path) == 0)
            return order[i]->path;
    return NULL;
}

static uint32_t add_string(char *strings, size_t *used, const char *text, size_t length) {
    uint32_t offset = (uint32_t)*used;
    memcpy(strings + offset, text, length + 1);
    *used += length + 1;
    return offset;
}

static void fill(uint8_t *file, const disk_header *header, const spate_entry *const *order, size_t count) {
    disk_entry *entries = (disk_entry *)(void *)(file + LE64(header->entries));
    char *strings = (char *)file + LE64(header->strings);
    size_t used = 1; /* offset 0 is the empty string, the target of all entries except symlinks */
    strings[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const spate_entry *from = order[i];
        disk_entry *to = &entries[i];
        size_t path_length = strlen(from->path);
        size_t target_length = from->target ? strlen(from->target) : 0;
        memcpy(to->sha256, from->sha256, SPATE_SHA256_BYTES);
        to->size = LE64(from->size);
        to->mtime_ns = (int64_t)LE64((uint64_t)from->mtime_ns);
        to->type = LE32((uint32_t)from->type);
        to->mode = LE32(from->mode & 0777);
        to->path = LE32(add_string(strings, &used, from->path, path_length));
        to->path_length = LE32((uint32_t)path_length);
        to->target = target_length ? LE32(add_string(strings, &used, from->target, target_length)) : 0;
        to->target_length = LE32((uint32_t)target_length);
    }
}

static spate_status write_sorted(const char *path, const uint8_t *archive, const spate_entry *const *order,
                                 size_t count, const char *facts, size_t facts_length, spate_error *error) {
    size_t strings_length = 1;
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        strings_length += strlen(order[i]->path) + 1 + (order[i]->target ? strlen(order[i]->target) + 1 : 0);
        if (order[i]->type == SPATE_ENTRY_FILE)
            total += order[i]->size;
    }
    size_t strings = sizeof(disk_header) + count * sizeof(disk_entry);
    size_t length = strings + strings_length + facts_length;
    if (count > UINT32_MAX || strings_length > UINT32_MAX || length > MANIFEST_LENGTH_MAX)
        return spate_fail(error, SPATE_LIMIT, path, "a manifest of %zu entries and %zu bytes is too large", count,
                          length);

    disk_header header = {
        .version = LE32(SPATE_MANIFEST_VERSION),
        .header_length = LE32(sizeof(disk_header)),
        .count = LE32((uint32_t)count),
        .file_length = LE64(length),
        .entries = LE64(sizeof(disk_header)),
        .strings = LE64(strings),
        .strings_length = LE64(strings_length),
        .facts = LE64(strings + strings_length),
        .facts_length = LE64(facts_length),
        .bytes = LE64(total),
    };
    memcpy(header.magic, MANIFEST_MAGIC, sizeof(header.magic));
    memcpy(header.archive, archive, SPATE_SHA256_BYTES);
    if (spate_boot_id())
        memcpy(header.boot, spate_boot_id(), SPATE_BOOT_BYTES);

    uint8_t *file = calloc(1, length);
    if (!file)
        return spate_fail(error, SPATE_NO_MEMORY, path, "no memory for a manifest of %zu bytes", length);
    memcpy(file, &header, sizeof(header));
    fill(file, &header, order, count);
    if (facts_length > 0)
        memcpy(file + LE64(header.facts), facts, facts_length);
    header.checksum = LE32(spate_manifest_checksum(file, length));
    memcpy(file, &header, sizeof(header));
    spate_status status = spate_write_file(path, file, length, error);
    free(file);
    return status;
}

spate_status spate_manifest_write(const char *path, const uint8_t archive_sha256[SPATE_SHA256_BYTES],
                                  const spate_entry *entries, size_t count, const char *facts, size_t facts_length,
                                  spate_error *error) {
    const spate_entry **order = malloc((count + 1) * sizeof(*order));
    if (!order)
        return spate_fail(error, SPATE_NO_MEMORY, path, "no memory for %zu entries", count);
    for (size_t i = 0; i < count; i++)
        order[i] = &entries[i];
    if (!sorted(order, count))
        qsort(order, count, sizeof(*order), by_path);
    const char *twice = duplicate(order, count);
    spate_status status = twice ? spate_fail(error, SPATE_REFUSED, twice, "two entries of a manifest have this path")
                                : write_sorted(path, archive_sha256, order, count, facts, facts_length, error);
    free(order);
    return status;
}
