#define _GNU_SOURCE
#include "base/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Maximum number of jobs that a thread runs before it serves other callers. */
#define CHUNK_MAX 16

/* One call of spate_pool_run. It is on the caller's stack and linked into the pool while it has unclaimed jobs. */
typedef struct run {
    struct run *next;
    size_t count;
    size_t taken;
    size_t finished;
    void (*work)(void *context, size_t index);
    void *context;
    pthread_cond_t done;
} run;

struct spate_pool {
    pthread_mutex_t lock;
    pthread_cond_t work;
    run *first; /* the next run to be served */
    run *last;
    pthread_t *threads;
    unsigned size;    /* number of threads that work in parallel, including the caller */
    unsigned started; /* number of threads that have been started */
    bool stopping;
    pid_t owner; /* the process that started the threads */
};

static size_t chunk_of(const spate_pool *pool, const run *r) {
    size_t share = (r->count - r->taken) / ((size_t)pool->size * 4);
    return share < 1 ? 1 : share > CHUNK_MAX ? CHUNK_MAX : share;
}

static void append(spate_pool *pool, run *r) {
    r->next = NULL;
    if (pool->last)
        pool->last->next = r;
    else
        pool->first = r;
    pool->last = r;
}

static void unlink_run(spate_pool *pool, const run *r) {
    run **link = &pool->first;
    run *before = NULL;
    while (*link && *link != r) {
        before = *link;
        link = &(*link)->next;
    }
    if (!*link)
        return;
    *link = r->next;
    if (pool->last == r)
        pool->last = before;
}

/* Claims a chunk of `r` and runs it. The lock is held on entry and on return. */
static void serve(spate_pool *pool, run *r) {
    size_t begin = r->taken;
    size_t length = chunk_of(pool, r);
    r->taken += length;
    unlink_run(pool, r);
    if (r->taken < r->count)
        append(pool, r); /* at the end, so that other callers are served first */
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = begin; i < begin + length; i++)
        r->work(r->context, i);
    pthread_mutex_lock(&pool->lock);
    r->finished += length;
    if (r->finished == r->count)
        pthread_cond_signal(&r->done);
}

static void *thread_main(void *argument) {
    spate_pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    while (!pool->stopping)
        if (pool->first)
            serve(pool, pool->first);
        else
            pthread_cond_wait(&pool->work, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* If a thread cannot be started, the pool works with fewer: the caller always takes part. */
static void start_threads(spate_pool *pool) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    bool masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0; /* signals are handled by the program's own
                                                                     * threads */
    while (pool->started + 1 < pool->size) {
        if (pthread_create(&pool->threads[pool->started], NULL, thread_main, pool) != 0)
            break;
        pool->started++;
    }
    if (masked)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static spate_status prepare(spate_pool *pool) {
    pool->first = pool->last = NULL;
    pool->started = 0;
    pool->stopping = false;
    pool->owner = getpid();
    if (pthread_mutex_init(&pool->lock, NULL) != 0)
        return SPATE_NO_MEMORY;
    if (pthread_cond_init(&pool->work, NULL) != 0) {
        pthread_mutex_destroy(&pool->lock);
        return SPATE_NO_MEMORY;
    }
    return SPATE_OK;
}

spate_status spate_pool_new(spate_pool **pool, unsigned threads) {
    *pool = NULL;
    spate_pool *made = calloc(1, sizeof(*made));
    if (!made)
        return SPATE_NO_MEMORY;
    made->size = threads < 1 ? 1 : threads;
    made->threads = calloc(made->size, sizeof(*made->threads));
    if (!made->threads || prepare(made) != SPATE_OK) {
        free(made->threads);
        free(made);
        return SPATE_NO_MEMORY;
    }
    *pool = made;
    return SPATE_OK;
}

spate_status spate_pool_run(spate_pool *pool, size_t count, void (*work)(void *context, size_t index), void *context) {
    if (count == 0)
        return SPATE_OK;
    if (pool->size == 1 || count == 1) {
        for (size_t i = 0; i < count; i++)
            work(context, i);
        return SPATE_OK;
    }
    /* After a fork, the threads are gone and the state of the lock is unknown. */
    if (pool->owner != getpid() && prepare(pool) != SPATE_OK)
        return SPATE_NO_MEMORY;

    run r = {.count = count, .work = work, .context = context};
    if (pthread_cond_init(&r.done, NULL) != 0)
        return SPATE_NO_MEMORY;
    pthread_mutex_lock(&pool->lock);
    if (pool->started + 1 < pool->size)
        start_threads(pool);
    append(pool, &r);
    pthread_cond_broadcast(&pool->work);
    while (r.taken < r.count)
        serve(pool, &r);
    while (r.finished < r.count)
        pthread_cond_wait(&r.done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    pthread_cond_destroy(&r.done);
    return SPATE_OK;
}

unsigned spate_processors(void) {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) /* fails on machines with more than 1,024 processors */
        return (unsigned)CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : (unsigned)online;
}

bool spate_failure_note(spate_failure *failure, spate_status status, const spate_error *error) {
    if (status == SPATE_OK || atomic_exchange(&failure->failed, true))
        return false;
    failure->status = status;
    failure->error = *error;
    return true;
}

spate_status spate_failure_of(const spate_failure *failure, spate_error *error) {
    if (failure->status != SPATE_OK && error)
        *error = failure->error;
    return failure->status;
}

void spate_pool_free(spate_pool *pool) {
    if (!pool)
        return;
    if (pool->owner == getpid()) {
        pthread_mutex_lock(&pool->lock);
        pool->stopping = true;
        pthread_cond_broadcast(&pool->work);
        pthread_mutex_unlock(&pool->lock);
        for (unsigned i = 0; i < pool->started; i++)
            pthread_join(pool->threads[i], NULL);
        pthread_cond_destroy(&pool->work);
        pthread_mutex_destroy(&pool->lock);
    }
    free(pool->threads);
    free(pool);
}
