/*
 * The contents of a package or a build, as one file that is mapped and never parsed:
 *
 *   header   magic "SPATEMF1", version, header and file length, counts, offsets, boot id, SHA-256 of the archive,
 *            checksum of all that follows the header's checksum field
 *   entries  fixed size, sorted by path: type, mode, size, mtime_ns, SHA-256, path offset and length, link target
 *   strings  the paths and targets, each NUL-terminated
 *   facts    an opaque text of the caller (the gem's facts, UTF-8 lines)
 *
 * All integers little-endian, all offsets from the file's start and checked before use. Struct layouts are asserted.
 */
#ifndef SPATE_MANIFEST_H
#define SPATE_MANIFEST_H

#include "digest/digest.h"
#include "shared/status.h"

#define SPATE_MANIFEST_VERSION 1

typedef enum spate_entry_type {
    SPATE_ENTRY_FILE = 0,
    SPATE_ENTRY_SYMLINK = 1,
    SPATE_ENTRY_DIRECTORY = 2
} spate_entry_type;

/* One path of a manifest; strings are borrowed from it. */
typedef struct spate_entry {
    spate_entry_type type;
    uint32_t mode;                      /* & 0777 */
    uint64_t size;                      /* bytes */
    int64_t mtime_ns;                   /* of the object when it was made; since the epoch */
    uint8_t sha256[SPATE_SHA256_BYTES]; /* of the content; zero unless a file */
    const char *path;                   /* clean, relative, NUL-terminated */
    const char *target;                 /* of a symlink, else "" */
} spate_entry;

typedef struct spate_manifest spate_manifest;

/* Writes atomically (temporary file beside it, rename). Entries in any order; duplicates are the caller's error. */
spate_status spate_manifest_write(const char *path, const uint8_t archive_sha256[SPATE_SHA256_BYTES],
                                  const spate_entry *entries, size_t count, const char *facts, size_t facts_length,
                                  spate_error *error);
/* SPATE_STALE for incomplete files and other versions. Free with spate_manifest_close. */
spate_status spate_manifest_open(spate_manifest **manifest, const char *path, spate_error *error);
/* The same over bytes (for the fuzzer); the bytes are borrowed. */
spate_status spate_manifest_parse(spate_manifest **manifest, const uint8_t *bytes, size_t length, spate_error *error);
void spate_manifest_close(spate_manifest *manifest);

size_t spate_manifest_count(const spate_manifest *manifest);
spate_entry spate_manifest_entry(const spate_manifest *manifest, size_t index);
bool spate_manifest_find(const spate_manifest *manifest, const char *path, size_t *index);
const char *spate_manifest_facts(const spate_manifest *manifest, size_t *length);
const uint8_t *spate_manifest_sha256(const spate_manifest *manifest);
/* Bytes of all files together. */
uint64_t spate_manifest_bytes(const spate_manifest *manifest);
/* true if it was written (or verified again) under this boot of this kernel: objects need a stat, not a hash. */
bool spate_manifest_of_this_boot(const spate_manifest *manifest);

/*
 * After another boot (or if a cache was restored) times prove nothing: every object is hashed once. The caller then
 * notes the mtime found here, from any thread; renew then rewrites the manifest under this boot, with those times, and
 * this one is of this boot from then on. SPATE_STALE while a file was not noted.
 */
/* true if the entry's object needs only a stat: the manifest is of this boot, or the object's mtime was noted. */
bool spate_manifest_trusts(const spate_manifest *manifest, size_t index);
void spate_manifest_note(const spate_manifest *manifest, size_t index, int64_t mtime_ns);
spate_status spate_manifest_renew(spate_manifest *manifest, const char *path, spate_error *error);

/* Several manifests layered, seen as one list sorted by path: the last one with a path wins. */

/* The origin of an entry. */
typedef struct spate_placed {
    size_t manifest;
    size_t entry;
} spate_placed;

typedef struct spate_layers {
    const spate_manifest *const *manifests;
    size_t count;
    spate_placed *order; /* NULL for a single manifest: its own order */
} spate_layers;

/* Borrows the manifests until spate_layers_close. */
spate_status spate_layers_open(spate_layers *layers, const spate_manifest *const *manifests, size_t count,
                               spate_error *error);
void spate_layers_close(spate_layers *layers);
/* placed may be NULL. */
spate_entry spate_layers_entry(const spate_layers *layers, size_t index, spate_placed *placed);

#endif
