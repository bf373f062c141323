/* Creates trees from manifests: the folders and the links to objects, on the linking pool. */
#ifndef SPATE_LINK_H
#define SPATE_LINK_H

#include "base/pool.h"
#include "store/store.h"

typedef enum spate_link_method { SPATE_LINK_HARD, SPATE_LINK_CLONE, SPATE_LINK_COPY } spate_link_method;

/* A tree to create. Several manifests are layered: a path in a later one wins (a cached build over its package). */
typedef struct spate_link_job {
    const spate_manifest *const *manifests;
    size_t manifest_count;
    const char *destination;  /* absolute; created, with parents */
    spate_link_method method; /* falls back from hard link to clone to copy; copies get the object's mtime */
    size_t guarded;           /* only for a check: length of the destination up to the first guarded folder; 0: none */
    /* filled in: */
    spate_status status;
    spate_error error;
    size_t linked;        /* files placed */
    size_t copied;        /* files that were copied (included in `linked`) */
    size_t damaged_entry; /* with SPATE_STALE: index in manifests[damaged_manifest] */
    size_t damaged_manifest;
} spate_link_job;

/*
 * Every object is statted (or hashed, if the manifest is of another boot) and compared with its entry before it is
 * linked. If an object differs, its job ends with SPATE_STALE and the object's entry; the other jobs continue. Returns
 * SPATE_OK if all jobs succeed.
 */
spate_status spate_link(spate_store *store, spate_pool *pool, spate_link_job *jobs, size_t count,
                        const spate_cancel *cancel);

/* A symlink or a small file to create outside of the trees. */
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
    /* filled in: */
    spate_status status; /* the first failure ends all */
    spate_error error;
    size_t made; /* number created or already correct */
} spate_links;

/*
 * Like spate_link, but below one folder, `root` (absolute, created if missing). The jobs' destinations are clean paths
 * relative to `root`, and no symlink below it is followed. Also creates the optional `links`, which replace symlinks
 * and files but not folders. Trees may be inside one another, and links in trees; their order does not matter, but jobs
 * sorted by destination resolve shared folders once.
 */
spate_status spate_link_below(spate_store *store, spate_pool *pool, const char *root, spate_link_job *jobs,
                              size_t count, spate_links *links, const spate_cancel *cancel);

/*
 * The mtime given to guarded folders, in nanoseconds. Adding or removing a name in a folder changes its mtime.
 */
#define SPATE_STILL_NS INT64_C(1000000000)

typedef enum spate_difference_kind {
    SPATE_FILE_MISSING,
    SPATE_FILE_CHANGED,
    SPATE_FILE_TYPE,
    SPATE_FOLDER_CHANGED, /* a guarded folder changed; reported for entry 0 */
} spate_difference_kind;
typedef struct spate_difference {
    size_t job;
    size_t manifest;
    size_t entry;
    spate_difference_kind kind;
} spate_difference;

/*
 * Compares (by lstat) every path of every job's tree with its entry. Below the destinations no symlink is followed: a
 * path below a symlink or a file is reported as another type. A file with several names must also belong to `owner` or
 * root (NULL: to any user), or another user could change it. *differences is malloc'ed, in job and path order.
 *
 * Guarded folders, from the one at `guarded` bytes of a destination down to the parent of the destination, must be
 * writable only for `owner` or root, and those below the first have the mtime SPATE_STILL_NS. If a guarded folder
 * differs, the rest of its tree is not checked.
 */
spate_status spate_check_trees(spate_pool *pool, const spate_link_job *jobs, size_t count, const uid_t *owner,
                               spate_difference **differences, size_t *difference_count, spate_error *error);

/* Whether each of the links exists below the root with the right target or content: same[index]. */
spate_status spate_check_links(spate_pool *pool, const char *root, const spate_symlink *links, size_t count, bool *same,
                               spate_error *error);

#endif
