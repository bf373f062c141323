/*
 * When and how to release the GVL. Releasing it costs only some 100 ns, but taking it back up to a time slice of 100 ms
 * if another thread computes. So it is held for inputs below SPATE_HOLD_BELOW bytes, and above that released once for
 * the whole buffer or stream step. benchmark/zlib shows the curve.
 */
#ifndef SPATE_ZLIB_RELEASE_H
#define SPATE_ZLIB_RELEASE_H

#include <ruby.h>

#include <stddef.h>

#include "base/interrupt.h"

#define SPATE_HOLD_BELOW ((size_t)8 * 1024)

/*
 * Runs `work` without the GVL until it is done. Interrupts that raise nothing (signal traps, Thread#wakeup) are handled
 * and the work goes on. Raises what an interrupt raises; the work has stopped by then and can be asked how far it came.
 * From Ruby 3.4 it is offered to a Fiber scheduler for offloading.
 */
void spate_release_stepwise(spate_stepwise work, void *context);

/*
 * Work in one piece that cannot be stopped (libdeflate). It runs on a thread of its own, which owns `context`: if an
 * exception occurs in the waiting Ruby thread, the work is left to finish. `context` is malloc'd; `finish` frees it,
 * without the GVL, if the work ended after the caller had left; otherwise the caller frees it. `keep` holds Ruby
 * objects (Strings) whose memory the work uses; they live until it ends.
 */
typedef struct spate_piece {
    void (*work)(void *context);
    void (*finish)(void *context);
    void *context;
    VALUE keep[2]; /* or Qnil */
} spate_piece;

/*
 * If it raises, the piece is left to itself, and `context` no longer belongs to the caller. False in the child process
 * if a signal's trap forked: nobody works there, and `context` is lost.
 */
bool spate_release_piece(const spate_piece *piece);

/* The same in place, for a short piece: not interrupted. If it raises, `finish` has run. */
void spate_release_moment(const spate_piece *piece);

/* Runs work that takes at most some milliseconds without the GVL, not interrupted. May raise before it began. */
void spate_release_briefly(void (*work)(void *context), void *context);

void spate_init_release(VALUE zlib);

#endif
