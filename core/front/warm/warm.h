/*
 * Runs a command in a fork of its warm parent, a process that has already booted the application. The parent is used
 * only if everything that its boot read is unchanged. This is proven by a record (see front/in_place.h), whose output
 * is the path of the parent's socket. In case of doubt, the command boots as usual.
 */
#ifndef SPATE_FRONT_WARM_H
#define SPATE_FRONT_WARM_H

#include "front/exec/exec.h"

#include <stdbool.h>

/*
 * Returns true if the command was run, and sets *status to its exit status. If a signal killed it, this process is
 * killed by the same signal. Returns false if nothing was done or printed.
 */
bool spate_warm(const spate_launcher *launcher, const spate_exec_request *request, int *status);

#endif
