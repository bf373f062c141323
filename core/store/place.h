/* Creates one file or symlink in a tree as a link, clone or copy of an object. Replaces an existing file. */
#ifndef SPATE_PLACE_H
#define SPATE_PLACE_H

#include "link/link.h"

#include <stdatomic.h>

/* The abilities of the tree's file system. The threads that fill the tree share it. */
typedef struct spate_placing {
    bool fresh; /* the tree is new; if a name exists, the file system considers it equal to a different name in the tree
                 * (case-insensitivity, for example) */
    atomic_bool links;
    atomic_bool clones;
} spate_placing;

/* A file: its name in an open directory (or a path, with AT_FDCWD), and its full path for messages. */
typedef struct spate_spot {
    int folder;
    const char *name;
    const char *path;
} spate_spot;

/* Whether this errno of link(2) means that hard links do not work here at all. EMLINK does not: it concerns only one
 * inode. */
bool spate_place_never_links(int number);

void spate_placing_begin(spate_placing *placing, spate_link_method method);

/*
 * Creates a file from an object. The spot's directory must exist. Copies and clones get the entry's mode and mtime. An
 * existing file or symlink is kept if it is already a link to the object and may be shared; otherwise it is replaced
 * atomically. An existing directory is an error. In a fresh tree, any existing entry is an error (EEXIST).
 */
spate_status spate_place_file(spate_placing *placing, const spate_spot *object, const spate_spot *spot,
                              const spate_entry *entry, bool *copied, spate_error *error);
/* Creates a clone or copy of the object. `path` must not exist. */
spate_status spate_place_new(const char *object, const char *path, const spate_entry *entry, spate_error *error);
/* Creates a symlink. For `fresh` see spate_placing. */
spate_status spate_place_symlink(bool fresh, const char *target, const spate_spot *spot, spate_error *error);
/* Creates a file with the given content and mode. Replaces an existing file. */
spate_status spate_place_text(const void *text, size_t length, mode_t mode, const spate_spot *spot, spate_error *error);

#endif
