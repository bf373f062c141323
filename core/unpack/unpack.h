/*
 * Unpacks an archive (.gem, npm .tgz, or a build's tar): creates objects in the store and a list of entries. A serial
 * pass reads the archive and cleans paths; a parallel pass hashes and writes the files. Below `parallel_from` entries,
 * no threads are used. The entries are the same in either case: sorted by path, with the last of several members that
 * have the same path.
 */
#ifndef SPATE_UNPACK_H
#define SPATE_UNPACK_H

#include "base/pool.h"
#include "shared/inflate.h"
#include "store/store.h"

/*
 * SPATE_ARCHIVE_NPM follows the rules of npm and pnpm: the top-level directory is dropped; "\\" is replaced by "/";
 * only regular files are used, with mode 0644 or 0755; the tar may be uncompressed. Only npm itself keeps modes like
 * 0744 and renames .gitignore to .npmignore.
 */
typedef enum spate_archive_kind {
    SPATE_ARCHIVE_GEM,
    SPATE_ARCHIVE_NPM,
    SPATE_ARCHIVE_BUILD, /* a build's files as a tar, uncompressed or compressed with gzip, with unchanged modes */
} spate_archive_kind;

typedef struct spate_unpack_options {
    spate_archive_kind kind;
    const char *tree;       /* directory to create and fill with the files, or NULL to create only objects */
    const uint8_t *sha256;  /* expected digest of the whole archive, or NULL */
    const uint8_t *sha512;  /* the same as SHA-512 (npm integrity), or NULL */
    unsigned parallel_from; /* number of entries; 0 = 32 (default); UINT_MAX = never */
    size_t memory;          /* maximum bytes of inflated data in memory; larger archives are streamed; 0 = 64 MiB
                             * (default) */
    uint64_t max_total;     /* bytes; 0 = 1 GiB */
    uint64_t max_entry;     /* bytes; 0 = 512 MiB */
    size_t max_entries;     /* limit for members, and for their directories; 0 = 200,000 */
    uint32_t mode_mask;     /* permitted mode bits of a gem's files; 0 = 0777 (newer RubyGems: 0777 & ~umask) */
    const spate_cancel *cancel; /* may be NULL */
} spate_unpack_options;

/* The result. Release it with spate_unpacked_free, which also frees the strings of the entries. */
typedef struct spate_unpacked {
    uint8_t sha256[SPATE_SHA256_BYTES]; /* digest of the archive */
    spate_entry *entries;
    size_t count;
    uint64_t bytes;        /* total size of the files */
    spate_buffer metadata; /* a gem's metadata (YAML, inflated, at most 10 MiB); empty for other archives */
    size_t ignored;            /* number of members of types that RubyGems or npm ignores */
    const char *first_ignored; /* name of the first of them, or NULL */
    bool parallel;         /* whether threads were used */
    bool streamed;
    void *strings;
} spate_unpacked;

/*
 * Unpacks the archive at `path`. On failure, removes the tree. Objects that were already created are kept: they are
 * valid, and pruned later if they are not used. A package only exists once its manifest has been written.
 */
spate_status spate_unpack_file(spate_store *store, spate_pool *pool, const char *path,
                               const spate_unpack_options *options, spate_unpacked *unpacked, spate_error *error);
void spate_unpacked_free(spate_unpacked *unpacked);

#endif
