#define _GNU_SOURCE
#include "base/freshness.h"

#include "base/times.h"

#ifdef __linux__
#include <sys/vfs.h>
#endif

/*
 * LAYERED: of an overlay, whose lower layers may be anything. A made image has the same value for both times; the
 * kernel's times differ where somebody set the mtime, as everything that unpacks archives does.
 */
typedef enum keeping { FOREIGN, KEEPING, LAYERED } keeping;

#ifdef __linux__
/* Asked again after a second: by then another file system may be mounted from the same device. */
#define KEPT_NS INT64_C(1000000000)
#define DEVICES 8

typedef struct device {
    dev_t number;
    keeping keeping;
    int64_t asked_ns; /* 0: nothing here */
} device;

/* Only file systems whose ctime no program can set: no network file systems, no FUSE, none that is made as a whole. */
static keeping keeping_of_type(unsigned long type) {
    switch (type) {
    case 0xef53:     /* ext2, ext3, ext4 */
    case 0x58465342: /* XFS */
    case 0x9123683e: /* Btrfs */
    case 0x01021994: /* tmpfs */
    case 0xf2f52010: /* F2FS */
    case 0x2fc12fc1: /* ZFS */
    case 0xca451a4e: /* bcachefs */ return KEEPING;
    case 0x794c7630: /* overlayfs */ return LAYERED;
    default: return FOREIGN;
    }
}

static keeping keeping_of(const char *path, dev_t number) {
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
static keeping keeping_of(const char *path, dev_t number) {
    (void)path, (void)number;
    return FOREIGN;
}
#endif

bool spate_times_kept(const char *path, const struct stat *info) {
    int64_t changed = spate_ctime_ns(info);
    if (changed % 1000000000 == 0)
        return false;
    keeping found = keeping_of(path, info->st_dev);
    return found == KEEPING || (found == LAYERED && changed != spate_mtime_ns(info));
}
