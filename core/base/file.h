/* Operations on paths. None of them follows a symlink as the last component. */
#ifndef SPATE_FILE_H
#define SPATE_FILE_H

#include "base/descriptor.h"
#include "base/times.h"
#include "shared/buffer.h"

#include <fcntl.h>
#include <sys/stat.h>

/* Flags to open a directory only to resolve paths relative to it. */
#ifdef O_PATH
#define SPATE_FOLDER_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)
#else
#define SPATE_FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#endif

/* Reads a whole regular file. Returns SPATE_LIMIT if it is longer than `max` bytes. The caller frees the buffer. */
spate_status spate_read_file(const char *path, size_t max, spate_buffer *buffer, struct stat *info, spate_error *error);

/* Writes a file atomically: writes a temporary file next to it, then renames that. */
spate_status spate_write_file(const char *path, const void *bytes, size_t length, spate_error *error);

/* Writes "folder/path" to out[PATH_MAX]. If it does not fit, fails with ENAMETOOLONG as if `call` had failed. */
spate_status spate_join(const char *folder, size_t folder_length, const char *path, size_t length, char *out,
                        const char *call, spate_error *error);

/* Like `mkdir -p -m mode`, restricted by the umask. Existing directories are not changed. */
spate_status spate_make_directories(const char *path, mode_t mode, spate_error *error);

/* Sets the modification time of an open file. Returns false with errno set on failure. */
bool spate_set_mtime(int descriptor, int64_t mtime_ns);

/* Makes the empty file `to` share the blocks of `from`. Returns false if the file system does not support it. */
bool spate_clone(int from, int to);

/*
 * Removes a file or a directory tree of any depth. Follows no symlink. A missing path is not an error. Continues after
 * a failure; `error` reports the first one.
 */
spate_status spate_remove_tree(const char *path, spate_error *error);

#endif
