/*
 * A system call filter that a process installs on itself before the traced work. All its descendants inherit it, even
 * across exec. Another process, the listener, responds to its requests.
 *
 * The filter allows calls that take no path, and calls from the hooks' page, which the hooks have recorded. For all
 * other calls that take a path it asks the listener. io_uring is disabled because filters do not see its operations.
 * clone3 is disabled because filters cannot read its flags; libc then uses clone.
 *
 * In read-only mode, the filter also asks about each call that changes a file, including calls from the hooks' page.
 * The listener rejects calls only by number and flags, which are in registers. The content of memory only affects what
 * is recorded.
 */
#ifndef SPATE_TRACER_GUARD_H
#define SPATE_TRACER_GUARD_H

#include "shared/status.h"

#include <stdbool.h>

/* The first byte that the parent writes to the socket: whether files may be changed. */
#define SPATE_TRACER_MAY_WRITE 'w'
#define SPATE_TRACER_READ_ONLY 'r'

/*
 * Installs the filter for all threads of this process and sends the listener's descriptor to the other end of `socket`.
 * Waits until that end is listening. Always closes `socket`. Irreversible. Returns SPATE_SYSTEM if the kernel or an
 * outer filter does not allow it; only PR_SET_NO_NEW_PRIVS has changed then.
 */
spate_status spate_tracer_enter(int socket, spate_error *error);

/*
 * Used together with spate_confine. Rejects the following calls of this thread and its descendants, without a listener
 * and irreversibly: changes of permissions, owners, times and attributes, sockets to local processes and, if
 * `removals`, removing, renaming and linking. Such a call may fail with EROFS even if it would have failed with a
 * different error. Must not be used before spate_tracer_enter, because the listener would not see these calls.
 */
spate_status spate_tracer_forbid_changes(bool removals, spate_error *error);

/*
 * Tests in a temporary thread whether this machine allows spate_tracer_enter. Returns SPATE_SYSTEM with the reason if
 * not.
 */
spate_status spate_tracer_try(spate_error *error);

/*
 * Receives the descriptor that spate_tracer_enter sends. Returns -1 with errno set on failure; EPIPE means that the
 * other end is closed.
 */
int spate_tracer_take_descriptor(int socket);

/* ---- Landlock: makes a process read-only without a listener ---- */

/*
 * Irreversibly prevents this thread and its descendants from opening files for writing (except /dev/null) and from
 * creating, removing or renaming files. Permissions, times and attributes can still be changed. Returns SPATE_SYSTEM if
 * the kernel has no Landlock or an outer filter does not allow it; only PR_SET_NO_NEW_PRIVS has changed then.
 */
spate_status spate_confine(spate_error *error);

#endif
