#define _GNU_SOURCE
#include "inputs/look/look.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The entries as consecutive "<type><name>\0" strings, and the offset of each. */
typedef struct names {
    char *bytes;
    size_t used;
    size_t capacity;
    size_t *starts;
    size_t count;
    size_t start_capacity;
} names;

static char type_of_mode(mode_t mode) {
    return S_ISREG(mode) ? 'f' : S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : 'o';
}

/*
 * Returns the type of an entry. Calls fstatat on file systems that do not report types. An entry that has vanished gets
 * a type that does not otherwise occur.
 */
static char type_of(int descriptor, const struct dirent *entry) {
    struct stat info;
    switch (entry->d_type) {
    case DT_REG: return 'f';
    case DT_DIR: return 'd';
    case DT_LNK: return 'l';
    case DT_UNKNOWN:
        return fstatat(descriptor, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 ? type_of_mode(info.st_mode) : '?';
    default: return 'o';
    }
}

static bool grown(void **memory, size_t *capacity, size_t wanted, size_t size) {
    if (wanted <= *capacity)
        return true;
    size_t more = *capacity * 2 > wanted ? *capacity * 2 : wanted + 64;
    void *moved = realloc(*memory, more * size);
    if (!moved)
        return false;
    *memory = moved;
    *capacity = more;
    return true;
}

static bool add(names *all, char type, const char *name) {
    size_t length = strlen(name) + 2;
    void *bytes = all->bytes, *starts = all->starts;
    bool fits = grown(&bytes, &all->capacity, all->used + length, 1);
    all->bytes = bytes;
    fits = fits && grown(&starts, &all->start_capacity, all->count + 1, sizeof(*all->starts));
    all->starts = starts;
    if (!fits)
        return false;
    all->bytes[all->used] = type;
    memcpy(all->bytes + all->used + 1, name, length - 1);
    all->starts[all->count++] = all->used;
    all->used += length;
    return true;
}

static int collect(names *all, DIR *folder) {
    const struct dirent *entry;
    while (errno = 0, (entry = readdir(folder)) != NULL) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (!add(all, type_of(dirfd(folder), entry), name))
            return ENOMEM;
    }
    return errno;
}

static int by_name(const void *left, const void *right) {
    return strcmp(*(const char *const *)left + 1, *(const char *const *)right + 1);
}

static int sum(const names *all, uint8_t out[SPATE_SHA256_LENGTH]) {
    const char **sorted = malloc((all->count + 1) * sizeof(*sorted));
    spate_sha256 hash;
    if (!sorted)
        return ENOMEM;
    for (size_t i = 0; i < all->count; i++)
        sorted[i] = all->bytes + all->starts[i];
    if (all->count > 1)
        qsort(sorted, all->count, sizeof(*sorted), by_name);
    spate_sha256_begin(&hash);
    for (size_t i = 0; i < all->count; i++)
        spate_sha256_add(&hash, sorted[i], strlen(sorted[i]) + 1);
    spate_sha256_end(&hash, out);
    free(sorted);
    return 0;
}

int spate_inputs_names(int descriptor, uint8_t out[SPATE_SHA256_LENGTH]) {
    names all = {0};
    int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    DIR *folder = own < 0 ? NULL : fdopendir(own);
    if (!folder) {
        int reason = errno;
        if (own >= 0)
            close(own);
        return reason;
    }
    int reason = collect(&all, folder);
    closedir(folder);
    if (reason == 0)
        reason = sum(&all, out);
    free(all.bytes);
    free(all.starts);
    return reason;
}
