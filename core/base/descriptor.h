/* Bytes to and from open files. All retry EINTR. */
#ifndef SPATE_DESCRIPTOR_H
#define SPATE_DESCRIPTOR_H

#include "shared/status.h"

/* Writes all bytes; false with errno set. */
bool spate_write_all(int descriptor, const void *bytes, size_t length);
/* Reads up to capacity bytes, less only at the file's end; -1 with errno set. */
int64_t spate_read_full(int descriptor, void *bytes, size_t capacity);
/* The same from an offset, without moving the descriptor's position. */
int64_t spate_pread_full(int descriptor, void *bytes, size_t capacity, uint64_t offset);

/*
 * A new file beside `path`, open for writing, under an unguessable name: two writers never share one. Others
 * may read it, as far as the umask allows: the user of a container boots from files that root made in an earlier
 * layer. -1 with errno set.
 */
int spate_open_temporary(char *temporary, size_t capacity, const char *path);

/*
 * Closes the file `temporary` and renames it to `path`: afterwards `path` is either the whole new file or unchanged,
 * and the temporary one is gone. `written` false: writing failed, with the reason in errno.
 */
spate_status spate_publish(int descriptor, bool written, const char *temporary, const char *path, spate_error *error);

#endif
