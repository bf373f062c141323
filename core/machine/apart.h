/* Background work: starts a program as a daemon that is not a child of this process, and lowers the priority. */
#ifndef SPATE_APART_H
#define SPATE_APART_H

#include "shared/status.h"

/*
 * Starts the program at words[0] (an absolute path) with these arguments and this environment, both NULL-terminated.
 * The program has its own session, working directory "/", /dev/null as its input, `output` as its output, no other
 * descriptors, and default signal handlers.
 *
 * The program is not a child of this process: wait(-1), waitpid and SIGCHLD never report it.
 *
 * The calling thread is suspended until the program has started; other threads continue.
 */
spate_status spate_start_apart(char *const words[], char *const environment[], int output, spate_error *error);

/*
 * Whether a program started by spate_start_apart would be reparented to this process. True for process 1, even in
 * a container, and for a subreaper (PR_SET_CHILD_SUBREAPER).
 */
bool spate_adopts_orphans(void);

/*
 * Gives the calling thread, and everything that it starts afterwards, idle priority for processors and disks: nice 19,
 * and on Linux SCHED_IDLE and the idle I/O class. Failures are ignored, because they only affect the speed of other
 * programs.
 */
void spate_become_idle(void);

#endif
