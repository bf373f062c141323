#define _GNU_SOURCE
#include "source.h"

#include "descriptor.h"
#include "times.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)32 << 10)

bool spate_source_stat(const char *path, spate_source *source) {
    struct stat info;
    if (lstat(path, &info) != 0)
        return false;
    bool symlink = S_ISLNK(info.st_mode);
    if (symlink && stat(path, &info) != 0)
        return false;
    *source = (spate_source){
        .size = (uint64_t)info.st_size,
        .mtime_ns = spate_mtime_ns(&info),
        .ctime_ns = spate_ctime_ns(&info),
        .device = (uint64_t)info.st_dev,
        .inode = (uint64_t)info.st_ino,
        .regular = S_ISREG(info.st_mode),
        .symlink = symlink,
    };
    return true;
}

/* A change after the recording would have a later ctime, unless the clock's tick was the same or it was set back. */
static bool racy(const spate_image_file *recorded) {
    int64_t since_mtime = recorded->recorded_ns - recorded->mtime_ns;
    return recorded->recorded_ns - recorded->ctime_ns < SPATE_SOURCE_RACY_NS ||
           (since_mtime > -SPATE_SOURCE_RACY_NS && since_mtime < SPATE_SOURCE_RACY_NS);
}

spate_source_state spate_source_compare(const spate_source *source, const spate_image_file *recorded) {
    if (!source->regular || source->size != recorded->size)
        return SPATE_SOURCE_OTHER;
    if (source->mtime_ns != recorded->mtime_ns || source->ctime_ns != recorded->ctime_ns ||
        (recorded->inode != 0 && recorded->inode != source->inode) || racy(recorded))
        return SPATE_SOURCE_ASK_CONTENT;
    return SPATE_SOURCE_SAME;
}

bool spate_source_hash(const char *path, uint8_t out[SPATE_SIPHASH_BYTES]) {
    uint8_t chunk[CHUNK_BYTES];
    spate_siphash hash;
    int64_t got;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    spate_siphash_begin(&hash);
    do {
        got = spate_read_full(descriptor, chunk, sizeof(chunk));
        if (got > 0)
            spate_siphash_add(&hash, chunk, (size_t)got);
    } while (got == (int64_t)sizeof(chunk));
    int reason = errno;
    close(descriptor);
    errno = reason;
    if (got >= 0)
        spate_siphash_end(&hash, out);
    return got >= 0;
}
