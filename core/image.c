#include "image.h"

#include "crc32c.h"
#include "image_format.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Suggested reading order: image_format.h, fault_of, find, open. The writer is image_write.c. */

enum { NOT_CHECKED = 0, GOOD = 1, DAMAGED = 2 };

struct spate_image {
    const uint8_t *bytes;
    size_t length;
    bool mapped; /* else the bytes are borrowed */
    const disk_slot *slots;
    const disk_entry *entries;
    const disk_data *data;
    const char *strings;
    uint32_t slot_mask;
    uint32_t entry_count;
    uint32_t data_count;
    atomic_uchar *checked; /* of each blob, then of each data */
};

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

uint32_t spate_image_checksum(const uint8_t *bytes, size_t tables_length) {
    size_t after = offsetof(disk_header, checksum) + sizeof(uint32_t);
    uint32_t crc = spate_crc32c(0, bytes, offsetof(disk_header, checksum));
    return spate_crc32c(crc, bytes + after, tables_length - after);
}

uint32_t spate_image_hash_more(uint32_t hash, const char *path, size_t length) {
    return spate_crc32c(hash, path, length);
}

uint32_t spate_image_hash(const char *path, size_t length) {
    return spate_image_hash_more(0, path, length);
}

/* ---- what is checked at open ---- */

static bool inside(uint64_t offset, uint64_t length, uint64_t end) {
    return offset <= end && length <= end - offset;
}

/* A section of the tables: aligned, after the header, within them. */
static bool section_fits(const disk_header *header, uint64_t offset, uint64_t count, size_t size) {
    return offset % 8 == 0 && offset >= sizeof(*header) && inside(offset, count * size, header->tables_length);
}

static bool sections_fit(const disk_header *header) {
    return header->entry_count <= SPATE_IMAGE_ENTRIES_MAX && header->data_count <= SPATE_IMAGE_DATA_MAX &&
           header->slot_count <= 4 * SPATE_IMAGE_ENTRIES_MAX && header->slot_count > header->entry_count &&
           (header->slot_count & (header->slot_count - 1)) == 0 &&
           section_fits(header, header->slots, header->slot_count, sizeof(disk_slot)) &&
           section_fits(header, header->entries, header->entry_count, sizeof(disk_entry)) &&
           section_fits(header, header->data, header->data_count, sizeof(disk_data)) &&
           section_fits(header, header->strings, header->strings_length, 1);
}

/* Of a length that can be a path's or name's, ended by the only NUL. */
static bool string_fits(const disk_header *header, const char *strings, uint32_t offset, uint32_t length) {
    return length > 0 && length <= SPATE_IMAGE_PATH_MAX &&
           inside(offset, (uint64_t)length + 1, header->strings_length) &&
           memchr(strings + offset, '\0', (size_t)length + 1) == strings + offset + length;
}

static bool bytes_fit(const disk_header *header, uint64_t offset, uint32_t length) {
    return offset % IMAGE_ALIGNMENT == 0 && offset >= header->tables_length && inside(offset, length, header->length);
}

static bool entries_fit(const disk_header *header, const uint8_t *bytes) {
    const disk_entry *entries = (const disk_entry *)(const void *)(bytes + header->entries);
    const disk_data *data = (const disk_data *)(const void *)(bytes + header->data);
    const char *strings = (const char *)bytes + header->strings;
    for (uint32_t i = 0; i < header->entry_count; i++)
        if (!string_fits(header, strings, entries[i].path, entries[i].path_length) ||
            !bytes_fit(header, entries[i].blob, entries[i].blob_length))
            return false;
    for (uint32_t i = 0; i < header->data_count; i++)
        if (!string_fits(header, strings, data[i].name, data[i].name_length) ||
            !bytes_fit(header, data[i].offset, data[i].length))
            return false;
    return true;
}

/* Each slot names an entry that is there, and some slot is free, so that a search ends. */
static bool slots_fit(const disk_header *header, const uint8_t *bytes) {
    const disk_slot *slots = (const disk_slot *)(const void *)(bytes + header->slots);
    uint32_t used = 0;
    for (uint32_t i = 0; i < header->slot_count; i++) {
        if (slots[i].entry > header->entry_count)
            return false;
        used += slots[i].entry != 0;
    }
    return used == header->entry_count;
}

