/* Checks and cleans the paths of an archive before anything is written. */
#ifndef SPATE_PATH_H
#define SPATE_PATH_H

#include "shared/status.h"

/*
 * Normalizes a member's name: removes "./", "." components, and doubled or trailing slashes.
 *
 * Returns SPATE_REFUSED for absolute names, for names that lead above the root after ".." is resolved, for NUL, newline
 * and other control bytes except CR, for components over 255 bytes and for paths over 4096 bytes.
 *
 * `cleaned` has `capacity` bytes; *length excludes the NUL. If the name resolves to the root itself, returns SPATE_OK
 * with *length 0.
 */
spate_status spate_path_clean(const char *name, size_t name_length, char *cleaned, size_t capacity, size_t *length,
                              spate_error *error);

/* Returns SPATE_REFUSED unless a symlink at `path` (normalized, relative) to `target` stays inside the package. */
spate_status spate_path_check_link(const char *path, const char *target, spate_error *error);

/* Normalizes the name of a member of an npm tarball. Replaces "\" with "/", then drops the first component, which is
 * usually "package" but may have any name. */
spate_status spate_path_clean_npm(const char *name, size_t name_length, char *cleaned, size_t capacity,
                                  size_t *length, spate_error *error);

#endif
