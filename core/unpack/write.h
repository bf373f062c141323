/* The second half of unpacking: writes the files of a listing to the store and the tree. */
#ifndef SPATE_UNPACK_WRITE_H
#define SPATE_UNPACK_WRITE_H

#include "unpack/listing.h"

typedef struct spate_writing {
    spate_store *store;
    spate_pool *pool;           /* NULL to use no threads */
    spate_listing *listing;     /* the entries are completed */
    const char *tree;           /* NULL to create only objects */
    const spate_cancel *cancel; /* may be NULL */
    bool tree_made;             /* result: the tree was created and must be removed after a failure */
    spate_store_folders open;   /* result: open directories */
} spate_writing;

/* Creates the tree, which must not exist, and its directories. Call spate_write_end afterwards, even after a
 * failure. */
spate_status spate_write_folders(spate_writing *writing, spate_error *error);
void spate_write_end(spate_writing *writing);
/* Writes the files, in memory mode. */
spate_status spate_write_memory(spate_writing *writing, spate_error *error);
/* Writes the files, in stream mode. `tar` must be a new stream over the same archive. Uses at most `memory` bytes for
 * payloads. */
spate_status spate_write_stream(spate_writing *writing, spate_tar *tar, size_t memory, spate_error *error);
/* Creates the symlinks and sets the modes of directories. Symlinks come last, so that no file is written through
 * them. */
spate_status spate_write_rest(spate_writing *writing, spate_error *error);

#endif
