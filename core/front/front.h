/* The native program `spate`: handles commands that need no Ruby, and runs Ruby's launcher for all others
 * (docs/front.md). */
#ifndef SPATE_FRONT_H
#define SPATE_FRONT_H

#include <stdbool.h>

typedef struct spate_program {
    const char *path;    /* path of the running program, without symlinks */
    const char *version; /* version of Spate */
    bool privileged;     /* set-user-ID or similar: all commands are left to Ruby */
} spate_program;

/* Returns the exit status. Does not return if it starts Ruby. */
int spate_front(const spate_program *program, char *const *argv, char *const *environment);

#endif
