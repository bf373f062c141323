#define _GNU_SOURCE
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#endif

/* Maximum number of open directories while a tree is removed. Deeper directories are moved up first. */
#define REMOVE_DESCRIPTORS 32
#define REMOVE_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

spate_status spate_read_file(const char *path, size_t max, spate_buffer *buffer, struct stat *info,
                             spate_error *error) {
    struct stat found = {0};
    /* O_NONBLOCK: opening a FIFO would otherwise wait for a writer. */
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return spate_fail_errno(error, path, "open");
    spate_status status = SPATE_OK;
    if (fstat(descriptor, &found) != 0)
        status = spate_fail_errno(error, path, "fstat");
    else if (!S_ISREG(found.st_mode))
        status = spate_fail(error, SPATE_CORRUPT, path, "not a regular file");
    else if ((uint64_t)found.st_size > max)
        status = spate_fail(error, SPATE_LIMIT, path, "%lld bytes, more than %zu", (long long)found.st_size, max);
    else
        status = spate_buffer_reserve(buffer, found.st_size > 0 ? (size_t)found.st_size : 1);
    if (status == SPATE_OK) {
        int64_t got = spate_read_full(descriptor, buffer->bytes, (size_t)found.st_size);
        if (got < 0)
            status = spate_fail_errno(error, path, "read");
        else
            buffer->length = (size_t)got;
    } else if (status == SPATE_NO_MEMORY) {
        spate_fail(error, SPATE_NO_MEMORY, path, "no memory for %lld bytes", (long long)found.st_size);
    }
    close(descriptor);
    if (info)
        *info = found;
    return status;
}

spate_status spate_write_file(const char *path, const void *bytes, size_t length, spate_error *error) {
    char temporary[PATH_MAX];
    int descriptor = spate_open_temporary(temporary, sizeof(temporary), path);
    if (descriptor < 0)
        return spate_fail_errno(error, path, "open");
    return spate_publish(descriptor, spate_write_all(descriptor, bytes, length), temporary, path, error);
}

spate_status spate_join(const char *folder, size_t folder_length, const char *path, size_t length, char *out,
                        const char *call, spate_error *error) {
    if (folder_length + length + 2 > PATH_MAX) {
        errno = ENAMETOOLONG;
        return spate_fail_errno(error, path, call);
    }
    memcpy(out, folder, folder_length);
    out[folder_length] = '/';
    memcpy(out + folder_length + 1, path, length);
    out[folder_length + 1 + length] = '\0';
    return SPATE_OK;
}

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Searches for the deepest existing directory from the end, because most of them usually exist. */
spate_status spate_make_directories(const char *path, mode_t mode, spate_error *error) {
    char part[PATH_MAX];
    size_t length = strlen(path);
    size_t made = length; /* length of the part of the path that exists */
    if (length >= sizeof(part)) {
        errno = ENAMETOOLONG;
        return spate_fail_errno(error, path, "mkdir");
    }
    memcpy(part, path, length + 1);
    while (made > 0 && mkdir(part, mode) != 0) {
        int reason = errno;
        if (reason != ENOENT && is_folder(part))
            break;
        if (reason == EEXIST) {
            errno = ENOTDIR;
            return spate_fail_errno(error, part, "mkdir");
        }
        while (made > 0 && part[made - 1] != '/')
            made--;
        while (made > 0 && part[made - 1] == '/')
            made--;
        part[made] = '\0';
    }
    while (made < length) {
        part[made] = path[made];
        made++;
        if (path[made] != '/' && path[made] != '\0')
            continue;
        part[made] = '\0';
        if (mkdir(part, mode) != 0) {
            int reason = errno;
            if (!is_folder(part)) {
                errno = reason == EEXIST ? ENOTDIR : reason;
                return spate_fail_errno(error, part, "mkdir");
            }
        }
    }
    return SPATE_OK;
}

