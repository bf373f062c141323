/* Lays out a compile cache and fills its tables. */
#include "compile_cache/inner.h"

#include "digest/crc32c.h"

#include <string.h>

/* Sizes of the strings and of the content after the tables, in bytes: in total, or written so far. */
typedef struct compile_cache_sums {
    uint64_t strings, content;
} compile_cache_sums;

static bool name_fits(const char *name, size_t length) {
    return length > 0 && length <= SPATE_COMPILE_CACHE_PATH_MAX && !memchr(name, '\0', length);
}

/* Adds the item's sizes to `sums`. `kind`, `number` and `called` describe the item in an error. */
static spate_status measure(compile_cache_sums *sums, const char *kind, size_t number, const char *called,
                            const char *name, size_t name_length, size_t length, const char *path, spate_error *error) {
    if (!name_fits(name, name_length))
        return spate_fail(error, SPATE_REFUSED, path, "%s %zu: the %s must have 1 to %u bytes", kind, number, called,
                          SPATE_COMPILE_CACHE_PATH_MAX);
    if (length > SPATE_COMPILE_CACHE_LENGTH_MAX)
        return spate_fail(error, SPATE_LIMIT, path, "%s %zu is too long", kind, number);
    sums->strings += name_length + 1;
    sums->content += spate_compile_cache_aligned(length);
    return SPATE_OK;
}

static spate_status measure_all(const compile_cache_plan *plan, compile_cache_sums *sums, const char *path,
                                spate_error *error) {
    spate_status status = SPATE_OK;
    if (plan->file_count > SPATE_COMPILE_CACHE_ENTRIES_MAX || plan->data_count > SPATE_COMPILE_CACHE_DATA_MAX)
        return spate_fail(error, SPATE_LIMIT, path, "%zu files and %zu data entries are too many for one compile cache",
                          plan->file_count, plan->data_count);
    for (size_t i = 0; i < plan->file_count && status == SPATE_OK; i++) {
        const spate_compile_cache_file *file = &plan->files[i];
        status = measure(sums, "file", i, "path", file->path, file->path_length, file->blob_length, path, error);
    }
    for (size_t i = 0; i < plan->data_count && status == SPATE_OK; i++) {
        const spate_compile_cache_data *data = &plan->data[i];
        status = measure(sums, "data", i, "name", data->name, data->name_length, data->length, path, error);
    }
    return status;
}

spate_status spate_compile_cache_lay_out(compile_cache_plan *plan, const uint8_t *key, const char *path,
                                         spate_error *error) {
    disk_header *header = &plan->header;
    compile_cache_sums sums = {0, 0};
    spate_status status = measure_all(plan, &sums, path, error);
    if (status != SPATE_OK)
        return status;
    uint32_t slots = 2;
    while (slots < 2 * plan->file_count)
        slots *= 2;
    *header = (disk_header){
        .version = SPATE_COMPILE_CACHE_VERSION,
        .endian = COMPILE_CACHE_ENDIAN,
        .header_length = sizeof(*header),
        .slots = sizeof(*header),
        .slot_count = slots,
        .entry_count = (uint32_t)plan->file_count,
        .data_count = (uint32_t)plan->data_count,
        .strings_length = sums.strings,
    };
    memcpy(header->magic, COMPILE_CACHE_MAGIC, sizeof(header->magic));
    memcpy(header->key, key, sizeof(header->key));
    header->entries = header->slots + (uint64_t)slots * sizeof(disk_slot);
    header->data = header->entries + plan->file_count * sizeof(disk_entry);
    header->strings = header->data + plan->data_count * sizeof(disk_data);
    header->tables_length = spate_compile_cache_aligned(header->strings + sums.strings);
    header->length = header->tables_length + sums.content;
    if (header->length > SPATE_COMPILE_CACHE_LENGTH_MAX)
        return spate_fail(error, SPATE_LIMIT, path, "%llu bytes are too long for a compile cache",
                          (unsigned long long)header->length);
    return SPATE_OK;
}

static uint32_t add_string(const compile_cache_plan *plan, uint64_t *used, const char *text, size_t length) {
    uint64_t offset = *used;
    memcpy(plan->tables + plan->header.strings + offset, text, length); /* the memory is zeroed, so a NUL follows */
    *used += length + 1;
    return (uint32_t)offset;
}

