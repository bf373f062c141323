#include "load_path_cache/catalog.h"

#include <stdlib.h>

void spate_catalog_begin(index_catalog *c) {
    memset(c, 0, sizeof *c);
    c->roots.size = sizeof(spate_load_path_cache_root);
    c->keys.size = sizeof(found_key);
    c->directories.size = sizeof(found_directory);
    c->files.size = sizeof(found_file);
    c->pool.size = 1;
}

void spate_catalog_clear(index_catalog *c) {
    free(c->roots.items);
    free(c->keys.items);
    free(c->directories.items);
    free(c->files.items);
    free(c->pool.items);
    free(c->key_slots);
}

void *spate_vector_add(load_path_cache_vector *list, size_t count) {
    if (list->items == NULL || list->count + count > list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        while (capacity < list->count + count)
            capacity *= 2;
        void *items = realloc(list->items, capacity * list->size);
        if (items == NULL)
            return NULL;
        list->items = items;
        list->capacity = capacity;
    }
    void *added = (char *)list->items + list->count * list->size;
    list->count += count;
    return added;
}

uint32_t spate_catalog_add_text(index_catalog *c, const char *text, size_t length) {
    char *kept = c->pool.count + length < UINT32_MAX ? spate_vector_add(&c->pool, length) : NULL;
    if (kept == NULL)
        return SPATE_LOAD_PATH_CACHE_NONE;
    memcpy(kept, text, length);
    return (uint32_t)(kept - (char *)c->pool.items);
}

static bool grow_key_slots(index_catalog *c) {
    size_t count = c->key_slot_count ? c->key_slot_count * 2 : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return false;
    for (uint32_t i = 0; i < c->keys.count; i++) {
        size_t slot = spate_load_path_cache_spread(spate_catalog_key(c, i)->hash, 0);
        while (slots[slot & (count - 1)] != 0)
            slot++;
        slots[slot & (count - 1)] = i + 1;
    }
    free(c->key_slots);
    c->key_slots = slots;
    c->key_slot_count = count;
    return true;
}

uint32_t spate_catalog_add_key(index_catalog *c, const char *path, size_t length) {
    uint32_t hash = spate_load_path_cache_hash(SPATE_LOAD_PATH_CACHE_HASH_START, path, length);
    if ((c->keys.count + 1) * 2 > c->key_slot_count && !grow_key_slots(c))
        return SPATE_LOAD_PATH_CACHE_NONE;
    size_t slot = spate_load_path_cache_spread(hash, 0) & (c->key_slot_count - 1);
    for (; c->key_slots[slot] != 0; slot = (slot + 1) & (c->key_slot_count - 1)) {
        found_key *key = spate_catalog_key(c, c->key_slots[slot] - 1);
        if (key->length == length && memcmp(spate_catalog_text(c, key->path), path, length) == 0)
            return c->key_slots[slot] - 1;
    }
    uint32_t text = spate_catalog_add_text(c, path, length);
    found_key *key = text == SPATE_LOAD_PATH_CACHE_NONE ? NULL : spate_vector_add(&c->keys, 1);
    if (key == NULL)
        return SPATE_LOAD_PATH_CACHE_NONE;
    *key = (found_key){text, (uint32_t)length, hash, 0};
    return c->key_slots[slot] = (uint32_t)c->keys.count, (uint32_t)c->keys.count - 1;
}

bool spate_catalog_add_directory(index_catalog *c, uint32_t root, uint32_t key, uint32_t above, uint32_t flags) {
    found_directory *added = spate_vector_add(&c->directories, 1);
    if (added == NULL)
        return false;
    uint32_t depth = above == SPATE_LOAD_PATH_CACHE_NONE ? 0 : spate_catalog_directory(c, above)->depth + 1;
    *added = (found_directory){.root = root, .key = key, .flags = flags, .depth = depth, .above = above};
    return true;
}

size_t spate_catalog_path(index_catalog *c, const found_directory *directory) {
    const spate_load_path_cache_root *root = (const spate_load_path_cache_root *)c->roots.items + directory->root;
    const found_key *key = spate_catalog_key(c, directory->key);
    return spate_load_path_cache_join(c->path, sizeof c->path, spate_catalog_text(c, root->path), root->length,
                                      spate_catalog_text(c, key->path), key->length);
}

bool spate_catalog_add_file(index_catalog *c, uint32_t directory, const spate_load_path_cache_entry *from) {
    uint32_t text = spate_catalog_add_text(c, from->name, from->stem);
    found_file *file = text == SPATE_LOAD_PATH_CACHE_NONE ? NULL : spate_vector_add(&c->files, 1);
    if (file == NULL)
        return false;
    *file = (found_file){spate_catalog_directory(c, directory)->key, text, (uint32_t)from->stem, directory, from->kind};
    return true;
}
