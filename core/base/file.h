/* Operations on paths that several parts of the core share. None follows a final symlink. */
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

/* A whole regular file. SPATE_LIMIT where it is longer than `max` bytes. The buffer is the caller's to free. */
spate_status spate_read_file(const char *path, size_t max, spate_buffer *buffer, struct stat *info, spate_error *error);

/* The file appears whole or not at all: written beside itself under a name of its own, then renamed. */
spate_status spate_write_file(const char *path, const void *bytes, size_t length, spate_error *error);

/* "folder/path" into out[PATH_MAX]; if that is too short, ENAMETOOLONG as if from `call`. */
spate_status spate_join(const char *folder, size_t folder_length, const char *path, size_t length, char *out,
                        const char *call, spate_error *error);

/* mkdir -p with this mode, as far as the umask lets it; what exists already is fine. */
spate_status spate_make_directories(const char *path, mode_t mode, spate_error *error);

/* The modification time of an open file, since the epoch. false with errno set. */
bool spate_set_mtime(int descriptor, int64_t mtime_ns);

/* Makes the empty file `to` share the blocks of `from`. false where the file system cannot. */
bool spate_clone(int from, int to);

/*
 * Removes a file or a whole folder, however deep, following no symlink. What is not there is fine; one that cannot go
 * lets the others go: `error` names the first such.
 */
spate_status spate_remove_tree(const char *path, spate_error *error);

#endif
