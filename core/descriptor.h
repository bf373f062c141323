/* Bytes to and from open files. All retry EINTR. */
#ifndef SPATE_DESCRIPTOR_H
#define SPATE_DESCRIPTOR_H

#include "status.h"

/* Writes all bytes; false with errno set. */
bool spate_write_all(int descriptor, const void *bytes, size_t length);
/* Reads up to capacity bytes, less only at the file's end; -1 with errno set. */
int64_t spate_read_full(int descriptor, void *bytes, size_t capacity);

/*
 * Closes what was written as `temporary` and renames it to `path`: either the whole file is there afterwards, or what was
 * there before, and in no case the temporary one. `written` false: writing failed, and errno says why.
 */
spate_status spate_publish(int descriptor, bool written, const char *temporary, const char *path, spate_error *error);

#endif
