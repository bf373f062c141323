/*
 * The contents of an archive, decided before anything is written: paths are clean, the last of several members with one
 * path wins, no path is below a file or a symlink, no symlink leaves the package, no limit is exceeded.
 */
#ifndef SPATE_LISTING_H
#define SPATE_LISTING_H

#include "archive/tar.h"
#include "base/folders.h"
#include "manifest/manifest.h"
#include "shared/status.h"
#include "unpack/unpack.h"

/* One member of the archive, in its order. */
typedef struct spate_member {
    const char *path;       /* clean, relative, NUL-terminated; in the listing's strings */
    const char *target;     /* of a symlink, else "" */
    const uint8_t *payload; /* borrowed from the archive; NULL if it is streamed */
    uint64_t size;
    uint32_t mode; /* & 0777 */
    spate_entry_type type;
    bool dropped; /* a later member has the same path, or it is the package's own folder, or of an ignored type */
    bool ignored; /* of a type that RubyGems or npm ignores */
    size_t entry; /* index in entries, unless dropped */
} spate_member;

/* Zero it first; freed with spate_listing_free. */
typedef struct spate_listing {
    spate_member *members;
    size_t member_count;
    size_t member_capacity;
    spate_folders folders;
    spate_entry *entries; /* sorted by path; size, type, mode, path and target are set */
    size_t count;
    uint64_t bytes; /* of all files in entries */
    size_t ignored; /* members of an ignored type */
    const char *first_ignored; /* the name of the first one, or NULL */
    void *strings;
} spate_listing;

/* Walks the whole tar. Payloads are borrowed in memory mode, skipped in stream mode. */
spate_status spate_listing_read(spate_listing *listing, spate_tar *tar, const spate_unpack_options *limits,
                                spate_error *error);
void spate_listing_free(spate_listing *listing);
void spate_listing_free_strings(void *strings);

/* A listing's members in the archive's order; listing.c selects among them. */

/* A copy that lives as long as the listing; NULL without memory. */
const char *spate_listing_keep(spate_listing *listing, const char *text, size_t length);
/* All members of the archive, in its order. SPATE_REFUSED and SPATE_LIMIT for a forbidden one, SPATE_CANCELLED. */
spate_status spate_listing_walk(spate_listing *listing, spate_tar *tar, const spate_unpack_options *limits,
                                spate_error *error);
spate_status spate_listing_no_memory(spate_error *error, const char *member);

#endif
