/*
 * The inputs of a cached result: files, folders, links, missing names, the environment, programs, libraries.
 * docs/inputs.md describes the format and when a record is valid.
 *
 * Paths below a named root (the bundle, the home) are stored relative to it, so that a record is valid on other
 * machines. On this machine, matching stamps (device, inode, times) save reading contents; otherwise the content
 * decides.
 */
#ifndef SPATE_INPUTS_H
#define SPATE_INPUTS_H

#include "digest/sha256.h"
#include "shared/status.h"

#define SPATE_INPUTS_VERSION 1
/* The maximum length of a path, including its NUL. Longer paths cannot be recorded, and a record with one is
 * invalid. */
#define SPATE_INPUTS_PATH_MAX 4096

typedef enum spate_input_kind {
    SPATE_INPUT_FILE,        /* a file that was read: its content and the owner's permissions */
    SPATE_INPUT_RUN,         /* a program that was run: checked like FILE */
    SPATE_INPUT_LIBRARY,     /* a library that was linked against: its interface (elf/promise.h) or, without one,
                              * checked like FILE */
    SPATE_INPUT_LOOKED,      /* a path passed to stat: type, mode and a regular file's size, or that access is denied */
    SPATE_INPUT_LINK,        /* a symlink: the text of its target */
    SPATE_INPUT_LISTED,      /* a folder that was listed: the names in it and their types */
    SPATE_INPUT_ABSENT,      /* a path that must not exist */
    SPATE_INPUT_ENVIRONMENT, /* an environment variable: its value, or that it is unset */
    SPATE_INPUT_PROCESSOR,   /* the processor model (machine/processor.h) */
    SPATE_INPUT_KINDS
} spate_input_kind;

/* "file", "environment". Never NULL. */
const char *spate_input_kind_name(spate_input_kind kind);

enum {
    SPATE_INPUT_NOFOLLOW = 1, /* FILE, RUN, LIBRARY, LOOKED: the symlink itself, as with lstat and O_NOFOLLOW */
    SPATE_INPUT_MTIME = 2,    /* LOOKED: its mtime matters too */
    SPATE_INPUT_TYPE = 16,    /* LOOKED: only the type matters. The format uses 4 and 8 */
};

typedef struct spate_input {
    spate_input_kind kind;
    uint32_t flags;
    const char *path;      /* an absolute path; the name for ENVIRONMENT; unused for PROCESSOR */
    const uint8_t *sha256; /* SHA-256 of the content that was read: any other content is rejected. NULL: unknown */
} spate_input;

/* A folder whose path differs between machines. */
typedef struct spate_inputs_root {
    const char *name; /* name in the record: "bundle", "home" */
    const char *path; /* path on this machine: absolute and clean */
} spate_inputs_root;

/* The environment in which a record is made or checked. All pointers are borrowed. */
typedef struct spate_inputs_place {
    const spate_inputs_root *roots;
    size_t root_count;
    const char *const *environment; /* "NAME=value" strings, ended by NULL; NULL: no variables */
    const char *processor;          /* NULL: reads /proc/cpuinfo */
    bool thorough;                  /* looks at all inputs, so that a trace shows them, even if a stamp proves them */
} spate_inputs_place;

/* ---- making a record ---- */

typedef struct spate_inputs_options {
    bool portable;    /* omits stamps, for use on another machine */
    unsigned threads; /* hashing threads; 0: one per processor, at most 4 */
} spate_inputs_options;

/*
 * Looks at all inputs, hashes them and writes the record atomically. Duplicates are dropped. SPATE_STALE if an input
 * does not exist (or, for ABSENT, exists) or has changed since it was read; error.member is its path. A path that
 * cannot be read as a file (a device, a folder) is recorded as LOOKED, and a missing LOOKED as ABSENT. SPATE_SYSTEM: an
 * input cannot be read, or the record cannot be written. SPATE_CORRUPT: a path that is not absolute.
 */
spate_status spate_inputs_write(const char *path, const spate_input *inputs, size_t count,
                                const spate_inputs_place *place, const spate_inputs_options *options,
                                const spate_cancel *cancel, spate_error *error);

/* ---- reading a record ---- */

typedef struct spate_inputs spate_inputs;

