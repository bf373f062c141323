/* A pool of threads that process numbered jobs, and functions to time a phase. */
#ifndef CREW_H
#define CREW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

struct crew {
    atomic_size_t next;
    size_t count;
    size_t step;
    void (*work)(size_t index);
};

static void *crew_member(void *argument) {
    struct crew *crew = argument;
    for (size_t begin; (begin = atomic_fetch_add(&crew->next, crew->step)) < crew->count;)
        for (size_t i = begin; i < begin + crew->step && i < crew->count; i++)
            crew->work(i);
    return NULL;
}

/* Runs work(0) to work(count - 1). Each thread claims `step` jobs at a time. */
static inline void run(unsigned threads, size_t count, size_t step, void (*work)(size_t index)) {
    struct crew crew = {.count = count, .step = step, .work = work};
    pthread_t ids[64];
    for (unsigned i = 1; i < threads; i++)
        pthread_create(&ids[i], NULL, crew_member, &crew);
    crew_member(&crew);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6 + usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

#endif