/* Returns false if the path occurs twice. */
static bool add_slot(const compile_cache_plan *plan, uint32_t index) {
    disk_slot *slots = (disk_slot *)(void *)(plan->tables + plan->header.slots);
    const spate_compile_cache_file *file = &plan->files[index];
    uint32_t hash = spate_compile_cache_hash(file->path, file->path_length);
    uint32_t mask = plan->header.slot_count - 1;
    uint32_t at = hash & mask;
    for (; slots[at].entry != 0; at = (at + 1) & mask) {
        const spate_compile_cache_file *other = &plan->files[slots[at].entry - 1];
        if (slots[at].hash == hash && other->path_length == file->path_length &&
            memcmp(other->path, file->path, file->path_length) == 0)
            return false;
    }
    slots[at] = (disk_slot){.hash = hash, .entry = index + 1};
    return true;
}

static bool name_is_new(const compile_cache_plan *plan, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (plan->data[i].name_length == plan->data[index].name_length &&
            memcmp(plan->data[i].name, plan->data[index].name, plan->data[index].name_length) == 0)
            return false;
    return true;
}

/* The data entries come first in the file, because a boot reads them before it loads the first file. */
static spate_status fill_data(const compile_cache_plan *plan, compile_cache_sums *used, const char *path,
                              spate_error *error) {
    disk_data *data = (disk_data *)(void *)(plan->tables + plan->header.data);
    for (size_t i = 0; i < plan->data_count; i++) {
        const spate_compile_cache_data *from = &plan->data[i];
        if (!name_is_new(plan, i))
            return spate_fail(error, SPATE_REFUSED, path, "duplicate data entry: %.*s", (int)from->name_length,
                              from->name);
        data[i] = (disk_data){
            .offset = used->content,
            .length = (uint32_t)from->length,
            .checksum = spate_crc32c(0, from->bytes, from->length),
            .name = add_string(plan, &used->strings, from->name, from->name_length),
            .name_length = (uint32_t)from->name_length,
        };
        used->content += spate_compile_cache_aligned(from->length);
    }
    return SPATE_OK;
}

static spate_status fill_entries(const compile_cache_plan *plan, compile_cache_sums *used, const char *path,
                                 spate_error *error) {
    disk_entry *entries = (disk_entry *)(void *)(plan->tables + plan->header.entries);
    for (size_t i = 0; i < plan->file_count; i++) {
        const spate_compile_cache_file *from = &plan->files[i];
        if (!add_slot(plan, (uint32_t)i))
            return spate_fail(error, SPATE_REFUSED, path, "duplicate file: %.*s", (int)from->path_length, from->path);
        entries[i] = (disk_entry){
            .size = from->size,
            .mtime_ns = from->mtime_ns,
            .ctime_ns = from->ctime_ns,
            .recorded_ns = from->recorded_ns,
            .inode = from->inode,
            .blob = used->content,
            .blob_length = (uint32_t)from->blob_length,
            .blob_checksum = spate_crc32c(0, from->blob, from->blob_length),
            .path = add_string(plan, &used->strings, from->path, from->path_length),
            .path_length = (uint32_t)from->path_length,
            .flags = from->flags,
        };
        memcpy(entries[i].hash, from->hash, sizeof(entries[i].hash));
        used->content += spate_compile_cache_aligned(from->blob_length);
    }
    return SPATE_OK;
}

spate_status spate_compile_cache_fill(const compile_cache_plan *plan, const char *path, spate_error *error) {
    compile_cache_sums used = {.content = plan->header.tables_length};
    spate_status status = fill_data(plan, &used, path, error);
    if (status == SPATE_OK)
        status = fill_entries(plan, &used, path, error);
    if (status != SPATE_OK)
        return status;
    disk_header header = plan->header;
    memcpy(plan->tables, &header, sizeof(header));
    header.checksum = spate_compile_cache_checksum(plan->tables, (size_t)header.tables_length);
    memcpy(plan->tables, &header, sizeof(header));
    return SPATE_OK;
}
