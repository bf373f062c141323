/* Examines paths: stat fields and digests of the content, and a cache of both. */
#ifndef SPATE_INPUTS_LOOK_H
#define SPATE_INPUTS_LOOK_H

#include "digest/sha256.h"
#include "inputs/format.h"

#include <errno.h>

typedef enum inputs_digest {
    INPUTS_CONTENT, /* content of a regular file */
    INPUTS_PROMISE, /* interface of an ELF library: see elf/promise.h */
    INPUTS_NAMES,   /* names and types in a directory */
    INPUTS_DIGESTS
} inputs_digest;

typedef struct inputs_look {
    int reason; /* errno, or 0 if the path exists and the other fields are valid */
    uint32_t mode;
    uint64_t size;
    disk_stamp stamp; /* in this machine's byte order; the device comes from spate_times_device */
    uint8_t known;    /* bit n is set if digests[n] is valid */
    uint8_t digests[INPUTS_DIGESTS][SPATE_SHA256_LENGTH];
} inputs_look;

/* Calls stat or lstat. */
void spate_inputs_look(const char *path, bool follow, inputs_look *look);
/*
 * Computes a digest of the current content and updates *look. Returns 0 or an errno: ENOEXEC if the file is not a
 * library with a stable interface; EISDIR, ENOTDIR or ENXIO if the file type does not fit the digest; ENOMEM.
 */
int spate_inputs_digest(const char *path, bool follow, inputs_digest which, inputs_look *look);
/* Reads the target of a symlink and appends a NUL. Returns 0 or an errno. */
int spate_inputs_target(const char *path, char target[SPATE_INPUTS_PATH_MAX], size_t *length);

/* Whether a recorded stamp proves that the path did not change between the recording and `look`. */
bool spate_inputs_proves(const disk_stamp *recorded, const inputs_look *look);
/* Returns the stamp to record for `look`. All zero if it would prove nothing. */
disk_stamp spate_inputs_stamp(const inputs_look *look);

/* Whether this errno of stat means that the path does not exist. */
static inline bool inputs_means_absent(int reason) {
    return reason == ENOENT || reason == ENOTDIR;
}

/* ---- memo ---- */

void spate_inputs_memo_lock(spate_inputs_memo *memo);
void spate_inputs_memo_unlock(spate_inputs_memo *memo);
/*
 * Returns the inputs_look of a path, which is examined unless the memo has it. The pointer is valid until
 * spate_inputs_memo_forget. Returns NULL if out of memory.
 */
inputs_look *spate_inputs_memo_look(spate_inputs_memo *memo, const char *path, size_t length, bool follow);

/* Caches the result of spate_processor, which takes milliseconds on machines with many processors. */
spate_status spate_inputs_memo_processor(spate_inputs_memo *memo, const char *path, uint8_t out[SPATE_SHA256_LENGTH]);

/* ---- names in a directory ---- */

/*
 * SHA-256 over "<type><name>\0" for all names except "." and "..", sorted by name. The type is f, d, l, or o for all
 * others. Changes the read position of the open directory. Returns 0 or an errno.
 */
int spate_inputs_names(int descriptor, uint8_t out[SPATE_SHA256_LENGTH]);

#endif
