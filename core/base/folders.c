#define _GNU_SOURCE
#include "base/folders.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64

static size_t hash_of(const char *path, size_t length) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)path[i]) * 1099511628211u;
    return (size_t)(hash ^ (hash >> 32));
}

static uint32_t *slot_of(const spate_folders *folders, const char *path, size_t length) {
    size_t at = hash_of(path, length) & folders->mask;
    while (folders->slots[at]) {
        const spate_folder *other = &folders->items[folders->slots[at] - 1];
        if (other->length == length && memcmp(other->path, path, length) == 0)
            break;
        at = (at + 1) & folders->mask;
    }
    return &folders->slots[at];
}

static bool grow(spate_folders *folders) {
    size_t size = folders->slots ? 2 * (folders->mask + 1) : FIRST_SLOTS;
    uint32_t *slots = calloc(size, sizeof(*slots));
    spate_folder *items = realloc(folders->items, size / 2 * sizeof(*items));
    if (items)
        folders->items = items;
    if (!slots || !items) {
        free(slots);
        return false;
    }
    free(folders->slots);
    folders->slots = slots;
    folders->mask = size - 1;
    folders->capacity = size / 2;
    for (size_t i = 0; i < folders->count; i++)
        *slot_of(folders, items[i].path, items[i].length) = (uint32_t)i + 1;
    return true;
}

static size_t parent_of(const char *path, size_t length) {
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 0 ? length - 1 : 0;
}

bool spate_folders_add(spate_folders *folders, const char *path, size_t length, uint32_t mode) {
    if (length == 0)
        return true;
    if (folders->slots && *slot_of(folders, path, length))
        return true;
    if (!spate_folders_add(folders, path, parent_of(path, length), mode))
        return false;
    if (folders->count == folders->capacity && !grow(folders))
        return false;
    folders->items[folders->count++] = (spate_folder){path, length, mode};
    *slot_of(folders, path, length) = (uint32_t)folders->count;
    return true;
}

bool spate_folders_add_parent(spate_folders *folders, const char *path) {
    size_t length = parent_of(path, strlen(path));
    if (folders->count > 0) { /* consecutive files are usually in the same directory */
        const spate_folder *last = &folders->items[folders->count - 1];
        if (last->length == length && memcmp(last->path, path, length) == 0)
            return true;
    }
    return spate_folders_add(folders, path, length, SPATE_FOLDER_PLAIN);
}

void spate_folders_free(spate_folders *folders) {
    free(folders->items);
    free(folders->slots);
    memset(folders, 0, sizeof(*folders));
}
