/* Makes a process read-only by Landlock, without a listener, on kernels that have it. */
#ifndef SPATE_TRACER_CONFINE_H
#define SPATE_TRACER_CONFINE_H

#include "shared/status.h"

/*
 * Irreversibly prevents this thread and its descendants from opening files for writing (except /dev/null) and from
 * creating, removing or renaming files. Permissions, times and attributes can still be changed. SPATE_SYSTEM if the
 * kernel lacks Landlock or an outer filter forbids it; then only PR_SET_NO_NEW_PRIVS has changed.
 */
spate_status spate_confine(spate_error *error);

#endif
