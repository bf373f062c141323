/*
 * The record of a command that had nothing to do: its output, and all paths that it examined. CLI::InPlace writes it,
 * from a trace of the command. It has the machine's byte order, because it is valid only on this machine and until the
 * next reboot.
 *
 *   header | folders | marks, grouped by folder | texts, each NUL-terminated
 */
#ifndef SPATE_FRONT_IN_PLACE_RECORD_H
#define SPATE_FRONT_IN_PLACE_RECORD_H

#include <assert.h>
#include <stdint.h>

/* The last character is the version of the format. */
#define SPATE_IN_PLACE_MAGIC "SPATEIP3"
#define SPATE_IN_PLACE_MAX (256 << 20)
#define SPATE_OUTPUT_MAX (64 << 10)

typedef struct spate_in_place_header {
    char magic[8];
    uint32_t checksum; /* CRC-32C of everything after it */
    uint32_t folders;  /* number of folders */
    uint32_t marks;
    uint32_t text;           /* length of the texts in bytes */
    uint32_t output;         /* offset into the texts: see SPATE_OUTPUT_SECONDS */
    uint32_t stream;         /* the descriptor to which the output was written */
    uint32_t user;           /* effective user ID */
    uint32_t ignored;        /* offset into the texts: names of ignored variables, one per line; a final "*" matches any
                              * suffix */
    uint8_t environment[16]; /* SipHash over all other "NAME=value" entries, sorted, each with its NUL, then IDs and
                              * capabilities */
    uint8_t boot[16];        /* SipHash over the boot ID */
    uint8_t mounts[16];      /* SipHash over the mounts, or zeros: see docs/front.md */
} spate_in_place_header;
static_assert(sizeof(spate_in_place_header) == 88, "the header's size is part of the format");

/* Placeholders in the output for values of the current run. The output contains no other control characters except
 * newlines. */
enum {
    SPATE_OUTPUT_SECONDS = 1, /* formatted like CLI::Units.seconds */
    SPATE_OUTPUT_FLOAT = 2,   /* seconds as a JSON number */
    SPATE_OUTPUT_MEMORY = 3   /* peak memory use in bytes */
};

typedef struct spate_in_place_folder {
    uint32_t path; /* offset into the texts: an absolute path */
    uint32_t count;
} spate_in_place_folder;
static_assert(sizeof(spate_in_place_folder) == 8, "a folder's size is part of the format");

enum {
    SPATE_MARK_ABSENT = 1,
    SPATE_MARK_FOLLOW = 2,  /* describes the target if it is a symlink */
    SPATE_MARK_CONTENT = 4, /* size and mtime are compared */
    SPATE_MARK_CTIME = 8    /* the ctime, which no program can set, is compared */
};

typedef struct spate_in_place_mark {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t mtime_ns;
    int64_t ctime_ns;
    uint32_t name; /* offset into the texts: name in the folder */
    uint32_t facts;
    uint32_t mode;
    uint32_t owner;
} spate_in_place_mark;
static_assert(sizeof(spate_in_place_mark) == 56, "a mark's size is part of the format");

#endif
