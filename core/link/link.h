/* Makes trees from manifests: each folder, and in it each object's link, on the linking pool. */
#ifndef SPATE_LINK_H
#define SPATE_LINK_H

#include "base/pool.h"
#include "store/store.h"

typedef enum spate_link_method { SPATE_LINK_HARD, SPATE_LINK_CLONE, SPATE_LINK_COPY } spate_link_method;

/* One tree to make. Several manifests are layered: a path in a later one wins (a cached build over its package). */
typedef struct spate_link_job {
    const spate_manifest *const *manifests;
    size_t manifest_count;
    const char *destination;  /* absolute; made, with parents */
    spate_link_method method; /* falls back: hard -> clone -> copy; copies get the object's mtime */
    size_t guarded;           /* of a check: bytes of the destination up to the first guarded folder; 0: none */
    /* filled in: */
    spate_status status;
    spate_error error;
    size_t linked;        /* files placed */
    size_t copied;        /* of these, copied */
    size_t damaged_entry; /* with SPATE_STALE: index in manifests[damaged_manifest] */
    size_t damaged_manifest;
} spate_link_job;

/*
 * Every object is statted (or hashed, if the manifest is of another boot) and compared with its entry before it is
 * linked; if one differs, its job ends with SPATE_STALE and names it; the other jobs continue. SPATE_OK if all jobs
 * did.
 */
spate_status spate_link(spate_store *store, spate_pool *pool, spate_link_job *jobs, size_t count,
                        const spate_cancel *cancel);

/* A symlink or a small file to make outside of the trees. */
typedef struct spate_symlink {
    const char *path;   /* clean, relative to the root; its folder is created */
    const char *target; /* NULL: a file */
    const char *text;   /* of the file, else NULL */
    size_t length;
    uint32_t mode; /* & 07777, regardless of the umask */
} spate_symlink;

typedef struct spate_links {
    const spate_symlink *items;
    size_t count;
    /* filled in: */
    spate_status status; /* the first failure ends them */
    spate_error error;
    size_t made; /* or correct already */
} spate_links;

/*
 * The same below one folder, `root` (absolute, made if missing): the jobs' destinations are relative to it and clean,
 * below it no symlink is ever followed, and `links`, if given, are made, too, over other symlinks and files but not
 * folders. Trees may be inside one another, and links in trees; their order does not matter, but jobs sorted by
 * destination share the way.
 */
spate_status spate_link_below(spate_store *store, spate_pool *pool, const char *root, spate_link_job *jobs,
                              size_t count, spate_links *links, const spate_cancel *cancel);

/*
 * The mtime of unchanged guarded folders: each name that is added or removed there changes it. Nanoseconds.
 */
#define SPATE_STILL_NS INT64_C(1000000000)

typedef enum spate_difference_kind {
    SPATE_FILE_MISSING,
    SPATE_FILE_CHANGED,
    SPATE_FILE_TYPE,
    SPATE_FOLDER_CHANGED, /* a guarded one; of entry 0 */
} spate_difference_kind;
typedef struct spate_difference {
    size_t job;
    size_t manifest;
    size_t entry;
    spate_difference_kind kind;
} spate_difference;

/*
 * Compares (by lstat) every path of every job's tree with its entry. Below the destinations no symlink is followed:
 * a path behind one, or behind a file, counts as of another type. A file with several names must also belong to `owner`
 * or root (NULL: to any user), or another user could change it. *differences is malloc'ed, in job and path order.
 *
 * Guarded folders, from the one at `guarded` bytes of a destination down to the parent of the destination, must be
 * writable only for `owner` or root, and those below the first have the mtime SPATE_STILL_NS. If one is not, nothing
 * else of the tree is checked.
 */
spate_status spate_check_trees(spate_pool *pool, const spate_link_job *jobs, size_t count, const uid_t *owner,
                               spate_difference **differences, size_t *difference_count, spate_error *error);

/* Whether each of the links exists below the root with the right target or content: same[index]. */
spate_status spate_check_links(spate_pool *pool, const char *root, const spate_symlink *links, size_t count, bool *same,
                               spate_error *error);

#endif
