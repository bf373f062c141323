/* Identifies the mount through which a file is reached. */
#ifndef SPATE_MOUNT_H
#define SPATE_MOUNT_H

#include <stdint.h>
#include <sys/stat.h>

/*
 * Returns a number that identifies the mount and device of a file and the current boot. No other mount has the same
 * number, earlier or later, in any container.
 *
 * Returns 0 unless the kernel has unique mount IDs (Linux 6.8) and the file has a birth time. Inodes of ext4 and XFS
 * without room for a birth time may store times in whole seconds only.
 *
 * `descriptor` is the open file, or -1 to use `path`. If `info` describes a symlink, the link itself is used.
 */
uint64_t spate_mount_number(int descriptor, const char *path, const struct stat *info);

#endif
