/*
 * A load-path cache lists, by directory, the files that `require` would find below the roots of a load path. Its bytes
 * are mapped and never parsed. docs/load-path-cache.md describes the layout, which the structs below define.
 *
 *   root       a directory in the load path, as its real path
 *   key        the path of a directory relative to a root: "" or "active_support/core_ext"
 *   directory  one key below one root, with its stat from when it was listed
 *   feature    a key and a name without ".rb" or ".so": "a/b" has the key "a" and the name "b"
 *   candidate  a file for a feature: a directory, and whether it is a .rb file or a shared object
 *
 * entry.h classifies directory entries. build.c makes a load-path cache (scan, sort, write), load_path_cache.c reads
 * one, and resolve/ looks up features in a running program.
 */
#ifndef SPATE_LOAD_PATH_CACHE_H
#define SPATE_LOAD_PATH_CACHE_H

#include "digest/siphash.h"
#include "shared/status.h"

#define SPATE_LOAD_PATH_CACHE_MAGIC "SPATEIX1"
#define SPATE_LOAD_PATH_CACHE_VERSION 1u
#define SPATE_LOAD_PATH_CACHE_ENDIAN 0x01020304u
/* The reader rejects larger counts and lengths; the writer stops scanning at them. */
#define SPATE_LOAD_PATH_CACHE_LENGTH_MAX (UINT64_C(256) << 20)
#define SPATE_LOAD_PATH_CACHE_ROOTS_MAX (1u << 16)
#define SPATE_LOAD_PATH_CACHE_DIRECTORIES_MAX (1u << 22)
#define SPATE_LOAD_PATH_CACHE_FEATURES_MAX (1u << 23)
#define SPATE_LOAD_PATH_CACHE_PATH_MAX 4096u

/* The type of a candidate: one of the first three, plus CHECK if a stat must determine whether it can be loaded. */
enum {
    SPATE_LOAD_PATH_CACHE_RUBY = 1,   /* name.rb */
    SPATE_LOAD_PATH_CACHE_SHARED = 2, /* name.so, .bundle: the platform's DLEXT */
    SPATE_LOAD_PATH_CACHE_RAKE = 3,   /* name.rake, for Kernel#load; the feature's name includes the extension */
    SPATE_LOAD_PATH_CACHE_KIND = 3,
    SPATE_LOAD_PATH_CACHE_CHECK = 4, /* a symlink or a FIFO */
    SPATE_LOAD_PATH_CACHE_KIND_BITS = 3,
};

/*
 * An unlisted directory is listed when it is first needed. RACY: unlisted because it had changed just before the scan.
 */
enum { SPATE_LOAD_PATH_CACHE_UNLISTED = 1, SPATE_LOAD_PATH_CACHE_RACY = 2 };

typedef struct spate_load_path_cache_stamp {
    uint64_t device;
    uint64_t inode;
    int64_t mtime_ns;
    int64_t ctime_ns;
} spate_load_path_cache_stamp;

typedef struct spate_load_path_cache_header {
    char magic[8];
    uint32_t endian;
    uint32_t version;
    uint64_t length;
    uint32_t checksum; /* CRC-32C of everything after it */
    uint32_t reserved;
    uint8_t fingerprint[SPATE_SIPHASH_BYTES]; /* of the load path that the cache was built for */
    char shared[8];                           /* extension of shared objects with its dot, padded with NULs */
    uint32_t roots;
    uint32_t keys;
    uint32_t directories;
    uint32_t features;
    uint32_t candidates;
    uint32_t key_slots;     /* a power of two */
    uint32_t feature_slots; /* a power of two */
    uint32_t root_slots;    /* a power of two */
    uint32_t pool;          /* length in bytes */
    uint32_t reserved2[5];
} spate_load_path_cache_header;

/* The header is followed, without gaps, by: directories, roots, keys, features, candidates (uint32_t: directory << 3 |
 * kind), slots of roots, keys and features (uint32_t: index + 1, or 0 if empty), pool. */
typedef struct spate_load_path_cache_directory {
    spate_load_path_cache_stamp stamp;
    uint32_t root;
    uint32_t key;
    uint32_t flags;
    uint32_t reserved;
} spate_load_path_cache_directory;

typedef struct spate_load_path_cache_root {
    uint32_t path; /* offset into the pool */
    uint32_t length;
} spate_load_path_cache_root;

