/*
 * The contents of an archive, validated before anything is written. Paths are clean. If several members have the same
 * path, the last one is used. No path is below a file or a symlink, no symlink leaves the package, and no limit is
 * exceeded.
 */
#ifndef SPATE_LISTING_H
#define SPATE_LISTING_H

#include "archive/tar.h"
#include "base/folders.h"
#include "manifest/manifest.h"
#include "shared/status.h"
#include "unpack/unpack.h"

/* One member of the archive. */
typedef struct spate_member {
    const char *path;       /* clean, relative, NUL-terminated; allocated by spate_listing_keep */
    const char *target;     /* target of a symlink, otherwise "" */
    const uint8_t *payload; /* points into the archive; NULL if it is streamed */
    uint64_t size;
    uint32_t mode; /* & 0777 */
    spate_entry_type type;
    bool dropped; /* not used: a later member has the same path, it is the package's directory itself, or its type is
                   * ignored */
    bool ignored; /* its type is ignored by RubyGems or npm */
    size_t entry; /* index in `entries`, unless dropped */
} spate_member;

/* Zero it before use and release it with spate_listing_free. */
typedef struct spate_listing {
    spate_member *members;
    size_t member_count;
    size_t member_capacity;
    spate_folders folders;
    spate_entry *entries; /* sorted by path; size, type, mode, path and target are set */
    size_t count;
    uint64_t bytes; /* total size of all files */
    size_t ignored; /* number of members of ignored types */
    const char *first_ignored; /* name of the first ignored member, or NULL */
    void *strings;
} spate_listing;

/* Reads the whole tar. Payloads are borrowed in memory mode and skipped in stream mode. */
spate_status spate_listing_read(spate_listing *listing, spate_tar *tar, const spate_unpack_options *limits,
                                spate_error *error);
void spate_listing_free(spate_listing *listing);
void spate_listing_free_strings(void *strings);

/* ---- all members, in the order of the archive; listing.c selects among them ---- */

/* Returns a copy that is valid as long as the listing, or NULL if out of memory. */
const char *spate_listing_keep(spate_listing *listing, const char *text, size_t length);
/* Reads all members of the archive. Returns SPATE_REFUSED or SPATE_LIMIT for a member that is not allowed, or
 * SPATE_CANCELLED. */
spate_status spate_listing_walk(spate_listing *listing, spate_tar *tar, const spate_unpack_options *limits,
                                spate_error *error);
spate_status spate_listing_no_memory(spate_error *error, const char *member);

#endif
