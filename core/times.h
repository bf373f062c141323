/* Times as nanoseconds since their clock's epoch: what stat says of a file, and what a clock shows. */
#ifndef SPATE_TIMES_H
#define SPATE_TIMES_H

#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

/* To the tick (some milliseconds), and read without a system call; the precise one where there is none such. */
#ifdef CLOCK_MONOTONIC_COARSE
#define SPATE_CLOCK_COARSE CLOCK_MONOTONIC_COARSE
#else
#define SPATE_CLOCK_COARSE CLOCK_MONOTONIC
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
