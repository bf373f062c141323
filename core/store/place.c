#define _GNU_SOURCE
#include "store/place.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COPY_STEP ((size_t)64 << 10)

bool spate_place_never_links(int number) {
    return number == EXDEV || number == EPERM || number == ENOTSUP || number == EOPNOTSUPP || number == ENOSYS;
}

void spate_placing_begin(spate_placing *placing, spate_link_method method) {
    placing->fresh = false;
    atomic_init(&placing->links, method == SPATE_LINK_HARD);
    atomic_init(&placing->clones, method != SPATE_LINK_COPY);
}

/* A name beside `path` for a file that is about to be renamed over it. */
static void name_beside(const char *path, char *out) {
    static atomic_uint counter;
    size_t folder = (size_t)(strrchr(path, '/') - path) + 1;
    snprintf(out, PATH_MAX, "%.*s.spate-%ld-%u", (int)folder, path, (long)getpid(), atomic_fetch_add(&counter, 1));
}

static spate_status replace(const char *made, const char *path, spate_error *error) {
    if (rename(made, path) == 0) {
        unlink(made); /* if both name the same file, rename does nothing */
        return SPATE_OK;
    }
    int reason = errno;
    unlink(made);
    errno = reason;
    return spate_fail_errno(error, path, "rename");
}

/* ---- links ---- */

/* true if a link was made or *status says why not; false if another method has to be tried. */
static bool hard_link(spate_placing *placing, const char *object, const char *path, spate_status *status,
                      spate_error *error) {
    char beside[PATH_MAX];
    struct stat there;
    struct stat wanted;
    *status = SPATE_OK;
    if (link(object, path) == 0)
        return true;
    if (errno == EEXIST && !placing->fresh) {
        if (lstat(path, &there) == 0 && lstat(object, &wanted) == 0 && there.st_dev == wanted.st_dev &&
            there.st_ino == wanted.st_ino)
            return true;
        name_beside(path, beside);
        if (link(object, beside) == 0) {
            *status = replace(beside, path, error);
            return true;
        }
    }
    if (spate_place_never_links(errno))
        atomic_store_explicit(&placing->links, false, memory_order_relaxed);
    else if (errno != EMLINK) {
        *status = spate_fail_errno(error, path, "link");
        return true;
    }
    return false;
}

/* ---- clones and copies ---- */

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
    *copied = !atomic_load_explicit(&placing->clones, memory_order_relaxed) || !spate_clone(from, to);
    if (*copied) {
        atomic_store_explicit(&placing->clones, false, memory_order_relaxed);
        spate_status status = copy_into(from, to, object, path, error);
        if (status != SPATE_OK)
            return status;
    }
    struct stat info;
    if (fstat(to, &info) != 0)
        return spate_fail_errno(error, path, "fstat");
    if ((info.st_mode & 07777) != entry->mode && fchmod(to, entry->mode) != 0)
        return spate_fail_errno(error, path, "fchmod");
    if (!spate_set_mtime(to, entry->mtime_ns))
        return spate_fail_errno(error, path, "futimens");
    return SPATE_OK;
}

/* Makes `made`, which must not exist; errors name `path`. *exists: it did exist. */
static spate_status make(spate_placing *placing, const char *object, const char *made, const char *path,
                         const spate_entry *entry, bool *copied, bool *exists, spate_error *error) {
    *exists = false;
    int from = open(object, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (from < 0)
        return spate_fail_errno(error, object, "open");
    int to = open(made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, entry->mode | 0200);
    if (to < 0) {
        *exists = errno == EEXIST;
        spate_status failed = spate_fail_errno(error, path, "open");
        close(from);
        return failed;
    }
    spate_status status = fill(placing, from, to, object, path, entry, copied, error);
    if (close(to) != 0 && status == SPATE_OK)
        status = spate_fail_errno(error, path, "close");
    if (status != SPATE_OK)
        unlink(made);
    close(from);
    return status;
}

static spate_status copy(spate_placing *placing, const char *object, const char *path, const spate_entry *entry,
                         bool *copied, spate_error *error) {
    char beside[PATH_MAX];
    bool exists;
    spate_status status = make(placing, object, path, path, entry, copied, &exists, error);
    if (!exists || placing->fresh)
        return status;
    name_beside(path, beside);
    status = make(placing, object, beside, path, entry, copied, &exists, error);
    return status == SPATE_OK ? replace(beside, path, error) : status;
}

spate_status spate_place_file(spate_placing *placing, const char *object, const char *path, const spate_entry *entry,
                              bool *copied, spate_error *error) {
    spate_status status;
    *copied = false;
    if (spate_store_shares(path, entry->mode) && atomic_load_explicit(&placing->links, memory_order_relaxed) &&
        hard_link(placing, object, path, &status, error))
        return status;
    return copy(placing, object, path, entry, copied, error);
}

spate_status spate_place_new(const char *object, const char *path, const spate_entry *entry, spate_error *error) {
    spate_placing placing;
    bool copied;
    bool exists;
    spate_placing_begin(&placing, SPATE_LINK_CLONE);
    return make(&placing, object, path, path, entry, &copied, &exists, error);
}

spate_status spate_place_symlink(spate_placing *placing, const char *target, const char *path, spate_error *error) {
    char present[PATH_MAX];
    char beside[PATH_MAX];
    if (symlink(target, path) == 0)
        return SPATE_OK;
    if (errno != EEXIST || placing->fresh)
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
