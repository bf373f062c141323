/*
 * The record of a run, in memory that all its processes share: paths with the ways in which they were used, names of
 * environment variables, and reasons not to keep the result. Writers hold no lock, allocate nothing and may be killed at
 * any instruction. Any of the processes may scribble on the memory: nothing read from it is used as an address.
 *
 *     header | slots: offset of an entry, or 0 | entries, in the order in which they were first recorded
 *
 * An entry's first character gives its type: "/path", "$NAME", "!reason", or ">/program" that loaded the hooks.
 */
#ifndef SPATE_EAR_TABLE_H
#define SPATE_EAR_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The environment variable with the path where a child opens the table. */
#define SPATE_EAR_VARIABLE "SPATE_EAR"
#define SPATE_EAR_TEXT_MAX 4095   /* the kernel's limit; a longer joined path forbids keeping */
#define SPATE_EAR_JOINED_MAX 8448 /* a folder and a name, each of the kernel's length */

typedef enum spate_ear_kind {
    SPATE_EAR_READ = 1, /* opened to be read */
    SPATE_EAR_LOOKED,   /* it exists: stat, access, chdir */
    SPATE_EAR_LISTED,
    SPATE_EAR_LINK, /* asked where it leads, whether or not it is a link */
    SPATE_EAR_RUN,  /* executed: the program, its interpreter */
    SPATE_EAR_ABSENT,
    SPATE_EAR_WRITTEN, /* made, written, removed, renamed */
    SPATE_EAR_CONNECTED,
    SPATE_EAR_NAMED, /* of "$NAME": its value was asked for */
    SPATE_EAR_TROUBLE,
    SPATE_EAR_HOOKED, /* of ">/program": its requests for variables are traced */
    SPATE_EAR_KINDS
} spate_ear_kind;

typedef struct spate_ear_header spate_ear_header;

/* Where the parts of a mapped table are: in the process' own memory, so that scribbling on the header moves nothing. */
typedef struct spate_ear_table {
    spate_ear_header *header;
    _Atomic uint32_t *slots;
    uint32_t slot_count; /* a power of two */
    uint64_t entries;    /* offset of the first entry */
    uint64_t size;
} spate_ear_table;

#define SPATE_EAR_MAGIC "spateear"
#define SPATE_EAR_VERSION 1
#define SPATE_EAR_IGNORED_BYTES (8192 - 64)

struct spate_ear_header {
    char magic[8];
    uint32_t version;
    uint32_t slot_count;
    uint64_t size;
    _Atomic uint64_t used;      /* offset behind the last entry */
    _Atomic uint32_t count;     /* entries that have a slot */
    _Atomic uint32_t listening; /* 0 until the run begins: nothing is written before */
    _Atomic uint32_t overflowed;
    uint32_t ignored_length;
    char reserved[16];
    char ignored[SPATE_EAR_IGNORED_BYTES]; /* paths, each with a NUL: they and everything below them are not recorded */
};
_Static_assert(sizeof(struct spate_ear_header) == 8192, "the header is two pages");

typedef struct spate_ear_entry {
    _Atomic uint64_t kinds; /* four bits each, in the order recorded, the first lowest */
    uint32_t hash;
    uint32_t length;
    char text[];
} spate_ear_entry;

/* Uses mapped, shared memory of `size` bytes for the table in it. False if there is none. */
bool spate_ear_table_take(spate_ear_table *table, void *memory, uint64_t size);
bool spate_ear_table_listening(const spate_ear_table *table);

/*
 * Records that `path` (absolute, NUL-terminated) was met in this way, unless it is ignored. `own`: the process whose
 * /proc/N is private to it.
 */
void spate_ear_table_path(spate_ear_table *table, spate_ear_kind kind, const char *path, size_t length, int own);
void spate_ear_table_name(spate_ear_table *table, const char *name);
void spate_ear_table_hooked(spate_ear_table *table, const char *program);
/* Two parts, so that no caller has to format: "connect: " and a path. */
void spate_ear_table_trouble(spate_ear_table *table, const char *reason, const char *detail);

/* The ways in which `path` was met so far, as in spate_ear_entry; 0 for none. */
uint64_t spate_ear_table_kinds(const spate_ear_table *table, const char *path, size_t length);
/* Whether it, or a folder above it, is in the header, and no ".." leads out of that again. */
bool spate_ear_table_ignored(const spate_ear_table *table, const char *path, size_t length);
/* The entry at an offset, if there can be one: its length, checked; 0 otherwise. */
uint32_t spate_ear_table_entry(const spate_ear_table *table, uint32_t offset, const spate_ear_entry **entry);

#endif
