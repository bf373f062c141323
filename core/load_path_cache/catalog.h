/*
 * The result of a scan of the roots, in the order of the scan: texts, keys, directories, files. They refer to each
 * other by number, not by pointer, because the arrays move when they grow.
 */
#ifndef SPATE_LOAD_PATH_CACHE_CATALOG_H
#define SPATE_LOAD_PATH_CACHE_CATALOG_H

#include "load_path_cache/entry.h"

#include <limits.h>

/* A growing array of items of `size` bytes; all other fields start as zero. */
typedef struct load_path_cache_vector {
    void *items;
    size_t count, capacity, size;
} load_path_cache_vector;

typedef struct found_key {
    uint32_t path, length, hash;
    uint32_t number; /* assigned by sorting */
} found_key;

typedef struct found_directory {
    spate_load_path_cache_stamp stamp;
    uint32_t root, key, flags, depth;
    uint32_t above; /* the parent directory, or SPATE_LOAD_PATH_CACHE_NONE */
    uint32_t number;
} found_directory;

typedef struct found_file {
    uint32_t key, name, length, directory; /* the name without its extension */
    uint32_t kind;
} found_file;

typedef struct index_catalog {
    load_path_cache_vector roots;       /* spate_load_path_cache_root */
    load_path_cache_vector keys;        /* found_key */
    load_path_cache_vector directories; /* found_directory; also the queue */
    load_path_cache_vector files;       /* found_file */
    load_path_cache_vector pool;        /* char */
    uint32_t *key_slots;
    size_t key_slot_count;
    char path[PATH_MAX]; /* of the current directory */
} index_catalog;

void spate_catalog_begin(index_catalog *c);
void spate_catalog_clear(index_catalog *c);

/* Appends `count` items and returns their address; NULL without memory. */
void *spate_vector_add(load_path_cache_vector *list, size_t count);

/* Copies the text into the pool. Returns its offset, or SPATE_LOAD_PATH_CACHE_NONE if out of memory or over 4 GiB. */
uint32_t spate_catalog_add_text(index_catalog *c, const char *text, size_t length);
/* The number of the key, added if it is new, or SPATE_LOAD_PATH_CACHE_NONE. `path` must not point into the pool. */
uint32_t spate_catalog_add_key(index_catalog *c, const char *path, size_t length);
/* Return false if out of memory. `above`: the directory's number, or SPATE_LOAD_PATH_CACHE_NONE for a root itself. */
bool spate_catalog_add_directory(index_catalog *c, uint32_t root, uint32_t key, uint32_t above, uint32_t flags);
bool spate_catalog_add_file(index_catalog *c, uint32_t directory, const spate_load_path_cache_entry *file);

/* Writes the path of a directory into c->path. Returns its length, or 0 if it is too long. */
size_t spate_catalog_path(index_catalog *c, const found_directory *directory);

/* Borrowed until the next text is added. */
static inline const char *spate_catalog_text(const index_catalog *c, uint32_t text) {
    return (const char *)c->pool.items + text;
}

static inline found_key *spate_catalog_key(const index_catalog *c, size_t number) {
    return (found_key *)c->keys.items + number;
}

static inline found_directory *spate_catalog_directory(const index_catalog *c, size_t number) {
    return (found_directory *)c->directories.items + number;
}

#endif
