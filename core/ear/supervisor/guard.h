/*
 * What a process puts on itself before it goes on to what is to be heard: a filter of system calls that its descendants
 * keep whatever they execute, and whose questions another process answers.
 *
 * The filter lets pass what takes no path, and what leaves from the hooks' page, where it has been written down. All
 * else that takes a path waits for an answer. io_uring, whose calls no filter sees, is not there; nor is clone3, whose
 * flags none can read (libc then uses clone).
 */
#ifndef SPATE_EAR_GUARD_H
#define SPATE_EAR_GUARD_H

#include "shared/status.h"

/*
 * Puts the filter on all threads of this process and gives the right to answer to who holds the other end of `socket`;
 * waits until that one has begun. `socket` is closed in any case. There is no way back. SPATE_SYSTEM where the kernel
 * or a filter around this one forbids it: nothing has changed then, but for PR_SET_NO_NEW_PRIVS.
 */
spate_status spate_ear_enter(int socket, spate_error *error);

/* Whether this machine allows all that, tried in a thread of its own that ends with the trial. SPATE_SYSTEM, why. */
spate_status spate_ear_try(spate_error *error);

/* What entering sends. -1 with errno set; EPIPE: the other end has gone. */
int spate_ear_take_descriptor(int socket);

#endif
