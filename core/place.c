#define _GNU_SOURCE
#include "place.h"

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>
#include <sys/ioctl.h>
#endif
#ifdef __APPLE__
#include <sys/clonefile.h>
#endif

#define COPY_STEP ((size_t)64 << 10)

void spate_placing_begin(spate_placing *placing, spate_link_method method) {
    atomic_init(&placing->method, (int)method);
}

/* A name beside `path` for a file that is about to be renamed over it. */
static void name_beside(const char *path, char *out) {
    static atomic_uint counter;
    size_t folder = (size_t)(strrchr(path, '/') - path) + 1;
    snprintf(out, PATH_MAX, "%.*s.spate-%ld-%u", (int)folder, path, (long)getpid(), atomic_fetch_add(&counter, 1));
}

static spate_status replace(const char *made, const char *path, spate_error *error) {
    if (rename(made, path) == 0) {
        unlink(made); /* of two names of one file, rename leaves both */
        return SPATE_OK;
    }
    int reason = errno;
    unlink(made);
    errno = reason;
    return spate_fail_errno(error, path, "rename");
}

/* The method is only given up where it can never work here; a full inode (EMLINK) says nothing about the next. */
static void give_up(spate_placing *placing, spate_link_method next) {
    int present = atomic_load_explicit(&placing->method, memory_order_relaxed);
    while (present < (int)next && !atomic_compare_exchange_weak(&placing->method, &present, (int)next))
        continue;
}

/* ---- links ---- */

/* true where a link was made; false with errno set, 0 meaning that another method is to be tried. */
static bool hard_link(spate_placing *placing, const char *object, const char *path, spate_status *status,
                      spate_error *error) {
    char beside[PATH_MAX];
    struct stat there;
    struct stat wanted;
    *status = SPATE_OK;
    if (link(object, path) == 0)
        return true;
    if (errno == EEXIST) {
        if (lstat(path, &there) == 0 && lstat(object, &wanted) == 0 && there.st_dev == wanted.st_dev &&
            there.st_ino == wanted.st_ino)
            return true;
        name_beside(path, beside);
        if (link(object, beside) == 0) {
            *status = replace(beside, path, error);
            return true;
        }
    }
    if (errno == EXDEV || errno == EPERM || errno == ENOTSUP || errno == EOPNOTSUPP || errno == ENOSYS)
        give_up(placing, SPATE_LINK_CLONE);
    else if (errno != EMLINK) {
        *status = spate_fail_errno(error, path, "link");
        return true;
    }
    return false;
}

/* ---- clones and copies ---- */

static bool clone_into(int from, int to) {
#ifdef FICLONE
    return ioctl(to, FICLONE, from) == 0;
#else
    (void)from;
    (void)to;
    return false;
#endif
}

static spate_status copy_into(int from, int to, const char *object, const char *path, spate_error *error) {
    static _Thread_local uint8_t step[COPY_STEP];
    for (;;) {
        int64_t got = spate_read_full(from, step, sizeof(step));
        if (got < 0)
            return spate_fail_errno(error, object, "read");
        if (got > 0 && !spate_write_all(to, step, (size_t)got))
            return spate_fail_errno(error, path, "write");
        if (got < (int64_t)sizeof(step))
            return SPATE_OK;
    }
}

static spate_status fill(spate_placing *placing, int from, int to, const char *object, const char *path,
                         const spate_entry *entry, bool *copied, spate_error *error) {
    struct timespec times[2];
    *copied = atomic_load_explicit(&placing->method, memory_order_relaxed) == SPATE_LINK_COPY || !clone_into(from, to);
    if (*copied) {
        if (atomic_load_explicit(&placing->method, memory_order_relaxed) == SPATE_LINK_CLONE)
            give_up(placing, SPATE_LINK_COPY);
        spate_status status = copy_into(from, to, object, path, error);
        if (status != SPATE_OK)
            return status;
    }
    times[0].tv_sec = 0;
    times[0].tv_nsec = UTIME_OMIT;
    times[1].tv_sec = (time_t)(entry->mtime_ns / 1000000000);
    times[1].tv_nsec = (long)(entry->mtime_ns % 1000000000);
    if (times[1].tv_nsec < 0) {
        times[1].tv_sec--;
        times[1].tv_nsec += 1000000000;
    }
    struct stat info;
    if (fstat(to, &info) != 0)
        return spate_fail_errno(error, path, "fstat");
    if ((info.st_mode & 07777) != entry->mode && fchmod(to, entry->mode) != 0)
        return spate_fail_errno(error, path, "fchmod");
    if (futimens(to, times) != 0)
        return spate_fail_errno(error, path, "futimens");
    return SPATE_OK;
}

static spate_status copy(spate_placing *placing, const char *object, const char *path, const spate_entry *entry,
                         bool *copied, spate_error *error) {
    char beside[PATH_MAX];
    const char *made = path;
    int from = open(object, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (from < 0)
        return spate_fail_errno(error, object, "open");
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, entry->mode | 0200);
    if (to < 0 && errno == EEXIST) {
        name_beside(path, beside);
        made = beside;
        to = open(made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, entry->mode | 0200);
    }
    spate_status status = SPATE_OK;
    if (to < 0) {
        status = spate_fail_errno(error, path, "open");
    } else {
        status = fill(placing, from, to, object, path, entry, copied, error);
        if (close(to) != 0 && status == SPATE_OK)
            status = spate_fail_errno(error, path, "close");
        if (status != SPATE_OK)
            unlink(made);
        else if (made != path)
            status = replace(made, path, error);
    }
    close(from);
    return status;
}

spate_status spate_place_file(spate_placing *placing, const char *object, const char *path, const spate_entry *entry,
                              bool *copied, spate_error *error) {
    spate_status status;
    *copied = false;
    if (atomic_load_explicit(&placing->method, memory_order_relaxed) == SPATE_LINK_HARD &&
        hard_link(placing, object, path, &status, error))
        return status;
    return copy(placing, object, path, entry, copied, error);
}

spate_status spate_place_symlink(spate_placing *placing, const char *target, const char *path, spate_error *error) {
    char present[PATH_MAX];
    char beside[PATH_MAX];
    (void)placing;
    if (symlink(target, path) == 0)
        return SPATE_OK;
    if (errno != EEXIST)
        return spate_fail_errno(error, path, "symlink");
    ssize_t length = readlink(path, present, sizeof(present) - 1);
    if (length >= 0) {
        present[length] = '\0';
        if (strcmp(present, target) == 0)
            return SPATE_OK;
    }
    name_beside(path, beside);
    if (symlink(target, beside) != 0)
        return spate_fail_errno(error, path, "symlink");
    return replace(beside, path, error);
}
