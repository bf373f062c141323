/* The result of a scan, in the order of an index. */
#ifndef SPATE_INDEX_SORT_H
#define SPATE_INDEX_SORT_H

#include "index/catalog.h"

/* Pointers into the catalog, which must not grow afterwards. */
typedef struct index_order {
    found_key **keys;              /* by path */
    found_directory **directories; /* by key and root */
} index_order;

/*
 * Sorts a catalog's files by key, name and directory, and renumbers all references to keys and directories accordingly.
 * Once per catalog. false without memory; either way the order is freed with spate_index_order_free.
 */
bool spate_index_sort(index_catalog *c, index_order *order);
void spate_index_order_free(index_order *order);

#endif
