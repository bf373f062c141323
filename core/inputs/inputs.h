/*
 * The inputs of a cached result: files, folders, links, missing names, the environment, programs, libraries. One
 * record, one reader, one rule of validity. docs/inputs.md describes format and rule.
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
/* Of a path with its NUL. A longer path cannot be recorded, and a record with one is invalid. */
#define SPATE_INPUTS_PATH_MAX 4096

typedef enum spate_input_kind {
    SPATE_INPUT_FILE,        /* was read: its content, and the owner's permissions */
    SPATE_INPUT_RUN,         /* a program: as FILE */
    SPATE_INPUT_LIBRARY,     /* was linked against: its interface (elf/promise.h); without one as FILE */
    SPATE_INPUT_LOOKED,      /* stat was called: type, mode and a regular file's size; or that access is denied */
    SPATE_INPUT_LINK,        /* a symlink: its target's text */
    SPATE_INPUT_LISTED,      /* a folder: the names in it and their types */
    SPATE_INPUT_ABSENT,      /* must not exist */
    SPATE_INPUT_ENVIRONMENT, /* a variable: its value, or that it is not set */
    SPATE_INPUT_PROCESSOR,   /* this machine's kind of processor (machine/processor.h) */
    SPATE_INPUT_KINDS
} spate_input_kind;

/* "file", "environment". Never NULL. */
const char *spate_input_kind_name(spate_input_kind kind);

enum {
    SPATE_INPUT_NOFOLLOW = 1, /* FILE, RUN, LIBRARY, LOOKED: of a symlink itself, as lstat and O_NOFOLLOW see it */
    SPATE_INPUT_MTIME = 2,    /* LOOKED: its mtime matters too */
    SPATE_INPUT_TYPE = 16,    /* LOOKED: only its type matters; 4 and 8 are used by the format */
};

typedef struct spate_input {
    spate_input_kind kind;
    uint32_t flags;
    const char *path;      /* absolute; of ENVIRONMENT the name, of PROCESSOR unused */
    const uint8_t *sha256; /* the content that was read, if known: any other is refused now. NULL: not known */
} spate_input;

/* A folder whose place differs between machines. */
typedef struct spate_inputs_root {
    const char *name; /* in the record: "bundle", "home" */
    const char *path; /* here: absolute, clean */
} spate_inputs_root;

/* Where a record is made or checked. All borrowed. */
typedef struct spate_inputs_place {
    const spate_inputs_root *roots;
    size_t root_count;
    const char *const *environment; /* "NAME=value", NULL at the end; NULL: no variables */
    const char *processor;          /* NULL: /proc/cpuinfo */
} spate_inputs_place;

/* ---- making one ---- */

typedef struct spate_inputs_options {
    bool portable;    /* no stamps: for another machine */
    unsigned threads; /* that hash; 0: one per processor, at most 4 */
} spate_inputs_options;

/*
 * Looks at everything, hashes and writes the record atomically. Of duplicates one is kept. SPATE_STALE with the path as
 * error.member: it does not exist (ABSENT: it does), or has changed since it was read. A path that cannot be read as a
 * file (a device, a folder) is recorded as LOOKED, and a missing LOOKED as ABSENT. SPATE_SYSTEM: it cannot be read, or
 * the record cannot be written. SPATE_CORRUPT: a path that is not absolute.
 */
spate_status spate_inputs_write(const char *path, const spate_input *inputs, size_t count,
                                const spate_inputs_place *place, const spate_inputs_options *options,
                                const spate_cancel *cancel, spate_error *error);

/* ---- reading one ---- */

typedef struct spate_inputs spate_inputs;

/* SPATE_STALE for anything incomplete or of another version, SPATE_SYSTEM if it cannot be read. */
spate_status spate_inputs_open(spate_inputs **record, const char *path, spate_error *error);
/* The same over bytes, which are copied. */
spate_status spate_inputs_parse(spate_inputs **record, const uint8_t *bytes, size_t length, spate_error *error);
void spate_inputs_close(spate_inputs *record);

