/* Reads every object of a manifest and compares its content, on several threads. */
#ifndef SPATE_VERIFY_H
#define SPATE_VERIFY_H

#include "base/pool.h"
#include "store/store.h"

/*
 * *damaged is malloc'ed: the indexes, in order, of entries whose object is missing or changed. The mtimes of the good
 * ones are noted in the manifest. An unreadable object ends it: the first failure is returned.
 */
spate_status spate_verify_manifest(spate_store *store, spate_pool *pool, const spate_manifest *manifest,
                                   const spate_cancel *cancel, size_t **damaged, size_t *count, spate_error *error);

#endif
