/*
 * Runs a command as a fork of a process that has booted the application already, its warm parent, instead of booting it
 * again. The parent is used only if everything that its boot read is unchanged: the proof is a record as of
 * front/in_place.h, with the parent's socket as its output. With any doubt the command boots as always.
 */
#ifndef SPATE_FRONT_WARM_H
#define SPATE_FRONT_WARM_H

#include "front/exec/exec.h"

#include <stdbool.h>

/*
 * Returns true if the command is done: `status` is its exit status. If a signal ended it, the process ends by the same
 * signal. false: nothing was done or printed.
 */
bool spate_warm(const spate_launcher *launcher, const spate_exec_request *request, int *status);

#endif
