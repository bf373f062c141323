/*
 * Internals of a resolver, by file:
 *
 *   resolve.c     creates and frees it
 *   nodes.c       directories by path and root; growing lists, texts, hash tables
 *   memory.c      listings of directories that have changed or are missing in the load-path cache
 *   revalidate.c  checks whether a directory has changed since it was recorded or listed
 *   roots.c       finds the roots of the entries of a load path
 *   lookup.c      finds a feature's candidates, and chooses one
 *
 * When memory runs out, `out_of_memory` is set. From then on every lookup returns SPATE_UNSURE.
 */
#ifndef SPATE_LOAD_PATH_CACHE_RESOLVE_INNER_H
#define SPATE_LOAD_PATH_CACHE_RESOLVE_INNER_H

#include "load_path_cache/entry.h"
#include "load_path_cache/resolve/resolve.h"

#include <limits.h>
#include <stdlib.h>

#define NONE SPATE_LOAD_PATH_CACHE_NONE

/* States of a directory. RECORDED: its candidates are in the load-path cache. LISTED: they are in memory. CLOSED: it
 * could not be listed. */
enum { UNSEEN, RECORDED, LISTED, GONE, CLOSED };

typedef struct known_directory {
    uint32_t moment;  /* when the directory was last checked */
    uint32_t listing; /* index in `listings`, or NONE */
    uint8_t state;
} known_directory;

/* A directory that is not in the load-path cache. */
typedef struct new_directory {
    uint32_t root, node, next; /* `next` is the next directory of the same node, or NONE */
} new_directory;

typedef struct known_listing {
    spate_load_path_cache_stamp stamp;
    uint32_t generation; /* entries of earlier generations are not valid */
    bool doubted;        /* the stamp proves nothing */
} known_listing;

typedef struct known_node {
    uint32_t moment;   /* when all its directories and their parents were last checked */
    uint32_t path_age; /* value of the resolver's path_age for which `unsure` is valid */
    uint32_t unsure;   /* the lowest load-path position with a CLOSED directory at this path or one of its parents, or
                        * NONE */
    uint32_t added;    /* its first new_directory, or NONE */
    uint32_t listed;   /* number of listings of its directories; if 0, there are none in memory */
} known_node;

typedef struct new_node {
    uint32_t hash, path, length;
} new_node;

/* A candidate found by a listing. */
typedef struct known_entry {
    uint32_t hash, node, name, length;
    uint32_t directory, generation;
    uint32_t kind;
    uint32_t next;
} known_entry;

typedef struct known_root {
    uint32_t path, length; /* offset into `texts` */
    uint32_t position;     /* index in the load path, or NONE */
} known_root;

/* A path under which the load path refers to a root. */
typedef struct spelling {
    uint32_t hash, path, length, root;
    uint32_t moment; /* when it was last resolved to a root */
} spelling;

/* A hash table with open addressing. Slots are indexes + 1. It is never full. Growing it hashes all items again. */
typedef struct table {
    uint32_t *slots;
    size_t count; /* a power of two, or 0 */
    size_t used;
} table;

/* A growing array. Its items move when it grows, so refer to them by index. */
#define LIST(type)                                                                                                     \
    struct {                                                                                                           \
        type *at;                                                                                                      \
        size_t count, capacity;                                                                                        \
    }

struct spate_resolver {
    spate_load_path_cache cache;
    bool has_cache;
    char shared[8];
    uint32_t cached_keys, cached_directories, cached_roots;

    LIST(known_directory) directories; /* those of the load-path cache, then new ones */
    LIST(new_directory) new_directories;
    LIST(known_listing) listings;
    LIST(known_node) nodes; /* the keys of the load-path cache, then new ones */
    LIST(new_node) new_nodes;
    LIST(known_entry) entries;
    LIST(known_root) roots; /* those of the load-path cache, then new ones */
    LIST(spelling) spellings;
    LIST(char) texts;
    LIST(uint32_t) load_path;
    table new_node_table, entry_table, spelling_table;