/* Removes the stamps, for another machine, and returns the bytes, which are valid as long as the record. */
const uint8_t *spate_inputs_portable(spate_inputs *record, size_t *length);

/* One input as it was recorded; its strings are valid only during the call. */
typedef struct spate_inputs_item {
    spate_input_kind kind;
    uint32_t flags;
    const char *root;      /* its name, NULL if the path is absolute */
    const char *path;      /* below the root ("." for the root itself); or a variable's name; "" of PROCESSOR */
    const uint8_t *sha256; /* NULL: LOOKED, LINK, ABSENT, a variable that is not set */
    const char *target;    /* LINK, else NULL; below target_root, if there is one */
    const char *target_root;
    uint32_t mode; /* st_mode, or 0 without one */
    uint64_t size; /* bytes, of regular files */
    bool stamped;  /* has a stamp that may save a look */
} spate_inputs_item;

/* Calls back in the record's order. SPATE_LIMIT if a path is too long. */
spate_status spate_inputs_each(const spate_inputs *record, void (*visit)(void *context, const spate_inputs_item *item),
                               void *context);

/* ---- checking one ---- */

/*
 * A memo of looks, shared by the checks of many records: each path is looked at once. It is not refreshed: use it for
 * one decision, or until spate_inputs_memo_forget. From any thread; checks with the same memo wait for each other.
 */
typedef struct spate_inputs_memo spate_inputs_memo;
spate_status spate_inputs_memo_new(spate_inputs_memo **memo);
void spate_inputs_memo_forget(spate_inputs_memo *memo);
void spate_inputs_memo_free(spate_inputs_memo *memo);

typedef enum spate_inputs_change {
    SPATE_INPUTS_SAME,
    SPATE_INPUTS_CONTENT,    /* other bytes */
    SPATE_INPUTS_GONE,       /* is no longer there */
    SPATE_INPUTS_APPEARED,   /* was not there */
    SPATE_INPUTS_KIND,       /* a folder where a file was */
    SPATE_INPUTS_MODE,       /* permissions */
    SPATE_INPUTS_SIZE,       /* of what was only looked at */
    SPATE_INPUTS_TIME,       /* its mtime, where that matters */
    SPATE_INPUTS_LISTING,    /* a folder's names */
    SPATE_INPUTS_TARGET,     /* a link leads elsewhere */
    SPATE_INPUTS_VALUE,      /* of a variable, or it is set, or unset */
    SPATE_INPUTS_LIBRARY,    /* other name, versions or symbols */
    SPATE_INPUTS_PROCESSOR,  /* another kind */
    SPATE_INPUTS_UNREADABLE, /* it may be the same, but cannot be read */
    SPATE_INPUTS_ROOT,       /* a root that is unknown on this machine */
    SPATE_INPUTS_CHANGES
} spate_inputs_change;

/* "content", "gone". Never NULL. */
const char *spate_inputs_change_name(spate_inputs_change change);

typedef struct spate_inputs_answer {
    spate_inputs_change change;       /* SAME: unchanged */
    bool renew;                       /* unchanged, and spate_inputs_renew would save the next check some work */
    bool hashed;                      /* with `renew`: a file's content, too. A folder's times may differ each time */
    spate_input_kind kind;            /* of the changed input */
    char path[SPATE_INPUTS_PATH_MAX]; /* the changed input: a path here, a variable's name, a root's name */
} spate_inputs_answer;

/*
 * The first change found ends it. memo: may be NULL. A record is for one thread at a time. Fails only with
 * SPATE_NO_MEMORY.
 */
spate_status spate_inputs_check(spate_inputs *record, const spate_inputs_place *place, spate_inputs_memo *memo,
                                spate_inputs_answer *answer);
/* After an answer with `renew`: the record with the stamps that the check found, written to `path`. */
spate_status spate_inputs_renew(spate_inputs *record, const char *path, spate_error *error);

#endif
