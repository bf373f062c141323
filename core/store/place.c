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

/* Writes a temporary name in the same directory to `out`, for a file that will be renamed to the spot. */
static void name_beside(const spate_spot *spot, char *out) {
    static atomic_uint counter;
    const char *slash = strrchr(spot->name, '/');
    int folder = slash ? (int)(slash - spot->name) + 1 : 0;
    snprintf(out, PATH_MAX, "%.*s.spate-%ld-%u", folder, spot->name, (long)getpid(), atomic_fetch_add(&counter, 1));
}

static spate_status replace(const char *made, const spate_spot *spot, spate_error *error) {
    if (renameat(spot->folder, made, spot->folder, spot->name) == 0) {
        unlinkat(spot->folder, made, 0); /* rename does nothing if both names refer to the same file */
        return SPATE_OK;
    }
    int reason = errno;
    unlinkat(spot->folder, made, 0);
    errno = reason;
    return spate_fail_errno(error, spot->path, "rename");
}

/* ---- links ---- */

static bool same_file(const spate_spot *one, const spate_spot *other) {
    struct stat left;
    struct stat right;
    return fstatat(one->folder, one->name, &left, AT_SYMLINK_NOFOLLOW) == 0 &&
           fstatat(other->folder, other->name, &right, AT_SYMLINK_NOFOLLOW) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

/* Returns true if the link was created or *status has a failure. Returns false if another method must be tried. */
static bool hard_link(spate_placing *placing, const spate_spot *object, const spate_spot *spot, spate_status *status,
                      spate_error *error) {
    char beside[PATH_MAX];
    *status = SPATE_OK;
    if (linkat(object->folder, object->name, spot->folder, spot->name, 0) == 0)
        return true;
    if (errno == EEXIST && !placing->fresh) {
        if (same_file(spot, object))
            return true;
        name_beside(spot, beside);
        if (linkat(object->folder, object->name, spot->folder, beside, 0) == 0) {
            *status = replace(beside, spot, error);
            return true;
        }
    }
    if (spate_place_never_links(errno))
        atomic_store_explicit(&placing->links, false, memory_order_relaxed);
    else if (errno != EMLINK) {
        *status = spate_fail_errno(error, spot->path, "link");
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

/* Creates the file `made`, which must not exist, in the spot's directory. Errors mention the spot. Sets *exists if
 * `made` existed. */
static spate_status make(spate_placing *placing, const spate_spot *object, const char *made, const spate_spot *spot,
                         const spate_entry *entry, bool *copied, bool *exists, spate_error *error) {
    *exists = false;
    int from = openat(object->folder, object->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (from < 0)
        return spate_fail_errno(error, object->path, "open");
    int to = openat(spot->folder, made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, entry->mode | 0200);
    if (to < 0) {
        *exists = errno == EEXIST;
        spate_status failed = spate_fail_errno(error, spot->path, "open");
        close(from);
        return failed;
    }
    spate_status status = fill(placing, from, to, object->path, spot->path, entry, copied, error);
    if (close(to) != 0 && status == SPATE_OK)
        status = spate_fail_errno(error, spot->path, "close");
    if (status != SPATE_OK)
        unlinkat(spot->folder, made, 0);
    close(from);
    return status;
}

static spate_status copy(spate_placing *placing, const spate_spot *object, const spate_spot *spot,
                         const spate_entry *entry, bool *copied, spate_error *error) {
    char beside[PATH_MAX];
    bool exists;
    spate_status status = make(placing, object, spot->name, spot, entry, copied, &exists, error);
    if (!exists || placing->fresh)
        return status;
    name_beside(spot, beside);
    status = make(placing, object, beside, spot, entry, copied, &exists, error);
    return status == SPATE_OK ? replace(beside, spot, error) : status;
}

spate_status spate_place_file(spate_placing *placing, const spate_spot *object, const spate_spot *spot,
                              const spate_entry *entry, bool *copied, spate_error *error) {
    spate_status status;
    *copied = false;
    if (spate_store_shares(spot->path, entry->mode) && atomic_load_explicit(&placing->links, memory_order_relaxed) &&
        hard_link(placing, object, spot, &status, error))
        return status;
    return copy(placing, object, spot, entry, copied, error);
}

spate_status spate_place_new(const char *object, const char *path, const spate_entry *entry, spate_error *error) {
    spate_placing placing;
    bool copied;
    bool exists;
    const spate_spot from = {AT_FDCWD, object, object};
    const spate_spot to = {AT_FDCWD, path, path};
    spate_placing_begin(&placing, SPATE_LINK_CLONE);
    return make(&placing, &from, path, &to, entry, &copied, &exists, error);
}

spate_status spate_place_symlink(bool fresh, const char *target, const spate_spot *spot, spate_error *error) {
    char present[PATH_MAX];
    char beside[PATH_MAX];
    if (symlinkat(target, spot->folder, spot->name) == 0)
        return SPATE_OK;
    if (errno != EEXIST || fresh)
        return spate_fail_errno(error, spot->path, "symlink");
    ssize_t length = readlinkat(spot->folder, spot->name, present, sizeof(present) - 1);
    if (length >= 0) {
        present[length] = '\0';
        if (strcmp(present, target) == 0)
            return SPATE_OK;
    }
    name_beside(spot, beside);
    if (symlinkat(target, spot->folder, beside) != 0)
        return spate_fail_errno(error, spot->path, "symlink");
    return replace(beside, spot, error);
}

static spate_status write_new(const char *name, const void *text, size_t length, mode_t mode, const spate_spot *spot,
                              spate_error *error) {
    int file = openat(spot->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return spate_fail_errno(error, spot->path, "open");
    bool written = spate_write_all(file, text, length) && fchmod(file, mode) == 0;
    int reason = errno;
    if (close(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written)
        return SPATE_OK;
    unlinkat(spot->folder, name, 0);
    errno = reason;
    return spate_fail_errno(error, spot->path, "write");
}

spate_status spate_place_text(const void *text, size_t length, mode_t mode, const spate_spot *spot,
                              spate_error *error) {
    char beside[PATH_MAX];
    spate_status status = write_new(spot->name, text, length, mode, spot, error);
    if (status == SPATE_OK || error->system_errno != EEXIST)
        return status;
    name_beside(spot, beside);
    status = write_new(beside, text, length, mode, spot, error);
    return status == SPATE_OK ? replace(beside, spot, error) : status;
}
