/* Paths as recorded: clean, below a root if possible; and values of the environment. */
#ifndef SPATE_INPUTS_PATH_H
#define SPATE_INPUTS_PATH_H

#include "inputs/inputs.h"

/* NULL: not known here. */
const char *spate_inputs_root_path(const spate_inputs_place *place, const char *name);
/*
 * Number + 1 of the innermost root that contains the path, with the rest of the path; 0 and the whole path if there is
 * none, or if the path has ".." and could leave the root.
 */
uint32_t spate_inputs_root_of(const spate_inputs_place *place, const char *path, const char **rest);
/* Whether `path` is "<root>/<rest>", or "<root>" where rest is empty; without a root: whether it is `rest`. */
bool spate_inputs_is_below(const char *path, const char *root, const char *rest);

/*
 * Drops doubled and trailing slashes and "." parts; ".." stays, since its target depends on links. false: not
 * absolute, or too long.
 */
bool spate_inputs_clean(const char *path, char clean[SPATE_INPUTS_PATH_MAX]);
/* Length of the folder part of a clean path; *name is the rest. Of "/": "/" and "". */
size_t spate_inputs_split(const char *path, const char **name);

/* NULL: not set. */
const char *spate_inputs_value(const spate_inputs_place *place, const char *name);

#endif
