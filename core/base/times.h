/* Times as nanoseconds since their clock's epoch: of files, from stat, and of clocks. */
#ifndef SPATE_TIMES_H
#define SPATE_TIMES_H

#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

/* Accurate to the tick (a few milliseconds), without a system call; elsewhere the precise clock. */
#ifdef CLOCK_MONOTONIC_COARSE
#define SPATE_CLOCK_COARSE CLOCK_MONOTONIC_COARSE
#else
#define SPATE_CLOCK_COARSE CLOCK_MONOTONIC
#endif

/*
 * The clock that the kernel takes files' times from: exact to the tick. The precise clock may be ahead of it by far
 * more than a tick if a virtual machine shares its processors, and the next change would still get the earlier time.
 */
#ifdef CLOCK_REALTIME_COARSE
#define SPATE_CLOCK_FILES CLOCK_REALTIME_COARSE
#else
#define SPATE_CLOCK_FILES CLOCK_REALTIME
#endif

static inline int64_t spate_nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The contents' last change. */
static inline int64_t spate_mtime_ns(const struct stat *info) {
#ifdef __APPLE__
    return spate_nanoseconds(info->st_mtimespec);
#else
    return spate_nanoseconds(info->st_mtim);
#endif
}

/* The inode's last change: no program can set it. */
static inline int64_t spate_ctime_ns(const struct stat *info) {
#ifdef __APPLE__
    return spate_nanoseconds(info->st_ctimespec);
#else
    return spate_nanoseconds(info->st_ctim);
#endif
}

#endif
