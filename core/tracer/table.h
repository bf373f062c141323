/*
 * The record of a run, in memory that all its processes share: paths with the ways in which they were used, names of
 * environment variables, and reasons not to keep the result. Writers hold no lock, allocate nothing and may be killed
 * at any instruction. Any of the processes may scribble on the memory: nothing read from it is used as an address.
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

/* The environment variable with the path where a child opens the table. */
#define SPATE_TRACER_VARIABLE "SPATE_TRACER"
#define SPATE_TRACER_TEXT_MAX 4095   /* the kernel's limit; a longer joined path forbids keeping */
#define SPATE_TRACER_JOINED_MAX 8448 /* a folder and a name, each of the kernel's length */

typedef enum spate_tracer_kind {
    SPATE_TRACER_READ = 1, /* opened to be read */
    SPATE_TRACER_LOOKED,   /* it exists: stat, access, chdir */
    SPATE_TRACER_LISTED,
    SPATE_TRACER_LINK, /* asked where it leads, whether or not it is a link */
    SPATE_TRACER_RUN,  /* executed: the program, its interpreter */
    SPATE_TRACER_ABSENT,
    SPATE_TRACER_WRITTEN, /* made, written, removed, renamed */
    SPATE_TRACER_CONNECTED,
    SPATE_TRACER_NAMED, /* of "$NAME": its value was asked for */
    SPATE_TRACER_TROUBLE,
    SPATE_TRACER_HOOKED, /* of ">/program": its requests for variables are traced */
    SPATE_TRACER_KINDS
} spate_tracer_kind;

typedef struct spate_tracer_header spate_tracer_header;

/* Where the parts of a mapped table are: in the process' own memory, so that scribbling on the header moves nothing. */
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
    _Atomic uint64_t used;      /* offset behind the last entry */
    _Atomic uint32_t count;     /* entries that have a slot */
    _Atomic uint32_t listening; /* 0 until the run begins: nothing is written before */
    _Atomic uint32_t overflowed;
    uint32_t ignored_length;
    char reserved[16];
    char ignored
        [SPATE_TRACER_IGNORED_BYTES]; /* paths, each with a NUL: they and everything below them are not recorded */
};
_Static_assert(sizeof(struct spate_tracer_header) == 8192, "the header is two pages");

typedef struct spate_tracer_entry {
    _Atomic uint64_t kinds; /* four bits each, in the order recorded, the first lowest */
    uint32_t hash;
    uint32_t length;
    char text[];
} spate_tracer_entry;

/* Uses mapped, shared memory of `size` bytes for the table in it. False if there is none. */
bool spate_tracer_table_take(spate_tracer_table *table, void *memory, uint64_t size);
bool spate_tracer_table_listening(const spate_tracer_table *table);

/*
 * Records that `path` (absolute, NUL-terminated) was met in this way, unless it is ignored. `own`: the process whose
 * /proc/N is private to it.
 */
void spate_tracer_table_path(spate_tracer_table *table, spate_tracer_kind kind, const char *path, size_t length,
                             int own);
void spate_tracer_table_name(spate_tracer_table *table, const char *name);
void spate_tracer_table_hooked(spate_tracer_table *table, const char *program);
/* Two parts, so that no caller has to format: "connect: " and a path. */
void spate_tracer_table_trouble(spate_tracer_table *table, const char *reason, const char *detail);

/* The ways in which `path` was met so far, as in spate_tracer_entry; 0 for none. */
uint64_t spate_tracer_table_kinds(const spate_tracer_table *table, const char *path, size_t length);
/* Whether it, or a folder above it, is in the header, and no ".." leads out of that again. */
bool spate_tracer_table_ignored(const spate_tracer_table *table, const char *path, size_t length);
/* The entry at an offset, if there can be one: its length, checked; 0 otherwise. */
uint32_t spate_tracer_table_entry(const spate_tracer_table *table, uint32_t offset, const spate_tracer_entry **entry);

#endif
