/* Creates and frees a resolver, which works with or without a load-path cache. */
#include "load_path_cache/resolve/inner.h"

static bool fill(spate_resolver *r) {
    if (!r->has_cache)
        return spate_resolver_make_node(r, "", 0) != NONE;
    const spate_load_path_cache_header *header = r->cache.header;
    if (!ROOM(r, directories, header->directories + 1) || !ROOM(r, nodes, header->keys + 1) ||
        !ROOM(r, roots, header->roots + 1))
        return false;
    r->directories.count = header->directories;
    r->nodes.count = header->keys;
    for (size_t i = 0; i < r->directories.count; i++)
        r->directories.at[i] = (known_directory){.listing = NONE, .state = UNSEEN};
    for (size_t i = 0; i < r->nodes.count; i++)
        r->nodes.at[i] = (known_node){.unsure = NONE, .added = NONE};
    for (uint32_t i = 0; i < header->roots; i++) {
        const spate_load_path_cache_root *found = &r->cache.roots[i];
        const char *path = spate_load_path_cache_text(&r->cache, found->path, found->length);
        uint32_t text = path ? spate_resolver_keep_text(r, path, found->length) : spate_resolver_keep_text(r, "", 0);
        if (text == NONE)
            return false;
        r->roots.at[r->roots.count++] = (known_root){text, path ? found->length : 0, NONE};
    }
    return spate_resolver_make_node(r, "", 0) != NONE;
}

spate_status spate_resolver_new(spate_resolver **resolver, const spate_load_path_cache *cache, const char *shared) {
    spate_resolver *r = *resolver = calloc(1, sizeof *r);
    if (r == NULL)
        return SPATE_NO_MEMORY;
    strncpy(r->shared, shared, sizeof r->shared - 1);
    r->opaque = NONE;
    if (cache != NULL && strncmp(cache->header->shared, r->shared, sizeof r->shared) == 0) {
        r->cache = *cache;
        r->has_cache = true;
        r->cached_keys = cache->header->keys;
        r->cached_directories = cache->header->directories;
        r->cached_roots = cache->header->roots;
    }
    if (fill(r))
        return SPATE_OK;
    spate_resolver_free(r);
    *resolver = NULL;
    return SPATE_NO_MEMORY;
}

/* Applies the macro `with` to every growing list. */
#define EACH_LIST(with)                                                                                                \
    with(directories) with(new_directories) with(listings) with(nodes) with(new_nodes) with(entries) with(roots)       \
        with(spellings) with(texts) with(load_path)
#define EACH_TABLE(with) with(new_node_table) with(entry_table) with(spelling_table)

void spate_resolver_free(spate_resolver *r) {
    if (r == NULL)
        return;
#define FREE_LIST(list) free(r->list.at);
#define FREE_TABLE(table) free(r->table.slots);
    EACH_LIST(FREE_LIST)
    EACH_TABLE(FREE_TABLE)
    free(r);
}

size_t spate_resolver_bytes(const spate_resolver *r) {
    size_t bytes = sizeof *r;
#define ADD_LIST(list) bytes += r->list.capacity * sizeof *r->list.at;
#define ADD_TABLE(table) bytes += r->table.count * sizeof *r->table.slots;
    EACH_LIST(ADD_LIST)
    EACH_TABLE(ADD_TABLE)
    return bytes;
}

spate_resolver_counts spate_resolver_counted(const spate_resolver *r) {
    return r->counts;
}
