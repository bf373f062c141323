/*
 * The result of scanning the roots, in the order of the scan: texts, keys, directories, files. They refer to each other
 * by index, because the arrays move when they grow.
 *
 * Also declares the steps of spate_load_path_cache_build: scan, sort, write.
 */
#ifndef SPATE_LOAD_PATH_CACHE_CATALOG_H
#define SPATE_LOAD_PATH_CACHE_CATALOG_H

#include "load_path_cache/entry.h"

#include <limits.h>

/* A growing array of items of `size` bytes. All other fields start as zero. */
typedef struct load_path_cache_vector {
    void *items;
    size_t count, capacity, size;
} load_path_cache_vector;

typedef struct found_key {
    uint32_t path, length, hash;
    uint32_t number; /* index after sorting */
} found_key;

typedef struct found_directory {
    spate_load_path_cache_stamp stamp;
    uint32_t root, key, flags, depth;
    uint32_t above; /* index of the parent directory, or SPATE_LOAD_PATH_CACHE_NONE */
    uint32_t number;
} found_directory;

typedef struct found_file {
    uint32_t key, name, length, directory; /* `name` has no extension */
    uint32_t kind;
} found_file;

typedef struct index_catalog {
    load_path_cache_vector roots;       /* spate_load_path_cache_root */
    load_path_cache_vector keys;        /* found_key */
    load_path_cache_vector directories; /* found_directory; also the queue of directories to scan */
    load_path_cache_vector files;       /* found_file */
    load_path_cache_vector pool;        /* char */
    uint32_t *key_slots;
    size_t key_slot_count;
    char path[PATH_MAX]; /* path of the current directory */
} index_catalog;

void spate_catalog_begin(index_catalog *c);
void spate_catalog_clear(index_catalog *c);

/* Appends `count` items and returns a pointer to them, or NULL if out of memory. */
void *spate_vector_add(load_path_cache_vector *list, size_t count);

/* Copies the text into the pool. Returns its offset, or SPATE_LOAD_PATH_CACHE_NONE if out of memory or over 4 GiB. */
uint32_t spate_catalog_add_text(index_catalog *c, const char *text, size_t length);
/* Returns the index of the key, which is added if it is new, or SPATE_LOAD_PATH_CACHE_NONE. `path` must not point into
 * the pool. */
uint32_t spate_catalog_add_key(index_catalog *c, const char *path, size_t length);
/* Both return false if out of memory. `above` is the index of the parent directory, or SPATE_LOAD_PATH_CACHE_NONE for a
 * root. */
bool spate_catalog_add_directory(index_catalog *c, uint32_t root, uint32_t key, uint32_t above, uint32_t flags);
bool spate_catalog_add_file(index_catalog *c, uint32_t directory, const spate_load_path_cache_entry *file);

/* Writes the path of a directory to c->path. Returns its length, or 0 if it is too long. */
size_t spate_catalog_path(index_catalog *c, const found_directory *directory);

/* Valid until the next text is added. */
static inline const char *spate_catalog_text(const index_catalog *c, uint32_t text) {
    return (const char *)c->pool.items + text;
}

static inline found_key *spate_catalog_key(const index_catalog *c, size_t number) {
    return (found_key *)c->keys.items + number;
}

static inline found_directory *spate_catalog_directory(const index_catalog *c, size_t number) {
    return (found_directory *)c->directories.items + number;
}

/* ---- sorting ---- */

/* The order of keys and directories in the load-path cache. Points into the catalog, which must not grow afterwards. */
typedef struct load_path_cache_order {
    found_key **keys;              /* by path */
    found_directory **directories; /* by key and root */
} load_path_cache_order;

/*
 * Sorts a catalog's files by key, name and directory, and replaces all indexes of keys and directories with sorted
 * ones. Call it once per catalog. Returns false if out of memory. Call spate_load_path_cache_order_free in any case.
 */
bool spate_load_path_cache_sort(index_catalog *c, load_path_cache_order *order);
void spate_load_path_cache_order_free(load_path_cache_order *order);

/* ---- scanning ---- */

typedef struct scan_rules {
    const char *shared;  /* extension of shared objects, with its dot */
    const char *ignored; /* comma-separated names and absolute paths of directories, or NULL */
} scan_rules;

/* Fills an empty catalog. A root that cannot be read is added as unlisted. Returns false if out of memory. */
bool spate_load_path_cache_scan(index_catalog *c, const scan_rules *rules, const char *const *paths, size_t count);

/* ---- writing ---- */

/* Header fields that do not come from the scan. */
typedef struct load_path_cache_facts {
    uint8_t fingerprint[SPATE_SIPHASH_BYTES];
    const char *shared; /* extension of shared objects, with its dot */
} load_path_cache_facts;

/* Writes the bytes of a load-path cache; the caller frees *bytes. On failure *bytes is NULL. Returns SPATE_LIMIT if a
 * limit is exceeded, or SPATE_NO_MEMORY. */
spate_status spate_load_path_cache_write(const index_catalog *c, const load_path_cache_order *order,
                                         const load_path_cache_facts *facts, uint8_t **bytes, size_t *length,
                                         spate_error *error);

#endif
