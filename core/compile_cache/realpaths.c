#define _GNU_SOURCE
#include "compile_cache/source.h"

#include "base/times.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Caches the real paths of directories. An application has hundreds of directories and looks them up thousands of
 * times. */

typedef struct folder {
    uint32_t hash;
    uint32_t length; /* 0 if the slot is free; "/" is never cached */
    char *path;
    char *real; /* NULL if the path is its own real path */
    size_t real_length;
} folder;

struct spate_realpaths {
    folder *folders;
    size_t capacity; /* a power of two */
    size_t count;
    time_t since; /* monotonic time in seconds at which the first directory was cached */
};

#define FIRST_CAPACITY 256
/* Longer than a boot, but short enough for a server that reloads files to detect changed directories. */
#define SECONDS_KEPT 2

spate_realpaths *spate_realpaths_new(void) {
    spate_realpaths *made = calloc(1, sizeof(*made));
    folder *folders = calloc(FIRST_CAPACITY, sizeof(*folders));
    if (!made || !folders) {
        free(made);
        free(folders);
        return NULL;
    }
    made->folders = folders;
    made->capacity = FIRST_CAPACITY;
    return made;
}

void spate_realpaths_forget(spate_realpaths *realpaths) {
    if (!realpaths)
        return;
    for (size_t i = 0; i < realpaths->capacity; i++) {
        free(realpaths->folders[i].path);
        free(realpaths->folders[i].real);
    }
    memset(realpaths->folders, 0, realpaths->capacity * sizeof(*realpaths->folders));
    realpaths->count = 0;
}

void spate_realpaths_free(spate_realpaths *realpaths) {
    if (!realpaths)
        return;
    spate_realpaths_forget(realpaths);
    free(realpaths->folders);
    free(realpaths);
}

static void forget_what_is_old(spate_realpaths *realpaths) {
    struct timespec now;
    if (clock_gettime(SPATE_CLOCK_COARSE, &now) != 0)
        now.tv_sec = realpaths->since + SECONDS_KEPT;
    if (realpaths->count > 0 && now.tv_sec - realpaths->since >= SECONDS_KEPT)
        spate_realpaths_forget(realpaths);
    if (realpaths->count == 0)
        realpaths->since = now.tv_sec;
}

static folder *place_of(folder *folders, size_t capacity, uint32_t hash, const char *path, size_t length) {
    size_t at = hash & (capacity - 1);
    while (folders[at].length != 0 &&
           (folders[at].hash != hash || folders[at].length != length || memcmp(folders[at].path, path, length) != 0))
        at = (at + 1) & (capacity - 1);
    return &folders[at];
}

static bool grow(spate_realpaths *realpaths) {
    size_t capacity = realpaths->capacity * 2;
    folder *folders = calloc(capacity, sizeof(*folders));
    if (!folders)
        return false;
    for (size_t i = 0; i < realpaths->capacity; i++) {
        folder *from = &realpaths->folders[i];
        if (from->length != 0)
            *place_of(folders, capacity, from->hash, from->path, from->length) = *from;
    }
    free(realpaths->folders);
    realpaths->folders = folders;
    realpaths->capacity = capacity;
    return true;
}

/* Takes ownership of `real`. Returns NULL if out of memory. */
static const folder *keep(spate_realpaths *realpaths, uint32_t hash, const char *path, size_t length, char *real) {
    char *copy = NULL;
    if ((realpaths->count + 1) * 2 <= realpaths->capacity || grow(realpaths))
        copy = malloc(length + 1);
    if (!copy) {
        free(real);
        return NULL;
    }
    memcpy(copy, path, length);
    copy[length] = '\0';
    folder *made = place_of(realpaths->folders, realpaths->capacity, hash, path, length);
    *made = (folder){.hash = hash,
                     .length = (uint32_t)length,
                     .path = copy,
                     .real = real,
                     .real_length = real ? strlen(real) : length};
    realpaths->count++;
    return made;
}

static size_t parent_length(const char *path, size_t length) {
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 0 ? length - 1 : 0; /* 0: the root */
}

/* Returns "real/name", allocated with malloc, or NULL if out of memory. */
static char *joined(const folder *parent, const char *name, size_t name_length) {
    const char *real = parent->real;
    size_t real_length = parent->real_length == 1 ? 0 : parent->real_length; /* "/" */
    char *path = malloc(real_length + 1 + name_length + 1);
    if (!path)
        return NULL;
    memcpy(path, real, real_length);
    path[real_length] = '/';
    memcpy(path + real_length + 1, name, name_length);
    path[real_length + 1 + name_length] = '\0';
    return path;
}

/* Returns the record of a directory, or NULL if it has no real path. `length` must be > 0, without a slash at the end.
 * `text` is a buffer of PATH_MAX bytes. */
static const folder *resolve(spate_realpaths *realpaths, char *text, const char *path, size_t length) {
    struct stat info;
    uint32_t hash = spate_compile_cache_hash(path, length);
    const folder *known = place_of(realpaths->folders, realpaths->capacity, hash, path, length);
    if (known->length != 0)
        return known;
    if (length >= PATH_MAX)
        return NULL;
    memcpy(text, path, length);
    text[length] = '\0';
    if (lstat(text, &info) != 0)
        return NULL;
    if (S_ISLNK(info.st_mode)) {
        char *real = realpath(text, NULL);
        return real ? keep(realpaths, hash, path, length, real) : NULL;
    }
    size_t above = parent_length(path, length);
    const folder *parent = above > 0 ? resolve(realpaths, text, path, above) : NULL;
    if (above > 0 && !parent)
        return NULL;
    if (!parent || !parent->real)
        return keep(realpaths, hash, path, length, NULL);
    char *real = joined(parent, path + above + 1, length - above - 1);
    return real ? keep(realpaths, hash, path, length, real) : NULL;
}

/*
 * Whether the path is absolute and has no empty, "." or ".." components. Only then is a file's real path its
 * directory's real path plus its name.
 */
static bool is_plain(const char *path, size_t length) {
    if (length < 2 || path[0] != '/' || path[length - 1] == '/')
        return false;
    for (const char *part = path; part; part = memchr(part, '/', (size_t)(path + length - part))) {
        part++;
        if (*part == '/' || (part[0] == '.' && (part[1] == '/' || part[1] == '\0' ||
                                                (part[1] == '.' && (part[2] == '/' || part[2] == '\0')))))
            return false;
    }
    return true;
}

static bool is_real_path(const char *path, const char *expected, size_t expected_length) {
    char *real = realpath(path, NULL);
    bool same = real && strlen(real) == expected_length && memcmp(real, expected, expected_length) == 0;
    free(real);
    return same;
}

bool spate_realpaths_match(spate_realpaths *realpaths, const char *path, size_t length, bool symlink,
                           const char *expected, size_t expected_length) {
    char text[PATH_MAX];
    if (symlink || !is_plain(path, length))
        return is_real_path(path, expected, expected_length);
    forget_what_is_old(realpaths);
    size_t above = parent_length(path, length);
    const folder *parent = above > 0 ? resolve(realpaths, text, path, above) : NULL;
    if (above > 0 && !parent)
        return is_real_path(path, expected, expected_length);
    if (!parent || !parent->real)
        return expected_length == length && memcmp(path, expected, length) == 0;
    size_t name_length = length - above - 1;
    size_t real_length = parent->real_length == 1 ? 0 : parent->real_length; /* "/" */
    return expected_length == real_length + 1 + name_length && memcmp(expected, parent->real, real_length) == 0 &&
           expected[real_length] == '/' && memcmp(expected + real_length + 1, path + above + 1, name_length) == 0;
}
