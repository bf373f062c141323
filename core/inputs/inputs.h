/*
 * Records the inputs of a cached result: files, directories, links, missing names, environment variables, programs,
 * libraries. docs/inputs.md describes the format and when a record is valid.
 *
 * Paths below a named root (the bundle, the home directory) are stored relative to it, so that other machines can use
 * the record. On the same machine, a matching stamp (device, inode, times) avoids reading the file; otherwise its
 * content is compared.
 */
#ifndef SPATE_INPUTS_H
#define SPATE_INPUTS_H

#include "digest/sha256.h"
#include "shared/status.h"

#define SPATE_INPUTS_VERSION 1
/* The maximum length of a path, including its NUL. Longer paths cannot be recorded, and a record that contains one is
 * invalid. */
#define SPATE_INPUTS_PATH_MAX 4096

typedef enum spate_input_kind {
    SPATE_INPUT_FILE,        /* a file that was read: its content and the owner's permissions */
    SPATE_INPUT_RUN,         /* a program that was executed: checked like FILE */
    SPATE_INPUT_LIBRARY,     /* a library that was linked against: its interface (elf/promise.h), or checked like FILE
                              * if it has none */
    SPATE_INPUT_LOOKED,      /* a path passed to stat: its type, mode and size (of a regular file), or that access is
                              * denied */
    SPATE_INPUT_LINK,        /* a symlink: the text of its target */
    SPATE_INPUT_LISTED,      /* a directory that was listed: names and types of its entries */
    SPATE_INPUT_ABSENT,      /* a path that must not exist */
    SPATE_INPUT_ENVIRONMENT, /* an environment variable: its value, or that it is unset */
    SPATE_INPUT_PROCESSOR,   /* the processor model (machine/processor.h) */
    SPATE_INPUT_KINDS
} spate_input_kind;

/* Returns a name such as "file" or "environment". Never NULL. */
const char *spate_input_kind_name(spate_input_kind kind);

enum {
    SPATE_INPUT_NOFOLLOW = 1, /* FILE, RUN, LIBRARY, LOOKED: do not follow a symlink, as with lstat and O_NOFOLLOW */
    SPATE_INPUT_MTIME = 2,    /* LOOKED: compare the mtime too */
    SPATE_INPUT_TYPE = 16,    /* LOOKED: compare only the type. The file format uses 4 and 8 */
};

typedef struct spate_input {
    spate_input_kind kind;
    uint32_t flags;
    const char *path;      /* absolute path; for ENVIRONMENT the name; unused for PROCESSOR */
    const uint8_t *sha256; /* SHA-256 of the content that was read, or NULL if unknown. Other content is rejected */
} spate_input;

/* A directory whose path differs between machines. */
typedef struct spate_inputs_root {
    const char *name; /* name in the record: "bundle", "home" */
    const char *path; /* absolute and clean path on this machine */
} spate_inputs_root;

/* The environment in which a record is made or checked. It owns none of its pointers. */
typedef struct spate_inputs_place {
    const spate_inputs_root *roots;
    size_t root_count;
    const char *const *environment; /* "NAME=value" strings, NULL-terminated; NULL for no variables */
    const char *processor;          /* NULL for /proc/cpuinfo */
    bool thorough;                  /* examine all inputs even if a stamp proves them, so that a trace contains them */
} spate_inputs_place;

/* ---- making a record ---- */

typedef struct spate_inputs_options {
    bool portable;    /* omit the stamps, for use on another machine */
    unsigned threads; /* number of hashing threads; 0 for one per processor, at most 4 */
} spate_inputs_options;

/*
 * Examines and hashes all inputs and writes the record atomically. Drops duplicates. A path that is not a regular file
 * (a device, a directory) is recorded as LOOKED, and a missing LOOKED as ABSENT.
 *
 * Returns SPATE_STALE if an input does not exist (or, for ABSENT, exists) or has changed since it was read;
 * error.member is its path. Returns SPATE_SYSTEM if an input cannot be read or the record cannot be written, and
 * SPATE_CORRUPT if a path is not absolute.
 */
spate_status spate_inputs_write(const char *path, const spate_input *inputs, size_t count,
                                const spate_inputs_place *place, const spate_inputs_options *options,
                                const spate_cancel *cancel, spate_error *error);

