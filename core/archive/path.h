/* Checks and cleans the paths of an archive before anything is written. */
#ifndef SPATE_PATH_H
#define SPATE_PATH_H

#include "shared/status.h"

/*
 * Cleans a member's name: drops "./", "." parts, and doubled or trailing slashes. SPATE_REFUSED for absolute names, any
 * ".." that remains above the root after folding, NUL, newline and other control bytes except CR, empty results, parts
 * over 255 bytes, paths over 4096. cleaned has `capacity` bytes; *length excludes the NUL. A directory that cleans to
 * the root itself gives SPATE_OK with *length 0.
 */
spate_status spate_path_clean(const char *name, size_t name_length, char *cleaned, size_t capacity, size_t *length,
                              spate_error *error);

/* SPATE_REFUSED unless a symlink at `path` (clean, relative) with target `target` stays inside the package. */
spate_status spate_path_check_link(const char *path, const char *target, spate_error *error);

/* "package/..." of an npm tarball: drops the first part, which may have any name; folds "\" to "/" first. */
spate_status spate_path_clean_npm(const char *name, size_t name_length, char *cleaned, size_t capacity,
                                  size_t *length, spate_error *error);

#endif
