/* Determines which warm parent can run a command, from its words and environment alone. */
#ifndef SPATE_FRONT_WARM_KIND_H
#define SPATE_FRONT_WARM_KIND_H

#include <stdbool.h>
#include <stddef.h>

#define SPATE_WARM_KIND_MAX 96

/*
 * Sets `kind`, for example "application development" for an application booted in that environment. Returns false if
 * the command must boot: for programs other than rails, rake and rspec, in production or CI, if warm boots are turned
 * off, or if the words may select another environment. `program` is the command with its arguments. Makes no system
 * call.
 */
bool spate_warm_kind(char *const *program, char *const *environment, char kind[SPATE_WARM_KIND_MAX]);

/* Whether the program is given by name only, or is in the bin directory of `folder` (an absolute path). */
bool spate_warm_program_of(const char *program, const char *folder);

#endif