    uint32_t moment;   /* the current moment */
    uint32_t trusted;  /* results of this moment or later are still valid */
    int64_t moment_ns; /* time at which `trusted` began */
    uint32_t path_age;
    uint32_t opaque;    /* the lowest position of a load-path entry that only Ruby can interpret, or NONE */
    bool out_of_memory; /* if set, every lookup returns SPATE_UNSURE */
    spate_resolver_counts counts;
    char plain[PATH_MAX]; /* the last root whose path contains no symlink */
    char path[PATH_MAX];
};

/* ---- lists, texts, tables ---- */

/* Grows *items, which may move, to have room for `count` items of `size` bytes. Returns false if out of memory. */
bool spate_resolver_ensure(void **items, size_t *capacity, size_t count, size_t size);
/* Reserves space for `more` items at the end of the list. Returns false if out of memory. */
#define ROOM(r, list, more)                                                                                            \
    (spate_resolver_ensure((void **)&(r)->list.at, &(r)->list.capacity, (r)->list.count + (more),                      \
                           sizeof *(r)->list.at) ||                                                                    \
     ((r)->out_of_memory = true, false))

/* Copies the text and a NUL to `texts`. Returns its offset, or NONE if out of memory. */
uint32_t spate_resolver_keep_text(spate_resolver *r, const char *text, size_t length);

/* Returns the hash of the item with this index. */
typedef uint32_t (*spread_of)(const spate_resolver *r, uint32_t number);
/* Reserves space for one more item; the table contains `numbers` items. Returns false if out of memory. */
bool spate_table_room(spate_resolver *r, table *t, size_t numbers, spread_of spread);
/* Adds an index that is not in the table. Call spate_table_room first. */
void spate_table_put(table *t, uint32_t spread, uint32_t number);

/* ---- nodes and directories ---- */

/* Not NUL-terminated, and valid until the next text is added. */
const char *spate_resolver_node_path(const spate_resolver *r, uint32_t number, size_t *length);
/* Returns the node of a path relative to the roots, or NONE. `hash` is the path's spate_load_path_cache_hash. */
uint32_t spate_resolver_find_node(const spate_resolver *r, uint32_t hash, const char *path, size_t length);
/* Like spate_resolver_find_node, but creates a missing node. Returns NONE if out of memory. `path` must not point into
 * `texts`. */
uint32_t spate_resolver_make_node(spate_resolver *r, const char *path, size_t length);
/* Returns the directory of a node below a root; creates it if missing. Returns NONE if out of memory. */
uint32_t spate_resolver_make_directory(spate_resolver *r, uint32_t root, uint32_t node);
/* Writes the directory's path to r->path. Returns its length, or 0 if it is too long or the cache is damaged. */
size_t spate_resolver_directory_path(spate_resolver *r, uint32_t number);

/* Both return NONE if the load-path cache is damaged. */
static inline uint32_t spate_resolver_directory_root(const spate_resolver *r, uint32_t number) {
    uint32_t found = number < r->cached_directories ? r->cache.directories[number].root
                                                    : r->new_directories.at[number - r->cached_directories].root;
    return found < r->roots.count ? found : NONE;
}

static inline uint32_t spate_resolver_directory_node(const spate_resolver *r, uint32_t number) {
    uint32_t found = number < r->cached_directories ? r->cache.directories[number].key
                                                    : r->new_directories.at[number - r->cached_directories].node;
    return found < r->nodes.count ? found : NONE;
}

/* ---- listings ---- */

/* Lists the directory whose path is in r->path. Returns LISTED, GONE or CLOSED. */
uint8_t spate_resolver_list(spate_resolver *r, uint32_t number);

/* ---- revalidation ---- */

/* Returns the moment from which results are valid. Begins a new one if the current one has expired, or if `fresh` is
 * true. */
uint32_t spate_resolver_since(spate_resolver *r, bool fresh);
/*
 * Checks all directories from the roots down to `path` that have not been checked since the moment `since`. Returns the
 * node of `path`, or NONE if no root has that path. Sets *unsure to the lowest load-path position that may have unknown
 * candidates.
 */
uint32_t spate_resolver_reach(spate_resolver *r, const char *path, size_t length, uint32_t hash, uint32_t since,
                              uint32_t *unsure);

#endif
