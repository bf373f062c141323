/*
 * The contents of a package or a build, in one file that is read into memory and never parsed:
 *
 *   header   magic "SPATEMF1", version, header and file length, counts, offsets, boot ID, SHA-256 of the archive,
 *            checksum of everything after the checksum field
 *   entries  fixed size, sorted by path: type, mode, size, mtime_ns, SHA-256, path offset and length, link target
 *   strings  the paths and targets, each NUL-terminated
 *   facts    an opaque text of the caller (facts about the gem, UTF-8 lines)
 *
 * All integers are little-endian. All offsets are from the start of the file and are checked before use. The layouts of
 * the structs are asserted in format.h.
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

/* One path of a manifest, which owns the strings. */
typedef struct spate_entry {
    spate_entry_type type;
    uint32_t mode;                      /* & 0777 */
    uint64_t size;                      /* bytes */
    int64_t mtime_ns;                   /* of the object when it was created, since the epoch */
    uint8_t sha256[SPATE_SHA256_BYTES]; /* of the content; zero unless it is a file */
    const char *path;                   /* clean, relative, NUL-terminated */
    const char *target;                 /* of a symlink, else "" */
} spate_entry;

typedef struct spate_manifest spate_manifest;

/* Writes the manifest atomically: writes a temporary file next to it and renames that. Accepts entries in any order.
 * Returns SPATE_REFUSED if two entries have the same path. */
spate_status spate_manifest_write(const char *path, const uint8_t archive_sha256[SPATE_SHA256_BYTES],
                                  const spate_entry *entries, size_t count, const char *facts, size_t facts_length,
                                  spate_error *error);
/* Returns SPATE_STALE for an incomplete file or a different version. Release it with spate_manifest_close. */
spate_status spate_manifest_open(spate_manifest **manifest, const char *path, spate_error *error);
/* Like spate_manifest_open, but from bytes, which must stay valid. For the fuzzer. */
spate_status spate_manifest_parse(spate_manifest **manifest, const uint8_t *bytes, size_t length, spate_error *error);
void spate_manifest_close(spate_manifest *manifest);

size_t spate_manifest_count(const spate_manifest *manifest);
spate_entry spate_manifest_entry(const spate_manifest *manifest, size_t index);
bool spate_manifest_find(const spate_manifest *manifest, const char *path, size_t *index);
const char *spate_manifest_facts(const spate_manifest *manifest, size_t *length);
const uint8_t *spate_manifest_sha256(const spate_manifest *manifest);
/* Returns the total size of all files in bytes. */
uint64_t spate_manifest_bytes(const spate_manifest *manifest);
/* Whether the manifest was written or renewed since the machine booted. If so, a stat of an object is enough; it need
 * not be hashed. */
bool spate_manifest_of_this_boot(const spate_manifest *manifest);

/*
 * After a reboot (or if a cache was restored) times prove nothing, so every object is hashed once. The caller records
 * the mtime of each verified object with spate_manifest_note (thread-safe). spate_manifest_renew then rewrites the
 * manifest with these mtimes and the current boot ID. It returns SPATE_STALE if a file has not been noted.
 */
/* Whether a stat of the entry's object is enough: the manifest is of this boot, or the object's mtime was noted. */
bool spate_manifest_trusts(const spate_manifest *manifest, size_t index);
void spate_manifest_note(const spate_manifest *manifest, size_t index, int64_t mtime_ns);
spate_status spate_manifest_renew(spate_manifest *manifest, const char *path, spate_error *error);

/* ---- layered manifests: one list sorted by path, in which later manifests override earlier ones ---- */

/* Identifies an entry: index of the manifest, and of the entry in it. */
typedef struct spate_placed {
    size_t manifest;
    size_t entry;
} spate_placed;

typedef struct spate_layers {
    const spate_manifest *const *manifests;
    size_t count;
    spate_placed *order; /* NULL for a single manifest, which is in order already */
} spate_layers;

/* The manifests must stay valid until spate_layers_close. */
spate_status spate_layers_open(spate_layers *layers, const spate_manifest *const *manifests, size_t count,
                               spate_error *error);
void spate_layers_close(spate_layers *layers);
/* Sets *placed unless it is NULL. */
spate_entry spate_layers_entry(const spate_layers *layers, size_t index, spate_placed *placed);

#endif
