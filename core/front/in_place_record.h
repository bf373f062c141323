/*
 * The record of a command that had nothing to do: what it printed, and everything that it looked at. CLI::InPlace
 * writes it from a trace of the command. In the machine's byte order, since it is valid on this machine until its next
 * start.
 *
 *   header | folders | marks, by folder | texts, each with its NUL
 */
#ifndef SPATE_FRONT_IN_PLACE_RECORD_H
#define SPATE_FRONT_IN_PLACE_RECORD_H

#include <assert.h>
#include <stdint.h>

/* The last character is the version. */
#define SPATE_IN_PLACE_MAGIC "SPATEIP3"
#define SPATE_IN_PLACE_MAX (256 << 20)
#define SPATE_OUTPUT_MAX (64 << 10)

typedef struct spate_in_place_header {
    char magic[8];
    uint32_t checksum; /* CRC-32C of all that follows */
    uint32_t folders;  /* number of them */
    uint32_t marks;
    uint32_t text;           /* bytes */
    uint32_t output;         /* text: see SPATE_OUTPUT_SECONDS */
    uint32_t stream;         /* the descriptor that it was written to */
    uint32_t user;           /* effective */
    uint32_t ignored;        /* text: names of variables that do not count, one a line; "*" stands for any ending */
    uint8_t environment[16]; /* SipHash over the other "NAME=value", sorted, each with its NUL, then ids and rights */
    uint8_t boot[16];        /* SipHash over the boot id */
    uint8_t mounts[16];      /* and over the mounts, or zeros: see docs/front.md */
} spate_in_place_header;
static_assert(sizeof(spate_in_place_header) == 88, "the header's size is part of the format");

/* Bytes of the output that stand for facts of this run. The output has no other control characters but newlines. */
enum {
    SPATE_OUTPUT_SECONDS = 1, /* as CLI::Units.seconds */
    SPATE_OUTPUT_FLOAT = 2,   /* seconds, as JSON */
    SPATE_OUTPUT_MEMORY = 3   /* the highest number of bytes in memory */
};

typedef struct spate_in_place_folder {
    uint32_t path; /* text: absolute */
    uint32_t count;
} spate_in_place_folder;
static_assert(sizeof(spate_in_place_folder) == 8, "a folder's size is part of the format");

enum {
    SPATE_MARK_ABSENT = 1,
    SPATE_MARK_FOLLOW = 2,  /* of a link's target */
    SPATE_MARK_CONTENT = 4, /* size and mtime count */
    SPATE_MARK_CTIME = 8    /* the ctime counts, which no program can set */
};

typedef struct spate_in_place_mark {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t mtime_ns;
    int64_t ctime_ns;
    uint32_t name; /* text: in the folder */
    uint32_t facts;
    uint32_t mode;
    uint32_t owner;
} spate_in_place_mark;
static_assert(sizeof(spate_in_place_mark) == 56, "a mark's size is part of the format");

#endif
