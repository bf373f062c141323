#define _GNU_SOURCE
#include "store/way.h"

#include "base/times.h"

/*
 * In nanoseconds: the minimum work time before a rest is worth a system call, and the maximum that counts, so that a
 * thread that was waiting does not rest for long.
 */
#define WORKED_LEAST INT64_C(1000000)
#define WORKED_MOST INT64_C(6000000)
#define REST_FACTOR 2
/*
 * A rest consists of steps of this many nanoseconds. It ends once no link job was seen after IDLE_STEPS steps in a row,
 * since there are gaps between two link jobs.
 */
#define REST_STEP INT64_C(250000)
#define IDLE_STEPS 2

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return spate_nanoseconds(time);
}

void spate_way_take(spate_way *way) {
    atomic_fetch_add_explicit(&way->linking, 1, memory_order_relaxed);
}

void spate_way_leave(spate_way *way) {
    atomic_fetch_sub_explicit(&way->linking, 1, memory_order_relaxed);
}

void spate_way_give(spate_way *way) {
    static _Thread_local int64_t begun;
    if (atomic_load_explicit(&way->linking, memory_order_relaxed) == 0)
        return;
    int64_t worked = now() - begun;
    if (worked < WORKED_LEAST)
        return;
    if (worked > WORKED_MOST)
        worked = WORKED_MOST;
    struct timespec step = {0, (long)REST_STEP};
    int idle = 0;
    for (int64_t rest = worked * REST_FACTOR; rest > 0 && idle < IDLE_STEPS; rest -= REST_STEP) {
        nanosleep(&step, NULL);
        idle = atomic_load_explicit(&way->linking, memory_order_relaxed) ? 0 : idle + 1;
    }
    begun = now();
}
