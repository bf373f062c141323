/*
 * The record of a run, in memory that all its processes share: paths with the ways in which they were used, names of
 * environment variables, and reasons not to cache the result. Writers hold no lock, allocate no memory and may be
 * killed at any instruction. Any process may corrupt the memory, so nothing read from it is used as an address.
 *
 *     header | slots: offset of an entry, or 0 | entries, in the order in which they were first recorded
 *
 * An entry's first character gives its type: "/path", "$NAME", "!reason", or ">/program" that loaded the hooks.
 */
#ifndef SPATE_TRACER_TABLE_H
#define SPATE_TRACER_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The environment variable with the path at which a child opens the table. */
#define SPATE_TRACER_VARIABLE "SPATE_TRACER"
#define SPATE_TRACER_TEXT_MAX 4095   /* the kernel's limit; a run with a longer joined path is not cached */
#define SPATE_TRACER_JOINED_MAX 8448 /* a folder and a name, each of the kernel's maximum length */

typedef enum spate_tracer_kind {
    SPATE_TRACER_READ = 1, /* opened to be read */
    SPATE_TRACER_LOOKED,   /* checked for existence: stat, access, chdir */
    SPATE_TRACER_LISTED,
    SPATE_TRACER_LINK, /* its link target was read, whether or not it is a link */
    SPATE_TRACER_RUN,  /* executed: a program or its interpreter */
    SPATE_TRACER_ABSENT,
    SPATE_TRACER_WRITTEN, /* created, written, removed or renamed */
    SPATE_TRACER_CONNECTED,
    SPATE_TRACER_NAMED, /* only for "$NAME": its value was read */
    SPATE_TRACER_TROUBLE,
    SPATE_TRACER_HOOKED, /* only for ">/program": its reads of variables are traced */
    SPATE_TRACER_KINDS
} spate_tracer_kind;

typedef struct spate_tracer_header spate_tracer_header;

/*
 * The positions of the parts of a mapped table. Stored in the process's own memory, so that a corrupt header has no
 * effect.
 */
typedef struct spate_tracer_table {
    spate_tracer_header *header;
    _Atomic uint32_t *slots;
    uint32_t slot_count; /* a power of two */
    uint64_t entries;    /* offset of the first entry */
    uint64_t size;
} spate_tracer_table;

#define SPATE_TRACER_MAGIC "spateear"
#define SPATE_TRACER_VERSION 1
#define SPATE_TRACER_IGNORED_BYTES (8192 - 64)

struct spate_tracer_header {
    char magic[8];
    uint32_t version;
    uint32_t slot_count;
    uint64_t size;
    _Atomic uint64_t used;      /* offset after the last entry */
    _Atomic uint32_t count;     /* number of entries that have a slot */
    _Atomic uint32_t listening; /* 0 until the run begins; nothing is written before */
    _Atomic uint32_t overflowed;
    uint32_t ignored_length;
    char reserved[16];
    char ignored
        [SPATE_TRACER_IGNORED_BYTES]; /* paths, each with a NUL, that are not recorded, nor is anything below them */
};
_Static_assert(sizeof(struct spate_tracer_header) == 8192, "the header is two pages");

typedef struct spate_tracer_entry {
    _Atomic uint64_t kinds; /* four bits each, in the order of recording, the first in the lowest bits */
    uint32_t hash;
    uint32_t length;
    char text[];
} spate_tracer_entry;

/* Uses the table in mapped, shared memory of `size` bytes. Returns false if there is none. */
bool spate_tracer_table_take(spate_tracer_table *table, void *memory, uint64_t size);
bool spate_tracer_table_listening(const spate_tracer_table *table);

/*
 * Records that `path` (absolute, NUL-terminated) was used in this way, unless it is ignored. `own`: the process whose
 * /proc/N is private to it.
 */
void spate_tracer_table_path(spate_tracer_table *table, spate_tracer_kind kind, const char *path, size_t length,
                             int own);
void spate_tracer_table_name(spate_tracer_table *table, const char *name);
void spate_tracer_table_hooked(spate_tracer_table *table, const char *program);
/* The reason has two parts, "connect: " and a path, so that no caller has to format it. */
void spate_tracer_table_trouble(spate_tracer_table *table, const char *reason, const char *detail);

/* The ways in which `path` was used so far, as in spate_tracer_entry; 0 if it was not used. */
uint64_t spate_tracer_table_kinds(const spate_tracer_table *table, const char *path, size_t length);
/* Whether the path or a folder above it is in the header's list, and no ".." leads out of that folder again. */
bool spate_tracer_table_ignored(const spate_tracer_table *table, const char *path, size_t length);
/* The checked length of the entry at an offset, or 0 if the offset is invalid. */
uint32_t spate_tracer_table_entry(const spate_tracer_table *table, uint32_t offset, const spate_tracer_entry **entry);

#endif
