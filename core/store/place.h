/* One object or symlink to its place in a tree: linked, cloned or copied, over whatever file is there. */
#ifndef SPATE_PLACE_H
#define SPATE_PLACE_H

#include "link/link.h"

#include <stdatomic.h>

/* What a tree's file system turned out to allow; shared by the threads that fill the tree. */
typedef struct spate_placing {
    bool fresh; /* nothing was there before: a name that is taken is another one's of this tree, for this file system */
    atomic_bool links;
    atomic_bool clones;
} spate_placing;

/* Whether link(2) that failed so can never work in this place; of a full inode (EMLINK) the next one knows nothing. */
bool spate_place_never_links(int number);

void spate_placing_begin(spate_placing *placing, spate_link_method method);

/* The place's folder exists. Copies and clones carry the entry's mode and mtime. A file or symlink that is there
 * already stays where it is the object itself and may be, and is replaced whole otherwise; a folder is an error, and in
 * a fresh tree anything (EEXIST). */
spate_status spate_place_file(spate_placing *placing, const char *object, const char *path, const spate_entry *entry,
                              bool *copied, spate_error *error);
/* A clone or copy of the object where nothing is yet. */
spate_status spate_place_new(const char *object, const char *path, const spate_entry *entry, spate_error *error);
spate_status spate_place_symlink(spate_placing *placing, const char *target, const char *path, spate_error *error);

#endif
