/*
 * The content-addressed store. The file objects/ab/<sha256>-<mode> contains one content with one mode. Objects appear
 * atomically: they are created with link(2) or rename(2) and never written in place.
 */
#ifndef SPATE_STORE_H
#define SPATE_STORE_H

#include "base/pool.h"
#include "manifest/manifest.h"
#include "shared/status.h"

#include <stdatomic.h>
#include <sys/types.h>

/*
 * Gives linking priority over extraction: linking is short and a user waits for it, but extraction can take minutes.
 * While a link job runs, extraction pauses for up to twice its work time, so that linking gets most of the processor
 * time.
 */

/* Initialize with zeros. */
typedef struct spate_way {
    atomic_uint linking; /* number of running calls of spate_link */
} spate_way;

void spate_way_take(spate_way *way);
void spate_way_leave(spate_way *way);
/* Called by extraction between two files. Pauses while a link job runs. */
void spate_way_give(spate_way *way);

typedef struct spate_store spate_store;

/* Opens the store at `root` (".../store/v1"). Creates missing directories; objects/00 to ff are created by the first
 * write to them. A read-only store can be opened too. */
spate_status spate_store_open(spate_store **store, const char *root, spate_error *error);
void spate_store_close(spate_store *store);
const char *spate_store_root(const spate_store *store);
/*
 * From now on accepts only objects that belong to this user or root, because the owner of a shared file can change it.
 * A newly opened store accepts any owner.
 */
void spate_store_own(spate_store *store, uid_t owner);
/* For the coordination of extraction and linking within this process. */
spate_way *spate_store_way(spate_store *store);

/* Writes ".../objects/ab/<hash>-<octal mode>" to `out`, which must have PATH_MAX bytes. */
void spate_store_object_path(const spate_store *store, const uint8_t sha256[SPATE_SHA256_BYTES], uint32_t mode,
                             char *out);

/* Returns the part of the path after ".../objects/", which is "ab/<hash>-<octal mode>". */
const char *spate_store_object_name(const spate_store *store, const char *object);
/* Opens the objects directory, in which such names can be resolved. Returns -1 with errno set on failure. */
int spate_store_objects(const spate_store *store);

/*
 * Whether a file in a bundle may share its inode with the object. False for files that programs modify in place for one
 * project: executables and machine code (strip, patchelf, self-modifying programs).
 */
bool spate_store_shares(const char *path, uint32_t mode);

/*
 * Creates an object with this content. If `tree_path` is given, also creates that file as a link to the object, or as a
 * clone or copy if it must not be shared. tree_path must be on the same file system and must not exist; its parents
 * must exist. Sets size, mtime_ns, mode and sha256 of the entry.
 *
 * To save system calls, creates tree_path and links it into objects. If the object already exists, compares its content
 * and links tree_path to it instead.
 */
spate_status spate_store_put(spate_store *store, const uint8_t *bytes, size_t length, uint32_t mode,
                             const char *tree_path, spate_entry *entry, spate_error *error);

/* Open directories, or AT_FDCWD. They avoid resolving a long path for each file. */
typedef struct spate_store_folders {
    int objects;
    int tree;
    size_t tree_length; /* length of the prefix of `tree_path` that is the tree */
} spate_store_folders;

/* Like spate_store_put, but resolves names relative to these directories. */
spate_status spate_store_put_in(spate_store *store, const spate_store_folders *folders, const uint8_t *bytes,
                                size_t length, uint32_t mode, const char *tree_path, spate_entry *entry,
                                spate_error *error);

/*
 * Like spate_store_put, for content that is written in pieces. finish releases the file and sets the entry; abandon
 * releases it and removes what was written.
 */
typedef struct spate_store_file spate_store_file;
spate_status spate_store_file_begin(spate_store *store, spate_store_file **file, uint32_t mode, const char *tree_path,
                                    spate_error *error);
spate_status spate_store_file_write(spate_store_file *file, const void *bytes, size_t length, spate_error *error);
spate_status spate_store_file_finish(spate_store_file *file, spate_entry *entry, spate_error *error);
void spate_store_file_abandon(spate_store_file *file);

/*
 * Creates an object from a file of a build, by cloning or copying it, because the file itself belongs to one project.
 * The file gets the object's mtime and loses setuid, setgid and sticky bits.
 */
spate_status spate_store_adopt(spate_store *store, const char *path, spate_entry *entry, spate_error *error);

typedef enum spate_object_state { SPATE_OBJECT_GOOD, SPATE_OBJECT_MISSING, SPATE_OBJECT_CHANGED } spate_object_state;
/*
 * Compares the object's stat and owner with the entry. With `hash`, also verifies the content; the mtime may differ
 * then. Sets *mtime_ns to the object's mtime unless it is NULL.
 */
spate_status spate_store_examine(spate_store *store, const spate_entry *entry, bool hash, spate_object_state *state,
                                 int64_t *mtime_ns, spate_error *error);
/*
 * Like spate_store_examine without hash, for the object `name` in an open directory: see spate_store_objects. Errors
 * mention `object`.
 */
spate_status spate_store_look(const spate_store *store, int folder, const char *name, const char *object,
                              const spate_entry *entry, spate_object_state *state, int64_t *mtime_ns,
                              spate_error *error);

/* ---- verification of all objects of a manifest, on several threads ---- */

/*
 * Sets *damaged to the sorted indexes of entries whose object is missing or changed; the caller frees it. Records the
 * mtimes of good objects in the manifest. Stops at the first object that cannot be read and returns that failure.
 */
spate_status spate_verify_manifest(spate_store *store, spate_pool *pool, const spate_manifest *manifest,
                                   const spate_cancel *cancel, size_t **damaged, size_t *count, spate_error *error);

#endif
