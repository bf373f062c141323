/* Identifies the mount through which a file is reached. */
#ifndef SPATE_MOUNT_H
#define SPATE_MOUNT_H

#include <stdint.h>
#include <sys/stat.h>

/*
 * A number for the mount and device of a file, of this boot: no other mount has it, before or after, in any container.
 * 0 unless the kernel has unique mount IDs (Linux 6.8) and the file has a birth time, for which its inode needs room:
 * inodes of ext4 and XFS without that may store seconds only.
 *
 * descriptor: the open file, or -1: `path`, and of a symlink the link itself if `info` is of one.
 */
uint64_t spate_mount_number(int descriptor, const char *path, const struct stat *info);

#endif
