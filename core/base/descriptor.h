/* Reads and writes open files. All functions retry after EINTR. */
#ifndef SPATE_DESCRIPTOR_H
#define SPATE_DESCRIPTOR_H

#include "shared/status.h"

/* Writes all bytes. Returns false with errno set on failure. */
bool spate_write_all(int descriptor, const void *bytes, size_t length);
/* Reads up to `capacity` bytes, fewer only at the end of the file. Returns -1 with errno set on failure. */
int64_t spate_read_full(int descriptor, void *bytes, size_t capacity);
/* Like spate_read_full, but from `offset` and without moving the descriptor's position. */
int64_t spate_pread_full(int descriptor, void *bytes, size_t capacity, uint64_t offset);

/*
 * Creates a file next to `path` and opens it for writing. Its name is random, so two writers never share one. The file
 * is readable by other users if the umask allows: in a container, the application's user boots from files that root
 * created in an earlier layer. Returns -1 with errno set on failure.
 */
int spate_open_temporary(char *temporary, size_t capacity, const char *path);

/*
 * Closes the file `temporary` and renames it to `path`. Afterwards `path` is either the complete new file or unchanged,
 * and `temporary` does not exist. If `written` is false, the write has failed with the reason in errno.
 */
spate_status spate_publish(int descriptor, bool written, const char *temporary, const char *path, spate_error *error);

#endif
