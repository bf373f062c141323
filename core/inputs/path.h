/* Paths as a record has them: clean, below a root where they can be; and values of the environment. */
#ifndef SPATE_INPUTS_PATH_H
#define SPATE_INPUTS_PATH_H

#include "inputs/inputs.h"

/* NULL: not known here. */
const char *spate_inputs_root_path(const spate_inputs_place *place, const char *name);
/* Number of the innermost root that the path is, or lies below, + 1, with what comes after it; 0 and the whole path
 * where there is none, or where it climbs ("..") and could leave it. */
uint32_t spate_inputs_root_of(const spate_inputs_place *place, const char *path, const char **rest);
/* Whether `path` is "<root>/<rest>", or "<root>" where rest is empty; without a root: whether it is `rest`. */
bool spate_inputs_is_below(const char *path, const char *root, const char *rest);

/* Without doubled and trailing slashes and "." parts; ".." stays, for what it leads to is the disk's business. false:
 * not absolute, or too long. */
bool spate_inputs_clean(const char *path, char clean[SPATE_INPUTS_PATH_MAX]);
/* Length of the folder's part of a clean path; the name follows after `*name`. Of "/": "/" and "". */
size_t spate_inputs_split(const char *path, const char **name);

/* NULL: not set. */
const char *spate_inputs_value(const spate_inputs_place *place, const char *name);

#endif
