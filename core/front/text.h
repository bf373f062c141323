/* Reads small text files. */
#ifndef SPATE_FRONT_TEXT_H
#define SPATE_FRONT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads a regular file of at most `max` bytes and appends a NUL. `text` must have room for `max` + 2 bytes. Does not
 * follow a symlink as the last component. If `own` is true, the file must belong to this user or root and must not be
 * writable by others. Returns the length, or -1 on failure.
 */
long spate_read_text(const char *path, char *text, size_t max, bool own);

#endif
