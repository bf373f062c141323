/* A thread pool that runs numbered jobs. Extraction and linking each have their own pool, so that neither blocks the
 * other. */
#ifndef SPATE_POOL_H
#define SPATE_POOL_H

#include "shared/status.h"

#include <stdatomic.h>

typedef struct spate_pool spate_pool;

/* `threads` must be at least 1. They are started by the first run. After a fork, the child starts new ones. */
spate_status spate_pool_new(spate_pool **pool, unsigned threads);
/* Calls work(context, i) once for each i < count, in any order, from the pool's threads and the calling thread. Returns
 * when all calls have returned. Concurrent callers take turns, one chunk at a time. */
spate_status spate_pool_run(spate_pool *pool, size_t count, void (*work)(void *context, size_t index), void *context);
void spate_pool_free(spate_pool *pool);

/* Returns the number of processors that this process may run on, at least 1. */
unsigned spate_processors(void);

/* The first failure among the jobs of a run. Zero it before use. */
typedef struct spate_failure {
    atomic_bool failed;
    spate_status status; /* status and error are read after the run */
    spate_error error;
} spate_failure;

/* Records a failure. Returns whether it is the first one; false for SPATE_OK. Thread-safe. */
bool spate_failure_note(spate_failure *failure, spate_status status, const spate_error *error);
static inline bool spate_failed(const spate_failure *failure) {
    return atomic_load_explicit(&failure->failed, memory_order_relaxed);
}
/* Call it after the run. `error` may be NULL. */
spate_status spate_failure_of(const spate_failure *failure, spate_error *error);

#endif
