/* Timestamps of files and clocks, in nanoseconds since the clock's epoch. */
#ifndef SPATE_TIMES_H
#define SPATE_TIMES_H

#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

/* A clock that needs no system call and is accurate to a tick (a few milliseconds), if the system has one. */
#ifdef CLOCK_MONOTONIC_COARSE
#define SPATE_CLOCK_COARSE CLOCK_MONOTONIC_COARSE
#else
#define SPATE_CLOCK_COARSE CLOCK_MONOTONIC
#endif

/*
 * The clock from which the kernel takes the timestamps of files. It advances in ticks. On a virtual machine that shares
 * its processors, the precise clock can be ahead by much more than a tick.
 */
#ifdef CLOCK_REALTIME_COARSE
#define SPATE_CLOCK_FILES CLOCK_REALTIME_COARSE
#else
#define SPATE_CLOCK_FILES CLOCK_REALTIME
#endif

static inline int64_t spate_nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Time of the last change of the content. */
static inline int64_t spate_mtime_ns(const struct stat *info) {
#ifdef __APPLE__
    return spate_nanoseconds(info->st_mtimespec);
#else
    return spate_nanoseconds(info->st_mtim);
#endif
}

/* Time of the last change of the inode. No program can set it. */
static inline int64_t spate_ctime_ns(const struct stat *info) {
#ifdef __APPLE__
    return spate_nanoseconds(info->st_ctimespec);
#else
    return spate_nanoseconds(info->st_ctim);
#endif
}

#endif
