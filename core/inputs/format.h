/* The bytes of a record of inputs, little-endian, for writer and reader; docs/inputs.md describes them. */
#ifndef SPATE_INPUTS_FORMAT_H
#define SPATE_INPUTS_FORMAT_H

#include "base/bounds.h"
#include "inputs/inputs.h"

#include <assert.h>

#define INPUTS_MAGIC "SPATEIN1"
/* Enough for a million inputs with long paths. */
#define INPUTS_LENGTH_MAX ((size_t)512 << 20)

/* A part of the strings, followed by a NUL. */
typedef struct disk_text {
    uint32_t at;
    uint32_t length;
} disk_text;

typedef struct disk_header {
    uint8_t magic[8];
    uint32_t version;
    uint32_t checksum; /* CRC-32C of all bytes from the next field to the end of the file */
    uint64_t file_length;
    uint32_t header_length;
    uint32_t root_count;
    uint32_t folder_count;
    uint32_t entry_count;
    uint32_t absent_count;
    uint32_t fact_count;
    uint64_t strings_length; /* length of the last section; the other sections follow the header in this order */
} disk_header;

/* The lstat fields of a file or folder. All zero: proves nothing. */
typedef struct disk_stamp {
    uint64_t device;
    uint64_t inode;
    int64_t mtime_ns;
    int64_t ctime_ns;
    int64_t seen_ns; /* real-time clock before the look */
} disk_stamp;

/* Sorted by root and path. The entries and absences of a folder follow those of the previous folder. */
typedef struct disk_folder {
    disk_stamp stamp; /* covers the listing and the absences */
    uint8_t listing[SPATE_SHA256_LENGTH];
    uint32_t root;   /* 0: the path is absolute; otherwise the root's number + 1 */
    uint32_t listed; /* 0 or 1 */
    disk_text path;  /* "" for the root itself */
    uint32_t entry_count;
    uint32_t absent_count;
} disk_folder;

/* Sorted by name, kind and flags within its folder. */
typedef struct disk_entry {
    disk_stamp stamp; /* LOOKED: only the mtime, if it matters */
    uint8_t sha256[SPATE_SHA256_LENGTH];
    uint64_t size;
    uint32_t mode; /* st_mode */
    uint8_t kind;  /* SPATE_INPUT_FILE to SPATE_INPUT_LINK */
    uint8_t flags; /* the flags of spate_input and ENTRY_* */
    uint16_t target_root;
    disk_text name;   /* without slash; "." for the folder itself */
    disk_text target; /* only for LINK */
} disk_entry;

#define ENTRY_ELF 4    /* LIBRARY: the digest covers the interface (elf/promise.h) instead of the content */
#define ENTRY_DENIED 8 /* LOOKED: a folder in the path is not searchable */

/* A name that does not exist in its folder. Sorted. */
typedef disk_text disk_absent;

/* An environment variable or the processor. Sorted by kind and name. */
typedef struct disk_fact {
    uint8_t sha256[SPATE_SHA256_LENGTH];
    disk_text name;
    uint32_t kind;
    uint32_t set; /* 0: the variable is not set */
} disk_fact;

static_assert(sizeof(disk_header) == 56, "the header's layout is the file format");
static_assert(sizeof(disk_stamp) == 40, "the stamp's layout is the file format");
static_assert(sizeof(disk_folder) == 96, "the folder's layout is the file format");
static_assert(sizeof(disk_entry) == 104, "the entry's layout is the file format");
static_assert(sizeof(disk_fact) == 48, "the fact's layout is the file format");
static_assert(offsetof(disk_header, strings_length) == 48, "the header's layout is the file format");
static_assert(offsetof(disk_folder, root) == 72, "the folder's layout is the file format");
static_assert(offsetof(disk_entry, mode) == 80, "the entry's layout is the file format");

/* The position of everything in a record's bytes (8-aligned); filled in by spate_inputs_fault. */
typedef struct inputs_tables {
    const disk_header *header;
    const disk_text *roots;
    const disk_folder *folders;
    const disk_entry *entries;
    const disk_absent *absents;
    const disk_fact *facts;
    const char *strings;
    uint64_t strings_length;
    uint32_t root_count;
    uint32_t folder_count;
    uint32_t entry_count;
    uint32_t absent_count;
    uint32_t fact_count;
} inputs_tables;

struct spate_inputs {
    uint8_t *bytes;
    size_t length;
    inputs_tables tables;
    uint8_t *renewed; /* a copy of the record with new stamps; NULL until a check finds one */
};

static inline const char *inputs_text(const inputs_tables *tables, disk_text text) {
    return tables->strings + LE32(text.at);
}

/* The checksum of a complete file of `length` bytes, computed from the field after the checksum on. */
uint32_t spate_inputs_checksum(const uint8_t *bytes, size_t length);
/* Fills in length and checksum and writes the record atomically. */
spate_status spate_inputs_store(const char *path, uint8_t *bytes, size_t length, spate_error *error);
/* NULL if the bytes are valid, in which case all of *tables can be used; otherwise a description of the fault. */
const char *spate_inputs_fault(const uint8_t *bytes, size_t length, inputs_tables *tables);

#endif
