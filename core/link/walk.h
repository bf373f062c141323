/*
 * Goes from folder to folder below an open one, and creates missing ones. Folders are entered one by one from open
 * ones, so that paths are not resolved from the root each time, and a symlink in a folder's place is never followed,
 * no matter when it appears.
 */
#ifndef SPATE_WALK_H
#define SPATE_WALK_H

#include "shared/status.h"

#include <limits.h>

/* The number of folders kept open on the way. */
#define SPATE_WALK_STEPS 24

typedef struct spate_walk {
    int base;   /* borrowed */
    bool there; /* set when folders are expected to exist: they are opened before they are created */
    unsigned depth;
    struct {
        size_t end; /* of its path in `path` */
        int folder;
    } steps[SPATE_WALK_STEPS];
    char path[PATH_MAX]; /* of the last step, relative to the base */
} spate_walk;

/* base: an open folder, for as long as the walk lasts. */
void spate_walk_begin(spate_walk *walk, int base);
/*
 * Goes to a folder: a clean relative path of `length` bytes, 0 for the base itself. Returns its descriptor, valid until
 * the next call; -1 with errno set, ENOTDIR for a non-folder on the way. *made, if given, is set to whether the folder
 * itself was created now.
 */
int spate_walk_to(spate_walk *walk, const char *path, size_t length, bool *made);
void spate_walk_end(spate_walk *walk);
/* The length of the part of a path that leads to its folder; 0 if it has one part. */
size_t spate_folder_length(const char *path, size_t length);

#endif
