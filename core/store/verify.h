/* Reads every object of a manifest and compares its content, on several threads. */
#ifndef SPATE_VERIFY_H
#define SPATE_VERIFY_H

#include "base/pool.h"
#include "store/store.h"

/*
 * *damaged is a malloc'ed array of the indexes, in order, of entries whose object is missing or changed. The mtimes of
 *   good objects are recorded in the manifest. Stops at the first unreadable object and returns its failure.
 */
spate_status spate_verify_manifest(spate_store *store, spate_pool *pool, const spate_manifest *manifest,
                                   const spate_cancel *cancel, size_t **damaged, size_t *count, spate_error *error);

#endif
