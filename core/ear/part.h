/*
 * A file of a package has several names: the store's, and that of each project that has it. Before a program writes into
 * one, it gets a copy of its own under the same name, so that nobody else has what it writes.
 */
#ifndef SPATE_EAR_PART_H
#define SPATE_EAR_PART_H

#include <stdbool.h>

/* The folder of the project: files below it, in a node_modules, are parted. */
#define SPATE_EAR_PART_VARIABLE "SPATE_EAR_PART"

/* A system call; the negative errno where it failed. */
typedef long spate_ear_invoke(long number, long first, long second, long third, long fourth, long fifth);

/*
 * To be called before a path is opened for writing, changed or named anew; flags: O_NOFOLLOW or 0. What cannot be parted
 * stays as it is, and 0 is the answer; where there is no room for a copy, the negative errno (ENOSPC, EDQUOT), which the
 * program is to get. Allocates nothing, and leaves errno alone: open may be called between fork and exec.
 */
long spate_ear_part(spate_ear_invoke *invoke, const char *project, int folder, const char *name, int flags);

/* Whether a name, of a file or of none yet, is one in a node_modules of the project. Its folder's real path counts. */
bool spate_ear_is_in_packages(spate_ear_invoke *invoke, const char *project, int folder, const char *name);

#endif
