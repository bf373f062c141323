/* Builds a load-path cache: scans, sorts and writes. */
#include "load_path_cache/catalog.h"

#include "base/freshness.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Maximum number of scans while directories keep changing. */
#define ROUNDS 3

static bool any_racy(const index_catalog *c) {
    for (size_t i = 0; i < c->directories.count; i++)
        if (spate_catalog_directory(c, i)->flags & SPATE_LOAD_PATH_CACHE_RACY)
            return true;
    return false;
}

/* Repeats the scan if directories changed just before it, so that their timestamps become conclusive. */
static bool scan_settled(index_catalog *c, const scan_rules *rules, const char *const *paths, size_t count) {
    for (int round = 1;; round++) {
        spate_catalog_begin(c);
        if (!spate_load_path_cache_scan(c, rules, paths, count))
            return false;
        if (round == ROUNDS || !any_racy(c))
            return true;
        spate_catalog_clear(c);
        nanosleep(&(struct timespec){0, SPATE_FRESH_RACY_NS + 5000000}, NULL);
    }
}

/* Returns false if out of memory. */
static bool fingerprint(const char *const *paths, size_t count, uint8_t out[SPATE_SIPHASH_BYTES]) {
    size_t *lengths = malloc((count + 1) * sizeof *lengths);
    if (lengths == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        lengths[i] = strlen(paths[i]);
    spate_load_path_cache_fingerprint(paths, lengths, count, out);
    free(lengths);
    return true;
}

spate_status spate_load_path_cache_build(const char *const *paths, size_t count, size_t fingerprinted,
                                         const char *shared, const char *ignored, uint8_t **bytes, size_t *length,
                                         spate_error *error) {
    index_catalog c;
    load_path_cache_order order = {NULL, NULL};
    load_path_cache_facts facts = {.shared = shared};
    const scan_rules rules = {.shared = shared, .ignored = ignored};
    spate_status status;
    *bytes = NULL;
    *length = 0;
    if (scan_settled(&c, &rules, paths, count) && fingerprint(paths, fingerprinted, facts.fingerprint) &&
        spate_load_path_cache_sort(&c, &order))
        status = spate_load_path_cache_write(&c, &order, &facts, bytes, length, error);
    else
        status = spate_fail(error, SPATE_NO_MEMORY, "", "no memory for a load-path cache of %zu roots", count);
    spate_load_path_cache_order_free(&order);
    spate_catalog_clear(&c);
    return status;
}

/* ---- sorting, so that the same trees give the same bytes in any order of readdir ---- */

/* Global because qsort has no context argument. */
static _Thread_local const char *sort_pool;

static int compare_text(uint32_t a, uint32_t a_length, uint32_t b, uint32_t b_length) {
    uint32_t common = a_length < b_length ? a_length : b_length;
    int order = common ? memcmp(sort_pool + a, sort_pool + b, common) : 0;
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int by_path(const void *a, const void *b) {
    const found_key *left = *(found_key *const *)a, *right = *(found_key *const *)b;
    return compare_text(left->path, left->length, right->path, right->length);
}

static int by_key_and_root(const void *a, const void *b) {
    const found_directory *left = *(found_directory *const *)a, *right = *(found_directory *const *)b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return (left->root > right->root) - (left->root < right->root);
}

static int by_feature(const void *a, const void *b) {
    const found_file *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    int order = compare_text(left->name, left->length, right->name, right->length);
    if (order)
        return order;
    if (left->directory != right->directory)
        return left->directory < right->directory ? -1 : 1;
    return (left->kind > right->kind) - (left->kind < right->kind);
}

/* Returns pointers to the items, sorted. */
static void **sorted(const load_path_cache_vector *list, int (*compare)(const void *, const void *)) {
    void **pointers = malloc((list->count + 1) * sizeof *pointers);
    if (pointers == NULL)
        return NULL;
    for (size_t i = 0; i < list->count; i++)
        pointers[i] = (char *)list->items + i * list->size;
    qsort(pointers, list->count, sizeof *pointers, compare);
    return pointers;
}

/* Replaces all key indexes with their positions in the sorted list. */
static void renumber_keys(index_catalog *c, found_key **keys) {
    found_file *files = c->files.items;
    for (size_t i = 0; i < c->keys.count; i++)
        keys[i]->number = (uint32_t)i;
    for (size_t i = 0; i < c->directories.count; i++) {
        found_directory *directory = spate_catalog_directory(c, i);
        directory->key = spate_catalog_key(c, directory->key)->number;
    }
    for (size_t i = 0; i < c->files.count; i++)
        files[i].key = spate_catalog_key(c, files[i].key)->number;
}

static void renumber_directories(index_catalog *c, found_directory **directories) {
    found_file *files = c->files.items;
    for (size_t i = 0; i < c->directories.count; i++)
        directories[i]->number = (uint32_t)i;
    for (size_t i = 0; i < c->files.count; i++)
        files[i].directory = spate_catalog_directory(c, files[i].directory)->number;
}

bool spate_load_path_cache_sort(index_catalog *c, load_path_cache_order *order) {
    sort_pool = c->pool.items;
    *order = (load_path_cache_order){.keys = (found_key **)sorted(&c->keys, by_path)};
    if (order->keys == NULL)
        return false;
    renumber_keys(c, order->keys);
    order->directories = (found_directory **)sorted(&c->directories, by_key_and_root);
    if (order->directories == NULL)
        return false;
    renumber_directories(c, order->directories);
    if (c->files.count > 0)
        qsort(c->files.items, c->files.count, sizeof(found_file), by_feature);
    return true;
}

void spate_load_path_cache_order_free(load_path_cache_order *order) {
    free(order->keys);
    free(order->directories);
}