/* ---- reading a record ---- */

typedef struct spate_inputs spate_inputs;

/* Returns SPATE_STALE if the record is incomplete or of a different version, SPATE_SYSTEM if it cannot be read. */
spate_status spate_inputs_open(spate_inputs **record, const char *path, spate_error *error);
/* Like spate_inputs_open, but copies the record from memory. */
spate_status spate_inputs_parse(spate_inputs **record, const uint8_t *bytes, size_t length, spate_error *error);
void spate_inputs_close(spate_inputs *record);

/*
 * Removes the stamps so that another machine can use the record. Returns its bytes, which are valid until the record is
 * closed.
 */
const uint8_t *spate_inputs_portable(spate_inputs *record, size_t *length);

/* A recorded input. Its strings are valid only during the callback. */
typedef struct spate_inputs_item {
    spate_input_kind kind;
    uint32_t flags;
    const char *root;      /* name of the root, or NULL if the path is absolute */
    const char *path;      /* path below the root ("." for the root itself) or name of the variable; "" for PROCESSOR */
    const uint8_t *sha256; /* NULL for LOOKED, LINK, ABSENT and unset variables */
    const char *target;    /* target of a LINK, relative to target_root unless that is NULL; NULL for other kinds */
    const char *target_root;
    uint32_t mode; /* st_mode, or 0 if unknown */
    uint64_t size; /* size of a regular file in bytes */
    bool stamped;  /* whether it has a stamp, which may avoid reading the content */
} spate_inputs_item;

/* Calls `visit` for each input, in the order of the record. Returns SPATE_LIMIT if a path is too long. */
spate_status spate_inputs_each(const spate_inputs *record, void (*visit)(void *context, const spate_inputs_item *item),
                               void *context);

/* ---- checking a record ---- */

/*
 * Caches stat results and digests for the checks of many records, so that each path is examined once. It is never
 * refreshed: use it for a single decision, or call spate_inputs_memo_forget. Thread-safe; checks that share a memo run
 * one after another.
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
    SPATE_INPUTS_KIND,       /* the type differs, for example a directory instead of a file */
    SPATE_INPUTS_MODE,       /* the permissions differ */
    SPATE_INPUTS_SIZE,       /* LOOKED: the size differs */
    SPATE_INPUTS_TIME,       /* LOOKED: the mtime differs */
    SPATE_INPUTS_LISTING,    /* the names in a directory differ */
    SPATE_INPUTS_TARGET,     /* a link has a different target */
    SPATE_INPUTS_VALUE,      /* a variable has a different value, or was set or unset */
    SPATE_INPUTS_LIBRARY,    /* a library has a different name, other versions or other symbols */
    SPATE_INPUTS_PROCESSOR,  /* another processor model */
    SPATE_INPUTS_UNREADABLE, /* the input cannot be read, so it is unknown whether it changed */
    SPATE_INPUTS_ROOT,       /* the root is unknown on this machine */
    SPATE_INPUTS_CHANGES
} spate_inputs_change;

/* Returns a name such as "content" or "gone". Never NULL. */
const char *spate_inputs_change_name(spate_inputs_change change);

typedef struct spate_inputs_answer {
    spate_inputs_change change;       /* SAME if nothing changed */
    bool renew;                       /* nothing changed, and spate_inputs_renew would make the next check faster */
    bool hashed;                      /* only with `renew`: the content of a file was hashed. Without it, only times of
                                       * directories differ, which may happen every time */
    spate_input_kind kind;            /* kind of the changed input */
    char path[SPATE_INPUTS_PATH_MAX]; /* path of the changed input, or name of the variable or root */
} spate_inputs_answer;

/*
 * Checks the inputs and stops at the first change. `memo` may be NULL. Not thread-safe for the same record. Fails only
 * with SPATE_NO_MEMORY.
 */
spate_status spate_inputs_check(spate_inputs *record, const spate_inputs_place *place, spate_inputs_memo *memo,
                                spate_inputs_answer *answer);
/* Writes the record to `path`, with the stamps found by the last check. Requires that its result had `renew` set. */
spate_status spate_inputs_renew(spate_inputs *record, const char *path, spate_error *error);

#endif
