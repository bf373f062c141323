/*
 * Enters directories below an open directory and creates missing ones. Each one is opened relative to its parent. So
 * paths need not be resolved from the root each time, and a symlink that replaces a directory is never followed, even
 * if it appears meanwhile.
 */
#ifndef SPATE_WALK_H
#define SPATE_WALK_H

#include "shared/status.h"

#include <limits.h>

/* Maximum number of directories that are kept open along the path. */
#define SPATE_WALK_STEPS 24

typedef struct spate_walk {
    int base;   /* not owned */
    bool there; /* set if directories probably exist: try to open them before creating them */
    unsigned depth;
    struct {
        size_t end; /* length of the step's path in `path` */
        int folder;
    } steps[SPATE_WALK_STEPS];
    char path[PATH_MAX]; /* path of the last step, relative to the base */
} spate_walk;

/* `base` is an open directory, which must stay open during the walk. */
void spate_walk_begin(spate_walk *walk, int base);
/*
 * Enters a directory, creating missing ones. `path` is a clean relative path of `length` bytes; a length of 0 is the
 * base itself. Returns a descriptor that is valid until the next call, or -1 with errno set (ENOTDIR if a component is
 * not a directory). Unless `made` is NULL, sets *made to whether the last directory was created by this call.
 */
int spate_walk_to(spate_walk *walk, const char *path, size_t length, bool *made);
void spate_walk_end(spate_walk *walk);
/* Returns the length of the directory part of a path; 0 if it has none. */
size_t spate_folder_length(const char *path, size_t length);

#endif
