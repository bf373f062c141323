/* Opens a compile cache that only this user or root can have written. */
#include "compile_cache/inner.h"

#include "base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *spate_compile_cache_fault_name(spate_compile_cache_fault fault) {
    switch (fault) {
    case SPATE_COMPILE_CACHE_FINE: return "fine";
    case SPATE_COMPILE_CACHE_MISSING: return "missing";
    case SPATE_COMPILE_CACHE_FOREIGN_OWNER: return "foreign_owner";
    case SPATE_COMPILE_CACHE_WRITABLE: return "writable";
    case SPATE_COMPILE_CACHE_SYMLINK: return "symlink";
    case SPATE_COMPILE_CACHE_SHORT: return "short";
    case SPATE_COMPILE_CACHE_MAGIC: return "magic";
    case SPATE_COMPILE_CACHE_OTHER_VERSION: return "version";
    case SPATE_COMPILE_CACHE_OTHER_KEY: return "key";
    case SPATE_COMPILE_CACHE_BAD_CHECKSUM: return "checksum";
    case SPATE_COMPILE_CACHE_LIMITS: return "limits";
    }
    return "unknown";
}

static spate_status unusable(spate_compile_cache_fault *fault, spate_compile_cache_fault found, spate_error *error,
                             const char *path) {
    if (fault)
        *fault = found;
    return spate_fail(error, SPATE_STALE, path, "compile cache cannot be used: %s",
                      spate_compile_cache_fault_name(found));
}

static spate_status parse(spate_compile_cache **compile_cache, const uint8_t *bytes, size_t length, const char *path,
                          const uint8_t *key, spate_compile_cache_fault *fault, spate_error *error) {
    disk_header header;
    *compile_cache = NULL;
    if (fault)
        *fault = SPATE_COMPILE_CACHE_FINE;
    spate_compile_cache_fault found = (uintptr_t)bytes % 8 == 0
                                          ? spate_compile_cache_fault_of(bytes, length, key, &header)
                                          : SPATE_COMPILE_CACHE_LIMITS;
    if (found != SPATE_COMPILE_CACHE_FINE)
        return unusable(fault, found, error, path);
    spate_compile_cache *made = calloc(1, sizeof(*made));
    atomic_uchar *checked = calloc((size_t)header.entry_count + header.data_count + 1, sizeof(*checked));
    if (!made || !checked) {
        free(made);
        free((void *)checked);
        return spate_fail(error, SPATE_NO_MEMORY, path, "no memory for a compile cache");
    }
    made->bytes = bytes;
    made->length = length;
    made->slots = (const disk_slot *)(const void *)(bytes + header.slots);
    made->entries = (const disk_entry *)(const void *)(bytes + header.entries);
    made->data = (const disk_data *)(const void *)(bytes + header.data);
    made->strings = (const char *)bytes + header.strings;
    made->slot_mask = header.slot_count - 1;
    made->entry_count = header.entry_count;
    made->data_count = header.data_count;
    made->checked = checked;
    *compile_cache = made;
    return SPATE_OK;
}

spate_status spate_compile_cache_parse(spate_compile_cache **compile_cache, const uint8_t *bytes, size_t length,
                                       const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES],
                                       spate_compile_cache_fault *fault, spate_error *error) {
    return parse(compile_cache, bytes, length, "", key, fault, error);
}

static spate_compile_cache_fault fault_of_owner(const struct stat *info) {
    if (info->st_uid != geteuid() && info->st_uid != 0)
        return SPATE_COMPILE_CACHE_FOREIGN_OWNER;
    return info->st_mode & (S_IWGRP | S_IWOTH) ? SPATE_COMPILE_CACHE_WRITABLE : SPATE_COMPILE_CACHE_FINE;
}

/* Another user who can write to a directory of the path could replace the compile cache. */
static spate_compile_cache_fault fault_of_folder(const char *path) {
    char folder[PATH_MAX];
    struct stat info;
    spate_culprit culprit;
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof(folder))
        return SPATE_COMPILE_CACHE_MISSING;
    if (length > 0)
        memcpy(folder, path, length);
    else
        folder[length++] = slash ? '/' : '.';
    folder[length] = '\0';
    if (lstat(folder, &info) == 0 && S_ISLNK(info.st_mode))
        return SPATE_COMPILE_CACHE_SYMLINK;
    switch (spate_trust_path(folder, false, false, &culprit)) {
    case SPATE_TRUSTED: return SPATE_COMPILE_CACHE_FINE;
    case SPATE_FOREIGN_OWNER: return SPATE_COMPILE_CACHE_FOREIGN_OWNER;
    case SPATE_GROUP_WRITES:
    case SPATE_OTHERS_WRITE: return SPATE_COMPILE_CACHE_WRITABLE;
    default: return SPATE_COMPILE_CACHE_MISSING;
    }
}

static spate_compile_cache_fault fault_of_file(const struct stat *info, bool trust) {
    if (!S_ISREG(info->st_mode))
        return SPATE_COMPILE_CACHE_MAGIC;
    spate_compile_cache_fault fault = trust ? SPATE_COMPILE_CACHE_FINE : fault_of_owner(info);
    if (fault == SPATE_COMPILE_CACHE_FINE && (uint64_t)info->st_size > SPATE_COMPILE_CACHE_LENGTH_MAX)
        fault = SPATE_COMPILE_CACHE_LIMITS;
    if (fault == SPATE_COMPILE_CACHE_FINE && (uint64_t)info->st_size < sizeof(disk_header))
        fault = SPATE_COMPILE_CACHE_SHORT;
    return fault;
}

static spate_compile_cache_fault fault_of_errno(int number) {
    if (number == ELOOP || number == EMLINK) /* errno for O_NOFOLLOW: ELOOP on Linux and macOS, EMLINK on FreeBSD */
        return SPATE_COMPILE_CACHE_SYMLINK;
    return number == EACCES || number == EPERM ? SPATE_COMPILE_CACHE_FOREIGN_OWNER : SPATE_COMPILE_CACHE_MISSING;
}

spate_status spate_compile_cache_open(spate_compile_cache **compile_cache, const char *path,
                                      const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES], bool trust,
                                      spate_compile_cache_fault *fault, spate_error *error) {
    struct stat info;
    void *bytes = MAP_FAILED;
    *compile_cache = NULL;
    /* O_NONBLOCK: opening a FIFO would otherwise wait for a writer. */
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return unusable(fault, fault_of_errno(errno), error, path);
    spate_compile_cache_fault found =
        fstat(descriptor, &info) == 0 ? fault_of_file(&info, trust) : SPATE_COMPILE_CACHE_MISSING;
    if (found == SPATE_COMPILE_CACHE_FINE && !trust)
        found = fault_of_folder(path);
    if (found == SPATE_COMPILE_CACHE_FINE)
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (found != SPATE_COMPILE_CACHE_FINE)
        return unusable(fault, found, error, path);
    if (bytes == MAP_FAILED)
        return unusable(fault, SPATE_COMPILE_CACHE_LIMITS, error, path);
    spate_status status = parse(compile_cache, bytes, (size_t)info.st_size, path, key, fault, error);
    if (status == SPATE_OK)
        (*compile_cache)->mapped = true;
    else
        munmap(bytes, (size_t)info.st_size);
    return status;
}

void spate_compile_cache_close(spate_compile_cache *compile_cache) {
    if (!compile_cache)
        return;
    if (compile_cache->mapped)
        munmap((void *)(uintptr_t)compile_cache->bytes, compile_cache->length);
    free((void *)compile_cache->checked);
    free(compile_cache);
}
