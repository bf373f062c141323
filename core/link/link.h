/* Creates trees from manifests, on the linking pool: directories, and links to objects in the store. */
#ifndef SPATE_LINK_H
#define SPATE_LINK_H

#include "base/pool.h"
#include "store/store.h"

typedef enum spate_link_method { SPATE_LINK_HARD, SPATE_LINK_CLONE, SPATE_LINK_COPY } spate_link_method;

/* A tree to create. Several manifests are layered: for equal paths, later ones win (a cached build over its
 * package). */
typedef struct spate_link_job {
    const spate_manifest *const *manifests;
    size_t manifest_count;
    const char *destination;  /* absolute path; created with its parents */
    spate_link_method method; /* falls back from hard link to clone to copy; copies get the object's mtime */
    size_t guarded;           /* only for spate_check_trees: length of the destination up to the first guarded
                               * directory; 0 for none */
    /* Set by the run: */
    spate_status status;
    spate_error error;
    size_t linked;        /* number of files placed */
    size_t copied;        /* number of copied files (included in `linked`) */
    size_t damaged_entry; /* with SPATE_STALE: index of the entry in manifests[damaged_manifest] */
    size_t damaged_manifest;
} spate_link_job;

/*
 * Creates the trees. Each object is compared with its entry before it is linked: with stat, or by hashing it if the
 * manifest is from before the last reboot. If an object differs, its job fails with SPATE_STALE and identifies the
 * entry; the other jobs continue. Returns SPATE_OK if all jobs succeed.
 */
spate_status spate_link(spate_store *store, spate_pool *pool, spate_link_job *jobs, size_t count,
                        const spate_cancel *cancel);

/* A symlink or small file to create outside the trees. */
typedef struct spate_symlink {
    const char *path;   /* clean, relative to the root; the parent folder is created */
    const char *target; /* NULL for a file */
    const char *text;   /* content of a file; NULL for a symlink */
    size_t length;
    uint32_t mode; /* & 07777, regardless of the umask */
} spate_symlink;

typedef struct spate_links {
    const spate_symlink *items;
    size_t count;
    /* Set by the run: */
    spate_status status; /* of the first failure, which ends the creation of links */
    spate_error error;
    size_t made; /* number created or already correct */
} spate_links;

/*
 * Like spate_link, but below a common directory `root` (absolute, created if missing). The destinations of the jobs are
 * clean paths relative to `root`, and no symlink below it is followed. Also creates the optional `links`, which replace
 * symlinks and files but not directories.
 *
 * Trees may be nested, and links may be inside trees. Their order does not matter, but if jobs are sorted by
 * destination, shared directories are resolved only once.
 */
spate_status spate_link_below(spate_store *store, spate_pool *pool, const char *root, spate_link_job *jobs,
                              size_t count, spate_links *links, const spate_cancel *cancel);

/* Guarded directories get this mtime, in nanoseconds. Adding or removing an entry changes it. */
#define SPATE_STILL_NS INT64_C(1000000000)

typedef enum spate_difference_kind {
    SPATE_FILE_MISSING,
    SPATE_FILE_CHANGED,
    SPATE_FILE_TYPE,
    SPATE_FOLDER_CHANGED, /* a guarded directory has changed; reported for entry 0 */
} spate_difference_kind;
typedef struct spate_difference {
    size_t job;
    size_t manifest;
    size_t entry;
    spate_difference_kind kind;
} spate_difference;

/*
 * Compares every path of every job's tree with its entry, using lstat. Below the destinations, no symlink is followed:
 * a path below a symlink or a file is reported as SPATE_FILE_TYPE. A file with several hard links must belong to
 * `owner` or root, otherwise another user could change it (NULL accepts any owner). *differences is allocated with
 * malloc and sorted by job and path.
 *
 * The guarded directories of a job are those from the first `guarded` bytes of its destination down to the parent of
 * the destination. They must be writable only by `owner` or root, and all but the first must have the mtime
 * SPATE_STILL_NS. If one differs, the rest of the tree is not checked.
 */
spate_status spate_check_trees(spate_pool *pool, const spate_link_job *jobs, size_t count, const uid_t *owner,
                               spate_difference **differences, size_t *difference_count, spate_error *error);

/* Sets same[index] to whether that link exists below `root` with the expected target or content. */
spate_status spate_check_links(spate_pool *pool, const char *root, const spate_symlink *links, size_t count, bool *same,
                               spate_error *error);

#endif
