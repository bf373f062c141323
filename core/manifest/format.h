/* The layout of a manifest, little-endian. manifest.h describes it. */
#ifndef SPATE_MANIFEST_FORMAT_H
#define SPATE_MANIFEST_FORMAT_H

#include "base/bounds.h"
#include "machine/boot_id.h"
#include "manifest/manifest.h"

#include <assert.h>

#define MANIFEST_MAGIC "SPATEMF1"
/* A manifest of 200,000 entries with long paths is far smaller. */
#define MANIFEST_LENGTH_MAX ((size_t)512 << 20)

typedef struct disk_header {
    uint8_t magic[8];
    uint32_t version;
    uint32_t checksum; /* CRC-32 of everything after this field */
    uint32_t header_length;
    uint32_t count;
    uint64_t file_length;
    uint64_t entries; /* offsets from the start of the file */
    uint64_t strings;
    uint64_t strings_length;
    uint64_t facts;
    uint64_t facts_length;
    uint64_t bytes; /* total size of all files */
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

/* Computes the checksum of a complete file of `length` bytes, starting after the checksum field. */
uint32_t spate_manifest_checksum(const uint8_t *bytes, size_t length);
/* Returns NULL and fills in *header if the bytes (8-aligned) are a valid manifest; otherwise returns a description of
 * the fault. */
const char *spate_manifest_fault(const uint8_t *bytes, size_t length, disk_header *header);

#endif
