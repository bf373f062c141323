#define _GNU_SOURCE
#include "store/inner.h"

#include "base/file.h"
#include "store/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool no_hard_links(int number) {
    return number == EMLINK || spate_place_never_links(number);
}

/* Creates a file with exactly this mode, regardless of the umask. Sets *info for its times. */
static spate_status create(const spate_spot *spot, const uint8_t *bytes, size_t length, uint32_t mode,
                           struct stat *info, spate_error *error) {
    const char *path = spot->path;
    int descriptor = openat(spot->folder, spot->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (descriptor < 0)
        return spate_fail_errno(error, path, "open");
    spate_status status = SPATE_OK;
    if (length > 0 && !spate_write_all(descriptor, bytes, length))
        status = spate_fail_errno(error, path, "write");
    else if (fstat(descriptor, info) != 0)
        status = spate_fail_errno(error, path, "fstat");
    else if ((info->st_mode & 07777) != mode && fchmod(descriptor, mode) != 0)
        status = spate_fail_errno(error, path, "fchmod");
    if (close(descriptor) != 0 && status == SPATE_OK)
        status = spate_fail_errno(error, path, "close");
    if (status != SPATE_OK)
        unlinkat(spot->folder, spot->name, 0);
    return status;
}

static void parent_of(const char *path, char *folder) {
    size_t length = (size_t)(strrchr(path, '/') - path);
    memcpy(folder, path, length);
    folder[length] = '\0';
}

/* Links a file into objects/ab, which is created if missing. Returns 0 or an errno. */
static int link_object(const spate_spot *spot, const spate_spot *object) {
    if (linkat(spot->folder, spot->name, object->folder, object->name, 0) == 0)
        return 0;
    if (errno != ENOENT)
        return errno;
    char folder[PATH_MAX];
    parent_of(object->path, folder);
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        return errno;
    return linkat(spot->folder, spot->name, object->folder, object->name, 0) == 0 ? 0 : errno;
}

/* Creates the link `place` to `path`, replacing an existing file. Returns 0 or an errno. */
static int link_over(spate_store *store, const char *path, const char *place) {
    char temporary[PATH_MAX];
    spate_store_temporary_path(store, temporary);
    if (link(path, temporary) != 0)
        return errno;
    if (rename(temporary, place) == 0) {
        unlink(temporary); /* rename does nothing if both names refer to the same file, so remove the temporary name */
        return 0;
    }
    int reason = errno;
    unlink(temporary);
    return reason;
}

/* Copies the file `path` with its mode and mtime to `place`, replacing an existing file. */
static spate_status copy_over(spate_store *store, const char *path, const char *place, spate_error *error) {
    char temporary[PATH_MAX];
    char folder[PATH_MAX];
    struct stat info;
    if (lstat(path, &info) != 0)
        return spate_fail_errno(error, path, "lstat");
    spate_entry same = {.mode = info.st_mode & 0777, .mtime_ns = spate_mtime_ns(&info)};
    spate_store_temporary_path(store, temporary);
    spate_status status = spate_place_new(path, temporary, &same, error);
    if (status != SPATE_OK)
        return status;
    parent_of(place, folder);
    status = spate_make_directories(folder, 0755, error);
    if (status == SPATE_OK && rename(temporary, place) != 0)
        status = spate_fail_errno(error, place, "rename");
    if (status != SPATE_OK)
        unlink(temporary);
    return status;
}

static bool same_file(const struct stat *left, const struct stat *right) {
    return left->st_dev == right->st_dev && left->st_ino == right->st_ino;
}

spate_status spate_store_share(spate_store *store, const spate_spot *spot, const spate_spot *object_spot,
                               const spate_content *wanted, uint32_t mode, struct stat *info, spate_error *error) {
    const char *path = spot->path;
    const char *object = object_spot->path;
    int reason = link_object(spot, object_spot);
    if (reason == 0)
        return SPATE_OK;
    struct stat present;
    if (reason == EEXIST) {
        if (spate_store_is_right(store, object_spot, wanted, mode, &present)) {
            if (same_file(&present, info))
                return SPATE_OK;
            reason = link_over(store, object, path);
            if (reason == 0 || no_hard_links(reason)) {
                *info = present;
                return reason == 0 ? SPATE_OK : copy_over(store, object, path, error);
            }
        } else {
            reason = link_over(store, path, object);
        }
    }
    if (no_hard_links(reason))
        return copy_over(store, path, object, error);
    if (reason == 0)
        return SPATE_OK;
    errno = reason;
    return spate_fail_errno(error, object, "link");
}

void spate_store_describe(spate_entry *entry, const uint8_t *sha256, uint64_t length, uint32_t mode,
                          const struct stat *info) {
    entry->type = SPATE_ENTRY_FILE;
    entry->mode = mode;
    entry->size = length;
    entry->mtime_ns = spate_mtime_ns(info);
    if (entry->sha256 != sha256)
        memcpy(entry->sha256, sha256, SPATE_SHA256_BYTES);
}

spate_status spate_store_put(spate_store *store, const uint8_t *bytes, size_t length, uint32_t mode,
                             const char *tree_path, spate_entry *entry, spate_error *error) {
    static const spate_store_folders none = {AT_FDCWD, AT_FDCWD, 0};
    return spate_store_put_in(store, &none, bytes, length, mode, tree_path, entry, error);
}

/* Returns the spot of a file: relative to the open directory, or by its path if `folder` is AT_FDCWD. */
static spate_spot spot_in(int folder, const char *path, const char *inside) {
    return (spate_spot){folder, folder == AT_FDCWD ? path : inside, path};
}

spate_status spate_store_put_in(spate_store *store, const spate_store_folders *folders, const uint8_t *bytes,
                                size_t length, uint32_t mode, const char *tree_path, spate_entry *entry,
                                spate_error *error) {
    char object[PATH_MAX];
    char temporary[PATH_MAX];
    struct stat info;
    mode &= 0777;
    spate_status status = spate_digest_once(SPATE_SHA256, bytes, length, entry->sha256);
    if (status != SPATE_OK)
        return spate_fail(error, status, tree_path ? tree_path : "", "cannot compute SHA-256");
    spate_store_object_path(store, entry->sha256, mode, object);

    spate_content wanted = {bytes, length, entry->sha256};
    if (tree_path && !spate_store_shares(tree_path, mode)) {
        status = spate_store_put_in(store, folders, bytes, length, mode, NULL, entry, error);
        return status == SPATE_OK ? spate_place_new(object, tree_path, entry, error) : status;
    }
    const spate_spot object_spot = spot_in(folders->objects, object, spate_store_object_name(store, object));
    spate_spot spot = {0};
    if (tree_path)
        spot = spot_in(folders->tree, tree_path, tree_path + folders->tree_length + (folders->tree != AT_FDCWD));
    if (spate_store_is_right(store, &object_spot, &wanted, mode, &info)) {
        if (!tree_path || linkat(object_spot.folder, object_spot.name, spot.folder, spot.name, 0) == 0) {
            spate_store_describe(entry, entry->sha256, length, mode, &info);
            return SPATE_OK;
        }
        if (!no_hard_links(errno) && errno != ENOENT)
            return spate_fail_errno(error, tree_path, "link");
    }
    if (!tree_path) {
        spate_store_temporary_path(store, temporary);
        spot = (spate_spot){AT_FDCWD, temporary, temporary};
    }
    status = create(&spot, bytes, length, mode, &info, error);
    if (status != SPATE_OK)
        return status;
    status = spate_store_share(store, &spot, &object_spot, &wanted, mode, &info, error);
    if (!tree_path || status != SPATE_OK)
        unlinkat(spot.folder, spot.name, 0);
    if (status == SPATE_OK)
        spate_store_describe(entry, entry->sha256, length, mode, &info);
    return status;
}
