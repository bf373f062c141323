/* The second half of unpacking: from a listing to objects in the store and files in the tree. */
#ifndef SPATE_UNPACK_WRITE_H
#define SPATE_UNPACK_WRITE_H

#include "unpack/listing.h"

typedef struct spate_writing {
    spate_store *store;
    spate_pool *pool;           /* NULL: serial */
    spate_listing *listing;     /* entries are filled in */
    const char *tree;           /* or NULL: objects only */
    const spate_cancel *cancel; /* or NULL */
    bool tree_made;             /* out: the tree exists and must be removed after a failure */
    spate_store_folders open;   /* out: while files are written */
} spate_writing;

/* Makes the tree, which must not exist, and its folders. spate_write_end has to follow, also after a failure. */
spate_status spate_write_folders(spate_writing *writing, spate_error *error);
void spate_write_end(spate_writing *writing);
/* Writes the files whose payloads the listing borrows. */
spate_status spate_write_memory(spate_writing *writing, spate_error *error);
/* The same from a stream over the archive that was listed; holds at most `memory` bytes of payloads. */
spate_status spate_write_stream(spate_writing *writing, spate_tar *tar, size_t memory, spate_error *error);
/* Symlinks, after all files so that none is written through them, and the folders' modes. */
spate_status spate_write_rest(spate_writing *writing, spate_error *error);

#endif
