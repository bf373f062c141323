#include "manifest.h"

#include "boot.h"
#include "file.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Suggested reading order: the two structs, parse, entry, write. */

#define MAGIC "SPATEMF1"
/* A manifest of 200,000 entries with long paths stays far below. */
#define LENGTH_MAX ((size_t)512 << 20)
#define NOT_NOTED INT64_MIN

/* On disk, little-endian. */
typedef struct disk_header {
    uint8_t magic[8];
    uint32_t version;
    uint32_t checksum; /* CRC-32 of everything that follows this field, to the file's end */
    uint32_t header_length;
    uint32_t count;
    uint64_t file_length;
    uint64_t entries; /* offsets from the file's start */
    uint64_t strings;
    uint64_t strings_length;
    uint64_t facts;
    uint64_t facts_length;
    uint64_t bytes; /* of all files together */
    uint8_t boot[SPATE_BOOT_BYTES];
    uint8_t archive[SPATE_SHA256_BYTES];
} disk_header;

typedef struct disk_entry {
    uint8_t sha256[SPATE_SHA256_BYTES];
    uint64_t size;
    int64_t mtime_ns;
    uint32_t type;
    uint32_t mode;
    uint32_t path; /* offsets into the strings */
    uint32_t path_length;
    uint32_t target;
    uint32_t target_length;
} disk_entry;

static_assert(sizeof(disk_header) == 128, "the header's layout is the file format");
static_assert(offsetof(disk_header, checksum) == 12, "the header's layout is the file format");
static_assert(offsetof(disk_header, boot) == 80, "the header's layout is the file format");
static_assert(sizeof(disk_entry) == 72, "the entry's layout is the file format");
static_assert(offsetof(disk_entry, size) == 32, "the entry's layout is the file format");

#define CHECKED_FROM offsetof(disk_header, header_length)

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LE32(value) __builtin_bswap32(value)
#define LE64(value) __builtin_bswap64(value)
#else
#define LE32(value) (value)
#define LE64(value) (value)
#endif

struct spate_manifest {
    uint8_t *owned; /* NULL where the bytes are borrowed */
    const uint8_t *bytes;
    const disk_entry *entries;
    const char *strings;
    const char *facts;
    size_t facts_length;
    size_t count;
    uint64_t total;
    atomic_bool of_this_boot;
    _Atomic(int64_t) *noted; /* mtimes found by hashing after another boot; NULL where it is of this one */
};

static uint32_t checksum_of(const uint8_t *bytes, size_t length) {
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes + CHECKED_FROM, length - CHECKED_FROM);
}

static bool inside(uint64_t offset, uint64_t length, uint64_t end) {
    return offset <= end && length <= end - offset;
}

/* The writer never sees such a path; a reader that trusts the file would link outside its tree. */
static bool leaves_the_tree(const char *path) {
    if (path[0] == '/')
        return true;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == '\0'))
            return true;
    }
    return false;
}

static bool string_fits(const char *strings, uint64_t strings_length, uint32_t offset, uint32_t length) {
    return inside(offset, (uint64_t)length + 1, strings_length) &&
           memchr(strings + offset, '\0', (size_t)length + 1) == strings + offset + length;
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
        if (length == 0 || length >= LENGTH_MAX || !string_fits(strings, strings_length, offset, length) ||
            !string_fits(strings, strings_length, LE32(entry->target), LE32(entry->target_length)))
            return "a string outside of the strings";
        const char *path = strings + offset;
        if (before && strcmp(before, path) >= 0)
            return "paths out of order";
        if (leaves_the_tree(path))
            return "a path that leaves the tree";
        before = path;
    }
    return NULL;
}

static const char *fault_of(const uint8_t *bytes, size_t length, disk_header *header) {
    if (length < sizeof(*header))
        return "shorter than a header";
    memcpy(header, bytes, sizeof(*header));
    if (memcmp(header->magic, MAGIC, sizeof(header->magic)) != 0)
        return "no manifest";
    if (LE32(header->version) != SPATE_MANIFEST_VERSION || LE32(header->header_length) != sizeof(*header))
        return "a manifest of another version";
    if (LE64(header->file_length) != length)
        return "cut off or grown";
    if (LE32(header->checksum) != checksum_of(bytes, length))
        return "its checksum differs";
    uint64_t entries = LE64(header->entries);
    if (entries % 8 != 0 || !inside(entries, (uint64_t)LE32(header->count) * sizeof(disk_entry), length) ||
        !inside(LE64(header->strings), LE64(header->strings_length), length) ||
        !inside(LE64(header->facts), LE64(header->facts_length), length))
        return "an offset outside of the file";
    return entries_fault((const disk_entry *)(const void *)(bytes + entries), LE32(header->count),
                         (const char *)bytes + LE64(header->strings), LE64(header->strings_length));
}

static spate_status parse(spate_manifest **manifest, const uint8_t *bytes, size_t length, const char *name,
                          spate_error *error) {
    disk_header header;
    *manifest = NULL;
    if ((uintptr_t)bytes % 8 != 0)
        return spate_fail(error, SPATE_STALE, name, "manifest is not aligned in memory");
    const char *fault = fault_of(bytes, length, &header);
    if (fault)
        return spate_fail(error, SPATE_STALE, name, "manifest cannot be used: %s", fault);
    spate_manifest *made = calloc(1, sizeof(*made));
    if (!made)
        return spate_fail(error, SPATE_NO_MEMORY, name, "no memory for a manifest");
    made->bytes = bytes;
    made->count = LE32(header.count);
    made->entries = (const disk_entry *)(const void *)(bytes + LE64(header.entries));
    made->strings = (const char *)bytes + LE64(header.strings);
    made->facts = (const char *)bytes + LE64(header.facts);
    made->facts_length = (size_t)LE64(header.facts_length);
    made->total = LE64(header.bytes);
    const uint8_t *boot = spate_boot_id();
    bool present = boot && memcmp(boot, header.boot, SPATE_BOOT_BYTES) == 0;
    atomic_init(&made->of_this_boot, present);
    if (!present) {
        made->noted = malloc((made->count + 1) * sizeof(*made->noted));
        if (!made->noted) {
            free(made);
            return spate_fail(error, SPATE_NO_MEMORY, name, "no memory for a manifest");
        }
        for (size_t i = 0; i < made->count; i++)
            atomic_init(&made->noted[i], NOT_NOTED);
    }
    *manifest = made;
    return SPATE_OK;
}

