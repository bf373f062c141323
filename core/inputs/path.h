/* Paths as recorded (clean, and below a root if possible) and the values of the environment. */
#ifndef SPATE_INPUTS_PATH_H
#define SPATE_INPUTS_PATH_H

#include "inputs/inputs.h"

/* NULL if the root is unknown here. */
const char *spate_inputs_root_path(const spate_inputs_place *place, const char *name);
/*
 * The number + 1 of the innermost root that contains the path, and the rest of the path. 0 and the whole path if no
 * root contains it, or if it has ".." and could leave the root.
 */
uint32_t spate_inputs_root_of(const spate_inputs_place *place, const char *path, const char **rest);
/* Whether `path` is "<root>/<rest>", or "<root>" if rest is empty. Without a root: whether `path` is `rest`. */
bool spate_inputs_is_below(const char *path, const char *root, const char *rest);

/*
 * Drops doubled and trailing slashes and "." parts; ".." stays, since its target depends on links. Returns false if the
 * path is not absolute or is too long.
 */
bool spate_inputs_clean(const char *path, char clean[SPATE_INPUTS_PATH_MAX]);
/* The length of the folder part of a clean path; *name is the rest. "/" is split into "/" and "". */
size_t spate_inputs_split(const char *path, const char **name);

/* NULL if the variable is unset. */
const char *spate_inputs_value(const spate_inputs_place *place, const char *name);

#endif
