/*
 * A system call filter that a process installs on itself before the traced work. All descendants inherit it, even
 * across exec, and another process answers its requests.
 *
 * The filter allows calls that take no path, and calls from the hooks' page, which the hooks have recorded. All other
 * calls that take a path wait for an answer. io_uring, whose calls no filter sees, is disabled; so is clone3, whose
 * flags no filter can read (libc then uses clone).
 *
 * A read-only filter also requests an answer for each call that changes a file, including calls from the hooks' page.
 * The listener rejects calls only by number and flags, which are in registers; memory contents only affect what is
 * recorded.
 */
#ifndef SPATE_TRACER_GUARD_H
#define SPATE_TRACER_GUARD_H

#include "shared/status.h"

#include <stdbool.h>

/* The first byte that the parent writes to the socket if files may be changed. */
#define SPATE_TRACER_MAY_WRITE 'w'
#define SPATE_TRACER_READ_ONLY 'r'

/*
 * Installs the filter on all threads of this process and sends the listener's descriptor to the other end of `socket`;
 * waits until that end listens. Always closes `socket`. Irreversible. SPATE_SYSTEM if the kernel or an outer filter
 * forbids the filter; then only PR_SET_NO_NEW_PRIVS has changed.
 */
spate_status spate_tracer_enter(int socket, spate_error *error);

/*
 * Complements spate_confine. Without a listener, irreversibly rejects these calls of this thread and its descendants:
 * changes of permissions, owners, times and attributes, sockets to local processes and, if `removals`, removing,
 * renaming and linking. The error is always EROFS, even if the call would have failed for another reason. Must not be
 * used before spate_tracer_enter, because the tracer's listener would not see these calls.
 */
spate_status spate_tracer_forbid_changes(bool removals, spate_error *error);

/*
 * Whether this machine allows spate_tracer_enter; tries it in a temporary thread. SPATE_SYSTEM with the reason
 * otherwise.
 */
spate_status spate_tracer_try(spate_error *error);

/*
 * Receives the descriptor from spate_tracer_enter. Returns -1 with errno set on failure; EPIPE: the other end is
 * closed.
 */
int spate_tracer_take_descriptor(int socket);

/* Makes a process read-only by Landlock, without a listener, on kernels that have it. */

/*
 * Irreversibly prevents this thread and its descendants from opening files for writing (except /dev/null) and from
 * creating, removing or renaming files. Permissions, times and attributes can still be changed. SPATE_SYSTEM if the
 * kernel lacks Landlock or an outer filter forbids it; then only PR_SET_NO_NEW_PRIVS has changed.
 */
spate_status spate_confine(spate_error *error);

#endif
