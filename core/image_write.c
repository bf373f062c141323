#include "image.h"

#include "crc32c.h"
#include "image_format.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

/* Suggested reading order: spate_image_write, lay_out, fill, write_whole. */

/* What is asked to be written, and where each part of it goes. */
typedef struct image_plan {
    const spate_image_file *files;
    size_t file_count;
    const spate_image_data *data;
    size_t data_count;
    disk_header header;
    uint8_t *tables;
} image_plan;

static uint64_t aligned(uint64_t offset) {
    return (offset + IMAGE_ALIGNMENT - 1) & ~(uint64_t)(IMAGE_ALIGNMENT - 1);
}

static bool name_fits(const char *name, size_t length) {
    return length > 0 && length <= SPATE_IMAGE_PATH_MAX && !memchr(name, '\0', length);
}

/* Data first: a boot reads it before it loads the first file. */
static spate_status lay_out(image_plan *plan, const uint8_t *key, const char *path, spate_error *error) {
    disk_header *header = &plan->header;
    uint64_t strings = 0;
    uint64_t content = 0;
    if (plan->file_count > SPATE_IMAGE_ENTRIES_MAX || plan->data_count > SPATE_IMAGE_DATA_MAX)
        return spate_fail(error, SPATE_LIMIT, path, "%zu files and %zu data are too many for one boot image",
                          plan->file_count, plan->data_count);
    for (size_t i = 0; i < plan->file_count; i++) {
        if (!name_fits(plan->files[i].path, plan->files[i].path_length))
            return spate_fail(error, SPATE_REFUSED, path, "file %zu has no path of 1 to %u bytes", i,
                              SPATE_IMAGE_PATH_MAX);
        if (plan->files[i].blob_length > SPATE_IMAGE_LENGTH_MAX)
            return spate_fail(error, SPATE_LIMIT, path, "file %zu is too long", i);
        strings += plan->files[i].path_length + 1;
        content += aligned(plan->files[i].blob_length);
    }
    for (size_t i = 0; i < plan->data_count; i++) {
        if (!name_fits(plan->data[i].name, plan->data[i].name_length))
            return spate_fail(error, SPATE_REFUSED, path, "data %zu has no name of 1 to %u bytes", i,
                              SPATE_IMAGE_PATH_MAX);
        if (plan->data[i].length > SPATE_IMAGE_LENGTH_MAX)
            return spate_fail(error, SPATE_LIMIT, path, "data %zu is too long", i);
        strings += plan->data[i].name_length + 1;
        content += aligned(plan->data[i].length);
    }
    uint32_t slots = 2;
    while (slots < 2 * plan->file_count)
        slots *= 2;
    *header = (disk_header){
        .version = SPATE_IMAGE_VERSION,
        .endian = IMAGE_ENDIAN,
        .header_length = sizeof(*header),
        .slots = sizeof(*header),
        .slot_count = slots,
        .entry_count = (uint32_t)plan->file_count,
        .data_count = (uint32_t)plan->data_count,
        .strings_length = strings,
    };
    memcpy(header->magic, IMAGE_MAGIC, sizeof(header->magic));
    memcpy(header->key, key, sizeof(header->key));
    header->entries = header->slots + (uint64_t)slots * sizeof(disk_slot);
    header->data = header->entries + plan->file_count * sizeof(disk_entry);
    header->strings = header->data + plan->data_count * sizeof(disk_data);
    header->tables_length = aligned(header->strings + strings);
    header->length = header->tables_length + content;
    if (header->length > SPATE_IMAGE_LENGTH_MAX)
        return spate_fail(error, SPATE_LIMIT, path, "%llu bytes are too long for a boot image",
                          (unsigned long long)header->length);
    return SPATE_OK;
}

static uint32_t add_string(const image_plan *plan, uint64_t *used, const char *text, size_t length) {
    uint64_t offset = *used;
    memcpy(plan->tables + plan->header.strings + offset, text, length); /* the NUL is there: zeroed memory */
    *used += length + 1;
    return (uint32_t)offset;
}

/* false where the path is there already. */
static bool add_slot(const image_plan *plan, uint32_t index) {
    disk_slot *slots = (disk_slot *)(void *)(plan->tables + plan->header.slots);
    const spate_image_file *file = &plan->files[index];
    uint32_t hash = spate_image_hash(file->path, file->path_length);
    uint32_t mask = plan->header.slot_count - 1;
    uint32_t at = hash & mask;
    for (; slots[at].entry != 0; at = (at + 1) & mask) {
        const spate_image_file *other = &plan->files[slots[at].entry - 1];
        if (slots[at].hash == hash && other->path_length == file->path_length &&
            memcmp(other->path, file->path, file->path_length) == 0)
            return false;
    }
    slots[at] = (disk_slot){.hash = hash, .entry = index + 1};
    return true;
}

static bool name_is_new(const image_plan *plan, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (plan->data[i].name_length == plan->data[index].name_length &&
            memcmp(plan->data[i].name, plan->data[index].name, plan->data[index].name_length) == 0)
            return false;
    return true;
}

