/*
 * Classifies directory entries as `require` would. Used by the scan that builds a load-path cache, and by running
 * programs for directories that have changed since. Both must get the same result.
 */
#ifndef SPATE_LOAD_PATH_CACHE_ENTRY_H
#define SPATE_LOAD_PATH_CACHE_ENTRY_H

#include "load_path_cache/load_path_cache.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

typedef struct spate_load_path_cache_entry {
    const char *name; /* NUL-terminated; owned by the listing */
    size_t length;
    size_t stem;   /* length of the name without its extension */
    uint32_t kind; /* 0 if the entry cannot be loaded; includes SPATE_LOAD_PATH_CACHE_CHECK if a stat is needed to find
                    * out */
    bool folder;   /* whether it is a directory, or a symlink, which may point to a directory */
} spate_load_path_cache_entry;

/*
 * `folder` is the descriptor of the listed directory. `shared` is ".so" or the platform's equivalent. Returns false for
 * "." and "..".
 */
bool spate_load_path_cache_entry_read(spate_load_path_cache_entry *entry, int folder, const struct dirent *from,
                                      const char *shared);

spate_load_path_cache_stamp spate_load_path_cache_stamp_of(const struct stat *stat);
int64_t spate_load_path_cache_now(void); /* time of the real-time clock */

/* Whether a path component is "." or "..". */
static inline bool spate_load_path_cache_is_dots(const char *part, size_t length) {
    return part[0] == '.' && (length == 1 || (length == 2 && part[1] == '.'));
}

/* Writes "head/tail" and a NUL to `out`. Adds no slash next to an empty part. Returns the length, or 0 if the result
 * does not fit. */
static inline size_t spate_load_path_cache_join(char *out, size_t capacity, const char *head, size_t head_length,
                                                const char *tail, size_t tail_length) {
    if (head_length + tail_length + 2 > capacity)
        return 0;
    memcpy(out, head, head_length);
    size_t length = head_length;
    if (tail_length > 0) {
        if (length > 0 && out[length - 1] != '/')
            out[length++] = '/';
        memcpy(out + length, tail, tail_length);
        length += tail_length;
    }
    out[length] = '\0';
    return length;
}

#endif