/* SPATE_STALE if the record is incomplete or of another version, SPATE_SYSTEM if it cannot be read. */
spate_status spate_inputs_open(spate_inputs **record, const char *path, spate_error *error);
/* Like spate_inputs_open, but from bytes, which are copied. */
spate_status spate_inputs_parse(spate_inputs **record, const uint8_t *bytes, size_t length, spate_error *error);
void spate_inputs_close(spate_inputs *record);

/*
 * Removes the stamps so that another machine can use the record, and returns its bytes, which are freed with the
 * record.
 */
const uint8_t *spate_inputs_portable(spate_inputs *record, size_t *length);

/* A recorded input. Its strings are valid only during the callback. */
typedef struct spate_inputs_item {
    spate_input_kind kind;
    uint32_t flags;
    const char *root;      /* name of the root; NULL if the path is absolute */
    const char *path;      /* path below the root ("." for the root itself), or the name of a variable; "" for
                            * PROCESSOR */
    const uint8_t *sha256; /* NULL for LOOKED, LINK, ABSENT and unset variables */
    const char *target;    /* target of a LINK, below target_root if that is set; NULL for other kinds */
    const char *target_root;
    uint32_t mode; /* st_mode, or 0 if unknown */
    uint64_t size; /* size of a regular file in bytes */
    bool stamped;  /* whether a stamp may save reading the content */
} spate_inputs_item;

/* Calls `visit` for each input in the order of the record. SPATE_LIMIT if a path is too long. */
spate_status spate_inputs_each(const spate_inputs *record, void (*visit)(void *context, const spate_inputs_item *item),
                               void *context);

/* ---- checking a record ---- */

/*
 * A memo of looks, shared by the checks of many records: each path is looked at once. A memo is never refreshed: use it
 * for a single decision, or call spate_inputs_memo_forget. Thread-safe; checks that share a memo wait for each other.
 */
typedef struct spate_inputs_memo spate_inputs_memo;
spate_status spate_inputs_memo_new(spate_inputs_memo **memo);
void spate_inputs_memo_forget(spate_inputs_memo *memo);
void spate_inputs_memo_free(spate_inputs_memo *memo);

typedef enum spate_inputs_change {
    SPATE_INPUTS_SAME,
    SPATE_INPUTS_CONTENT,    /* the content differs */
    SPATE_INPUTS_GONE,       /* the path no longer exists */
    SPATE_INPUTS_APPEARED,   /* the path did not exist before */
    SPATE_INPUTS_KIND,       /* the type differs, such as a folder instead of a file */
    SPATE_INPUTS_MODE,       /* the permissions differ */
    SPATE_INPUTS_SIZE,       /* LOOKED: the size differs */
    SPATE_INPUTS_TIME,       /* LOOKED: the mtime differs */
    SPATE_INPUTS_LISTING,    /* the names in a folder differ */
    SPATE_INPUTS_TARGET,     /* a link has another target */
    SPATE_INPUTS_VALUE,      /* a variable was changed, set or unset */
    SPATE_INPUTS_LIBRARY,    /* a library has another name, other versions or other symbols */
    SPATE_INPUTS_PROCESSOR,  /* another processor model */
    SPATE_INPUTS_UNREADABLE, /* possibly unchanged, but unreadable */
    SPATE_INPUTS_ROOT,       /* the root is unknown on this machine */
    SPATE_INPUTS_CHANGES
} spate_inputs_change;

/* "content", "gone". Never NULL. */
const char *spate_inputs_change_name(spate_inputs_change change);

typedef struct spate_inputs_answer {
    spate_inputs_change change;       /* SAME: nothing changed */
    bool renew;                       /* nothing changed, and spate_inputs_renew would save work in the next check */
    bool hashed;                      /* only with `renew`: a content was hashed. The times of a folder may differ each
                                       * time */
    spate_input_kind kind;            /* kind of the changed input */
    char path[SPATE_INPUTS_PATH_MAX]; /* path of the changed input on this machine, or the name of a variable or root */
} spate_inputs_answer;

/*
 * Stops at the first change. memo may be NULL. A record must not be used by several threads at a time. Fails only with
 * SPATE_NO_MEMORY.
 */
spate_status spate_inputs_check(spate_inputs *record, const spate_inputs_place *place, spate_inputs_memo *memo,
                                spate_inputs_answer *answer);
/* Writes the record with the stamps found by the last check to `path`. Only after a result with `renew`. */
spate_status spate_inputs_renew(spate_inputs *record, const char *path, spate_error *error);

#endif
