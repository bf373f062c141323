/* Expands paths like Ruby's File.expand_path, without accessing the file system. */
#ifndef SPATE_FRONT_EXPAND_PATH_H
#define SPATE_FRONT_EXPAND_PATH_H

#include <limits.h>
#include <stdbool.h>

/*
 * Makes the path absolute and removes ".", ".." and empty components. Returns false if the result is too long, if the
 * path begins with "~", or if both paths are relative.
 */
bool spate_expand_path(const char *path, const char *folder, char expanded[PATH_MAX]);

#endif