spate_status spate_manifest_parse(spate_manifest **manifest, const uint8_t *bytes, size_t length, spate_error *error) {
    return parse(manifest, bytes, length, "", error);
}

spate_status spate_manifest_open(spate_manifest **manifest, const char *path, spate_error *error) {
    spate_buffer file = {0};
    *manifest = NULL;
    spate_status status = spate_read_file(path, LENGTH_MAX, &file, NULL, error);
    if (status == SPATE_LIMIT || status == SPATE_CORRUPT)
        status = spate_fail(error, SPATE_STALE, path, "no manifest");
    if (status == SPATE_OK)
        status = parse(manifest, file.bytes, file.length, path, error);
    if (status == SPATE_OK)
        (*manifest)->owned = file.bytes;
    else
        spate_buffer_free(&file);
    return status;
}

void spate_manifest_close(spate_manifest *manifest) {
    if (!manifest)
        return;
    free((void *)manifest->noted);
    free(manifest->owned);
    free(manifest);
}

size_t spate_manifest_count(const spate_manifest *manifest) {
    return manifest->count;
}

uint64_t spate_manifest_bytes(const spate_manifest *manifest) {
    return manifest->total;
}

spate_entry spate_manifest_entry(const spate_manifest *manifest, size_t index) {
    const disk_entry *disk = &manifest->entries[index];
    spate_entry entry = {
        .type = (spate_entry_type)LE32(disk->type),
        .mode = LE32(disk->mode),
        .size = LE64(disk->size),
        .mtime_ns = (int64_t)LE64(disk->mtime_ns),
        .path = manifest->strings + LE32(disk->path),
        .target = manifest->strings + LE32(disk->target),
    };
    memcpy(entry.sha256, disk->sha256, SPATE_SHA256_BYTES);
    if (manifest->noted) {
        int64_t noted = atomic_load_explicit(&manifest->noted[index], memory_order_relaxed);
        if (noted != NOT_NOTED)
            entry.mtime_ns = noted;
    }
    return entry;
}

bool spate_manifest_find(const spate_manifest *manifest, const char *path, size_t *index) {
    size_t low = 0;
    size_t high = manifest->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(manifest->strings + LE32(manifest->entries[middle].path), path);
        if (order == 0) {
            *index = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

const char *spate_manifest_facts(const spate_manifest *manifest, size_t *length) {
    *length = manifest->facts_length;
    return manifest->facts;
}

const uint8_t *spate_manifest_sha256(const spate_manifest *manifest) {
    return manifest->bytes + offsetof(disk_header, archive);
}

bool spate_manifest_of_this_boot(const spate_manifest *manifest) {
    return atomic_load_explicit(&manifest->of_this_boot, memory_order_acquire);
}

bool spate_manifest_trusts(const spate_manifest *manifest, size_t index) {
    return !manifest->noted || atomic_load_explicit(&manifest->noted[index], memory_order_relaxed) != NOT_NOTED;
}

void spate_manifest_note(const spate_manifest *manifest, size_t index, int64_t mtime_ns) {
    if (manifest->noted)
        atomic_store_explicit(&manifest->noted[index], mtime_ns, memory_order_relaxed);
}

static int by_path(const void *left, const void *right) {
    return strcmp((*(const spate_entry *const *)left)->path, (*(const spate_entry *const *)right)->path);
}

static bool sorted(const spate_entry *const *order, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (strcmp(order[i - 1]->path, order[i]->path) > 0)
            return false;
    return true;
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
    size_t used = 1; /* offset 0 is the empty string, the target of whatever is no symlink */
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
    if (count > UINT32_MAX || strings_length > UINT32_MAX || length > LENGTH_MAX)
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
    memcpy(header.magic, MAGIC, sizeof(header.magic));
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
    header.checksum = LE32(checksum_of(file, length));
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
    spate_status status = write_sorted(path, archive_sha256, order, count, facts, facts_length, error);
    free(order);
    return status;
}

spate_status spate_manifest_renew(spate_manifest *manifest, const char *path, spate_error *error) {
    spate_entry *entries = malloc((manifest->count + 1) * sizeof(*entries));
    if (!entries)
        return spate_fail(error, SPATE_NO_MEMORY, path, "no memory for %zu entries", manifest->count);
    spate_status status = SPATE_OK;
    for (size_t i = 0; i < manifest->count && status == SPATE_OK; i++) {
        entries[i] = spate_manifest_entry(manifest, i);
        if (manifest->noted && entries[i].type == SPATE_ENTRY_FILE && atomic_load(&manifest->noted[i]) == NOT_NOTED)
            status = spate_fail(error, SPATE_STALE, entries[i].path, "object was not verified under this boot");
    }
    if (status == SPATE_OK)
        status = spate_manifest_write(path, spate_manifest_sha256(manifest), entries, manifest->count, manifest->facts,
                                      manifest->facts_length, error);
    if (status == SPATE_OK)
        atomic_store_explicit(&manifest->of_this_boot, true, memory_order_release);
    free(entries);
    return status;
}
