/* Reads the contents of a boot image. */
#include "image/inner.h"

#include "digest/crc32c.h"

#include <string.h>
#include <sys/mman.h>

enum { NOT_CHECKED = 0, GOOD = 1, DAMAGED = 2 };

uint32_t spate_image_hash_more(uint32_t hash, const char *path, size_t length) {
    return spate_crc32c(hash, path, length);
}

uint32_t spate_image_hash(const char *path, size_t length) {
    return spate_image_hash_more(0, path, length);
}

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

void spate_image_rest(const spate_image *image) {
    if (image->mapped)
        (void)madvise((void *)(uintptr_t)image->bytes, image->length, MADV_DONTNEED);
}
