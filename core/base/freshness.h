/*
 * Decides whether timestamps prove that a file or directory is unchanged since it was last checked. All caches use this
 * rule: compiled files, directories of the load path, YAML, inputs of Bundler. See docs/compile-cache-format.md.
 */
#ifndef SPATE_FRESHNESS_H
#define SPATE_FRESHNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Two changes within one tick of the kernel's clock (up to 10 ms before Linux 6.13) can leave the same ctime. */
#define SPATE_FRESH_RACY_NS INT64_C(20000000)

/*
 * Whether the kernel set the ctime at the file's last change and will update it at the next one. If false, only the
 * content proves that a file is unchanged.
 *
 * This depends on the type of the file system, which is cached for a second per device. A ctime in whole seconds is not
 * accepted: either the file system stores no fractions, or the tool that created its image set the time. `info` is the
 * stat of `path`.
 */
bool spate_times_kept(const char *path, const struct stat *info);

/*
 * For records that store a device number along with the timestamps. Returns the number to record or compare, or 0 if
 * timestamps prove nothing.
 *
 * If spate_times_kept is true, this is st_dev. On ext4 and XFS, a ctime in whole seconds is accepted as well, but only
 * within one mount. Their inodes store nanoseconds, so such a ctime means that the kernel has not changed the file
 * since the image was created. The number then identifies the mount (docs/adr/0030-whole-seconds-within-one-mount.md).
 *
 * `info` is the stat of `descriptor`, or of `path` if `descriptor` is -1.
 */
uint64_t spate_times_device(int descriptor, const char *path, const struct stat *info);

/*
 * Whether a file with this ctime may have changed after `seen_ns` (of SPATE_CLOCK_FILES) without getting a new ctime.
 * True if the ctime is within SPATE_FRESH_RACY_NS of it, or later because the clock was set back.
 */
static inline bool spate_times_recent(int64_t ctime_ns, int64_t seen_ns) {
    int64_t age;
    if (__builtin_sub_overflow(seen_ns, ctime_ns, &age)) /* `ctime_ns` comes from a record that may be corrupt */
        return seen_ns < ctime_ns;
    return age < SPATE_FRESH_RACY_NS;
}

#endif