static spate_image_fault fault_of(const uint8_t *bytes, size_t length, const uint8_t *key, disk_header *header) {
    if (length < sizeof(*header))
        return SPATE_IMAGE_SHORT;
    memcpy(header, bytes, sizeof(*header));
    if (memcmp(header->magic, IMAGE_MAGIC, sizeof(header->magic)) != 0)
        return SPATE_IMAGE_MAGIC;
    if (header->endian != IMAGE_ENDIAN || header->version != SPATE_IMAGE_VERSION ||
        header->header_length != sizeof(*header))
        return SPATE_IMAGE_OTHER_VERSION;
    if (header->length != length)
        return SPATE_IMAGE_SHORT;
    if (memcmp(header->key, key, SPATE_IMAGE_KEY_BYTES) != 0)
        return SPATE_IMAGE_OTHER_KEY;
    if (header->tables_length < sizeof(*header) || header->tables_length > length)
        return SPATE_IMAGE_LIMITS;
    if (header->checksum != spate_image_checksum(bytes, (size_t)header->tables_length))
        return SPATE_IMAGE_BAD_CHECKSUM;
    if (!sections_fit(header) || !slots_fit(header, bytes) || !entries_fit(header, bytes))
        return SPATE_IMAGE_LIMITS;
    return SPATE_IMAGE_FINE;
}

/* ---- open ---- */

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
    spate_image_fault found = (uintptr_t)bytes % 8 == 0 ? fault_of(bytes, length, key, &header) : SPATE_IMAGE_LIMITS;
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

/* Whoever may write the folder can put another file in the image's place. */
static spate_image_fault fault_of_folder(const char *path) {
    char folder[PATH_MAX];
    struct stat info;
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof(folder))
        return SPATE_IMAGE_MISSING;
    if (length > 0)
        memcpy(folder, path, length);
    else
        folder[length++] = slash ? '/' : '.';
    folder[length] = '\0';
    if (lstat(folder, &info) != 0)
        return SPATE_IMAGE_MISSING;
    return S_ISLNK(info.st_mode) ? SPATE_IMAGE_SYMLINK : fault_of_owner(&info);
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
    /* O_NONBLOCK: a FIFO in the image's place would wait for its writer. */
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

/* ---- what is in it ---- */

size_t spate_image_count(const spate_image *image) {
    return image->entry_count;
}

size_t spate_image_data_count(const spate_image *image) {
    return image->data_count;
}

uint64_t spate_image_length(const spate_image *image) {
    return image->length;
}

spate_image_file spate_image_file_at(const spate_image *image, size_t index) {
    const disk_entry *disk = &image->entries[index];
    spate_image_file file = {
        .path = image->strings + disk->path,
        .path_length = disk->path_length,
        .size = disk->size,
        .mtime_ns = disk->mtime_ns,
        .ctime_ns = disk->ctime_ns,
        .recorded_ns = disk->recorded_ns,
        .inode = disk->inode,
        .flags = disk->flags,
        .blob = image->bytes + disk->blob,
        .blob_length = disk->blob_length,
    };
    memcpy(file.hash, disk->hash, sizeof(file.hash));
    return file;
}

spate_image_data spate_image_data_at(const spate_image *image, size_t index) {
    const disk_data *disk = &image->data[index];
    return (spate_image_data){
        .name = image->strings + disk->name,
        .name_length = disk->name_length,
        .bytes = image->bytes + disk->offset,
        .length = disk->length,
    };
}

bool spate_image_find(const spate_image *image, uint32_t hash, const char *path, size_t length, size_t *index) {
    for (uint32_t at = hash & image->slot_mask; image->slots[at].entry != 0; at = (at + 1) & image->slot_mask) {
        if (image->slots[at].hash != hash)
            continue;
        const disk_entry *entry = &image->entries[image->slots[at].entry - 1];
        if (entry->path_length == length && memcmp(image->strings + entry->path, path, length) == 0) {
            *index = image->slots[at].entry - 1;
            return true;
        }
    }
    return false;
}

bool spate_image_find_data(const spate_image *image, const char *name, size_t length, size_t *index) {
    for (size_t i = 0; i < image->data_count; i++) {
        const disk_data *data = &image->data[i];
        if (data->name_length == length && memcmp(image->strings + data->name, name, length) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static bool check(atomic_uchar *checked, const uint8_t *bytes, uint32_t length, uint32_t checksum) {
    unsigned char state = atomic_load_explicit(checked, memory_order_relaxed);
    if (state == NOT_CHECKED) {
        state = spate_crc32c(0, bytes, length) == checksum ? GOOD : DAMAGED;
        atomic_store_explicit(checked, state, memory_order_relaxed);
    }
    return state == GOOD;
}

bool spate_image_check_blob(spate_image *image, size_t index) {
    const disk_entry *entry = &image->entries[index];
    return check(&image->checked[index], image->bytes + entry->blob, entry->blob_length, entry->blob_checksum);
}

bool spate_image_check_data(spate_image *image, size_t index) {
    const disk_data *data = &image->data[index];
    return check(&image->checked[image->entry_count + index], image->bytes + data->offset, data->length,
                 data->checksum);
}

void spate_image_prefetch(const spate_image *image) {
    if (image->mapped)
        (void)madvise((void *)(uintptr_t)image->bytes, image->length, MADV_WILLNEED);
}

void spate_image_rest(const spate_image *image) {
    if (image->mapped)
        (void)madvise((void *)(uintptr_t)image->bytes, image->length, MADV_DONTNEED);
}
