/* The layout of a record of inputs, little-endian. docs/inputs.md describes it. */
#ifndef SPATE_INPUTS_FORMAT_H
#define SPATE_INPUTS_FORMAT_H

#include "base/bounds.h"
#include "inputs/inputs.h"

#include <assert.h>

#define INPUTS_MAGIC "SPATEIN1"
/* Enough for a million inputs with long paths. */
#define INPUTS_LENGTH_MAX ((size_t)512 << 20)

/* A NUL-terminated string in the strings section. */
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
    uint64_t strings_length; /* the strings are the last section; the others follow the header in the order of these
                              * counts */
} disk_header;

/* The lstat fields of a file or directory. If all are zero, the stamp proves nothing. */
typedef struct disk_stamp {
    uint64_t device;
    uint64_t inode;
    int64_t mtime_ns;
    int64_t ctime_ns;
    int64_t seen_ns; /* time of the real-time clock before the lstat call */
} disk_stamp;

/* Sorted by root and path. The entries and absent names of all directories are concatenated in this order. */
typedef struct disk_folder {
    disk_stamp stamp; /* covers the listing and the absent names */
    uint8_t listing[SPATE_SHA256_LENGTH];
    uint32_t root;   /* 0 if the path is absolute, otherwise the index of the root + 1 */
    uint32_t listed; /* 0 or 1 */
    disk_text path;  /* "" for the root itself */
    uint32_t entry_count;
    uint32_t absent_count;
} disk_folder;

/* Sorted by name, kind and flags within a directory. */
typedef struct disk_entry {
    disk_stamp stamp; /* for LOOKED only the mtime, if SPATE_INPUT_MTIME is set */
    uint8_t sha256[SPATE_SHA256_LENGTH];
    uint64_t size;
    uint32_t mode; /* st_mode */
    uint8_t kind;  /* SPATE_INPUT_FILE to SPATE_INPUT_LINK */
    uint8_t flags; /* the flags of spate_input and ENTRY_* */
    uint16_t target_root;
    disk_text name;   /* without slashes; "." for the directory itself */
    disk_text target; /* only for LINK */
} disk_entry;

#define ENTRY_ELF 4    /* LIBRARY: the digest covers the library's interface (elf/promise.h), not its content */
#define ENTRY_DENIED 8 /* LOOKED: a directory in the path is not searchable */

/* A name that must not exist in its directory. Sorted. */
typedef disk_text disk_absent;

/* An environment variable or the processor. Sorted by kind and name. */
typedef struct disk_fact {
    uint8_t sha256[SPATE_SHA256_LENGTH];
    disk_text name;
    uint32_t kind;
    uint32_t set; /* 0 if the variable is not set */
} disk_fact;

static_assert(sizeof(disk_header) == 56, "the header's layout is the file format");
static_assert(sizeof(disk_stamp) == 40, "the stamp's layout is the file format");
static_assert(sizeof(disk_folder) == 96, "the folder's layout is the file format");
static_assert(sizeof(disk_entry) == 104, "the entry's layout is the file format");
static_assert(sizeof(disk_fact) == 48, "the fact's layout is the file format");
static_assert(offsetof(disk_header, strings_length) == 48, "the header's layout is the file format");
static_assert(offsetof(disk_folder, root) == 72, "the folder's layout is the file format");
static_assert(offsetof(disk_entry, mode) == 80, "the entry's layout is the file format");

/* Pointers to all sections of a record in memory (8-aligned), set by spate_inputs_fault. */
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
    uint8_t *renewed; /* a copy of the record with new stamps; NULL until a check makes one */
};

static inline const char *inputs_text(const inputs_tables *tables, disk_text text) {
    return tables->strings + LE32(text.at);
}

/* Returns the checksum of a complete file of `length` bytes. It covers everything after the checksum field. */
uint32_t spate_inputs_checksum(const uint8_t *bytes, size_t length);
/* Fills in length and checksum and writes the record atomically. */
spate_status spate_inputs_store(const char *path, uint8_t *bytes, size_t length, spate_error *error);
/* Returns NULL and fills in *tables if the bytes are valid; otherwise returns a description of the fault. */
const char *spate_inputs_fault(const uint8_t *bytes, size_t length, inputs_tables *tables);

#endif
