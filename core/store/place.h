/* Places one object or symlink in a tree: linked, cloned or copied, replacing an existing file. */
#ifndef SPATE_PLACE_H
#define SPATE_PLACE_H

#include "link/link.h"

#include <stdatomic.h>

/* The detected features of a tree's file system. Shared by the threads that fill the tree. */
typedef struct spate_placing {
    bool fresh; /* the tree is new: an existing name is another name of the tree that this file system treats as
                 * equal */
    atomic_bool links;
    atomic_bool clones;
} spate_placing;

/* A file as a name in an open folder (AT_FDCWD for a path), plus its whole path for messages. */
typedef struct spate_spot {
    int folder;
    const char *name;
    const char *path;
} spate_spot;

/* Whether this errno of link(2) means that links can never work here. Not EMLINK, which concerns only one inode. */
bool spate_place_never_links(int number);

void spate_placing_begin(spate_placing *placing, spate_link_method method);

/*
 * The spot's folder must exist. Copies and clones get the entry's mode and mtime. An existing file or symlink is kept
 * if it is the object itself and may be linked; otherwise it is replaced atomically. An existing folder is an error
 * and, in a fresh tree, any existing entry is (EEXIST).
 */
spate_status spate_place_file(spate_placing *placing, const spate_spot *object, const spate_spot *spot,
                              const spate_entry *entry, bool *copied, spate_error *error);
/* Creates a clone or copy of the object at a path that must not exist. */
spate_status spate_place_new(const char *object, const char *path, const spate_entry *entry, spate_error *error);
/* fresh: see spate_placing. */
spate_status spate_place_symlink(bool fresh, const char *target, const spate_spot *spot, spate_error *error);
/* Creates a file with the given content and mode. Replaces an existing file. */
spate_status spate_place_text(const void *text, size_t length, mode_t mode, const spate_spot *spot, spate_error *error);

#endif