typedef struct spate_load_path_cache_key {
    uint32_t path;
    uint32_t length;
    uint32_t directory; /* index of the first directory; a key's directories are sorted by root */
    uint32_t directories;
} spate_load_path_cache_key;

typedef struct spate_load_path_cache_feature {
    uint32_t key;
    uint32_t name;
    uint32_t length;
    uint32_t candidate; /* index of the first candidate; they end where those of the next feature begin */
} spate_load_path_cache_feature;

_Static_assert(sizeof(spate_load_path_cache_header) == 112, "as docs/load-path-cache.md has it");
_Static_assert(sizeof(spate_load_path_cache_directory) == 48, "as docs/load-path-cache.md has it");
_Static_assert(sizeof(spate_load_path_cache_feature) == 16, "as docs/load-path-cache.md has it");

/* A load-path cache in memory. The caller owns the bytes that the pointers refer to. */
typedef struct spate_load_path_cache {
    const spate_load_path_cache_header *header;
    const spate_load_path_cache_directory *directories;
    const spate_load_path_cache_root *roots;
    const spate_load_path_cache_key *keys;
    const spate_load_path_cache_feature *features;
    const uint32_t *candidates;
    const uint32_t *root_slots;
    const uint32_t *key_slots;
    const uint32_t *feature_slots;
    const char *pool;
} spate_load_path_cache;

/* `bytes` must be 8-aligned. Returns SPATE_STALE if they are damaged or not a load-path cache of this version. */
spate_status spate_load_path_cache_open(spate_load_path_cache *cache, const uint8_t *bytes, size_t length,
                                        spate_error *error);

#define SPATE_LOAD_PATH_CACHE_NONE UINT32_MAX

/* Incremental hash of a path (FNV-1a). */
#define SPATE_LOAD_PATH_CACHE_HASH_START UINT32_C(2166136261)
static inline uint32_t spate_load_path_cache_hash(uint32_t hash, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * UINT32_C(16777619);
    return hash;
}
/* Returns the first slot of a search; apply the table's mask. */
static inline uint32_t spate_load_path_cache_spread(uint32_t hash, uint32_t number) {
    uint64_t mixed = ((uint64_t)hash << 32 | number) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mixed >> 32) ^ (uint32_t)(mixed >> 17);
}

/* Return the index of the entry, or SPATE_LOAD_PATH_CACHE_NONE. `hash` is the spate_load_path_cache_hash of the whole
 * path or name. */
uint32_t spate_load_path_cache_find_root(const spate_load_path_cache *cache, uint32_t hash, const char *path,
                                         size_t length);
uint32_t spate_load_path_cache_find_key(const spate_load_path_cache *cache, uint32_t hash, const char *path,
                                        size_t length);
uint32_t spate_load_path_cache_find_feature(const spate_load_path_cache *cache, uint32_t key, uint32_t hash,
                                            const char *name, size_t length);
/* These are safe for corrupt content: invalid ranges and texts are treated as empty. */
const uint32_t *spate_load_path_cache_candidates(const spate_load_path_cache *cache, uint32_t feature, size_t *count);
const char *spate_load_path_cache_text(const spate_load_path_cache *cache, uint32_t offset, uint32_t length);
void spate_load_path_cache_key_directories(const spate_load_path_cache *cache, uint32_t key, uint32_t *first,
                                           uint32_t *count);

/* A digest of a list of paths. It depends on their order and boundaries: ["ab"] differs from ["a", "b"]. */
void spate_load_path_cache_fingerprint(const char *const *paths, const size_t *lengths, size_t count,
                                       uint8_t out[SPATE_SIPHASH_BYTES]);

/*
 * Scans the roots and returns the bytes of a load-path cache, which the caller frees. `paths` are absolute; missing
 * ones are included, because they may be created later. The first `fingerprinted` of them are the load path. `shared`
 * is ".so" or the platform's equivalent. `ignored` is NULL or a comma-separated list of names and absolute paths of
 * directories that are not scanned; files in these are found on demand.
 */
spate_status spate_load_path_cache_build(const char *const *paths, size_t count, size_t fingerprinted,
                                         const char *shared, const char *ignored, uint8_t **bytes, size_t *length,
                                         spate_error *error);

#endif
