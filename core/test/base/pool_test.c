#include "test/scratch.h"

#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

static atomic_uchar seen[5000];

static void mark(void *context, size_t index) {
    (void)context;
    atomic_fetch_add(&seen[index], 1);
}

static void run_and_check(spate_pool *pool, size_t count) {
    memset((void *)seen, 0, sizeof(seen));
    CHECK_OK(spate_pool_run(pool, count, mark, NULL));
    for (size_t i = 0; i < 5000; i++)
        if (seen[i] != (i < count))
            CHECK_NUMBER(i < count, seen[i]);
}

TEST(every_job_runs_once) {
    for (unsigned threads = 1; threads < 6; threads++) {
        spate_pool *pool;
        CHECK_OK(spate_pool_new(&pool, threads));
        run_and_check(pool, 0);
        run_and_check(pool, 1);
        run_and_check(pool, 2);
        run_and_check(pool, 5000);
        spate_pool_free(pool);
    }
}

TEST(zero_threads_mean_one) {
    spate_pool *pool;
    CHECK_OK(spate_pool_new(&pool, 0));
    run_and_check(pool, 100);
    spate_pool_free(pool);
    spate_pool_free(NULL);
}

static atomic_uint first_failures;

static void fail_job(void *context, size_t index) {
    spate_error error;
    spate_status status = index % 2 ? SPATE_OK : spate_fail(&error, SPATE_CORRUPT, "", "job %zu", index);
    atomic_fetch_add(&first_failures, spate_failure_note(context, status, &error));
}

TEST(first_failure_is_returned) {
    spate_pool *pool;
    spate_failure failure = {0};
    spate_error error;
    CHECK_STATUS(SPATE_OK, spate_failure_of(&failure, NULL));
    CHECK_OK(spate_pool_new(&pool, 4));
    CHECK_OK(spate_pool_run(pool, 1000, fail_job, &failure));
    CHECK(spate_failed(&failure));
    CHECK_NUMBER(1, atomic_load(&first_failures));
    CHECK_STATUS(SPATE_CORRUPT, spate_failure_of(&failure, &error));
    CHECK_CONTAINS("job ", error.message);
    spate_pool_free(pool);
}

typedef struct caller {
    spate_pool *pool;
    size_t count;
    atomic_size_t done;
    spate_status status;
} caller;

static void count_job(void *context, size_t index) {
    caller *c = context;
    (void)index;
    usleep(10);
    atomic_fetch_add(&c->done, 1);
}

static void *call(void *argument) {
    caller *c = argument;
    c->status = spate_pool_run(c->pool, c->count, count_job, c);
    return NULL;
}

TEST(callers_share_the_pool) {
    enum { CALLERS = 8 };
    spate_pool *pool;
    caller callers[CALLERS];
    pthread_t threads[CALLERS];
    CHECK_OK(spate_pool_new(&pool, 3));
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (caller){.pool = pool, .count = 50 + 100 * (size_t)i};
        CHECK(pthread_create(&threads[i], NULL, call, &callers[i]) == 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_OK(callers[i].status);
        CHECK_NUMBER(callers[i].count, callers[i].done);
    }
    spate_pool_free(pool);
}

/* A short run is scheduled between the chunks of a long run, not after them. */
TEST(a_short_run_does_not_wait_for_a_long_one) {
    spate_pool *pool;
    pthread_t thread;
    CHECK_OK(spate_pool_new(&pool, 2));
    caller longer = {.pool = pool, .count = 20000};
    caller shorter = {.pool = pool, .count = 20};
    CHECK(pthread_create(&thread, NULL, call, &longer) == 0);
    while (atomic_load(&longer.done) < 50)
        usleep(100);
    call(&shorter);
    size_t done = atomic_load(&longer.done);
    pthread_join(thread, NULL);
    CHECK_NUMBER(20, shorter.done);
    CHECK(done < 20000);
    CHECK_NUMBER(20000, longer.done);
    spate_pool_free(pool);
}

#ifndef __SANITIZE_THREAD__ /* ThreadSanitizer does not allow threads in the child of a threaded program */
TEST(forked_child_has_its_own_threads) {
    spate_pool *pool;
    CHECK_OK(spate_pool_new(&pool, 4));
    run_and_check(pool, 1000);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(10); /* a child that waits for its parent's threads would wait forever */
        memset((void *)seen, 0, sizeof(seen));
        bool ran = spate_pool_run(pool, 1000, mark, NULL) == SPATE_OK;
        for (size_t i = 0; i < 1000; i++)
            ran = ran && seen[i] == 1;
        spate_pool_free(pool);
        _exit(ran ? 7 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK_NUMBER(7, WEXITSTATUS(status));
    run_and_check(pool, 1000);
    spate_pool_free(pool);
}
#endif
