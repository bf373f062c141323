#ifndef SPATE_SERVER_RESOLVE_H
#define SPATE_SERVER_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* The root directory of served files. Its descriptor only refers to the directory; it cannot be read. */
typedef struct spate_root {
    int fd;
    char *path;   /* real path without a trailing slash ("" for "/"); allocated by malloc */
    bool beneath; /* try openat2 */
    bool links;   /* follow symbolic links */
} spate_root;

typedef enum spate_kind { SPATE_REGULAR, SPATE_DIRECTORY, SPATE_SPECIAL } spate_kind;

/* A file or directory that a path leads to. */
typedef struct spate_place {
    int fd; /* readable descriptor of a regular file, or descriptor of a directory; -1 otherwise */
    spate_kind kind;
    uint64_t device, inode, size;
    int64_t atime, mtime, ctime; /* nanoseconds since 1970 */
} spate_place;

/* Functions that return int return 0 or an errno. A `path` below the root has no leading slash; "" is the root. */

/* Opens the directory `path`. On success the caller closes `root` by spate_root_close. */
int spate_root_open(const char *path, bool beneath, bool links, spate_root *root);
/* Closes the descriptor and frees the path. Safe to call twice. */
void spate_root_close(spate_root *root);

/*
 * Resolves `path` below the root. Symbolic links are followed while they stay below the root; a link that leads outside
 * fails with EXDEV. With `root->links` false, a link fails with ELOOP or ENOTDIR, or is returned as a special file.
 * Special files (pipe, device, socket) are never opened. With `read`, regular files are opened for reading (EACCES if
 * not permitted) and directories stay open: the caller closes place->fd.
 */
int spate_resolve(spate_root *root, const char *path, bool read, spate_place *place);

/* Calls stat on `path`: one system call. Does not check whether the path stays below the root. Sets place->fd to -1. */
int spate_root_stat(const spate_root *root, const char *path, spate_place *place);

/* Sets the access time to now, but not the mtime. Does not follow symbolic links. */
int spate_root_set_atime(const spate_root *root, const char *path);

/* Converts `status` to `place`. Does not change place->fd. */
void spate_place_read(const struct stat *status, spate_place *place);
/* Whether both places are the same file with unchanged content, by inode, size, mtime and ctime. */
bool spate_place_same(const spate_place *one, const spate_place *other);

#endif
