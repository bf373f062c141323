/*
 * Releases the GVL. Releasing takes about 100 ns, but reacquiring up to a time slice of 100 ms if another thread is
 * busy. So the GVL is held for inputs below SPATE_HOLD_BELOW bytes, and otherwise released once for the whole buffer or
 * stream step. benchmark/zlib measures the effect.
 */
#ifndef SPATE_ZLIB_RELEASE_H
#define SPATE_ZLIB_RELEASE_H

#include <ruby.h>

#include <stddef.h>

#include "base/interrupt.h"

#define SPATE_HOLD_BELOW ((size_t)8 * 1024)

/*
 * Runs `work` without the GVL until it is done. Interrupts without an exception (signal traps, Thread#wakeup) are
 * handled, and the work continues. If an interrupt raises, the work has stopped and `context` has its progress. From
 * Ruby 3.4 on, a Fiber scheduler may offload the work.
 */
void spate_release_stepwise(spate_stepwise work, void *context);

/*
 * Work that cannot be interrupted (libdeflate). It runs on a separate thread: if the waiting Ruby thread raises, the
 * thread continues to the end and calls `finish`, without the GVL, to free `context`. Otherwise the caller frees it.
 * `context` is allocated by malloc. `keep` contains the Strings whose memory the work uses. They are marked until the
 * work ends.
 */
typedef struct spate_job {
    void (*work)(void *context);
    void (*finish)(void *context);
    void *context;
    VALUE keep[2]; /* Strings, or Qnil */
} spate_job;

/*
 * Runs a job and waits for it. If it raises, `context` no longer belongs to the caller. Returns false in a child
 * process forked by a signal trap: the thread does not exist there, and `context` is lost.
 */
bool spate_release_job(const spate_job *job);

/* Runs a short job on the current thread, without interrupts. If it raises, `finish` has run. */
void spate_release_job_in_place(const spate_job *job);

/* Runs work of a few milliseconds without the GVL and without interrupts. May raise before the work begins. */
void spate_release_briefly(void (*work)(void *context), void *context);

void spate_init_release(VALUE zlib);

#endif
