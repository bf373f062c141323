/*
 * A file of a package has several names: in the store, and in each project that has it. Before a program writes into
 * one, it gets its own copy under the same name, so that the others do not change.
 */
#ifndef SPATE_TRACER_PART_H
#define SPATE_TRACER_PART_H

#include <stdbool.h>

/* The folder of the project: files below it, in a node_modules, get copies. */
#define SPATE_TRACER_PART_VARIABLE "SPATE_TRACER_PART"

/* A system call; the negative errno if it failed. */
typedef long spate_tracer_invoke(long number, long first, long second, long third, long fourth, long fifth);

/*
 * To be called before a path is opened for writing, changed or renamed; flags: O_NOFOLLOW or 0. Returns 0, also if the
 * file cannot be copied and stays shared; if there is no space for a copy, the negative errno (ENOSPC, EDQUOT), which
 * the program must get. Allocates nothing, and leaves errno alone: open may be called between fork and exec.
 */
long spate_tracer_part(spate_tracer_invoke *invoke, const char *project, int folder, const char *name, int flags);

/* Whether a name, of a file or not yet, is in a node_modules of the project. Its folder's real path counts. */
bool spate_tracer_is_in_packages(spate_tracer_invoke *invoke, const char *project, int folder, const char *name);

#endif
