/*
 * Long work without the GVL.
 *
 * If called on the main thread, the work gets its own thread while the main thread waits, so that Ruby can run signal
 * traps on the main thread. On other threads the work runs in place. Work is cancelled by Spate::Native.cancel = true,
 * and by an exception that is raised in the Ruby thread (Thread#kill, Timeout, Interrupt). After an interrupt that does
 * not raise, the work continues or is restarted.
 */
#ifndef SPATE_RELEASE_H
#define SPATE_RELEASE_H

#include "shared/status.h"

#include <ruby.h>

/* May run several times for one call of spate_release, each time from the start. Must not call Ruby. */
typedef spate_status (*spate_work)(void *context, const spate_cancel *cancel);

/* May raise after the work has ended, so free the context's data in an rb_ensure. */
spate_status spate_release(spate_work work, void *context);

/* The flag behind Spate::Native.cancel. */
bool spate_cancel_requested(void);
void spate_cancel_request(bool requested);

#endif
