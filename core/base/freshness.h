/*
 * Whether times prove that a file or folder has not changed since the last look. One rule for all caches: compiled
 * files, folders of the load path, YAML, Bundler's inputs. docs/compile-cache-format.md explains it.
 */
#ifndef SPATE_FRESHNESS_H
#define SPATE_FRESHNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Two changes within one tick of the kernel's clock (up to 10 ms before Linux 6.13) leave the same ctime. */
#define SPATE_FRESH_RACY_NS INT64_C(20000000)

/*
 * Whether the kernel set the ctime at the last change and would change it at the next: judged by the file
 * system's type, checked once a second per device, and by the time itself. One in whole seconds proves nothing: either
 * the file system stores no fractions, or the maker of its image chose it. If false, only content is proof.
 * `path`: of `info`.
 */
bool spate_times_kept(const char *path, const struct stat *info);

/*
 * For records that store a device beside the times: the number to record, and to compare; 0 if times prove nothing.
 * If spate_times_kept is true, st_dev. A ctime in whole seconds is proof as well while the same ext4 or XFS
 * is mounted: its inode has room for nanoseconds, so the kernel has not changed the file since the image was made, and the
 * number names the mount (docs/adr/0030-whole-seconds-within-one-mount.md).
 *
 * descriptor: of `info`, or -1: then `path` is used.
 */
uint64_t spate_times_device(int descriptor, const char *path, const struct stat *info);

/*
 * Whether the ctime is too close to the look at `seen_ns` (of SPATE_CLOCK_FILES), or after it because the clock was set
 * back: a change since then may have left the same ctime.
 */
static inline bool spate_times_recent(int64_t ctime_ns, int64_t seen_ns) {
    int64_t age;
    if (__builtin_sub_overflow(seen_ns, ctime_ns, &age)) /* recorded times may be anything */
        return seen_ns < ctime_ns;
    return age < SPATE_FRESH_RACY_NS;
}

#endif
