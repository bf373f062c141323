/*
 * Enters folders below an open folder and creates missing ones. Folders are entered one by one from open ones, so that
 * paths are not resolved from the root each time, and a symlink in a folder's place is never followed, no matter when
 * it appears.
 */
#ifndef SPATE_WALK_H
#define SPATE_WALK_H

#include "shared/status.h"

#include <limits.h>

/* The number of folders kept open along the path. */
#define SPATE_WALK_STEPS 24

typedef struct spate_walk {
    int base;   /* borrowed */
    bool there; /* set if folders are expected to exist: opening is tried before creating */
    unsigned depth;
    struct {
        size_t end; /* length of the step's path in `path` */
        int folder;
    } steps[SPATE_WALK_STEPS];
    char path[PATH_MAX]; /* path of the last step, relative to the base */
} spate_walk;

/* base: an open folder, which must stay open during the walk. */
void spate_walk_begin(spate_walk *walk, int base);
/*
 * Enters a folder: a clean relative path of `length` bytes, 0 for the base itself. Returns its descriptor, valid until
 * the next call; -1 with errno set, ENOTDIR for a non-folder on the way. *made, if given, is set to whether the folder
 * itself was created now.
 */
int spate_walk_to(spate_walk *walk, const char *path, size_t length, bool *made);
void spate_walk_end(spate_walk *walk);
/* The length of a path's folder part; 0 if the path has only one part. */
size_t spate_folder_length(const char *path, size_t length);

#endif
