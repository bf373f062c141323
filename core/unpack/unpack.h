/*
 * From an archive (.gem, an npm .tgz, or a build's tar) to objects in the store and a list of entries. A serial pass
 * reads the archive, cleans paths and borrows payloads; a parallel pass hashes and writes. Below `parallel_from`
 * entries everything is serial. The entries are identical either way: the last duplicate wins, sorted by path.
 */
#ifndef SPATE_UNPACK_H
#define SPATE_UNPACK_H

#include "base/pool.h"
#include "shared/inflate.h"
#include "store/store.h"

/*
 * npm's rules, which are pnpm's, too: the first folder is dropped; "\\" is "/"; regular files alone, 0644 or 0755; the
 * tar need not be compressed. npm alone lets a file keep modes like 0744 and renames .gitignore to .npmignore.
 */
typedef enum spate_archive_kind {
    SPATE_ARCHIVE_GEM,
    SPATE_ARCHIVE_NPM,
    SPATE_ARCHIVE_BUILD, /* a build's files as a tar, compressed by gzip or not at all, with unchanged modes */
} spate_archive_kind;

typedef struct spate_unpack_options {
    spate_archive_kind kind;
    const char *tree;       /* a folder to make and fill with the package's files, or NULL for objects only */
    const uint8_t *sha256;  /* expected of the whole archive, or NULL */
    const uint8_t *sha512;  /* the same (npm integrity), or NULL */
    unsigned parallel_from; /* entries; 0 = default 32; UINT_MAX = always serial */
    size_t memory;          /* bytes of inflated data held at once; larger archives are streamed. 0 = default 64 MiB */
    uint64_t max_total;     /* bytes; 0 = 1 GiB */
    uint64_t max_entry;     /* bytes; 0 = 512 MiB */
    size_t max_entries;     /* of members, and of the folders that they are in; 0 = 200,000 */
    uint32_t mode_mask;     /* bits that modes of a gem's files may have; 0 = 0777 (newer RubyGems: 0777 & ~umask) */
    const spate_cancel *cancel; /* or NULL */
} spate_unpack_options;

/* The result; owned by the caller, freed with spate_unpacked_free, and so are the entries' strings. */
typedef struct spate_unpacked {
    uint8_t sha256[SPATE_SHA256_BYTES]; /* of the archive as read */
    spate_entry *entries;
    size_t count;
    uint64_t bytes;        /* sum of the files' sizes */
    spate_buffer metadata; /* a gem's metadata, inflated YAML, at most 10 MiB; empty for others */
    size_t ignored;            /* members of types that RubyGems or npm ignores */
    const char *first_ignored; /* the name of the first one, or NULL */
    bool parallel;         /* which branch ran */
    bool streamed;
    void *strings;
} spate_unpacked;

/*
 * A package exists only once its manifest is written; on failure the tree is removed again and objects already
 * written stay (they are valid, and pruned if nothing refers to them).
 */
spate_status spate_unpack_file(spate_store *store, spate_pool *pool, const char *path,
                               const spate_unpack_options *options, spate_unpacked *unpacked, spate_error *error);
void spate_unpacked_free(spate_unpacked *unpacked);

#endif
