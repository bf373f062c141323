/* Small text files. */
#ifndef SPATE_FRONT_TEXT_H
#define SPATE_FRONT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads a whole regular file of at most `max` bytes, and ends it with a NUL: `text` has room for two bytes more. Follows
 * no link at the end of the path. `own`: only a file of this user or root that nobody else may write. Returns the
 * length; -1 for another file, or if it cannot be read.
 */
long spate_read_text(const char *path, char *text, size_t max, bool own);

#endif
