#define _GNU_SOURCE
#include "inputs/look/look.h"

#include "base/descriptor.h"
#include "base/freshness.h"
#include "base/times.h"
#include "elf/promise.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)64 << 10)

/* ---- stat ---- */

static int64_t now(void) {
    struct timespec time;
    return clock_gettime(SPATE_CLOCK_FILES, &time) == 0 ? spate_nanoseconds(time) : 0;
}

/* `descriptor` is the open file, or -1. */
static void fill(inputs_look *look, int descriptor, const char *path, const struct stat *info, int64_t seen_ns) {
    look->reason = 0;
    look->mode = (uint32_t)info->st_mode;
    look->size = (uint64_t)info->st_size;
    look->stamp = (disk_stamp){.device = spate_times_device(descriptor, path, info),
                               .inode = (uint64_t)info->st_ino,
                               .mtime_ns = spate_mtime_ns(info),
                               .ctime_ns = spate_ctime_ns(info),
                               .seen_ns = seen_ns};
}

void spate_inputs_look(const char *path, bool follow, inputs_look *look) {
    struct stat info;
    int64_t seen_ns = now();
    *look = (inputs_look){.stamp.seen_ns = seen_ns};
    if ((follow ? stat(path, &info) : lstat(path, &info)) == 0)
        fill(look, -1, path, &info, seen_ns);
    else
        look->reason = errno;
}

int spate_inputs_target(const char *path, char target[SPATE_INPUTS_PATH_MAX], size_t *length) {
    ssize_t got = readlink(path, target, SPATE_INPUTS_PATH_MAX);
    if (got < 0)
        return errno;
    if (got == SPATE_INPUTS_PATH_MAX)
        return ENAMETOOLONG;
    target[got] = '\0';
    *length = (size_t)got;
    return 0;
}

/* ---- digests ---- */

static int content_of(int descriptor, uint8_t out[SPATE_SHA256_LENGTH]) {
    uint8_t chunk[CHUNK_BYTES];
    spate_sha256 hash;
    int64_t got;
    spate_sha256_begin(&hash);
    do {
        got = spate_read_full(descriptor, chunk, sizeof(chunk));
        if (got > 0)
            spate_sha256_add(&hash, chunk, (size_t)got);
    } while (got == (int64_t)sizeof(chunk));
    if (got < 0)
        return errno;
    spate_sha256_end(&hash, out);
    return 0;
}

static int promise_of(int descriptor, uint64_t size, uint8_t out[SPATE_SHA256_LENGTH]) {
    spate_elf_source source = {.descriptor = descriptor, .length = size};
    switch (spate_elf_promise(&source, out)) {
    case SPATE_OK: return 0;
    case SPATE_NO_MEMORY: return ENOMEM;
    default: return ENOEXEC;
    }
}

static int kind_fault(mode_t mode, inputs_digest which) {
    if (which == INPUTS_NAMES)
        return S_ISDIR(mode) ? 0 : ENOTDIR;
    return S_ISREG(mode) ? 0 : S_ISDIR(mode) ? EISDIR : ENXIO;
}

static int digest_of(int descriptor, const char *path, inputs_digest which, inputs_look *look) {
    struct stat info;
    int64_t seen_ns = now();
    if (fstat(descriptor, &info) != 0)
        return errno;
    int reason = kind_fault(info.st_mode, which);
    if (reason != 0)
        return reason;
    disk_stamp before = look->stamp;
    fill(look, descriptor, path, &info, seen_ns);
    if (before.ctime_ns != look->stamp.ctime_ns || before.inode != look->stamp.inode ||
        before.device != look->stamp.device)
        look->known = 0;
    if (look->known != 0)
        look->stamp.seen_ns = before.seen_ns; /* the earlier time also covers the digests that are already known */
    switch (which) {
    case INPUTS_CONTENT: return content_of(descriptor, look->digests[which]);
    case INPUTS_PROMISE: return promise_of(descriptor, look->size, look->digests[which]);
    default: return spate_inputs_names(descriptor, look->digests[which]);
    }
}

int spate_inputs_digest(const char *path, bool follow, inputs_digest which, inputs_look *look) {
    if ((look->known & 1 << which) != 0)
        return 0;
    /* Opening a device may have side effects, and opening a FIFO would wait for a writer. */
    int reason = look->reason != 0 ? look->reason : kind_fault(look->mode, which);
    if (reason != 0)
        return reason;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW));
    if (descriptor < 0)
        return errno;
    reason = digest_of(descriptor, path, which, look);
    close(descriptor);
    if (reason == 0)
        look->known |= (uint8_t)(1 << which);
    return reason;
}

/* ---- stamps ---- */

bool spate_inputs_proves(const disk_stamp *recorded, const inputs_look *look) {
    return look->stamp.device != 0 && LE64(recorded->device) == look->stamp.device &&
           LE64(recorded->inode) == look->stamp.inode && (int64_t)LE64(recorded->mtime_ns) == look->stamp.mtime_ns &&
           (int64_t)LE64(recorded->ctime_ns) == look->stamp.ctime_ns &&
           !spate_times_recent(look->stamp.ctime_ns, (int64_t)LE64(recorded->seen_ns));
}

disk_stamp spate_inputs_stamp(const inputs_look *look) {
    const disk_stamp *stamp = &look->stamp;
    if (look->reason != 0 || stamp->device == 0 || spate_times_recent(stamp->ctime_ns, stamp->seen_ns))
        return (disk_stamp){0};
    return (disk_stamp){.device = LE64(stamp->device),
                        .inode = LE64(stamp->inode),
                        .mtime_ns = (int64_t)LE64(stamp->mtime_ns),
                        .ctime_ns = (int64_t)LE64(stamp->ctime_ns),
                        .seen_ns = (int64_t)LE64(stamp->seen_ns)};
}
