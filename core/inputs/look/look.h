/* The state of a path: one lstat, the digests computed from the file, and the memo of both. */
#ifndef SPATE_INPUTS_LOOK_H
#define SPATE_INPUTS_LOOK_H

#include "inputs/format.h"

#include <errno.h>

typedef enum inputs_digest {
    INPUTS_CONTENT, /* of a regular file */
    INPUTS_PROMISE, /* of an ELF library: see elf/promise.h */
    INPUTS_NAMES,   /* of a folder: names and types */
    INPUTS_DIGESTS
} inputs_digest;

typedef struct inputs_look {
    int reason; /* errno; 0: something exists, described by the rest */
    uint32_t mode;
    uint64_t size;
    disk_stamp stamp; /* in this machine's byte order; device: of spate_times_device */
    uint8_t known;    /* bit n: digest n is known */
    uint8_t digests[INPUTS_DIGESTS][SPATE_SHA256_LENGTH];
} inputs_look;

/* One stat. */
void spate_inputs_look(const char *path, bool follow, inputs_look *look);
/*
 * The digest of the current content; refreshes the look with it. 0 or an errno: ENOEXEC if the file is not a library
 * with a promise, EISDIR, ENOTDIR and ENXIO if it is of another kind, ENOMEM.
 */
int spate_inputs_digest(const char *path, bool follow, inputs_digest which, inputs_look *look);
/* The target of a symlink, with a NUL; 0 or an errno. */
int spate_inputs_target(const char *path, char target[SPATE_INPUTS_PATH_MAX], size_t *length);

/* Whether a recorded stamp proves that the state found by the look has not changed since. */
bool spate_inputs_proves(const disk_stamp *recorded, const inputs_look *look);
/* The look's stamp for a record; all zero if it would prove nothing. */
disk_stamp spate_inputs_stamp(const inputs_look *look);

/* Nothing is there, as far as stat can tell. */
static inline bool inputs_means_absent(int reason) {
    return reason == ENOENT || reason == ENOTDIR;
}

/* ---- memo ---- */

void spate_inputs_memo_lock(spate_inputs_memo *memo);
void spate_inputs_memo_unlock(spate_inputs_memo *memo);
/*
 * The look at a path, taken now if there is none. Stays valid until the memo is forgotten. NULL: out of memory.
 */
inputs_look *spate_inputs_memo_look(spate_inputs_memo *memo, const char *path, size_t length, bool follow);

/* spate_processor, read once: with many processors it takes milliseconds. */
spate_status spate_inputs_memo_processor(spate_inputs_memo *memo, const char *path, uint8_t out[SPATE_SHA256_LENGTH]);

#endif
