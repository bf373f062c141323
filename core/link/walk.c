#define _GNU_SOURCE
#include "link/walk.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void spate_walk_begin(spate_walk *walk, int base) {
    walk->base = base;
    walk->there = false;
    walk->depth = 0;
}

void spate_walk_end(spate_walk *walk) {
    while (walk->depth > 0)
        close(walk->steps[--walk->depth].folder);
}

/* Closes directories that are not on the new path. */
static void go_back(spate_walk *walk, const char *path, size_t length) {
    while (walk->depth > 0) {
        size_t end = walk->steps[walk->depth - 1].end;
        if (end <= length && (end == length || path[end] == '/') && memcmp(walk->path, path, end) == 0)
            return;
        close(walk->steps[--walk->depth].folder);
    }
}

/* Moves the last step to the front and closes the steps before it. They are opened again when needed. */
static void forget_the_way(spate_walk *walk) {
    for (unsigned i = 0; i + 1 < walk->depth; i++)
        close(walk->steps[i].folder);
    walk->steps[0] = walk->steps[walk->depth - 1];
    walk->depth = 1;
}

static int folder_of(const spate_walk *walk) {
    return walk->depth > 0 ? walk->steps[walk->depth - 1].folder : walk->base;
}

/* Opens a directory, or creates it. If both fail, errno is that of the mkdir. */
static int open_or_make(int above, const char *name, bool there, bool *made) {
    int folder;
    *made = false;
    if (there) {
        folder = openat(above, name, SPATE_FOLDER_FLAGS | O_NOFOLLOW);
        if (folder >= 0 || errno != ENOENT)
            return folder;
    }
    *made = mkdirat(above, name, 0777) == 0;
    int reason = *made ? EEXIST : errno;
    folder = openat(above, name, SPATE_FOLDER_FLAGS | O_NOFOLLOW);
    if (folder < 0 && errno != ELOOP && reason != EEXIST)
        errno = reason;
    return folder;
}

/* Opens or creates the directory whose name is path[begin, end). */
static bool step_into(spate_walk *walk, const char *path, size_t begin, size_t end, bool *made) {
    char *name = walk->path + begin;
    size_t length = end - begin;
    if (walk->depth == SPATE_WALK_STEPS)
        forget_the_way(walk);
    if (begin > 0)
        walk->path[begin - 1] = '/';
    memcpy(name, path + begin, length);
    name[length] = '\0';
    if (length == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        errno = EINVAL;
        return false;
    }
    int folder = open_or_make(folder_of(walk), name, walk->there, made);
    if (folder < 0) {
        if (errno == ELOOP) /* O_NOFOLLOW reports a symlink as ELOOP */
            errno = ENOTDIR;
        return false;
    }
    walk->steps[walk->depth].end = end;
    walk->steps[walk->depth++].folder = folder;
    return true;
}

static int go(spate_walk *walk, const char *path, size_t length, bool *made) {
    if (length >= sizeof(walk->path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    go_back(walk, path, length);
    size_t begin = walk->depth > 0 ? walk->steps[walk->depth - 1].end : 0;
    while (begin < length) {
        begin += begin > 0; /* the slash */
        const char *slash = memchr(path + begin, '/', length - begin);
        size_t end = slash ? (size_t)(slash - path) : length;
        if (!step_into(walk, path, begin, end, made))
            return -1;
        begin = end;
    }
    return folder_of(walk);
}

int spate_walk_to(spate_walk *walk, const char *path, size_t length, bool *made) {
    bool now = false;
    int folder = go(walk, path, length, &now);
    if (folder >= 0 && made)
        *made = now;
    return folder;
}

size_t spate_folder_length(const char *path, size_t length) {
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 0 ? length - 1 : 0;
}
