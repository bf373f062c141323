/* The native program `spate`: answers what needs no Ruby, and runs Ruby's launcher for the rest (docs/front.md). */
#ifndef SPATE_FRONT_H
#define SPATE_FRONT_H

#include <stdbool.h>

typedef struct spate_program {
    const char *path;    /* of the running program, without links */
    const char *version; /* Spate's */
    bool privileged;     /* set-user-ID or the like: nothing is answered */
} spate_program;

/* The exit status; does not return where Ruby continues. */
int spate_front(const spate_program *program, char *const *argv, char *const *environment);

#endif
