/* The result of a scan, in the order of a load-path cache. */
#ifndef SPATE_LOAD_PATH_CACHE_SORT_H
#define SPATE_LOAD_PATH_CACHE_SORT_H

#include "load_path_cache/catalog.h"

/* Pointers into the catalog, which must not grow afterwards. */
typedef struct load_path_cache_order {
    found_key **keys;              /* by path */
    found_directory **directories; /* by key and root */
} load_path_cache_order;

/*
 * Sorts a catalog's files by key, name and directory, and renumbers all references to keys and directories accordingly.
 * Call once per catalog. Returns false if out of memory. The order must be freed with spate_load_path_cache_order_free
 * in either case.
 */
bool spate_load_path_cache_sort(index_catalog *c, load_path_cache_order *order);
void spate_load_path_cache_order_free(load_path_cache_order *order);

#endif
