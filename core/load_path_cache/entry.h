/*
 * The entries of a directory as `require` sees them. Used by the scan that builds a load-path cache and by running
 * programs for directories that have changed since. Both must get the same result.
 */
#ifndef SPATE_LOAD_PATH_CACHE_ENTRY_H
#define SPATE_LOAD_PATH_CACHE_ENTRY_H

#include "load_path_cache/load_path_cache.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

typedef struct spate_load_path_cache_entry {
    const char *name; /* NUL-terminated, borrowed from the listing */
    size_t length;
    size_t stem;   /* length of the name without its extension */
    uint32_t kind; /* 0 if the entry cannot be loaded; includes SPATE_LOAD_PATH_CACHE_CHECK if a stat has to decide */
    bool folder;   /* a folder, or a symbolic link, which may point to a folder now or later */
} spate_load_path_cache_entry;

/*
 * `folder`: the descriptor of the listed folder. `shared`: ".so" or the platform's equivalent. Returns false for "."
 * and "..".
 */
bool spate_load_path_cache_entry_read(spate_load_path_cache_entry *entry, int folder, const struct dirent *from,
                                      const char *shared);

spate_load_path_cache_stamp spate_load_path_cache_stamp_of(const struct stat *stat);
int64_t spate_load_path_cache_now(void); /* real-time clock */

/* Whether a part of a path is "." or "..". */
static inline bool spate_load_path_cache_is_dots(const char *part, size_t length) {
    return part[0] == '.' && (length == 1 || (length == 2 && part[1] == '.'));
}

/* "head/tail" into `out`, ended by a NUL. Adds no slash beside an empty part. Returns the length, or 0 if the result
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
