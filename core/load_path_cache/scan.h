/* The scan of a load path's roots, for spate_load_path_cache_build. */
#ifndef SPATE_LOAD_PATH_CACHE_SCAN_H
#define SPATE_LOAD_PATH_CACHE_SCAN_H

#include "load_path_cache/catalog.h"

typedef struct scan_rules {
    const char *shared;  /* the extension of shared objects, with its dot */
    const char *ignored; /* names and absolute paths of folders, with commas between them, or NULL */
} scan_rules;

/* Fills a fresh catalog. A root that cannot be read is added as not listed. false without memory. */
bool spate_load_path_cache_scan(index_catalog *c, const scan_rules *rules, const char *const *paths, size_t count);

#endif
