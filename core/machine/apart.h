/* Starts a program as a daemon, not as a child of this process. */
#ifndef SPATE_APART_H
#define SPATE_APART_H

#include "shared/status.h"

/*
 * Runs the program at words[0] (absolute) with these words and this environment, both ending with NULL: in a session of
 * its own, in "/", with nothing to read, `output` for what it writes, no other descriptor, and all signals at their
 * defaults. This process gets neither a child to wait for nor a signal: wait(-1), waitpid and SIGCHLD of a program that
 * has this library in it never tell of it.
 *
 * The caller waits until the program has begun, and no other thread of it is stopped.
 */
spate_status spate_start_apart(char *const words[], char *const environment[], int output, spate_error *error);

/*
 * Whether a program started apart would come back as a child of this process when its starter ends: true for process 1,
 * in a container as on a machine, and for a process that asked for orphans (PR_SET_CHILD_SUBREAPER).
 */
bool spate_adopts_orphans(void);

#endif
