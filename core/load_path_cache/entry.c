#include "load_path_cache/entry.h"

#include "base/times.h"

#include <fcntl.h>

static bool ends(const char *name, size_t length, const char *extension, size_t *stem) {
    size_t tail = strlen(extension);
    if (length <= tail || memcmp(name + length - tail, extension, tail) != 0)
        return false;
    *stem = length - tail;
    return true;
}

static uint32_t kind_of(const char *name, size_t length, const char *shared, size_t *stem) {
    if (ends(name, length, ".rb", stem))
        return SPATE_LOAD_PATH_CACHE_RUBY;
    if (ends(name, length, shared, stem))
        return SPATE_LOAD_PATH_CACHE_SHARED;
    if (ends(name, length, ".rake", stem)) {
        *stem = length;
        return SPATE_LOAD_PATH_CACHE_RAKE;
    }
    return 0;
}

/* Returns the type of an entry. Calls fstatat only if the listing does not include the type. */
static int type_of(int folder, const struct dirent *entry) {
    struct stat stat;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type;
    if (fstatat(folder, entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) != 0)
        return DT_UNKNOWN;
    return S_ISDIR(stat.st_mode)    ? DT_DIR
           : S_ISREG(stat.st_mode)  ? DT_REG
           : S_ISLNK(stat.st_mode)  ? DT_LNK
           : S_ISFIFO(stat.st_mode) ? DT_FIFO
                                    : DT_UNKNOWN;
}

bool spate_load_path_cache_entry_read(spate_load_path_cache_entry *entry, int folder, const struct dirent *from,
                                      const char *shared) {
    size_t length = strlen(from->d_name);
    *entry = (spate_load_path_cache_entry){.name = from->d_name, .length = length};
    if (spate_load_path_cache_is_dots(entry->name, length))
        return false;
    int type = type_of(folder, from);
    bool file = type == DT_REG || type == DT_LNK || type == DT_FIFO;
    entry->kind = file ? kind_of(entry->name, length, shared, &entry->stem) : 0;
    if (entry->kind != 0 && type != DT_REG)
        entry->kind |= SPATE_LOAD_PATH_CACHE_CHECK;
    entry->folder = type == DT_DIR || type == DT_LNK;
    return true;
}

spate_load_path_cache_stamp spate_load_path_cache_stamp_of(const struct stat *stat) {
    return (spate_load_path_cache_stamp){(uint64_t)stat->st_dev, (uint64_t)stat->st_ino, spate_mtime_ns(stat),
                                         spate_ctime_ns(stat)};
}

int64_t spate_load_path_cache_now(void) {
    struct timespec time;
    clock_gettime(SPATE_CLOCK_FILES, &time);
    return spate_nanoseconds(time);
}