bool spate_set_mtime(int descriptor, int64_t mtime_ns) {
    struct timespec times[2] = {{0, UTIME_OMIT}, {(time_t)(mtime_ns / 1000000000), (long)(mtime_ns % 1000000000)}};
    if (times[1].tv_nsec < 0) {
        times[1].tv_sec--;
        times[1].tv_nsec += 1000000000;
    }
    return futimens(descriptor, times) == 0;
}

bool spate_clone(int from, int to) {
#ifdef FICLONE
    return ioctl(to, FICLONE, from) == 0;
#else
    (void)from;
    (void)to;
    return false;
#endif
}

/* ---- removing ---- */

typedef struct removal {
    int top; /* descriptor of the directory to remove */
    unsigned moved;
    char path[PATH_MAX]; /* of the directory that is being emptied; truncated if too long */
    spate_status status; /* of the first entry that could not be removed */
    spate_error *error;
} removal;

static void note(removal *r, const char *name) {
    int reason = errno;
    char path[PATH_MAX];
    if (r->status != SPATE_OK)
        return;
    bool fits = snprintf(path, sizeof(path), "%s/%s", r->path, name) < (int)sizeof(path);
    errno = reason;
    r->status = spate_fail_errno(r->error, fits ? path : r->path, "remove");
}

/* Moves a deep directory into the top one; the next pass over the top directory removes it. */
static bool move_up(removal *r, int folder, const char *name) {
    char fresh[32];
    int answer;
    do {
        snprintf(fresh, sizeof(fresh), ".spate-deep-%u", ++r->moved);
        answer = renameat(folder, name, r->top, fresh);
    } while (answer != 0 && (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR));
    return answer == 0;
}

static void empty_folder(removal *r, int folder, unsigned depth);

/* `folder` stays open during the call, so the depth is limited. */
static void remove_within(removal *r, int folder, const char *name, unsigned depth) {
    if (unlinkat(folder, name, 0) == 0 || errno == ENOENT)
        return;
    int reason = errno;
    int inner = openat(folder, name, REMOVE_FLAGS);
    if (inner < 0) {
        errno = errno == ENOTDIR ? reason : errno;
        note(r, name);
        return;
    }
    if (depth >= REMOVE_DESCRIPTORS && move_up(r, folder, name)) {
        close(inner);
        return;
    }
    size_t length = strlen(r->path);
    if (length + strlen(name) + 2 <= sizeof(r->path))
        snprintf(r->path + length, sizeof(r->path) - length, "/%s", name);
    empty_folder(r, inner, depth + 1);
    r->path[length] = '\0';
    if (unlinkat(folder, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
        note(r, name);
}

/* Closes `folder`. */
static void empty_folder(removal *r, int folder, unsigned depth) {
    DIR *list = fdopendir(folder);
    if (!list) {
        note(r, ".");
        close(folder);
        return;
    }
    for (struct dirent *entry = readdir(list); entry; entry = readdir(list))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_within(r, folder, entry->d_name, depth);
    closedir(list);
}

spate_status spate_remove_tree(const char *path, spate_error *error) {
    removal r = {.error = error};
    if (unlink(path) == 0 || errno == ENOENT)
        return SPATE_OK;
    int reason = errno;
    r.top = open(path, REMOVE_FLAGS);
    if (r.top < 0) {
        errno = errno == ENOTDIR ? reason : errno;
        return spate_fail_errno(error, path, "remove");
    }
    snprintf(r.path, sizeof(r.path), "%s", path);
    unsigned before;
    do {
        before = r.moved;
        int top = openat(r.top, ".", REMOVE_FLAGS);
        if (top < 0)
            note(&r, ".");
        else
            empty_folder(&r, top, 0);
    } while (r.moved != before && r.status == SPATE_OK);
    close(r.top);
    if (r.status == SPATE_OK && rmdir(path) != 0 && errno != ENOENT)
        return spate_fail_errno(error, path, "remove");
    return r.status;
}
