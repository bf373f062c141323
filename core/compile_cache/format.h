/* The layout of a compile cache, as described in docs/compile-cache-format.md. */
#ifndef SPATE_COMPILE_CACHE_FORMAT_H
#define SPATE_COMPILE_CACHE_FORMAT_H

#include "compile_cache/compile_cache.h"

#include <assert.h>

#define COMPILE_CACHE_MAGIC "SPATEIM1"
/* All fields have the writer's byte order, because compiled code is specific to one machine anyway. */
#define COMPILE_CACHE_ENDIAN UINT32_C(0x0a0b0c0d)
#define COMPILE_CACHE_ALIGNMENT 16

typedef struct disk_header {
    uint8_t magic[8];
    uint32_t version;
    uint32_t endian;
    uint64_t length; /* of the file */
    uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES];
    uint32_t header_length;
    uint32_t checksum;      /* CRC-32C of the first tables_length bytes, without this field */
    uint64_t tables_length; /* length of header, slots, entries, data entries and strings */
    uint64_t slots;         /* offsets from the start of the file */
    uint64_t entries;
    uint64_t data;
    uint64_t strings;
    uint64_t strings_length;
    uint32_t slot_count; /* a power of two, greater than entry_count */
    uint32_t entry_count;
    uint32_t data_count;
    uint32_t reserved; /* 0 */
} disk_header;

/* Open addressing with linear probing. A search starts at slot `hash` modulo slot_count. */
typedef struct disk_slot {
    uint32_t hash;
    uint32_t entry; /* index + 1, or 0 if the slot is free */
} disk_slot;

typedef struct disk_entry {
    uint64_t size;
    int64_t mtime_ns;
    int64_t ctime_ns;
    int64_t recorded_ns;
    uint64_t inode;
    uint8_t hash[SPATE_SIPHASH_BYTES];
    uint64_t blob; /* offset from the start of the file, a multiple of 16 */
    uint32_t blob_length;
    uint32_t blob_checksum; /* CRC-32C */
    uint32_t path;          /* offset into the strings */
    uint32_t path_length;   /* without the NUL that follows it */
    uint32_t flags;
    uint32_t reserved; /* 0 */
} disk_entry;

typedef struct disk_data {
    uint64_t offset;
    uint32_t length;
    uint32_t checksum;
    uint32_t name;
    uint32_t name_length;
} disk_data;

static_assert(sizeof(disk_header) == 112, "the header's layout is the file format");
static_assert(offsetof(disk_header, length) == 16, "the header's layout is the file format");
static_assert(offsetof(disk_header, key) == 24, "the header's layout is the file format");
static_assert(offsetof(disk_header, checksum) == 44, "the header's layout is the file format");
static_assert(offsetof(disk_header, slots) == 56, "the header's layout is the file format");
static_assert(offsetof(disk_header, slot_count) == 96, "the header's layout is the file format");
static_assert(offsetof(disk_header, reserved) == 108, "the header's layout is the file format");
static_assert(sizeof(disk_slot) == 8, "the slot's layout is the file format");
static_assert(sizeof(disk_entry) == 88, "the entry's layout is the file format");
static_assert(offsetof(disk_entry, hash) == 40, "the entry's layout is the file format");
static_assert(offsetof(disk_entry, blob) == 56, "the entry's layout is the file format");
static_assert(offsetof(disk_entry, flags) == 80, "the entry's layout is the file format");
static_assert(sizeof(disk_data) == 24, "the data entry's layout is the file format");

/* CRC-32C of the tables without the checksum field. */
uint32_t spate_compile_cache_checksum(const uint8_t *bytes, size_t tables_length);

#endif
