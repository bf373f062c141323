/*
 * A file of a package has several hard links: in the store, and in each project that uses the package. Before a program
 * changes the file, it is replaced by a copy under the same name, so that the other links do not change.
 */
#ifndef SPATE_TRACER_PART_H
#define SPATE_TRACER_PART_H

#include <stdbool.h>

/* The environment variable with the project's directory. Files in its node_modules directories get copies. */
#define SPATE_TRACER_PART_VARIABLE "SPATE_TRACER_PART"

/* Makes a system call. Returns a negative errno on failure. */
typedef long spate_tracer_invoke(long number, long first, long second, long third, long fourth, long fifth);

/*
 * Called before a path is opened for writing, changed or renamed. `flags` is O_NOFOLLOW or 0. Returns 0 even if the
 * file cannot be copied and stays shared. If there is no space for the copy, returns a negative errno (ENOSPC, EDQUOT),
 * with which the call must fail. Allocates no memory and does not change errno, because it may run between fork and
 * exec.
 */
long spate_tracer_part(spate_tracer_invoke *invoke, const char *project, int folder, const char *name, int flags);

/* Whether a path, which need not exist, is in a node_modules directory of the project. Uses the real path of its parent
 * directory. */
bool spate_tracer_is_in_packages(spate_tracer_invoke *invoke, const char *project, int folder, const char *name);

#endif
