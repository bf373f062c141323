/*
 * Long work without the GVL.
 *
 * On the main thread the work gets a thread of its own, and the Ruby thread waits for it: signal traps, which Ruby runs
 * on the main thread, do run meanwhile. On other threads the work runs in place.
 * Work is cancelled by Spate::Native.cancel = true, and by an exception that is raised in the Ruby thread (Thread#kill,
 * Timeout, Interrupt). An interrupt that raises nothing cancels nothing: the work goes on, or is begun again.
 */
#ifndef SPATE_RELEASE_H
#define SPATE_RELEASE_H

#include "shared/status.h"

#include <ruby.h>

/* May be called several times for one call of spate_release, each time starting afresh. Must not touch Ruby. */
typedef spate_status (*spate_work)(void *context, const spate_cancel *cancel);

/* May raise, after the work has ended: free what the context owns in an rb_ensure. */
spate_status spate_release(spate_work work, void *context);

/* The flag behind Spate::Native.cancel. */
bool spate_cancel_requested(void);
void spate_cancel_request(bool requested);

#endif
