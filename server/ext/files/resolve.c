#include "resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_LINUX_OPENAT2_H
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

#ifndef O_PATH /* Linux only; other systems open the directory for reading */
#define O_PATH (O_RDONLY | O_NONBLOCK | O_NOCTTY)
#endif
#ifdef __APPLE__
#define st_atim st_atimespec
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

/* Attempts of openat2, which fails with EAGAIN when another process renames a directory at the same time. */
#define TRIES 8
#define NANOSECONDS INT64_C(1000000000)
#define READING (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

void spate_place_read(const struct stat *status, spate_place *place) {
    place->kind = S_ISREG(status->st_mode) ? SPATE_REGULAR : S_ISDIR(status->st_mode) ? SPATE_DIRECTORY : SPATE_SPECIAL;
    place->device = (uint64_t)status->st_dev;
    place->inode = (uint64_t)status->st_ino;
    place->size = (uint64_t)status->st_size;
    place->atime = status->st_atim.tv_sec * NANOSECONDS + status->st_atim.tv_nsec;
    place->mtime = status->st_mtim.tv_sec * NANOSECONDS + status->st_mtim.tv_nsec;
    place->ctime = status->st_ctim.tv_sec * NANOSECONDS + status->st_ctim.tv_nsec;
}

bool spate_place_same(const spate_place *one, const spate_place *other) {
    return one->inode == other->inode && one->device == other->device && one->size == other->size &&
           one->mtime == other->mtime && one->ctime == other->ctime && one->kind == other->kind;
}

int spate_root_open(const char *path, bool beneath, bool links, spate_root *root) {
    root->path = realpath(path, NULL);
    if (!root->path)
        return errno;
    root->beneath = beneath;
    root->links = links;
    root->fd = open(root->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root->fd < 0) {
        int error = errno;
        free(root->path);
        root->path = NULL;
        return error;
    }
    if (strcmp(root->path, "/") == 0)
        root->path[0] = '\0';
    return 0;
}

void spate_root_close(spate_root *root) {
    if (root->fd >= 0)
        close(root->fd);
    free(root->path);
    root->fd = -1;
    root->path = NULL;
}

/* Opens a path below the root by openat2. Returns ENOSYS if the kernel or a sandbox does not support it. */
static int open_beneath(const spate_root *root, const char *path, int flags, int *fd) {
#if defined(HAVE_LINUX_OPENAT2_H) && defined(SYS_openat2)
    struct open_how how = {.flags = (uint64_t)flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    if (!root->links)
        how.resolve |= RESOLVE_NO_SYMLINKS;
    int error = EAGAIN;
    for (int i = 0; i < TRIES && (error == EAGAIN || error == EINTR); i++) {
        *fd = (int)syscall(SYS_openat2, root->fd, *path ? path : ".", &how, sizeof how);
        if (*fd >= 0)
            return 0;
        error = errno;
    }
    return error;
#else
    return ENOSYS;
#endif
}

/* Opens one directory after another without following links. Fails if a part of `path` has become a link. */
static int open_steps(const spate_root *root, char *path, int flags, int *result) {
    int fd = openat(root->fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    char *rest = NULL;
    if (fd < 0)
        return errno;
    for (char *name = strtok_r(path, "/", &rest); name; name = strtok_r(NULL, "/", &rest)) {
        bool last = *rest == '\0';
        int next = openat(fd, name, last ? flags | O_NOFOLLOW : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int error = errno;
        close(fd);
        if (next < 0)
            return error;
        fd = next;
    }
    *result = fd;
    return 0;
}

/* Used without openat2, and for absolute links into the root. The file's real path must begin with the root's. */
static int open_real(const spate_root *root, const char *path, int flags, int *fd) {
    size_t length = strlen(root->path), size = length + strlen(path) + 2;
    char *whole = malloc(size);
    if (!whole)
        return ENOMEM;
    (void)snprintf(whole, size, "%s/%s", root->path, path);
    char *real = realpath(whole, NULL);
    int error = errno;
    free(whole);
    if (!real)
        return error;
    bool inside = strncmp(real, root->path, length) == 0 && (real[length] == '/' || real[length] == '\0');
    error = inside ? open_steps(root, real + length, flags, fd) : EXDEV;
    free(real);
    return error;
}

static int open_without_links(const spate_root *root, const char *path, int flags, int *fd) {
    char *steps = strdup(path);
    if (!steps)
        return ENOMEM;
    int error = open_steps(root, steps, flags, fd);
    free(steps);
    return error;
}

static int open_without_openat2(const spate_root *root, const char *path, int flags, int *fd) {
    return root->links ? open_real(root, path, flags, fd) : open_without_links(root, path, flags, fd);
}

static int open_below(spate_root *root, const char *path, int flags, int *fd) {
    if (!root->beneath)
        return open_without_openat2(root, path, flags, fd);
    int error = open_beneath(root, path, flags, fd);
    /* EPERM comes from seccomp rules that are older than openat2. */
    if (error == ENOSYS || error == EPERM || error == E2BIG)
        root->beneath = false;
    else if (error != EXDEV && error != EAGAIN)
        return error;
    return open_without_openat2(root, path, flags, fd);
}

/*
 * Opens the file of an O_PATH descriptor for reading. Without /proc, opens `path` again, and returns ENOENT if it leads
 * to another file.
 */
static int reopen(spate_root *root, const char *path, spate_place *place) {
    char link[40];
    struct stat status;
    spate_place again = {.fd = -1};
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", place->fd);
    int fd = open(link, READING), error = fd < 0 ? errno : 0;
    if (error == ENOENT || error == ENOTDIR) /* no /proc */
        error = open_below(root, path, READING, &fd);
    if (!error && fstat(fd, &status) < 0) {
        error = errno;
        close(fd);
    }
    close(place->fd);
    place->fd = -1;
    if (error)
        return error;
    spate_place_read(&status, &again);
    if (again.inode != place->inode || again.device != place->device) {
        close(fd);
        return ENOENT;
    }
    *place = again;
    place->fd = fd;
    return 0;
}

int spate_resolve(spate_root *root, const char *path, bool read, spate_place *place) {
    struct stat status;
    int fd = -1;
    place->fd = -1;
    int error = open_below(root, path, O_PATH | O_CLOEXEC, &fd);
    if (error)
        return error;
    if (fstat(fd, &status) < 0) {
        error = errno;
        close(fd);
        return error;
    }
    spate_place_read(&status, place);
    if (read && place->kind != SPATE_SPECIAL) {
        place->fd = fd;
        return place->kind == SPATE_REGULAR ? reopen(root, path, place) : 0;
    }
    close(fd);
    return 0;
}

int spate_root_stat(const spate_root *root, const char *path, spate_place *place) {
    struct stat status;
    if (fstatat(root->fd, *path ? path : ".", &status, root->links ? 0 : AT_SYMLINK_NOFOLLOW) < 0)
        return errno;
    place->fd = -1;
    spate_place_read(&status, place);
    return 0;
}

int spate_root_set_atime(const spate_root *root, const char *path) {
    const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
    return utimensat(root->fd, path, times, AT_SYMLINK_NOFOLLOW) < 0 ? errno : 0;
}
