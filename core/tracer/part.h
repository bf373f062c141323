/*
 * A file of a package has several links: in the store, and in each project that uses the package. Before a program
 * writes to the file, it gets its own copy under the same name, so that the other links do not change.
 */
#ifndef SPATE_TRACER_PART_H
#define SPATE_TRACER_PART_H

#include <stdbool.h>

/* The project's folder. Files below it that are in a node_modules folder get copies. */
#define SPATE_TRACER_PART_VARIABLE "SPATE_TRACER_PART"

/* Makes a system call. Returns the negative errno if it failed. */
typedef long spate_tracer_invoke(long number, long first, long second, long third, long fourth, long fifth);

/*
 * Called before a path is opened for writing, changed or renamed. flags: O_NOFOLLOW or 0. Returns 0, even if the file
 * cannot be copied and stays shared. If there is no space for a copy, returns the negative errno (ENOSPC, EDQUOT), with
 * which the call must fail. Allocates no memory and does not change errno, because open may be called between fork and
 * exec.
 */
long spate_tracer_part(spate_tracer_invoke *invoke, const char *project, int folder, const char *name, int flags);

/* Whether a path, existing or not, is in a node_modules of the project, judged by the real path of its folder. */
bool spate_tracer_is_in_packages(spate_tracer_invoke *invoke, const char *project, int folder, const char *name);

#endif
