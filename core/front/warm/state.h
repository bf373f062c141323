/* The attributes that a process inherits besides its environment, and that a boot can read. */
#ifndef SPATE_FRONT_WARM_STATE_H
#define SPATE_FRONT_WARM_STATE_H

#include <stdbool.h>
#include <stddef.h>

#define SPATE_WARM_STATE_MAX 1024
#define SPATE_WARM_LIMITS 16

/*
 * The descriptors, other than the standard streams, that a program would inherit. Returns their number; -1 if there are
 * more than `max`.
 */
int spate_warm_inherited(int *descriptors, int max);

/* Whether reading from the terminal would stop the process: it is in the background of a shell with job control. */
bool spate_warm_is_in_background(void);

/* One letter for each standard stream: "t" for a terminal, "n" for another open file. */
void spate_warm_streams(char letters[4]);

/*
 * "umask 0022 nice 0 limits 8388608:-,1024:4096,...": the umask in four octal digits, the nice value, and for the
 * resources 0 to 15 of getrlimit the soft and the hard limit in decimal, "-" for none. false if a value is unknown.
 */
bool spate_warm_state(char text[SPATE_WARM_STATE_MAX]);

#endif
