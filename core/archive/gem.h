/* Reads the outer archive of a .gem: a plain tar with metadata.gz, data.tar.gz, checksums.yaml.gz (since RubyGems 2.0)
 * and signatures. */
#ifndef SPATE_GEM_H
#define SPATE_GEM_H

#include "digest/digest.h"
#include "shared/status.h"

/* The maximum size of the inflated metadata or checksums, in bytes. */
#define SPATE_GEM_TEXT_MAX ((size_t)10 << 20)

/* One member. `bytes` points into the archive and is NULL if the member is missing. */
typedef struct spate_gem_part {
    const char *name;
    const uint8_t *bytes;
    size_t length;
    bool has_checksum;
    spate_digest_kind kind;
    uint8_t checksum[SPATE_DIGEST_MAX]; /* from checksums.yaml */
} spate_gem_part;

typedef struct spate_gem {
    spate_gem_part metadata; /* gzip, or plain text if `name` is "metadata" */
    spate_gem_part data;
} spate_gem;

/* Finds the members and reads the checksums, but does not verify them. *gem points into `archive`. */
spate_status spate_gem_read(spate_gem *gem, const uint8_t *archive, size_t length, spate_error *error);
/* Returns SPATE_CHECKSUM if the part does not match its checksum. Returns SPATE_OK if it has none. */
spate_status spate_gem_verify(const spate_gem_part *part, spate_error *error);

#endif
