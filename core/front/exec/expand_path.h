/* Paths as text, as Ruby's File.expand_path. */
#ifndef SPATE_FRONT_EXPAND_PATH_H
#define SPATE_FRONT_EXPAND_PATH_H

#include <limits.h>
#include <stdbool.h>

/*
 * An absolute path without ".", ".." and empty names. false if it is too long, begins with "~", or is relative to a
 * relative folder.
 */
bool spate_expand_path(const char *path, const char *folder, char expanded[PATH_MAX]);

#endif
