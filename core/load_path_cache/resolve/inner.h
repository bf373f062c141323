/*
 * Internals of a resolver, by file:
 *
 *     resolve.c     creates and frees it
 *     nodes.c       directories by path and root; growing lists, texts, hash tables
 *     memory.c      listings made since: directories that changed, or that the load-path cache does not have
 *     revalidate.c  whether a directory is still as it was recorded or listed
 *     roots.c       the roots that entries of the load path mean
 *     lookup.c      a feature's candidates, and the one that wins
 *
 * Without memory, `out_of_memory` is set, and from then on every answer is SPATE_UNSURE.
 */
#ifndef SPATE_LOAD_PATH_CACHE_RESOLVE_INNER_H
#define SPATE_LOAD_PATH_CACHE_RESOLVE_INNER_H

#include "load_path_cache/entry.h"
#include "load_path_cache/resolve/resolve.h"

#include <limits.h>
#include <stdlib.h>

#define NONE SPATE_LOAD_PATH_CACHE_NONE

/* The state of a directory. RECORDED: its candidates are in the load-path cache. LISTED: they are in memory. */
enum { UNSEEN, RECORDED, LISTED, GONE, CLOSED };

typedef struct known_directory {
    uint32_t moment;  /* when the directory was last looked at */
    uint32_t listing; /* number in `listings`, or NONE */
    uint8_t state;
} known_directory;

/* A directory that is not in the load-path cache. */
typedef struct new_directory {
    uint32_t root, node, next; /* the next directory of the same node, or NONE */
} new_directory;

typedef struct known_listing {
    spate_load_path_cache_stamp stamp;
    uint32_t generation; /* entries of earlier generations are ignored */
    bool doubted;        /* the stamp proves nothing */
} known_listing;

typedef struct known_node {
    uint32_t moment;   /* when all its directories and their parents were last looked at */
    uint32_t path_age; /* the load path that the fields below are for */
    uint32_t unsure;   /* the lowest position of a closed directory at this path or a parent, or NONE */
    uint32_t added;    /* its first new directory, or NONE */
    uint32_t listed;   /* how often its directories were listed; 0: no listing is in memory */
} known_node;

typedef struct new_node {
    uint32_t hash, path, length;
} new_node;

/* A candidate in memory. */
typedef struct known_entry {
    uint32_t hash, node, name, length;
    uint32_t directory, generation;
    uint32_t kind;
    uint32_t next;
} known_entry;

typedef struct known_root {
    uint32_t path, length; /* offset into `texts` */
    uint32_t position;     /* position in the load path, or NONE */
} known_root;

/* One spelling of a root's path. */
typedef struct spelling {
    uint32_t hash, path, length, root;
    uint32_t moment; /* when it was last resolved */
} spelling;

/* A hash table with open addressing. It stores numbers + 1 and is never full. Growing rehashes the entries. */
typedef struct table {
    uint32_t *slots;
    size_t count; /* a power of two, or 0 */
    size_t used;
} table;

/* A growing array that starts zeroed. Its items move when it grows, so refer to them by number. */
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

    LIST(known_directory) directories; /* the load-path cache's, then new ones */
    LIST(new_directory) new_directories;
    LIST(known_listing) listings;
    LIST(known_node) nodes; /* the load-path cache's keys, then new ones */
    LIST(new_node) new_nodes;
    LIST(known_entry) entries;
    LIST(known_root) roots; /* the load-path cache's, then new ones */
    LIST(spelling) spellings;
    LIST(char) texts;
    LIST(uint32_t) load_path;
    table new_node_table, entry_table, spelling_table;

    uint32_t moment;   /* the current moment */
    uint32_t trusted;  /* results since this moment are still valid */
    int64_t moment_ns; /* when `trusted` began */
    uint32_t path_age;
    uint32_t opaque;    /* the lowest position of an entry that only Ruby can interpret, or NONE */
    bool out_of_memory; /* from then on every answer is SPATE_UNSURE */
    spate_resolver_counts counts;
    char plain[PATH_MAX]; /* the last root that has no symbolic link in its path */
    char path[PATH_MAX];
};

/* ---- lists, texts, tables ---- */

/* Grows *items, which may move, to hold `count` items of `size` bytes; false without memory. */
bool spate_resolver_ensure(void **items, size_t *capacity, size_t count, size_t size);
/* Reserves space for `more` items at the list's end; false without memory. */
#define ROOM(r, list, more)                                                                                            \
    (spate_resolver_ensure((void **)&(r)->list.at, &(r)->list.capacity, (r)->list.count + (more),                      \
                           sizeof *(r)->list.at) ||                                                                    \
     ((r)->out_of_memory = true, false))

/* Copies the text, with a NUL, into `texts` and returns its offset; NONE without memory. */
uint32_t spate_resolver_keep_text(spate_resolver *r, const char *text, size_t length);

/* Returns the hash of an item, given its number. */
typedef uint32_t (*spread_of)(const spate_resolver *r, uint32_t number);
/* Reserves space for one more item than the `numbers` in the table. Returns false if out of memory. */
bool spate_table_room(spate_resolver *r, table *t, size_t numbers, spread_of spread);
/* Adds a number that is not in the table, after spate_table_room. */
void spate_table_put(table *t, uint32_t spread, uint32_t number);

/* ---- nodes and directories ---- */

/* Borrowed until the next text is added; not NUL-terminated. */
const char *spate_resolver_node_path(const spate_resolver *r, uint32_t number, size_t *length);
/* The node of a path below the roots, or NONE. `hash` is the path's spate_load_path_cache_hash. */
uint32_t spate_resolver_find_node(const spate_resolver *r, uint32_t hash, const char *path, size_t length);
/* Like spate_resolver_find_node, but creates a missing node. NONE if out of memory. `path` must not point into
 * `texts`. */
uint32_t spate_resolver_make_node(spate_resolver *r, const char *path, size_t length);
/* The directory of a node below a root, created if missing. NONE if out of memory. */
uint32_t spate_resolver_make_directory(spate_resolver *r, uint32_t root, uint32_t node);
/* Writes the directory's path into r->path. Returns its length, or 0 if the path is too long or the cache is
 * damaged. */
size_t spate_resolver_directory_path(spate_resolver *r, uint32_t number);

/* NONE if the load-path cache is damaged. */
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

/* The moment from which a lookup's results are valid. Begins a new moment if the last has expired or `fresh` is
 * true. */
uint32_t spate_resolver_since(spate_resolver *r, bool fresh);
/*
 * Looks at all directories from the roots down to `path`, each once per moment `since`. Returns the node of `path`, or
 * NONE if no root has that path. *unsure is the lowest position that could have further candidates.
 */
uint32_t spate_resolver_reach(spate_resolver *r, const char *path, size_t length, uint32_t hash, uint32_t since,
                              uint32_t *unsure);

#endif
