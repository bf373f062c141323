#define _GNU_SOURCE
#include "base/freshness.h"

#include "base/times.h"
#include "machine/mount.h"

#ifdef __linux__
#include <sys/vfs.h>
#endif

/*
 * How far a file system's ctime can be trusted.
 *
 * KEEPING: no program can set the ctime. MADE: the same, but tools such as mkfs can create images of this file system
 * with arbitrary times, in whole seconds. LAYERED: overlayfs, whose lower layers may be of any type. In a generated
 * image, ctime and mtime are equal. Times that the kernel set differ once a program has set the mtime, as all unpackers
 * do. FOREIGN: any other file system.
 */
typedef enum keeping { FOREIGN, KEEPING, MADE, LAYERED } keeping;

#ifdef __linux__
/* How long the type of a device or mount is cached: one second, because another file system may be mounted from the
 * same device later. */
#define KEPT_NS INT64_C(1000000000)
#define DEVICES 8

typedef struct device {
    uint64_t number;
    keeping keeping;
    int64_t asked_ns; /* 0: unused */
} device;

/* Only file systems whose ctime no program can set: no network file systems, no FUSE, no read-only images. */
static keeping keeping_of_type(unsigned long type) {
    switch (type) {
    case 0xef53:                  /* ext2, ext3, ext4 */
    case 0x58465342: return MADE; /* XFS */
    case 0x9123683e:              /* Btrfs */
    case 0x01021994:              /* tmpfs */
    case 0xf2f52010:              /* F2FS */
    case 0x2fc12fc1:              /* ZFS */
    case 0xca451a4e: /* bcachefs */ return KEEPING;
    case 0x794c7630: /* overlayfs */ return LAYERED;
    default: return FOREIGN;
    }
}

static keeping keeping_of(const char *path, uint64_t number) {
    static _Thread_local device devices[DEVICES];
    static _Thread_local unsigned next;
    struct timespec clock;
    struct statfs system;
    if (clock_gettime(SPATE_CLOCK_COARSE, &clock) != 0)
        return FOREIGN;
    int64_t now = spate_nanoseconds(clock) + 1;
    device *here = &devices[next % DEVICES];
    for (int i = 0; i < DEVICES; i++) {
        if (devices[i].asked_ns == 0 || devices[i].number != number)
            continue;
        if (now - devices[i].asked_ns < KEPT_NS)
            return devices[i].keeping;
        here = &devices[i];
    }
    if (statfs(path, &system) != 0)
        return FOREIGN;
    next += here == &devices[next % DEVICES];
    *here = (device){number, keeping_of_type((unsigned long)system.f_type & 0xffffffff), now};
    return here->keeping;
}
#else
static keeping keeping_of(const char *path, uint64_t number) {
    (void)path, (void)number;
    return FOREIGN;
}
#endif

static bool in_whole_seconds(const struct stat *info) {
    return spate_ctime_ns(info) % 1000000000 == 0;
}

bool spate_times_kept(const char *path, const struct stat *info) {
    if (in_whole_seconds(info))
        return false;
    keeping found = keeping_of(path, (uint64_t)info->st_dev);
    return found == LAYERED ? spate_ctime_ns(info) != spate_mtime_ns(info) : found != FOREIGN;
}

uint64_t spate_times_device(int descriptor, const char *path, const struct stat *info) {
    if (!in_whole_seconds(info))
        return spate_times_kept(path, info) ? (uint64_t)info->st_dev : 0;
    uint64_t mount = spate_mount_number(descriptor, path, info);
    return mount != 0 && keeping_of(path, mount) == MADE ? mount : 0;
}
