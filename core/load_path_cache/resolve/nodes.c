/*
 * Directories by path and root. A node is a path relative to the roots: a key of the load-path cache (with the same
 * index) or a path found later. A directory is a node below one root. Neither is ever removed; missing directories are
 * marked as GONE.
 */
#include "load_path_cache/resolve/inner.h"

static uint32_t node_spread(const spate_resolver *r, uint32_t number) {
    return spate_load_path_cache_spread(r->new_nodes.at[number].hash, 0);
}

const char *spate_resolver_node_path(const spate_resolver *r, uint32_t number, size_t *length) {
    if (number < r->cached_keys) {
        const spate_load_path_cache_key *key = &r->cache.keys[number];
        const char *text = spate_load_path_cache_text(&r->cache, key->path, key->length);
        *length = text ? key->length : 0;
        return text ? text : "";
    }
    const new_node *found = &r->new_nodes.at[number - r->cached_keys];
    *length = found->length;
    return r->texts.at + found->path;
}

uint32_t spate_resolver_find_node(const spate_resolver *r, uint32_t hash, const char *path, size_t length) {
    uint32_t number = r->has_cache ? spate_load_path_cache_find_key(&r->cache, hash, path, length) : NONE;
    if (number != NONE || r->new_node_table.count == 0)
        return number;
    size_t mask = r->new_node_table.count - 1;
    for (size_t slot = spate_load_path_cache_spread(hash, 0) & mask; r->new_node_table.slots[slot];
         slot = (slot + 1) & mask) {
        number = r->new_node_table.slots[slot] - 1;
        const new_node *found = &r->new_nodes.at[number];
        if (found->hash == hash && found->length == length && memcmp(r->texts.at + found->path, path, length) == 0)
            return number + r->cached_keys;
    }
    return NONE;
}

uint32_t spate_resolver_make_node(spate_resolver *r, const char *path, size_t length) {
    uint32_t hash = spate_load_path_cache_hash(SPATE_LOAD_PATH_CACHE_HASH_START, path, length);
    uint32_t number = spate_resolver_find_node(r, hash, path, length);
    if (number != NONE)
        return number;
    uint32_t text = spate_resolver_keep_text(r, path, length);
    if (text == NONE || !ROOM(r, nodes, 1) || !ROOM(r, new_nodes, 1) ||
        !spate_table_room(r, &r->new_node_table, r->new_nodes.count, node_spread))
        return NONE;
    number = (uint32_t)r->new_nodes.count++;
    r->new_nodes.at[number] = (new_node){hash, text, (uint32_t)length};
    r->nodes.at[r->nodes.count++] = (known_node){.unsure = NONE, .added = NONE};
    spate_table_put(&r->new_node_table, node_spread(r, number), number);
    return number + r->cached_keys;
}

static uint32_t find_directory(const spate_resolver *r, uint32_t root, uint32_t node) {
    uint32_t first = 0, count = 0;
    if (node < r->cached_keys)
        spate_load_path_cache_key_directories(&r->cache, node, &first, &count);
    for (uint32_t low = first, high = first + count; root < r->cached_roots && low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (r->cache.directories[middle].root == root)
            return middle;
        if (r->cache.directories[middle].root < root)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = r->nodes.at[node].added; i != NONE; i = r->new_directories.at[i].next)
        if (r->new_directories.at[i].root == root)
            return i + r->cached_directories;
    return NONE;
}

uint32_t spate_resolver_make_directory(spate_resolver *r, uint32_t root, uint32_t node) {
    uint32_t number = find_directory(r, root, node);
    if (number != NONE)
        return number;
    if (!ROOM(r, directories, 1) || !ROOM(r, new_directories, 1))
        return NONE;
    number = (uint32_t)r->new_directories.count++;
    r->new_directories.at[number] = (new_directory){root, node, r->nodes.at[node].added};
    r->nodes.at[node].added = number;
    r->nodes.at[node].moment = 0;
    r->directories.at[r->directories.count++] = (known_directory){.listing = NONE, .state = UNSEEN};
    return number + r->cached_directories;
}

size_t spate_resolver_directory_path(spate_resolver *r, uint32_t number) {
    uint32_t owner = spate_resolver_directory_root(r, number), place = spate_resolver_directory_node(r, number);
    if (owner == NONE || place == NONE)
        return 0;
    const known_root *found = &r->roots.at[owner];
    if (found->length == 0)
        return 0;
    size_t length;
    const char *path = spate_resolver_node_path(r, place, &length);
    return spate_load_path_cache_join(r->path, sizeof r->path, r->texts.at + found->path, found->length, path, length);
}

/* ---- growing lists, texts and hash tables; sizes stay below 2^32 because indexes have 32 bits ---- */

static void *grow(void *items, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity)
        return items;
    size_t wanted = *capacity ? *capacity * 2 : 64;
    while (wanted < count)
        wanted *= 2;
    void *grown = realloc(items, wanted * size);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

bool spate_resolver_ensure(void **items, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity) /* true also for 0 items in an empty list */
        return true;
    void *grown = count < UINT32_MAX ? grow(*items, capacity, count, size) : NULL;
    if (grown == NULL)
        return false;
    *items = grown;
    return true;
}

uint32_t spate_resolver_keep_text(spate_resolver *r, const char *text, size_t length) {
    if (!ROOM(r, texts, length + 1))
        return NONE;
    uint32_t at = (uint32_t)r->texts.count;
    memcpy(r->texts.at + at, text, length);
    r->texts.at[at + length] = '\0';
    r->texts.count += length + 1;
    return at;
}

bool spate_table_room(spate_resolver *r, table *t, size_t numbers, spread_of spread) {
    if ((t->used + 1) * 2 <= t->count)
        return true;
    size_t count = t->count ? t->count * 2 : 256;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return r->out_of_memory = true, false;
    for (uint32_t i = 0; i < numbers; i++) {
        size_t slot = spread(r, i) & (count - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (count - 1);
        slots[slot] = i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->count = count;
    return true;
}

void spate_table_put(table *t, uint32_t spread, uint32_t number) {
    size_t slot = spread & (t->count - 1);
    while (t->slots[slot] != 0)
        slot = (slot + 1) & (t->count - 1);
    t->slots[slot] = number + 1;
    t->used++;
}
