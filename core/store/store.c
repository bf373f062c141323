#define _GNU_SOURCE
#include "store/store.h"

#include "base/file.h"
#include "digest/file.h"
#include "store/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define READ_STEP ((size_t)64 << 10)

struct spate_store {
    char *root;
    size_t root_length;
    atomic_uint counter; /* of temporary names */
    uint64_t salt;       /* of temporary names: in containers every process has the same number */
    spate_way way;
    bool owned; /* whether objects must belong to this one or root: */
    uid_t owner;
};

/* The bytes in memory or, if those are NULL, whatever has this hash. */
typedef struct content {
    const uint8_t *bytes;
    size_t length;
    const uint8_t *sha256;
} content;

struct spate_store_file {
    spate_store *store;
    spate_digest *digest;
    int descriptor;
    uint32_t mode;
    uint64_t length;
    bool in_tree; /* path is the tree's file, else a temporary one */
    char path[PATH_MAX];
    char copy[PATH_MAX]; /* the tree's file where it is no link of the object, else "" */
};

/* Random bytes, or at least a time in nanoseconds at which no other process opened this store. */
static uint64_t make_salt(const spate_store *store) {
    uint64_t salt = 0;
    struct timespec time = {0, 0};
    if (getentropy(&salt, sizeof(salt)) == 0)
        return salt;
    if (clock_gettime(CLOCK_REALTIME, &time) != 0)
        return (uint64_t)(uintptr_t)store;
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

spate_status spate_store_open(spate_store **store, const char *root, spate_error *error) {
    char folder[PATH_MAX];
    *store = NULL;
    size_t length = strlen(root);
    while (length > 1 && root[length - 1] == '/')
        length--;
    if (length + 128 > sizeof(folder))
        return spate_fail(error, SPATE_REFUSED, root, "store's path of %zu bytes is too long", length);
    static const char *const folders[] = {"objects", "tmp"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        snprintf(folder, sizeof(folder), "%.*s/%s", (int)length, root, folders[i]);
        spate_status status = spate_make_directories(folder, 0755, error);
        if (status != SPATE_OK)
            return status;
    }
    spate_store *made = calloc(1, sizeof(*made));
    char *copy = strndup(root, length);
    if (!made || !copy) {
        free(made);
        free(copy);
        return spate_fail(error, SPATE_NO_MEMORY, root, "no memory for a store");
    }
    made->root = copy;
    made->root_length = length;
    made->salt = make_salt(made);
    *store = made;
    return SPATE_OK;
}

void spate_store_close(spate_store *store) {
    if (!store)
        return;
    free(store->root);
    free(store);
}

const char *spate_store_root(const spate_store *store) {
    return store->root;
}

void spate_store_own(spate_store *store, uid_t owner) {
    store->owned = true;
    store->owner = owner;
}

static bool right_owner(const spate_store *store, const struct stat *info) {
    return !store->owned || info->st_uid == store->owner || info->st_uid == 0;
}

bool spate_store_shares(const char *path, uint32_t mode) {
    static const char *const machine_code[] = {".so", ".bundle", ".dylib", ".dll", ".node"};
    const char *end = path + strlen(path);
    const char *name = strrchr(path, '/');
    if (mode & 0111 || strstr(name ? name : path, ".so."))
        return false;
    for (size_t i = 0; i < sizeof(machine_code) / sizeof(*machine_code); i++) {
        size_t length = strlen(machine_code[i]);
        if ((size_t)(end - path) > length && memcmp(end - length, machine_code[i], length) == 0)
            return false;
    }
    return true;
}

void spate_store_object_path(const spate_store *store, const uint8_t sha256[SPATE_SHA256_BYTES], uint32_t mode,
                             char *out) {
    static const char folder[] = "/objects/";
    char *at = out;
    memcpy(at, store->root, store->root_length);
    at += store->root_length;
    memcpy(at, folder, sizeof(folder) - 1);
    at += sizeof(folder) - 1;
    spate_hex(sha256, SPATE_SHA256_BYTES, at + 3);
    at[0] = at[3];
    at[1] = at[4];
    at[2] = '/';
    at += 3 + 2 * SPATE_SHA256_BYTES;
    *at++ = '-';
    if (mode & 0700)
        *at++ = (char)('0' + ((mode >> 6) & 7));
    if (mode & 0770)
        *at++ = (char)('0' + ((mode >> 3) & 7));
    *at++ = (char)('0' + (mode & 7));
    *at = '\0';
}

spate_way *spate_store_way(spate_store *store) {
    return &store->way;
}

static void temporary_path(spate_store *store, char *out) {
    snprintf(out, PATH_MAX, "%s/tmp/object-%ld-%016llx%08x", store->root, (long)getpid(),
             (unsigned long long)store->salt, atomic_fetch_add(&store->counter, 1));
}

static bool no_hard_links(int number) {
    return number == EMLINK || spate_place_never_links(number);
}

static bool same_bytes(int descriptor, const uint8_t *bytes, size_t length) {
    static _Thread_local uint8_t step[READ_STEP];
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
 * Opens an object for reading without blocking, whatever lies there. Reading it is not worth updating its access time,
 * which only its owner may suppress.
 */
static int open_object(const char *object) {
    int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
#ifdef O_NOATIME
    int descriptor = open(object, flags | O_NOATIME);
    if (descriptor >= 0 || errno != EPERM)
        return descriptor;
#endif
    return open(object, flags);
}

/*
 * Reads an object and returns whether it is what its name says. ENOENT in errno tells a missing object apart; *info has
 * no mode if nothing could be opened.
 */
static bool object_is_right(const spate_store *store, const char *object, const content *wanted, uint32_t mode,
                            struct stat *info) {
    info->st_mode = 0;
    int descriptor = open_object(object);
    if (descriptor < 0)
        return false;
    bool right = fstat(descriptor, info) == 0 && S_ISREG(info->st_mode) && (uint64_t)info->st_size == wanted->length &&
                 (info->st_mode & 07777) == mode && right_owner(store, info);
    if (right && wanted->bytes) {
        right = same_bytes(descriptor, wanted->bytes, wanted->length);
    } else if (right) {
        uint8_t found[SPATE_SHA256_BYTES];
        uint64_t length = wanted->length;
        right = spate_digest_descriptor(descriptor, object, &length, NULL, found, NULL) == SPATE_OK &&
                length == wanted->length && memcmp(found, wanted->sha256, sizeof(found)) == 0;
    }
    close(descriptor);
    errno = 0;
    return right;
}

/* Makes a file that does not exist yet; its mode is exact whatever the umask, and *info has its times. */
static spate_status create(const char *path, const uint8_t *bytes, size_t length, uint32_t mode, struct stat *info,
                           spate_error *error) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
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
        unlink(path);
    return status;
}

static void parent_of(const char *path, char *folder) {
    size_t length = (size_t)(strrchr(path, '/') - path);
    memcpy(folder, path, length);
    folder[length] = '\0';
}

/* link(2) into objects/ab, which is made if missing. Returns 0 or errno. */
static int link_object(const char *path, const char *object) {
    if (link(path, object) == 0)
        return 0;
    if (errno != ENOENT)
        return errno;
    char folder[PATH_MAX];
    parent_of(object, folder);
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        return errno;
    return link(path, object) == 0 ? 0 : errno;
}

/* Gives `path` a second name `place`, replacing whatever file is there. Returns 0 or errno. */
static int link_over(spate_store *store, const char *path, const char *place) {
    char temporary[PATH_MAX];
    temporary_path(store, temporary);
    if (link(path, temporary) != 0)
        return errno;
    if (rename(temporary, place) == 0) {
        unlink(temporary); /* a rename between two names of one file does nothing, so remove this one */
        return 0;
    }
    int reason = errno;
    unlink(temporary);
    return reason;
}

/* Copies the file at `path`, with its mode and mtime, to `place`, over whatever is there. */
static spate_status copy_over(spate_store *store, const char *path, const char *place, spate_error *error) {
    char temporary[PATH_MAX];
    char folder[PATH_MAX];
    struct stat info;
    if (lstat(path, &info) != 0)
        return spate_fail_errno(error, path, "lstat");
    spate_entry same = {.mode = info.st_mode & 0777, .mtime_ns = spate_mtime_ns(&info)};
    temporary_path(store, temporary);
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

/*
 * The file at `path` is complete and correct: makes it the object or, if a correct object exists already, makes `path`
 * another name of that. *info describes the file before and the object after.
 */
static spate_status share(spate_store *store, const char *path, const char *object, const content *wanted,
                          uint32_t mode, struct stat *info, spate_error *error) {
    int reason = link_object(path, object);
    if (reason == 0)
        return SPATE_OK;
    struct stat present;
    if (reason == EEXIST) {
        if (object_is_right(store, object, wanted, mode, &present)) {
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

static void describe(spate_entry *entry, const uint8_t *sha256, uint64_t length, uint32_t mode,
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
    char object[PATH_MAX];
    char temporary[PATH_MAX];
    struct stat info;
    mode &= 0777;
    spate_status status = spate_digest_once(SPATE_SHA256, bytes, length, entry->sha256);
    if (status != SPATE_OK)
        return spate_fail(error, status, tree_path ? tree_path : "", "no SHA-256 could be computed");
    spate_store_object_path(store, entry->sha256, mode, object);

    content wanted = {bytes, length, entry->sha256};
    if (tree_path && !spate_store_shares(tree_path, mode)) {
        status = spate_store_put(store, bytes, length, mode, NULL, entry, error);
        return status == SPATE_OK ? spate_place_new(object, tree_path, entry, error) : status;
    }
    if (object_is_right(store, object, &wanted, mode, &info)) {
        if (!tree_path || link(object, tree_path) == 0) {
            describe(entry, entry->sha256, length, mode, &info);
            return SPATE_OK;
        }
        if (!no_hard_links(errno) && errno != ENOENT)
            return spate_fail_errno(error, tree_path, "link");
    }
    const char *path = tree_path;
    if (!tree_path) {
        temporary_path(store, temporary);
        path = temporary;
    }
    status = create(path, bytes, length, mode, &info, error);
    if (status != SPATE_OK)
        return status;
    status = share(store, path, object, &wanted, mode, &info, error);
    if (!tree_path || status != SPATE_OK)
        unlink(path);
    if (status == SPATE_OK)
        describe(entry, entry->sha256, length, mode, &info);
    return status;
}

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
    temporary_path(store, made->path);
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
    return status == SPATE_OK ? status : spate_fail(error, status, file->path, "no SHA-256 could be computed");
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
        spate_fail(error, status, file->path, "no SHA-256 could be computed");
    else if (fstat(file->descriptor, &info) != 0)
        status = spate_fail_errno(error, file->path, "fstat");
    else if ((info.st_mode & 07777) != file->mode && fchmod(file->descriptor, file->mode) != 0)
        status = spate_fail_errno(error, file->path, "fchmod");
    if (close(file->descriptor) != 0 && status == SPATE_OK)
        status = spate_fail_errno(error, file->path, "close");
    if (status == SPATE_OK) {
        content wanted = {NULL, (size_t)file->length, entry->sha256};
        spate_store_object_path(file->store, entry->sha256, file->mode, object);
        status = share(file->store, file->path, object, &wanted, file->mode, &info, error);
    }
    if (!file->in_tree || status != SPATE_OK)
        unlink(file->path);
    if (status == SPATE_OK)
        describe(entry, entry->sha256, file->length, file->mode, &info);
    if (status == SPATE_OK && file->copy[0])
        status = spate_place_new(object, file->copy, entry, error);
    free_file(file);
    return status;
}

/* Takes content and mtime of an open file. Of a clone its own bytes are hashed: the file may change meanwhile. */
static spate_status take_content(spate_store_file *file, int from, const char *path, spate_error *error) {
    static _Thread_local uint8_t step[READ_STEP];
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
            spate_fail(error, status, path, "no SHA-256 could be computed");
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
    if ((info.st_mode & 07777) != mode && fchmod(from, mode) != 0) /* an object never carries setuid */
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
    bool other = status == SPATE_OK && entry->mtime_ns != spate_mtime_ns(&info); /* the object was there before */
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

/* Whether an object exists with the right content, opening it once. */
static spate_object_state examine_content(const spate_store *store, const char *object, const spate_entry *entry,
                                          int64_t *mtime_ns) {
    struct stat info;
    content wanted = {NULL, (size_t)entry->size, entry->sha256};
    bool good = object_is_right(store, object, &wanted, entry->mode, &info);
    if (info.st_mode == 0) /* not even opened */
        return errno == ENOENT || errno == ENOTDIR ? SPATE_OBJECT_MISSING : SPATE_OBJECT_CHANGED;
    if (mtime_ns)
        *mtime_ns = spate_mtime_ns(&info);
    return good ? SPATE_OBJECT_GOOD : SPATE_OBJECT_CHANGED;
}

spate_status spate_store_examine(spate_store *store, const spate_entry *entry, bool hash, spate_object_state *state,
                                 int64_t *mtime_ns, spate_error *error) {
    char object[PATH_MAX];
    struct stat info;
    spate_store_object_path(store, entry->sha256, entry->mode, object);
    if (hash) {
        *state = examine_content(store, object, entry, mtime_ns);
        return SPATE_OK;
    }
    if (lstat(object, &info) != 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return spate_fail_errno(error, object, "lstat");
        *state = SPATE_OBJECT_MISSING;
        return SPATE_OK;
    }
    int64_t found = spate_mtime_ns(&info);
    if (mtime_ns)
        *mtime_ns = found;
    bool good = S_ISREG(info.st_mode) && (uint64_t)info.st_size == entry->size &&
                (info.st_mode & 07777) == entry->mode && found == entry->mtime_ns && right_owner(store, &info);
    *state = good ? SPATE_OBJECT_GOOD : SPATE_OBJECT_CHANGED;
    return SPATE_OK;
}
