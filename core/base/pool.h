/* A pool of threads that runs numbered jobs. Extraction and linking own one each, so that neither starves the other. */
#ifndef SPATE_POOL_H
#define SPATE_POOL_H

#include "shared/status.h"

#include <stdatomic.h>

typedef struct spate_pool spate_pool;

/* threads >= 1; they start at the first run. Survives fork: a child starts its own. */
spate_status spate_pool_new(spate_pool **pool, unsigned threads);
/* Calls work(context, i) once for each i < count, from the pool's threads and the calling one, in any order;
 * returns when all are done. Several callers at once are served in turn by chunks: no caller waits for another's
 * whole run. */
spate_status spate_pool_run(spate_pool *pool, size_t count, void (*work)(void *context, size_t index), void *context);
void spate_pool_free(spate_pool *pool);

/* Processors that this process may run on, at least 1. */
unsigned spate_processors(void);

/* The first failure among the jobs of a run. Zero it to begin. */
typedef struct spate_failure {
    atomic_bool failed;
    spate_status status; /* these are read when the run is over */
    spate_error error;
} spate_failure;

/* Whether this is the first failure: false for SPATE_OK. From any thread. */
bool spate_failure_note(spate_failure *failure, spate_status status, const spate_error *error);
static inline bool spate_failed(const spate_failure *failure) {
    return atomic_load_explicit(&failure->failed, memory_order_relaxed);
}
/* After the run. `error` may be NULL. */
spate_status spate_failure_of(const spate_failure *failure, spate_error *error);

#endif
