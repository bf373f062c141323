/* The scan of a load path's roots, for spate_load_path_cache_build. */
#ifndef SPATE_LOAD_PATH_CACHE_SCAN_H
#define SPATE_LOAD_PATH_CACHE_SCAN_H

#include "load_path_cache/catalog.h"

typedef struct scan_rules {
    const char *shared;  /* the extension of shared objects, with its dot */
    const char *ignored; /* comma-separated names and absolute paths of folders, or NULL */
} scan_rules;

/* Fills an empty catalog. An unreadable root is added as not listed. Returns false if out of memory. */
bool spate_load_path_cache_scan(index_catalog *c, const scan_rules *rules, const char *const *paths, size_t count);

#endif
