/*
 * Long work without the GVL.
 *
 * On the main thread the work gets its own thread, and the Ruby thread waits for it: signal traps, which Ruby runs
 * on the main thread, run meanwhile. On other threads the work runs in place.
 * Work is cancelled by Spate::Native.cancel = true, and by an exception that is raised in the Ruby thread (Thread#kill,
 * Timeout, Interrupt). An interrupt that does not raise cancels nothing: the work continues, or is restarted.
 */
#ifndef SPATE_RELEASE_H
#define SPATE_RELEASE_H

#include "shared/status.h"

#include <ruby.h>

/* May be called several times for one call of spate_release, each time from the start. Must not call Ruby. */
typedef spate_status (*spate_work)(void *context, const spate_cancel *cancel);

/* May raise, after the work has ended: free what the context owns in an rb_ensure. */
spate_status spate_release(spate_work work, void *context);

/* The flag behind Spate::Native.cancel. */
bool spate_cancel_requested(void);
void spate_cancel_request(bool requested);

#endif
