#define _GNU_SOURCE
#include "compile_cache/source.h"

#include "base/descriptor.h"
#include "base/freshness.h"
#include "base/times.h"

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
        .kept = spate_times_kept(path, &info),
        .symlink = symlink,
    };
    return true;
}

const char *spate_source_state_name(spate_source_state state) {
    switch (state) {
    case SPATE_SOURCE_SAME: return NULL;
    case SPATE_SOURCE_OTHER_KIND: return "kind";
    case SPATE_SOURCE_OTHER_SIZE: return "size";
    case SPATE_SOURCE_UNKEPT: return "unkept";
    case SPATE_SOURCE_OTHER_MTIME: return "mtime";
    case SPATE_SOURCE_OTHER_CTIME: return "ctime";
    case SPATE_SOURCE_OTHER_INODE: return "inode";
    case SPATE_SOURCE_RECENT: return "recent";
    }
    return NULL;
}

spate_source_state spate_source_doubt(const spate_source *source, const spate_compile_cache_file *recorded) {
    if (source->size != recorded->size)
        return SPATE_SOURCE_OTHER_SIZE;
    if (!source->kept)
        return SPATE_SOURCE_UNKEPT;
    if (source->mtime_ns != recorded->mtime_ns)
        return SPATE_SOURCE_OTHER_MTIME;
    if (source->ctime_ns != recorded->ctime_ns)
        return SPATE_SOURCE_OTHER_CTIME;
    if (recorded->inode != 0 && recorded->inode != source->inode)
        return SPATE_SOURCE_OTHER_INODE;
    return spate_times_recent(recorded->ctime_ns, recorded->recorded_ns) ? SPATE_SOURCE_RECENT : SPATE_SOURCE_SAME;
}

spate_source_state spate_source_compare(const spate_source *source, const spate_compile_cache_file *recorded) {
    return source->regular ? spate_source_doubt(source, recorded) : SPATE_SOURCE_OTHER_KIND;
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
