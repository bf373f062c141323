/* Background work: a program that runs as a daemon, not as a child of this process, and idle priority. */
#ifndef SPATE_APART_H
#define SPATE_APART_H

#include "shared/status.h"

/*
 * Runs the program at words[0] (absolute) with these words and this environment, both ending with NULL: in its own
 * session, in "/", with empty input, `output` for its output, no other descriptor, and all signals at their
 * defaults. This process gets neither a child to wait for nor a signal: wait(-1), waitpid and SIGCHLD of a program
 * that uses this library never report it.
 *
 * The caller waits until the program has started; its other threads continue.
 */
spate_status spate_start_apart(char *const words[], char *const environment[], int output, spate_error *error);

/*
 * Whether a program started apart would become a child of this process when its starter ends: true for process 1, in a
 * container as on a machine, and for a process that adopts orphans (PR_SET_CHILD_SUBREAPER).
 */
bool spate_adopts_orphans(void);

/* Idle priority, for background work. */

/*
 * This thread, and everything it starts from now on, gets processors and disks only while they are idle: nice 19, and
 * on Linux SCHED_IDLE and the idle class of I/O. Failures are ignored: only other programs' speed depends on it.
 */
void spate_become_idle(void);

#endif
