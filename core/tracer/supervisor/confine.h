/* Read-only by Landlock, without a listener, where the kernel has it. */
#ifndef SPATE_TRACER_CONFINE_H
#define SPATE_TRACER_CONFINE_H

#include "shared/status.h"

/*
 * From here on this thread, and all that it starts, can open no file to write, make, remove or rename none; /dev/null
 * may be written to. Permissions, times and attributes of a file can still be changed. Cannot be undone. SPATE_SYSTEM
 * where the kernel has no Landlock or an outer filter forbids it: then nothing has changed except PR_SET_NO_NEW_PRIVS.
 */
spate_status spate_confine(spate_error *error);

#endif
