#define _GNU_SOURCE
#include "store/inner.h"

#include "base/file.h"
#include "digest/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool same_bytes(int descriptor, const uint8_t *bytes, size_t length) {
    static _Thread_local uint8_t step[SPATE_STORE_STEP];
    while (length > 0) {
        size_t part = length < sizeof(step) ? length : sizeof(step);
        if (spate_read_full(descriptor, step, part) != (int64_t)part || memcmp(step, bytes, part) != 0)
            return false;
        bytes += part;
        length -= part;
    }
    return true;
}

/*
 * Opens an object for reading. Does not block if it is a FIFO. Does not update the access time if this process owns the
 * object.
 */
static int open_object(const spate_spot *object) {
    int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
#ifdef O_NOATIME
    int descriptor = openat(object->folder, object->name, flags | O_NOATIME);
    if (descriptor >= 0 || errno != EPERM)
        return descriptor;
#endif
    return openat(object->folder, object->name, flags);
}

bool spate_store_is_right(const spate_store *store, const spate_spot *object, const spate_content *wanted,
                          uint32_t mode, struct stat *info) {
    info->st_mode = 0;
    int descriptor = open_object(object);
    if (descriptor < 0)
        return false;
    bool right = fstat(descriptor, info) == 0 && S_ISREG(info->st_mode) && (uint64_t)info->st_size == wanted->length &&
                 (info->st_mode & 07777) == mode && spate_store_right_owner(store, info);
    if (right && wanted->bytes) {
        right = same_bytes(descriptor, wanted->bytes, wanted->length);
    } else if (right) {
        uint8_t found[SPATE_SHA256_BYTES];
        uint64_t length = wanted->length;
        right = spate_digest_descriptor(descriptor, object->path, &length, NULL, found, NULL) == SPATE_OK &&
                length == wanted->length && memcmp(found, wanted->sha256, sizeof(found)) == 0;
    }
    close(descriptor);
    errno = 0;
    return right;
}

/* Checks the content of an object. */
static spate_object_state examine_content(const spate_store *store, const char *object, const spate_entry *entry,
                                          int64_t *mtime_ns) {
    struct stat info;
    spate_content wanted = {NULL, (size_t)entry->size, entry->sha256};
    const spate_spot spot = {AT_FDCWD, object, object};
    bool good = spate_store_is_right(store, &spot, &wanted, entry->mode, &info);
    if (info.st_mode == 0) /* could not be opened */
        return errno == ENOENT || errno == ENOTDIR ? SPATE_OBJECT_MISSING : SPATE_OBJECT_CHANGED;
    if (mtime_ns)
        *mtime_ns = spate_mtime_ns(&info);
    return good ? SPATE_OBJECT_GOOD : SPATE_OBJECT_CHANGED;
}

spate_status spate_store_look(const spate_store *store, int folder, const char *name, const char *object,
                              const spate_entry *entry, spate_object_state *state, int64_t *mtime_ns,
                              spate_error *error) {
    struct stat info;
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return spate_fail_errno(error, object, "lstat");
        *state = SPATE_OBJECT_MISSING;
        return SPATE_OK;
    }
    int64_t found = spate_mtime_ns(&info);
    if (mtime_ns)
        *mtime_ns = found;
    bool good = S_ISREG(info.st_mode) && (uint64_t)info.st_size == entry->size &&
                (info.st_mode & 07777) == entry->mode && found == entry->mtime_ns &&
                spate_store_right_owner(store, &info);
    *state = good ? SPATE_OBJECT_GOOD : SPATE_OBJECT_CHANGED;
    return SPATE_OK;
}

spate_status spate_store_examine(spate_store *store, const spate_entry *entry, bool hash, spate_object_state *state,
                                 int64_t *mtime_ns, spate_error *error) {
    char object[PATH_MAX];
    spate_store_object_path(store, entry->sha256, entry->mode, object);
    if (!hash)
        return spate_store_look(store, AT_FDCWD, object, object, entry, state, mtime_ns, error);
    *state = examine_content(store, object, entry, mtime_ns);
    return SPATE_OK;
}

typedef struct verifying {
    spate_store *store;
    const spate_manifest *manifest;
    const spate_cancel *cancel;
    bool *damaged; /* one flag per entry, each written by a single thread */
    spate_failure failure;
} verifying;

static void verify_entry(void *context, size_t index) {
    verifying *v = context;
    spate_error error;
    spate_object_state state = SPATE_OBJECT_GOOD;
    int64_t mtime_ns = 0;
    if (spate_failed(&v->failure))
        return;
    spate_entry entry = spate_manifest_entry(v->manifest, index);
    spate_status status = spate_cancelled(v->cancel, &error);
    if (status == SPATE_OK && entry.type == SPATE_ENTRY_FILE) {
        status = spate_store_examine(v->store, &entry, true, &state, &mtime_ns, &error);
        if (status == SPATE_OK && state == SPATE_OBJECT_GOOD)
            spate_manifest_note(v->manifest, index, mtime_ns);
    }
    v->damaged[index] = status == SPATE_OK && state != SPATE_OBJECT_GOOD;
    spate_failure_note(&v->failure, status, &error);
}

spate_status spate_verify_manifest(spate_store *store, spate_pool *pool, const spate_manifest *manifest,
                                   const spate_cancel *cancel, size_t **damaged, size_t *count, spate_error *error) {
    size_t entries = spate_manifest_count(manifest);
    verifying v = {
        .store = store, .manifest = manifest, .cancel = cancel, .damaged = calloc(entries + 1, sizeof(bool))};
    *damaged = malloc((entries + 1) * sizeof(**damaged));
    *count = 0;
    if (!v.damaged || !*damaged) {
        free(v.damaged);
        free(*damaged);
        *damaged = NULL;
        return spate_fail(error, SPATE_NO_MEMORY, "", "no memory for %zu entries", entries);
    }
    spate_status status = spate_pool_run(pool, entries, verify_entry, &v);
    if (status != SPATE_OK)
        spate_fail(error, status, "", "no memory for threads");
    else
        status = spate_failure_of(&v.failure, error);
    for (size_t i = 0; i < entries; i++)
        if (v.damaged[i])
            (*damaged)[(*count)++] = i;
    free(v.damaged);
    if (status != SPATE_OK) {
        free(*damaged);
        *damaged = NULL;
        *count = 0;
    }
    return status;
}
