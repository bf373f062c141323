/* The state of a path: one lstat, the digests computed from the file, and the memo of both. */
#ifndef SPATE_INPUTS_LOOK_H
#define SPATE_INPUTS_LOOK_H

#include "digest/sha256.h"
#include "inputs/format.h"

#include <errno.h>

typedef enum inputs_digest {
    INPUTS_CONTENT, /* of a regular file */
    INPUTS_PROMISE, /* of an ELF library: see elf/promise.h */
    INPUTS_NAMES,   /* of a folder: names and types */
    INPUTS_DIGESTS
} inputs_digest;

typedef struct inputs_look {
    int reason; /* errno; 0: the path exists and the other fields are valid */
    uint32_t mode;
    uint64_t size;
    disk_stamp stamp; /* in this machine's byte order; the device is from spate_times_device */
    uint8_t known;    /* bit n is set if digest n is known */
    uint8_t digests[INPUTS_DIGESTS][SPATE_SHA256_LENGTH];
} inputs_look;

/* Calls stat once. */
void spate_inputs_look(const char *path, bool follow, inputs_look *look);
/*
 * Computes the digest of the current content and refreshes the look. Returns 0 or an errno: ENOEXEC if the file is not
 * a library with a promise; EISDIR, ENOTDIR or ENXIO if the file type does not fit the digest; ENOMEM.
 */
int spate_inputs_digest(const char *path, bool follow, inputs_digest which, inputs_look *look);
/* The target of a symlink, with a NUL; 0 or an errno. */
int spate_inputs_target(const char *path, char target[SPATE_INPUTS_PATH_MAX], size_t *length);

/* Whether a recorded stamp proves that the path has not changed between the recording and the look. */
bool spate_inputs_proves(const disk_stamp *recorded, const inputs_look *look);
/* The stamp of the look for a record. All zero if it would prove nothing. */
disk_stamp spate_inputs_stamp(const inputs_look *look);

/* Whether stat's errno means that the path does not exist. */
static inline bool inputs_means_absent(int reason) {
    return reason == ENOENT || reason == ENOTDIR;
}

/* ---- memo ---- */

void spate_inputs_memo_lock(spate_inputs_memo *memo);
void spate_inputs_memo_unlock(spate_inputs_memo *memo);
/*
 * The look at a path, taken now if the memo has none. Valid until the memo is forgotten. NULL if out of memory.
 */
inputs_look *spate_inputs_memo_look(spate_inputs_memo *memo, const char *path, size_t length, bool follow);

/* The result of spate_processor, computed once: it takes milliseconds on machines with many processors. */
spate_status spate_inputs_memo_processor(spate_inputs_memo *memo, const char *path, uint8_t out[SPATE_SHA256_LENGTH]);

/* The names in a folder, as one digest. */

/*
 * SHA-256 over "<type><name>\0" of all names except "." and "..", sorted; type: f, d, l, or o for anything else.
 * Changes the read position of the open folder. Returns 0 or an errno.
 */
int spate_inputs_names(int descriptor, uint8_t out[SPATE_SHA256_LENGTH]);

#endif
