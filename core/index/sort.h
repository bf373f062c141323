/* What a scan found, in the order in which an index has it. */
#ifndef SPATE_INDEX_SORT_H
#define SPATE_INDEX_SORT_H

#include "index/catalog.h"

/* Into the catalog, which must not grow any more. */
typedef struct index_order {
    found_key **keys;              /* by path */
    found_directory **directories; /* by key and root */
} index_order;

/*
 * Sorts a catalog's files by key, name and directory, and has everything in it name keys and directories by their places
 * in the order. Once for each catalog. false without memory; the order is freed with spate_index_order_free then too.
 */
bool spate_index_sort(index_catalog *c, index_order *order);
void spate_index_order_free(index_order *order);

#endif
