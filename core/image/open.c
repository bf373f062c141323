/* Opens a boot image that only this user or root can have written. */
#include "image/inner.h"

#include "base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *spate_image_fault_name(spate_image_fault fault) {
    switch (fault) {
    case SPATE_IMAGE_FINE: return "fine";
    case SPATE_IMAGE_MISSING: return "missing";
    case SPATE_IMAGE_FOREIGN_OWNER: return "foreign_owner";
    case SPATE_IMAGE_WRITABLE: return "writable";
    case SPATE_IMAGE_SYMLINK: return "symlink";
    case SPATE_IMAGE_SHORT: return "short";
    case SPATE_IMAGE_MAGIC: return "magic";
    case SPATE_IMAGE_OTHER_VERSION: return "version";
    case SPATE_IMAGE_OTHER_KEY: return "key";
    case SPATE_IMAGE_BAD_CHECKSUM: return "checksum";
    case SPATE_IMAGE_LIMITS: return "limits";
    }
    return "unknown";
}

static spate_status unusable(spate_image_fault *fault, spate_image_fault found, spate_error *error, const char *path) {
    if (fault)
        *fault = found;
    return spate_fail(error, SPATE_STALE, path, "boot image cannot be used: %s", spate_image_fault_name(found));
}

static spate_status parse(spate_image **image, const uint8_t *bytes, size_t length, const char *path,
                          const uint8_t *key, spate_image_fault *fault, spate_error *error) {
    disk_header header;
    *image = NULL;
    if (fault)
        *fault = SPATE_IMAGE_FINE;
    spate_image_fault found =
        (uintptr_t)bytes % 8 == 0 ? spate_image_fault_of(bytes, length, key, &header) : SPATE_IMAGE_LIMITS;
    if (found != SPATE_IMAGE_FINE)
        return unusable(fault, found, error, path);
    spate_image *made = calloc(1, sizeof(*made));
    atomic_uchar *checked = calloc((size_t)header.entry_count + header.data_count + 1, sizeof(*checked));
    if (!made || !checked) {
        free(made);
        free((void *)checked);
        return spate_fail(error, SPATE_NO_MEMORY, path, "no memory for a boot image");
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
    *image = made;
    return SPATE_OK;
}

spate_status spate_image_parse(spate_image **image, const uint8_t *bytes, size_t length,
                               const uint8_t key[SPATE_IMAGE_KEY_BYTES], spate_image_fault *fault, spate_error *error) {
    return parse(image, bytes, length, "", key, fault, error);
}

static spate_image_fault fault_of_owner(const struct stat *info) {
    if (info->st_uid != geteuid() && info->st_uid != 0)
        return SPATE_IMAGE_FOREIGN_OWNER;
    return info->st_mode & (S_IWGRP | S_IWOTH) ? SPATE_IMAGE_WRITABLE : SPATE_IMAGE_FINE;
}

/* A user who may write to a folder on the way can replace the image. */
static spate_image_fault fault_of_folder(const char *path) {
    char folder[PATH_MAX];
    struct stat info;
    spate_culprit culprit;
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof(folder))
        return SPATE_IMAGE_MISSING;
    if (length > 0)
        memcpy(folder, path, length);
    else
        folder[length++] = slash ? '/' : '.';
    folder[length] = '\0';
    if (lstat(folder, &info) == 0 && S_ISLNK(info.st_mode))
        return SPATE_IMAGE_SYMLINK;
    switch (spate_trust_path(folder, false, false, &culprit)) {
    case SPATE_TRUSTED: return SPATE_IMAGE_FINE;
    case SPATE_FOREIGN_OWNER: return SPATE_IMAGE_FOREIGN_OWNER;
    case SPATE_GROUP_WRITES:
    case SPATE_OTHERS_WRITE: return SPATE_IMAGE_WRITABLE;
    default: return SPATE_IMAGE_MISSING;
    }
}

static spate_image_fault fault_of_file(const struct stat *info, bool trust) {
    if (!S_ISREG(info->st_mode))
        return SPATE_IMAGE_MAGIC;
    spate_image_fault fault = trust ? SPATE_IMAGE_FINE : fault_of_owner(info);
    if (fault == SPATE_IMAGE_FINE && (uint64_t)info->st_size > SPATE_IMAGE_LENGTH_MAX)
        fault = SPATE_IMAGE_LIMITS;
    if (fault == SPATE_IMAGE_FINE && (uint64_t)info->st_size < sizeof(disk_header))
        fault = SPATE_IMAGE_SHORT;
    return fault;
}

static spate_image_fault fault_of_errno(int number) {
    if (number == ELOOP || number == EMLINK) /* O_NOFOLLOW: Linux and macOS, FreeBSD */
        return SPATE_IMAGE_SYMLINK;
    return number == EACCES || number == EPERM ? SPATE_IMAGE_FOREIGN_OWNER : SPATE_IMAGE_MISSING;
}

spate_status spate_image_open(spate_image **image, const char *path, const uint8_t key[SPATE_IMAGE_KEY_BYTES],
                              bool trust, spate_image_fault *fault, spate_error *error) {
    struct stat info;
    void *bytes = MAP_FAILED;
    *image = NULL;
    /* O_NONBLOCK: opening a FIFO would wait for its writer. */
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return unusable(fault, fault_of_errno(errno), error, path);
    spate_image_fault found = fstat(descriptor, &info) == 0 ? fault_of_file(&info, trust) : SPATE_IMAGE_MISSING;
    if (found == SPATE_IMAGE_FINE && !trust)
        found = fault_of_folder(path);
    if (found == SPATE_IMAGE_FINE)
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (found != SPATE_IMAGE_FINE)
        return unusable(fault, found, error, path);
    if (bytes == MAP_FAILED)
        return unusable(fault, SPATE_IMAGE_LIMITS, error, path);
    spate_status status = parse(image, bytes, (size_t)info.st_size, path, key, fault, error);
    if (status == SPATE_OK)
        (*image)->mapped = true;
    else
        munmap(bytes, (size_t)info.st_size);
    return status;
}

void spate_image_close(spate_image *image) {
    if (!image)
        return;
    if (image->mapped)
        munmap((void *)(uintptr_t)image->bytes, image->length);
    free((void *)image->checked);
    free(image);
}
