/* Writes a sorted catalog in the format of a load-path cache: see docs/load-path-cache.md. */
#include "load_path_cache/catalog.h"

#include "digest/crc32c.h"

#include <stdlib.h>

static uint32_t slots_for(size_t entries) {
    uint32_t slots = 16;
    while (slots < entries * 2)
        slots *= 2;
    return slots;
}

static void enter(uint32_t *slots, uint32_t count, uint32_t spread, uint32_t number) {
    uint32_t slot = spread & (count - 1);
    while (slots[slot] != 0)
        slot = (slot + 1) & (count - 1);
    slots[slot] = number + 1;
}

static bool same_feature(const index_catalog *c, const found_file *a, const found_file *b) {
    return a->key == b->key && a->length == b->length &&
           memcmp(spate_catalog_text(c, a->name), spate_catalog_text(c, b->name), a->length) == 0;
}

/* Counts the features, and the total length of all texts. */
static void count_texts(const index_catalog *c, size_t *features, size_t *pool) {
    const spate_load_path_cache_root *roots = c->roots.items;
    const found_key *keys = c->keys.items;
    const found_file *files = c->files.items;
    *features = *pool = 0;
    for (size_t i = 0; i < c->roots.count; i++)
        *pool += roots[i].length;
    for (size_t i = 0; i < c->keys.count; i++)
        *pool += keys[i].length;
    for (size_t i = 0; i < c->files.count; i++) {
        if (i == 0 || !same_feature(c, &files[i - 1], &files[i])) {
            *features += 1;
            *pool += files[i].length;
        }
    }
}

typedef struct writer {
    const index_catalog *catalog;
    const load_path_cache_order *order;
    spate_load_path_cache_header header;
    char *pool;
    uint32_t pooled; /* number of bytes used in the pool */
} writer;

/* Copies a text to the pool and returns its offset. */
static uint32_t pool_text(writer *w, uint32_t text, uint32_t length) {
    uint32_t at = w->pooled;
    memcpy(w->pool + at, spate_catalog_text(w->catalog, text), length);
    w->pooled += length;
    return at;
}

static uint32_t hash_of(const writer *w, uint32_t text, uint32_t length) {
    return spate_load_path_cache_hash(SPATE_LOAD_PATH_CACHE_HASH_START, spate_catalog_text(w->catalog, text), length);
}

static void write_keys(writer *w, spate_load_path_cache_key *out, uint32_t *slots) {
    uint32_t directory = 0;
    for (uint32_t i = 0; i < w->header.keys; i++) {
        const found_key *key = w->order->keys[i];
        uint32_t first = directory;
        while (directory < w->header.directories && w->order->directories[directory]->key == i)
            directory++;
        out[i] =
            (spate_load_path_cache_key){pool_text(w, key->path, key->length), key->length, first, directory - first};
        enter(slots, w->header.key_slots, spate_load_path_cache_spread(key->hash, 0), i);
    }
}

static void write_directories(writer *w, spate_load_path_cache_directory *out) {
    for (uint32_t i = 0; i < w->header.directories; i++) {
        const found_directory *found = w->order->directories[i];
        out[i] = (spate_load_path_cache_directory){found->stamp, found->root, found->key, found->flags, 0};
    }
}

static void write_roots(writer *w, spate_load_path_cache_root *out, uint32_t *slots) {
    const spate_load_path_cache_root *roots = w->catalog->roots.items;
    for (uint32_t i = 0; i < w->header.roots; i++) {
        out[i] = (spate_load_path_cache_root){pool_text(w, roots[i].path, roots[i].length), roots[i].length};
        uint32_t hash = hash_of(w, roots[i].path, roots[i].length);
        enter(slots, w->header.root_slots, spate_load_path_cache_spread(hash, 0), i);
    }
}

static void write_features(writer *w, spate_load_path_cache_feature *out, uint32_t *candidates, uint32_t *slots) {
    const found_file *files = w->catalog->files.items;
    uint32_t feature = 0;
    for (uint32_t i = 0; i < w->header.candidates; i++) {
        candidates[i] = files[i].directory << SPATE_LOAD_PATH_CACHE_KIND_BITS | files[i].kind;
        if (i > 0 && same_feature(w->catalog, &files[i - 1], &files[i]))
            continue;
        out[feature] = (spate_load_path_cache_feature){files[i].key, pool_text(w, files[i].name, files[i].length),
                                                       files[i].length, i};
        uint32_t hash = hash_of(w, files[i].name, files[i].length);
        enter(slots, w->header.feature_slots, spate_load_path_cache_spread(hash, files[i].key), feature++);
    }
}

/* ---- writing the cache ---- */

enum { DIRECTORIES, ROOTS, KEYS, FEATURES, CANDIDATES, ROOT_SLOTS, KEY_SLOTS, FEATURE_SLOTS, POOL, END };

