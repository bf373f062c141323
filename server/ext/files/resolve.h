#ifndef SPATE_SERVER_RESOLVE_H
#define SPATE_SERVER_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* A folder below which everything lies that is served. Its descriptor never reads; it holds the folder in place. */
typedef struct spate_root {
    int fd;
    char *path;   /* without links and without a slash at its end ("" for "/"); malloc'd */
    bool beneath; /* whether openat2 may be tried */
    bool links;   /* whether symbolic links are followed */
} spate_root;

typedef enum spate_kind { SPATE_REGULAR, SPATE_DIRECTORY, SPATE_SPECIAL } spate_kind;

/* What a path led to. */
typedef struct spate_place {
    int fd; /* a regular file's to read from, a directory's to look into, else -1 */
    spate_kind kind;
    uint64_t device, inode, size;
    int64_t atime, mtime, ctime; /* nanoseconds since 1970 */
} spate_place;

/* All of these answer 0 or an errno. */

int spate_root_open(const char *path, bool beneath, bool links, spate_root *root);
void spate_root_close(spate_root *root);

/*
 * Follows `path` (no slash first, "" for the root itself) from the root. Symbolic links are followed as long as they stay
 * below it; one that leads out is EXDEV. Of a root without links one is ELOOP, ENOTDIR or a special file. A special file (pipe, device, socket) is found and never opened. With `read` a
 * regular file is opened for reading: EACCES where it may not be.
 */
int spate_resolve(spate_root *root, const char *path, bool read, spate_place *place);

/* What lies at `path` now, by one system call and without asking whether it is still below the root. */
int spate_look(const spate_root *root, const char *path, spate_place *place);

/* Sets when what lies at `path` was last used; its other times stay. A link is not followed. */
int spate_used(const spate_root *root, const char *path);

void spate_place_read(const struct stat *status, spate_place *place);
/* The same file with the same content, as far as size, times and inode tell. */
bool spate_place_same(const spate_place *one, const spate_place *other);

#endif
