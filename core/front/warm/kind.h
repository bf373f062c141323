/* Which warm parent a command needs, from its words and environment alone. */
#ifndef SPATE_FRONT_WARM_KIND_H
#define SPATE_FRONT_WARM_KIND_H

#include <stdbool.h>
#include <stddef.h>

#define SPATE_WARM_KIND_MAX 96

/*
 * Sets the kind: "application development", a booted application in that environment. Returns false if the command has
 * to boot: another program than rails, rake and rspec, in production or CI, if it is turned off, or if the words may
 * choose the environment. `program`: the words of the command, at least one. Makes no system call.
 */
bool spate_warm_kind(char *const *program, char *const *environment, char kind[SPATE_WARM_KIND_MAX]);

/* Whether the program is found by its name alone, or in bin of the folder, which is absolute. */
bool spate_warm_program_of(const char *program, const char *folder);

#endif