/* Fills in the header's counts. Returns false if they exceed the limits. */
static bool count_all(writer *w) {
    const index_catalog *c = w->catalog;
    spate_load_path_cache_header *header = &w->header;
    size_t features, pool;
    count_texts(c, &features, &pool);
    if (c->directories.count > SPATE_LOAD_PATH_CACHE_DIRECTORIES_MAX || features > SPATE_LOAD_PATH_CACHE_FEATURES_MAX ||
        c->files.count > 2 * SPATE_LOAD_PATH_CACHE_FEATURES_MAX)
        return false;
    header->roots = (uint32_t)c->roots.count;
    header->keys = (uint32_t)c->keys.count;
    header->directories = (uint32_t)c->directories.count;
    header->features = (uint32_t)features;
    header->candidates = (uint32_t)c->files.count;
    header->root_slots = slots_for(header->roots);
    header->key_slots = slots_for(header->keys);
    header->feature_slots = slots_for(header->features);
    header->pool = (uint32_t)pool; /* at most the length of the catalog's pool, which is below 4 GiB */
    return true;
}

/* Computes the offset of each section; at[END] is the total length. */
static void place_sections(const spate_load_path_cache_header *header, size_t at[END + 1]) {
    const size_t sizes[] = {
        [DIRECTORIES] = header->directories * sizeof(spate_load_path_cache_directory),
        [ROOTS] = header->roots * sizeof(spate_load_path_cache_root),
        [KEYS] = header->keys * sizeof(spate_load_path_cache_key),
        [FEATURES] = header->features * sizeof(spate_load_path_cache_feature),
        [CANDIDATES] = header->candidates * sizeof(uint32_t),
        [ROOT_SLOTS] = header->root_slots * sizeof(uint32_t),
        [KEY_SLOTS] = header->key_slots * sizeof(uint32_t),
        [FEATURE_SLOTS] = header->feature_slots * sizeof(uint32_t),
        [POOL] = header->pool,
    };
    at[0] = sizeof *header;
    for (size_t i = 0; i < END; i++)
        at[i + 1] = at[i] + sizes[i];
}

static void write_sections(writer *w, uint8_t *bytes, const size_t at[END + 1]) {
#define SECTION(name) ((void *)(bytes + at[name]))
    w->pool = SECTION(POOL);
    write_directories(w, SECTION(DIRECTORIES));
    write_roots(w, SECTION(ROOTS), SECTION(ROOT_SLOTS));
    write_keys(w, SECTION(KEYS), SECTION(KEY_SLOTS));
    write_features(w, SECTION(FEATURES), SECTION(CANDIDATES), SECTION(FEATURE_SLOTS));
#undef SECTION
}

/* Adds the checksum. It covers all bytes after it, including the rest of the header. */
static void seal(spate_load_path_cache_header *header, uint8_t *bytes, size_t length) {
    size_t summed = offsetof(spate_load_path_cache_header, checksum) + sizeof header->checksum;
    memcpy(bytes, header, sizeof *header);
    header->checksum = spate_crc32c(0, bytes + summed, length - summed);
    memcpy(bytes, header, sizeof *header);
}

static void begin_header(spate_load_path_cache_header *header, const load_path_cache_facts *facts) {
    memcpy(header->magic, SPATE_LOAD_PATH_CACHE_MAGIC, sizeof header->magic);
    header->endian = SPATE_LOAD_PATH_CACHE_ENDIAN;
    header->version = SPATE_LOAD_PATH_CACHE_VERSION;
    memcpy(header->fingerprint, facts->fingerprint, sizeof header->fingerprint);
    strncpy(header->shared, facts->shared, sizeof header->shared - 1);
}

spate_status spate_load_path_cache_write(const index_catalog *c, const load_path_cache_order *order,
                                         const load_path_cache_facts *facts, uint8_t **bytes, size_t *length,
                                         spate_error *error) {
    writer w = {.catalog = c, .order = order};
    size_t at[END + 1];
    if (!count_all(&w))
        return spate_fail(error, SPATE_LIMIT, "", "%zu directories and %zu files are too many for a load-path cache",
                          c->directories.count, c->files.count);
    place_sections(&w.header, at);
    if (at[END] > SPATE_LOAD_PATH_CACHE_LENGTH_MAX)
        return spate_fail(error, SPATE_LIMIT, "", "a load-path cache of %zu bytes is too long", at[END]);
    *bytes = calloc(1, at[END]);
    if (*bytes == NULL)
        return spate_fail(error, SPATE_NO_MEMORY, "", "no memory for a load-path cache of %zu bytes", at[END]);
    begin_header(&w.header, facts);
    w.header.length = *length = at[END];
    write_sections(&w, *bytes, at);
    seal(&w.header, *bytes, *length);
    return SPATE_OK;
}
