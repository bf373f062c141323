/*
 * The content-addressed store: objects/ab/<sha256>-<mode>, each file's content once for each mode.
 * An object appears atomically: it is created by link(2) or rename(2), never written in place.
 */
#ifndef SPATE_STORE_H
#define SPATE_STORE_H

#include "base/pool.h"
#include "manifest/manifest.h"
#include "shared/status.h"

#include <stdatomic.h>
#include <sys/types.h>

/*
 * Gives linking priority: it is short and a user waits for it, while extraction takes minutes. While a link job runs,
 * extraction rests for up to twice the time that it worked, so that linking gets most of the processors.
 */

/* Initialize with zeros. */
typedef struct spate_way {
    atomic_uint linking; /* calls of spate_link in progress */
} spate_way;

void spate_way_take(spate_way *way);
void spate_way_leave(spate_way *way);
/* Called by extraction between two files; costs nothing while no link job runs. */
void spate_way_give(spate_way *way);

typedef struct spate_store spate_store;

/* root is ".../store/v1". Creates missing folders (objects/00..ff at the first write). Also opens a read-only store. */
spate_status spate_store_open(spate_store **store, const char *root, spate_error *error);
void spate_store_close(spate_store *store);
const char *spate_store_root(const spate_store *store);
/*
 * Accepts only objects owned by this user or root from now on, since the owner of a file that a bundle shares may
 * change. A newly opened store accepts any owner.
 */
void spate_store_own(spate_store *store, uid_t owner);
/* Coordinates extraction and linking of this store in this process. */
spate_way *spate_store_way(spate_store *store);

/* ".../objects/ab/<hash>-<octal mode>"; out has at least PATH_MAX bytes. */
void spate_store_object_path(const spate_store *store, const uint8_t sha256[SPATE_SHA256_BYTES], uint32_t mode,
                             char *out);

/* The part of the path after ".../objects/": "ab/<hash>-<octal mode>". Points into `object`. */
const char *spate_store_object_name(const spate_store *store, const char *object);
/* Opens the objects folder, to resolve such names in it. Returns -1 and sets errno on failure. */
int spate_store_objects(const spate_store *store);

/*
 * Whether bundles may share a file's inode with the store. false for files that programs modify in place for one
 * project: executables and machine code (strip, patchelf, programs that patch themselves).
 */
bool spate_store_shares(const char *path, uint32_t mode);

/*
 * Puts bytes into the store and, if tree_path is given, also creates that file as a link or, if the object must not be
 * shared, as a clone or copy. tree_path must be on the same file system and must not exist; its parents must. Minimizes
 * system calls: creates tree_path, writes, sets the mode, closes and links it into objects. If the object already
 * exists, compares its content and links it to tree_path instead. Fills in the entry's size, mtime_ns, mode and sha256.
 */
spate_status spate_store_put(spate_store *store, const uint8_t *bytes, size_t length, uint32_t mode,
                             const char *tree_path, spate_entry *entry, spate_error *error);

/* Open folders of the objects and of a tree, or AT_FDCWD. They save resolving a long path for each file. */
typedef struct spate_store_folders {
    int objects;
    int tree;
    size_t tree_length; /* length of the prefix of tree_path that is the tree */
} spate_store_folders;

/* Like spate_store_put, but below these folders. */
spate_status spate_store_put_in(spate_store *store, const spate_store_folders *folders, const uint8_t *bytes,
                                size_t length, uint32_t mode, const char *tree_path, spate_entry *entry,
                                spate_error *error);

/*
 * Like spate_store_put for content in pieces. The object's name is known only at the end. finish frees the file and
 * fills in the entry; abandon frees it and removes what was written.
 */
typedef struct spate_store_file spate_store_file;
spate_status spate_store_file_begin(spate_store *store, spate_store_file **file, uint32_t mode, const char *tree_path,
                                    spate_error *error);
spate_status spate_store_file_write(spate_store_file *file, const void *bytes, size_t length, spate_error *error);
spate_status spate_store_file_finish(spate_store_file *file, spate_entry *entry, spate_error *error);
void spate_store_file_abandon(spate_store_file *file);

/*
 * Creates an object from a build's file as a clone or copy, since the file belongs only to its project. The file gets
 * the object's mtime and loses setuid, setgid and sticky bits.
 */
spate_status spate_store_adopt(spate_store *store, const char *path, spate_entry *entry, spate_error *error);

typedef enum spate_object_state { SPATE_OBJECT_GOOD, SPATE_OBJECT_MISSING, SPATE_OBJECT_CHANGED } spate_object_state;
/*
 * Compares stat and owner with the entry. With `hash`, also reads the content; GOOD then means that the content is
 * correct even if the mtime differs. *mtime_ns, if given, is set to the object's mtime.
 */
spate_status spate_store_examine(spate_store *store, const spate_entry *entry, bool hash, spate_object_state *state,
                                 int64_t *mtime_ns, spate_error *error);
/*
 * Like spate_store_examine, but only calls stat, for the object `name` of an open folder: see spate_store_objects.
 * Errors name `object`.
 */
spate_status spate_store_look(const spate_store *store, int folder, const char *name, const char *object,
                              const spate_entry *entry, spate_object_state *state, int64_t *mtime_ns,
                              spate_error *error);

/* Reads every object of a manifest and compares its content, on several threads. */

/*
 * *damaged is a malloc'ed array of the indexes, in order, of entries whose object is missing or changed. The mtimes of
 *   good objects are recorded in the manifest. Stops at the first unreadable object and returns its failure.
 */
spate_status spate_verify_manifest(spate_store *store, spate_pool *pool, const spate_manifest *manifest,
                                   const spate_cancel *cancel, size_t **damaged, size_t *count, spate_error *error);

#endif
