/* Builds a load-path cache: scans, sorts and writes. */
#include "load_path_cache/scan.h"
#include "load_path_cache/sort.h"
#include "load_path_cache/write.h"

#include "base/freshness.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The maximum number of scans while folders keep changing. */
#define ROUNDS 3

static bool any_racy(const index_catalog *c) {
    for (size_t i = 0; i < c->directories.count; i++)
        if (spate_catalog_directory(c, i)->flags & SPATE_LOAD_PATH_CACHE_RACY)
            return true;
    return false;
}

/* Folders that changed just before the scan are listed again once their times are conclusive. */
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
        status = spate_fail(error, SPATE_NO_MEMORY, "", "no memory for an cache of %zu roots", count);
    spate_load_path_cache_order_free(&order);
    spate_catalog_clear(&c);
    return status;
}
