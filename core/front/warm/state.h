/* Attributes that a process inherits in addition to its environment, and that a boot may depend on. */
#ifndef SPATE_FRONT_WARM_STATE_H
#define SPATE_FRONT_WARM_STATE_H

#include <stdbool.h>
#include <stddef.h>

#define SPATE_WARM_STATE_MAX 2048
#define SPATE_WARM_LIMITS 16

/*
 * Lists the descriptors that a program would inherit, except the standard streams. Returns their number, or -1 if there
 * are more than `max`.
 */
int spate_warm_inherited(int *descriptors, int max);

/* Whether the process is in the background of a shell with job control, so that reading from the terminal would stop
 * it. */
bool spate_warm_is_in_background(void);

/* Sets one letter for each standard stream: "t" for a terminal, "n" for any other file. */
void spate_warm_streams(char letters[4]);

/*
 * Formats the inherited attributes: "umask 0022 nice 0 limits 8388608:-,1024:4096,... cpus 3 policy 0 namespaces
 * 4026531835 ... priority 0 0 personality 0 label - rights 0000000000000000 ...". The umask has four octal digits. The
 * limits are the soft and hard limits of the resources 0 to 15 of getrlimit, in decimal, or "-" for none. The processors
 * are a mask in hexadecimal.
 * Returns false if a value cannot be read.
 */
bool spate_warm_state(char text[SPATE_WARM_STATE_MAX]);

#endif
