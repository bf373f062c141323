#include "profile.h"

#include <errno.h>
#include <pthread.h>
#include <ruby/debug.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

/* Exported by libruby, in no public header. Reads the thread's own data only. */
int ruby_thread_has_gvl_p(void);

/* Ticks between two drains; a drain may wait for Ruby's lock for 100 ms or two. A power of two. */
#define RING 512

/*
 * One writer at a time (`busy`), one reader (who holds Ruby's lock). The writer owns ring[written % RING], the reader
 * owns those from `taken` up to `written`.
 */
static spate_tick ring[RING];
static atomic_uint_fast64_t written, taken, missed;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static atomic_bool ticking;
static uint64_t cpu_before; /* the writer's */
static bool installed;

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t this_thread(void) {
#ifdef __linux__
    return (uint64_t)syscall(SYS_gettid);
#elif defined(__APPLE__)
    uint64_t number = 0;
    return pthread_threadid_np(NULL, &number) == 0 ? number : 0;
#else
    return (uint64_t)(uintptr_t)pthread_self();
#endif
}

/*
 * Frames are read on the thread that they belong to: the stack cannot change below the handler, and Ruby sets a frame up
 * whole before it points to it. During a collection objects may be on the move: no stack is read.
 */
static void note(spate_tick *tick) {
    uint64_t cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    tick->at = nanoseconds(CLOCK_MONOTONIC);
    tick->cpu = cpu - cpu_before;
    tick->thread = this_thread();
    tick->depth = 0;
    cpu_before = cpu;
    if (!ruby_native_thread_p()) {
        tick->kind = SPATE_TICK_FOREIGN;
        return;
    }
    bool locked = ruby_thread_has_gvl_p();
    tick->kind = locked ? SPATE_TICK_RUBY : SPATE_TICK_OUTSIDE;
    if (rb_during_gc()) {
        tick->kind = locked ? SPATE_TICK_GC : SPATE_TICK_FOREIGN;
        return;
    }
    tick->depth = rb_profile_frames(0, SPATE_TICK_DEPTH, tick->frames, tick->lines);
    if (tick->depth <= 0) {
        tick->depth = 0;
        tick->kind = SPATE_TICK_FOREIGN;
    }
}

static void on_tick(int number) {
    (void)number;
    if (!atomic_load_explicit(&ticking, memory_order_acquire)) return;
    int error = errno;
    if (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
        atomic_fetch_add(&missed, 1);
        errno = error;
        return;
    }
    uint_fast64_t at = atomic_load(&written);
    if (at - atomic_load_explicit(&taken, memory_order_acquire) < RING) {
        note(&ring[at % RING]);
        /* Not where a recording ended meanwhile and another one began: its ring has nothing of before. */
        if (!atomic_compare_exchange_strong(&written, &at, at + 1)) atomic_fetch_add(&missed, 1);
    } else {
        atomic_fetch_add(&missed, 1);
    }
    atomic_flag_clear_explicit(&busy, memory_order_release);
    errno = error;
}

static int set_timer(long interval) {
    struct itimerval timer;
    timer.it_interval.tv_sec = timer.it_value.tv_sec = interval / 1000000;
    timer.it_interval.tv_usec = timer.it_value.tv_usec = interval % 1000000;
    return setitimer(ITIMER_PROF, &timer, NULL) == 0 ? 0 : errno;
}

/* The handler stays for good: a signal that is still on its way when the timer stopped would end the process. */
static int install(void) {
    if (installed) return 0;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_tick;
    action.sa_flags = SA_RESTART;
    if (sigemptyset(&action.sa_mask) != 0 || sigaction(SIGPROF, &action, NULL) != 0) return errno;
    int status = pthread_atfork(NULL, NULL, spate_ticks_forget);
    installed = status == 0;
    return status;
}

int spate_ticks_start(long interval) {
    int status = install();
    if (status != 0) return status;
    atomic_store(&written, 0);
    atomic_store(&taken, 0);
    atomic_store(&missed, 0);
    cpu_before = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    atomic_store_explicit(&ticking, true, memory_order_release);
    status = set_timer(interval);
    if (status != 0) atomic_store(&ticking, false);
    return status;
}

int spate_ticks_stop(void) {
    int status = set_timer(0);
    atomic_store_explicit(&ticking, false, memory_order_release);
    /* A handler in another thread may be at work on its tick, for microseconds. */
    for (int tries = 0; tries < 1000 && atomic_flag_test_and_set(&busy); tries++) usleep(10);
    atomic_flag_clear(&busy);
    return status;
}

void spate_ticks_forget(void) {
    atomic_store(&ticking, false);
    atomic_store(&written, 0);
    atomic_store(&taken, 0);
    atomic_flag_clear(&busy);
}

const spate_tick *spate_ticks_first(void) {
    uint64_t at = atomic_load(&taken);
    return at < atomic_load_explicit(&written, memory_order_acquire) ? &ring[at % RING] : NULL;
}

void spate_ticks_done(void) {
    atomic_fetch_add_explicit(&taken, 1, memory_order_release);
}

void spate_ticks_mark(void) {
    uint64_t end = atomic_load_explicit(&written, memory_order_acquire);
    for (uint64_t at = atomic_load(&taken); at < end; at++) {
        const spate_tick *tick = &ring[at % RING];
        for (int index = 0; index < tick->depth; index++) rb_gc_mark(tick->frames[index]);
    }
}

uint64_t spate_ticks_missed(void) {
    return atomic_load(&missed);
}
