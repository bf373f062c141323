/*
 * What a process installs on itself before it continues with what is to be trace: a filter of system calls that its
 * descendants keep whatever they execute, and whose questions another process answers.
 *
 * The filter allows what takes no path, and what leaves from the hooks' page, where it has been recorded. Everything
 * else that takes a path waits for an answer. io_uring, whose calls no filter sees, is disabled; so is clone3, whose
 * flags no filter can read (libc then uses clone).
 *
 * A read-only filter also asks about each call that changes a file, from the hooks' page too. The listener refuses them
 * by number and flags, which are in registers: what it reads from memory only adds what is recorded.
 */
#ifndef SPATE_TRACER_GUARD_H
#define SPATE_TRACER_GUARD_H

#include "shared/status.h"

#include <stdbool.h>

/* The first byte that the parent writes into the socket: whether files may be changed. */
#define SPATE_TRACER_MAY_WRITE 'w'
#define SPATE_TRACER_READ_ONLY 'r'

/*
 * Installs the filter on all threads of this process and sends the listener's descriptor to the other end of `socket`;
 * waits until that end has begun to listen. `socket` is closed in any case. This cannot be undone. SPATE_SYSTEM if the
 * kernel or an outer filter forbids it: then nothing has changed except PR_SET_NO_NEW_PRIVS.
 */
spate_status spate_tracer_enter(int socket, spate_error *error);

/*
 * Refuses, without a listener, changes of permissions, owners, times and attributes, sockets to processes of this
 * machine, and where removals is true, removing, renaming and linking, for this thread and all that it starts.
 * Complements spate_confine. The error is always EROFS, whatever the call would have failed with. Not for a process
 * that enters a tracer later, whose listener would not see these calls. This cannot be undone.
 */
spate_status spate_tracer_forbid_changes(bool removals, spate_error *error);

/* Whether this machine allows spate_tracer_enter, tried in a thread that ends with the trial. SPATE_SYSTEM: why not. */
spate_status spate_tracer_try(spate_error *error);

/* Receives what spate_tracer_enter sends. -1 with errno set; EPIPE: the other end is gone. */
int spate_tracer_take_descriptor(int socket);

#endif
