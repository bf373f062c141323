/* Stores content that is written in pieces, and creates objects from existing files. */
#define _GNU_SOURCE
#include "store/inner.h"

#include "base/file.h"
#include "store/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct spate_store_file {
    spate_store *store;
    spate_digest *digest;
    int descriptor;
    uint32_t mode;
    uint64_t length;
    bool in_tree; /* whether `path` is the file in the tree; otherwise it is a temporary file */
    char path[PATH_MAX];
    char copy[PATH_MAX]; /* path in the tree if that file is a copy rather than a link to the object, otherwise "" */
};

spate_status spate_store_file_begin(spate_store *store, spate_store_file **file, uint32_t mode, const char *tree_path,
                                    spate_error *error) {
    *file = NULL;
    spate_store_file *made = calloc(1, sizeof(*made));
    if (!made || spate_digest_new(&made->digest, SPATE_SHA256) != SPATE_OK) {
        free(made);
        return spate_fail(error, SPATE_NO_MEMORY, tree_path ? tree_path : "", "no memory for a file");
    }
    made->store = store;
    made->mode = mode & 0777;
    made->in_tree = tree_path && spate_store_shares(tree_path, made->mode);
    spate_store_temporary_path(store, made->path);
    if (tree_path && strlen(tree_path) < sizeof(made->path))
        strcpy(made->in_tree ? made->path : made->copy, tree_path);
    made->descriptor = open(made->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, made->mode);
    if (made->descriptor < 0) {
        spate_status status = spate_fail_errno(error, tree_path ? tree_path : made->path, "open");
        spate_digest_free(made->digest);
        free(made);
        return status;
    }
    *file = made;
    return SPATE_OK;
}

spate_status spate_store_file_write(spate_store_file *file, const void *bytes, size_t length, spate_error *error) {
    if (!spate_write_all(file->descriptor, bytes, length))
        return spate_fail_errno(error, file->path, "write");
    file->length += length;
    spate_status status = spate_digest_update(file->digest, bytes, length);
    return status == SPATE_OK ? status : spate_fail(error, status, file->path, "cannot compute SHA-256");
}

static void free_file(spate_store_file *file) {
    spate_digest_free(file->digest);
    free(file);
}

void spate_store_file_abandon(spate_store_file *file) {
    if (!file)
        return;
    close(file->descriptor);
    unlink(file->path);
    free_file(file);
}

spate_status spate_store_file_finish(spate_store_file *file, spate_entry *entry, spate_error *error) {
    char object[PATH_MAX];
    struct stat info;
    spate_status status = spate_digest_finish(file->digest, entry->sha256);
    if (status != SPATE_OK)
        spate_fail(error, status, file->path, "cannot compute SHA-256");
    else if (fstat(file->descriptor, &info) != 0)
        status = spate_fail_errno(error, file->path, "fstat");
    else if ((info.st_mode & 07777) != file->mode && fchmod(file->descriptor, file->mode) != 0)
        status = spate_fail_errno(error, file->path, "fchmod");
    if (close(file->descriptor) != 0 && status == SPATE_OK)
        status = spate_fail_errno(error, file->path, "close");
    if (status == SPATE_OK) {
        spate_content wanted = {NULL, (size_t)file->length, entry->sha256};
        spate_store_object_path(file->store, entry->sha256, file->mode, object);
        const spate_spot made = {AT_FDCWD, file->path, file->path};
        const spate_spot spot = {AT_FDCWD, object, object};
        status = spate_store_share(file->store, &made, &spot, &wanted, file->mode, &info, error);
    }
    if (!file->in_tree || status != SPATE_OK)
        unlink(file->path);
    if (status == SPATE_OK)
        spate_store_describe(entry, entry->sha256, file->length, file->mode, &info);
    if (status == SPATE_OK && file->copy[0])
        status = spate_place_new(object, file->copy, entry, error);
    free_file(file);
    return status;
}

/*
 * Copies the content and mtime of an open file. If it can be cloned, hashes the clone, because the original may change
 * meanwhile.
 */
static spate_status take_content(spate_store_file *file, int from, const char *path, spate_error *error) {
    static _Thread_local uint8_t step[SPATE_STORE_STEP];
    struct stat info;
    bool cloned = spate_clone(from, file->descriptor);
    int64_t got = 0;
    spate_status status = SPATE_OK;
    while (status == SPATE_OK && (got = spate_read_full(cloned ? file->descriptor : from, step, sizeof(step))) > 0) {
        if (!cloned) {
            status = spate_store_file_write(file, step, (size_t)got, error);
            continue;
        }
        file->length += (uint64_t)got;
        status = spate_digest_update(file->digest, step, (size_t)got);
        if (status != SPATE_OK)
            spate_fail(error, status, path, "cannot compute SHA-256");
    }
    if (got < 0)
        return spate_fail_errno(error, path, "read");
    if (status == SPATE_OK && fstat(from, &info) != 0)
        return spate_fail_errno(error, path, "fstat");
    if (status == SPATE_OK && (uint64_t)info.st_size != file->length)
        return spate_fail(error, SPATE_CORRUPT, path, "changed while it was read");
    if (status == SPATE_OK && !spate_set_mtime(file->descriptor, spate_mtime_ns(&info)))
        return spate_fail_errno(error, file->path, "futimens");
    return status;
}

static spate_status adopt(spate_store *store, int from, const char *path, spate_entry *entry, spate_error *error) {
    spate_store_file *file;
    struct stat info;
    if (fstat(from, &info) != 0)
        return spate_fail_errno(error, path, "fstat");
    if (!S_ISREG(info.st_mode))
        return spate_fail(error, SPATE_REFUSED, path, "not a regular file");
    uint32_t mode = info.st_mode & 0777;
    if ((info.st_mode & 07777) != mode && fchmod(from, mode) != 0) /* objects never have setuid */
        return spate_fail_errno(error, path, "fchmod");
    spate_status status = spate_store_file_begin(store, &file, mode, NULL, error);
    if (status != SPATE_OK)
        return status;
    status = take_content(file, from, path, error);
    if (status != SPATE_OK) {
        spate_store_file_abandon(file);
        return status;
    }
    status = spate_store_file_finish(file, entry, error);
    bool other = status == SPATE_OK && entry->mtime_ns != spate_mtime_ns(&info); /* the object already existed */
    return other && !spate_set_mtime(from, entry->mtime_ns) ? spate_fail_errno(error, path, "futimens") : status;
}

spate_status spate_store_adopt(spate_store *store, const char *path, spate_entry *entry, spate_error *error) {
    int from = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (from < 0)
        return spate_fail_errno(error, path, "open");
    spate_status status = adopt(store, from, path, entry, error);
    close(from);
    return status;
}
