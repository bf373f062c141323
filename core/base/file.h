/* Operations on paths for several parts of the core. None follows a final symlink. */
#ifndef SPATE_FILE_H
#define SPATE_FILE_H

#include "base/descriptor.h"
#include "base/times.h"
#include "shared/buffer.h"

#include <fcntl.h>
#include <sys/stat.h>

/* Opens a folder to resolve paths from it, not to read it. */
#ifdef O_PATH
#define SPATE_FOLDER_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)
#else
#define SPATE_FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#endif

/* A whole regular file. SPATE_LIMIT if it is longer than `max` bytes. The caller frees the buffer. */
spate_status spate_read_file(const char *path, size_t max, spate_buffer *buffer, struct stat *info, spate_error *error);

/* Writes a file atomically: under a temporary name beside it, then renamed. */
spate_status spate_write_file(const char *path, const void *bytes, size_t length, spate_error *error);

/* "folder/path" into out[PATH_MAX]; if that is too short, ENAMETOOLONG as if from `call`. */
spate_status spate_join(const char *folder, size_t folder_length, const char *path, size_t length, char *out,
                        const char *call, spate_error *error);

/* mkdir -p with this mode, restricted by the umask; existing folders are left unchanged. */
spate_status spate_make_directories(const char *path, mode_t mode, spate_error *error);

/* The modification time of an open file, since the epoch. false with errno set. */
bool spate_set_mtime(int descriptor, int64_t mtime_ns);

/* Makes the empty file `to` share the blocks of `from`. false where the file system cannot. */
bool spate_clone(int from, int to);

/*
 * Removes a file or a whole folder of any depth, following no symlink. A missing path is not an error; one that cannot
 * be removed does not stop the rest: `error` names the first of these.
 */
spate_status spate_remove_tree(const char *path, spate_error *error);

#endif