static spate_status fill(const image_plan *plan, const char *path, spate_error *error) {
    disk_entry *entries = (disk_entry *)(void *)(plan->tables + plan->header.entries);
    disk_data *data = (disk_data *)(void *)(plan->tables + plan->header.data);
    uint64_t strings = 0;
    uint64_t content = plan->header.tables_length;
    for (size_t i = 0; i < plan->data_count; i++) {
        const spate_image_data *from = &plan->data[i];
        if (!name_is_new(plan, i))
            return spate_fail(error, SPATE_REFUSED, path, "two data of one name: %s", from->name);
        data[i] = (disk_data){
            .offset = content,
            .length = (uint32_t)from->length,
            .checksum = spate_crc32c(0, from->bytes, from->length),
            .name = add_string(plan, &strings, from->name, from->name_length),
            .name_length = (uint32_t)from->name_length,
        };
        content += aligned(from->length);
    }
    for (size_t i = 0; i < plan->file_count; i++) {
        const spate_image_file *from = &plan->files[i];
        if (!add_slot(plan, (uint32_t)i))
            return spate_fail(error, SPATE_REFUSED, path, "two files of one path: %.*s", (int)from->path_length,
                              from->path);
        entries[i] = (disk_entry){
            .size = from->size,
            .mtime_ns = from->mtime_ns,
            .ctime_ns = from->ctime_ns,
            .recorded_ns = from->recorded_ns,
            .inode = from->inode,
            .blob = content,
            .blob_length = (uint32_t)from->blob_length,
            .blob_checksum = spate_crc32c(0, from->blob, from->blob_length),
            .path = add_string(plan, &strings, from->path, from->path_length),
            .path_length = (uint32_t)from->path_length,
            .flags = from->flags,
        };
        memcpy(entries[i].hash, from->hash, sizeof(entries[i].hash));
        content += aligned(from->blob_length);
    }
    disk_header header = plan->header;
    memcpy(plan->tables, &header, sizeof(header));
    header.checksum = spate_image_checksum(plan->tables, (size_t)header.tables_length);
    memcpy(plan->tables, &header, sizeof(header));
    return SPATE_OK;
}

/* ---- the file ---- */

#define BUFFER_BYTES ((size_t)256 << 10)

typedef struct output {
    int descriptor;
    size_t used;
    uint8_t bytes[BUFFER_BYTES];
} output;

static bool write_all(int descriptor, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

static bool flush(output *out) {
    size_t length = out->used;
    out->used = 0;
    return write_all(out->descriptor, out->bytes, length);
}

static bool put(output *out, const void *bytes, size_t length) {
    if (length > BUFFER_BYTES - out->used && !flush(out))
        return false;
    if (length > BUFFER_BYTES)
        return write_all(out->descriptor, bytes, length);
    if (length > 0)
        memcpy(out->bytes + out->used, bytes, length);
    out->used += length;
    return true;
}

static bool put_aligned(output *out, const void *bytes, size_t length) {
    static const uint8_t zeros[IMAGE_ALIGNMENT];
    return put(out, bytes, length) && put(out, zeros, (size_t)(aligned(length) - length));
}

static bool put_plan(output *out, const image_plan *plan) {
    if (!put(out, plan->tables, (size_t)plan->header.tables_length))
        return false;
    for (size_t i = 0; i < plan->data_count; i++)
        if (!put_aligned(out, plan->data[i].bytes, plan->data[i].length))
            return false;
    for (size_t i = 0; i < plan->file_count; i++)
        if (!put_aligned(out, plan->files[i].blob, plan->files[i].blob_length))
            return false;
    return flush(out);
}

/*
 * A name that nobody can guess or has: two writers never meet in one file. Others may read it, as far as the umask lets
 * them: the user of a container boots from what root made in an earlier layer.
 */
static int open_temporary(char *temporary, size_t capacity, const char *path) {
    for (int attempt = 0; attempt < 16; attempt++) {
        uint64_t random;
        if (getentropy(&random, sizeof(random)) != 0)
            return -1;
        int size = snprintf(temporary, capacity, "%s.%016llx.tmp", path, (unsigned long long)random);
        if (size < 0 || (size_t)size >= capacity) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

static spate_status write_whole(output *out, const image_plan *plan, const char *path, spate_error *error) {
    char temporary[PATH_MAX];
    out->used = 0;
    out->descriptor = open_temporary(temporary, sizeof(temporary), path);
    if (out->descriptor < 0)
        return spate_fail_errno(error, path, "open");
    spate_status status = SPATE_OK;
    if (!put_plan(out, plan))
        status = spate_fail_errno(error, path, "write");
    if (close(out->descriptor) != 0 && status == SPATE_OK)
        status = spate_fail_errno(error, path, "close");
    if (status == SPATE_OK && rename(temporary, path) != 0)
        status = spate_fail_errno(error, path, "rename");
    if (status != SPATE_OK)
        unlink(temporary);
    return status;
}

spate_status spate_image_write(const char *path, const uint8_t key[SPATE_IMAGE_KEY_BYTES],
                               const spate_image_file *files, size_t file_count, const spate_image_data *data,
                               size_t data_count, spate_error *error) {
    image_plan plan = {.files = files, .file_count = file_count, .data = data, .data_count = data_count};
    spate_status status = lay_out(&plan, key, path, error);
    if (status != SPATE_OK)
        return status;
    plan.tables = calloc(1, (size_t)plan.header.tables_length);
    output *out = malloc(sizeof(*out));
    if (!plan.tables || !out)
        status = spate_fail(error, SPATE_NO_MEMORY, path, "no memory for a boot image");
    if (status == SPATE_OK)
        status = fill(&plan, path, error);
    if (status == SPATE_OK)
        status = write_whole(out, &plan, path, error);
    free(out);
    free(plan.tables);
    return status;
}
