/* Checks and cleans the paths of an archive before anything is written. */
#ifndef SPATE_PATH_H
#define SPATE_PATH_H

#include "shared/status.h"

/*
 * Cleans a member's name: "./" and doubled or trailing slashes go, "." parts go. SPATE_REFUSED for absolute
 * names, any ".." that remains above the root after folding, NUL and newline and other control bytes but CR, empty
 * results, parts over 255 bytes, paths over 4096. cleaned has capacity bytes; *length without NUL.
 * A directory that cleans to the root itself answers SPATE_OK with *length 0.
 */
spate_status spate_path_clean(const char *name, size_t name_length, char *cleaned, size_t capacity, size_t *length,
                              spate_error *error);

/* SPATE_REFUSED unless a symlink at `path` (clean, relative) with target `target` stays inside the package. */
spate_status spate_path_check_link(const char *path, const char *target, spate_error *error);

/* "package/..." of an npm tarball: drops the first part, whatever its name; folds "\" to "/" first. */
spate_status spate_path_clean_npm(const char *name, size_t name_length, char *cleaned, size_t capacity,
                                  size_t *length, spate_error *error);

#endif
