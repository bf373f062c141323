/*
 * A pool of threads that runs numbered jobs. Extraction and linking own one each,
 * so that neither starves the other.
 */
#ifndef SPATE_POOL_H
#define SPATE_POOL_H

#include "shared/status.h"

typedef struct spate_pool spate_pool;

/* threads >= 1; they start at the first run. Survives fork: a child starts its own. */
spate_status spate_pool_new(spate_pool **pool, unsigned threads);
/* Calls work(context, i) once for each i < count, from the pool's threads and the calling one, in any order;
 * returns when all are done. Several callers at once are served in turn by chunks: no caller waits for another's
 * whole run. */
spate_status spate_pool_run(spate_pool *pool, size_t count, void (*work)(void *context, size_t index), void *context);
unsigned spate_pool_threads(const spate_pool *pool);
void spate_pool_free(spate_pool *pool);

#endif
