/*
 * The record of a run, in memory that is shared by all its processes: paths and how they were used, names of
 * environment variables, and reasons not to cache the result. Writers take no locks, allocate no memory and may be
 * killed at any instruction. Any process may corrupt the memory, so nothing read from it is used as an address.
 *
 *   header | slots: offset of an entry, or 0 | entries, in the order in which they were first recorded
 *
 * The first character of an entry determines its type: "/path", "$NAME", "!reason", or ">/program" that loaded the
 * hooks.
 */
#ifndef SPATE_TRACER_TABLE_H
#define SPATE_TRACER_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The environment variable with the path under which a child opens the table. */
#define SPATE_TRACER_VARIABLE "SPATE_TRACER"
#define SPATE_TRACER_TEXT_MAX 4095   /* the kernel's limit; if a joined path is longer, the run is not cached */
#define SPATE_TRACER_JOINED_MAX 8448 /* a directory and a name, each with the kernel's maximum length */

typedef enum spate_tracer_kind {
    SPATE_TRACER_READ = 1, /* opened for reading */
    SPATE_TRACER_LOOKED,   /* checked for existence: stat, access, chdir */
    SPATE_TRACER_LISTED,
    SPATE_TRACER_LINK, /* readlink was called on it, whether or not it is a symlink */
    SPATE_TRACER_RUN,  /* executed, as a program or an interpreter */
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
 * Pointers into a mapped table. They are in the process's private memory, so that a corrupt header does not affect
 * them.
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
    _Atomic uint32_t listening; /* 0 until the run begins; nothing is recorded before */
    _Atomic uint32_t overflowed;
    uint32_t ignored_length;
    char reserved[16];
    char ignored
        [SPATE_TRACER_IGNORED_BYTES]; /* NUL-terminated paths that are not recorded; this includes everything below
                                       * them */
};
_Static_assert(sizeof(struct spate_tracer_header) == 8192, "the header is two pages");

typedef struct spate_tracer_entry {
    _Atomic uint64_t kinds; /* four bits for each kind, in the order of recording, starting with the lowest bits */
    uint32_t hash;
    uint32_t length;
    char text[];
} spate_tracer_entry;

/* Sets up `table` for `size` bytes of mapped, shared memory. Returns false if they do not contain a table. */
bool spate_tracer_table_take(spate_tracer_table *table, void *memory, uint64_t size);
bool spate_tracer_table_listening(const spate_tracer_table *table);

/*
 * Records that `path` (absolute, NUL-terminated) was used in this way, unless it is ignored. `own` is the ID of the
 * calling process: paths below its own /proc directory are not recorded.
 */
void spate_tracer_table_path(spate_tracer_table *table, spate_tracer_kind kind, const char *path, size_t length,
                             int own);
void spate_tracer_table_name(spate_tracer_table *table, const char *name);
void spate_tracer_table_hooked(spate_tracer_table *table, const char *program);
/* Records a reason not to cache the result. It has two parts, such as "network: " and a path, so that callers need not
 * format it. */
void spate_tracer_table_trouble(spate_tracer_table *table, const char *reason, const char *detail);

/* Returns how `path` was used so far, as in spate_tracer_entry; 0 if it was not. */
uint64_t spate_tracer_table_kinds(const spate_tracer_table *table, const char *path, size_t length);
/* Whether the path or one of its parents is in the header's list, and no ".." leads out of it again. */
bool spate_tracer_table_ignored(const spate_tracer_table *table, const char *path, size_t length);
/* Returns the validated length of the entry at an offset, or 0 if the entry is invalid. */
uint32_t spate_tracer_table_entry(const spate_tracer_table *table, uint32_t offset, const spate_tracer_entry **entry);

#endif
