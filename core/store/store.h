/*
 * The content-addressed store: objects/ab/<sha256>-<mode>, each file's content once for each mode.
 * An object appears atomically: it is created by link(2) or rename(2), never written in place.
 */
#ifndef SPATE_STORE_H
#define SPATE_STORE_H

#include "manifest/manifest.h"
#include "shared/status.h"
#include "store/way.h"

#include <sys/types.h>

typedef struct spate_store spate_store;

/* root is ".../store/v1". Creates missing folders (objects/00..ff lazily at the first write). A read-only store opens
 * too. */
spate_status spate_store_open(spate_store **store, const char *root, spate_error *error);
void spate_store_close(spate_store *store);
const char *spate_store_root(const spate_store *store);
/*
 * From now on an object counts only if this user or root owns it: a bundle that shares an inode may get another owner.
 * A new store accepts objects of any owner.
 */
void spate_store_own(spate_store *store, uid_t owner);
/* Arbitrates between extraction and linking of this store in this process. */
spate_way *spate_store_way(spate_store *store);

/* ".../objects/ab/<hash>-<octal mode>"; out has at least PATH_MAX bytes. */
void spate_store_object_path(const spate_store *store, const uint8_t sha256[SPATE_SHA256_BYTES], uint32_t mode,
                             char *out);

/* The same path from the folder of all objects, ".../objects", on: "ab/<hash>-<octal mode>". Points into `object`. */
const char *spate_store_object_name(const spate_store *store, const char *object);
/* That folder, opened to resolve such names from; -1 with errno set. */
int spate_store_objects(const spate_store *store);

/*
 * Whether bundles may share a file's inode with the store. Not if programs change such files in place for one project:
 * executables and machine code (strip, patchelf, programs that patch themselves).
 */
bool spate_store_shares(const char *path, uint32_t mode);

/*
 * Puts bytes into the store and, if tree_path is given, there too (it is in the same file system and does not exist;
 * its parents do): as a link, or a clone or copy of the object if it must not be shared. Does the least work: create
 * tree_path, write, fchmod, close, link into objects; if the object exists already, its content is compared and it is
 * linked to tree_path instead. Fills entry's size, mtime_ns, mode and sha256.
 */
spate_status spate_store_put(spate_store *store, const uint8_t *bytes, size_t length, uint32_t mode,
                             const char *tree_path, spate_entry *entry, spate_error *error);

/* Open folders of the objects and of a tree, or AT_FDCWD: resolving their long paths for each file would be slow. */
typedef struct spate_store_folders {
    int objects;
    int tree;
    size_t tree_length; /* bytes of a tree_path that lead to the tree */
} spate_store_folders;

/* The same, below these folders. */
spate_status spate_store_put_in(spate_store *store, const spate_store_folders *folders, const uint8_t *bytes,
                                size_t length, uint32_t mode, const char *tree_path, spate_entry *entry,
                                spate_error *error);

/*
 * The same for content in pieces; the object's name is known only at the end. finish frees the file and
 * fills the entry; abandon frees it and leaves nothing.
 */
typedef struct spate_store_file spate_store_file;
spate_status spate_store_file_begin(spate_store *store, spate_store_file **file, uint32_t mode, const char *tree_path,
                                    spate_error *error);
spate_status spate_store_file_write(spate_store_file *file, const void *bytes, size_t length, spate_error *error);
spate_status spate_store_file_finish(spate_store_file *file, spate_entry *entry, spate_error *error);
void spate_store_file_abandon(spate_store_file *file);

/*
 * Makes an object from a build's file: a clone or copy, since the file belongs to its project alone. It gets
 * the object's mtime and loses setuid and the like.
 */
spate_status spate_store_adopt(spate_store *store, const char *path, spate_entry *entry, spate_error *error);

typedef enum spate_object_state { SPATE_OBJECT_GOOD, SPATE_OBJECT_MISSING, SPATE_OBJECT_CHANGED } spate_object_state;
/*
 * Compares stat and owner with the entry. With `hash` the content is read as well, and GOOD then means that it is
 * correct even if the mtime differs; *mtime_ns, if given, is set to the object's.
 */
spate_status spate_store_examine(spate_store *store, const spate_entry *entry, bool hash, spate_object_state *state,
                                 int64_t *mtime_ns, spate_error *error);
/*
 * The same by a stat alone, for the object `name` of an open folder: see spate_store_objects. Errors name `object`.
 */
spate_status spate_store_look(const spate_store *store, int folder, const char *name, const char *object,
                              const spate_entry *entry, spate_object_state *state, int64_t *mtime_ns,
                              spate_error *error);

#endif
