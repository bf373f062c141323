/* Reads manifests. */
#define _GNU_SOURCE
#include "manifest/format.h"

#include "base/bounds.h"
#include "base/file.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define NOT_NOTED INT64_MIN
/* Larger manifests are mapped instead of read, which saves a copy and its page faults. Manifests are replaced by rename,
 * never truncated. */
#define MAPPED_FROM ((size_t)256 << 10)
#ifndef MAP_POPULATE
#define MAP_POPULATE 0
#endif

struct spate_manifest {
    uint8_t *owned; /* NULL if the caller owns the bytes */
    size_t mapped;  /* length of the mapping if `owned` is one, else 0 */
    const uint8_t *bytes;
    const disk_entry *entries;
    const char *strings;
    const char *facts;
    size_t facts_length;
    size_t count;
    uint64_t total;
    atomic_bool of_this_boot;
    _Atomic(int64_t) *noted; /* mtimes of objects that were hashed after a reboot; NULL if the manifest was written
                              * since the last boot */
};

static spate_status parse(spate_manifest **manifest, const uint8_t *bytes, size_t length, const char *name,
                          spate_error *error) {
    disk_header header;
    *manifest = NULL;
    if ((uintptr_t)bytes % 8 != 0)
        return spate_fail(error, SPATE_STALE, name, "manifest is not aligned in memory");
    const char *fault = spate_manifest_fault(bytes, length, &header);
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

static void release(uint8_t *bytes, size_t mapped) {
    if (mapped)
        munmap(bytes, mapped);
    else
        free(bytes);
}

/* Returns NULL if the file cannot be mapped or is too long for a manifest. */
static uint8_t *map(const char *path, size_t *length) {
    struct stat info;
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    void *bytes = MAP_FAILED;
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
        (uint64_t)info.st_size <= MANIFEST_LENGTH_MAX)
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);
    close(descriptor);
    if (bytes == MAP_FAILED)
        return NULL;
    *length = (size_t)info.st_size;
    return bytes;
}

spate_status spate_manifest_open(spate_manifest **manifest, const char *path, spate_error *error) {
    spate_buffer file = {0};
    size_t mapped = 0;
    *manifest = NULL;
    spate_status status = spate_read_file(path, MAPPED_FROM, &file, NULL, error);
    uint8_t *bytes = status == SPATE_LIMIT ? map(path, &mapped) : file.bytes;
    if (status == SPATE_CORRUPT || (status == SPATE_LIMIT && !bytes))
        status = spate_fail(error, SPATE_STALE, path, "not a manifest");
    if (status == SPATE_OK || status == SPATE_LIMIT)
        status = parse(manifest, bytes, mapped ? mapped : file.length, path, error);
    if (status != SPATE_OK) {
        release(bytes, mapped);
        return status;
    }
    (*manifest)->owned = bytes;
    (*manifest)->mapped = mapped;
    return SPATE_OK;
}

void spate_manifest_close(spate_manifest *manifest) {
    if (!manifest)
        return;
    free((void *)manifest->noted);
    release(manifest->owned, manifest->mapped);
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

/* ---- validation ---- */

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
        /* No writer produces such a path. A reader that accepted it would link outside its tree. */
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
        return "not a manifest";
    if (LE32(header->version) != SPATE_MANIFEST_VERSION || LE32(header->header_length) != sizeof(*header))
        return "a manifest of another version";
    if (LE64(header->file_length) != length)
        return "its length differs";
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
