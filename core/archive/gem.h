/* The outer archive of a .gem: a plain tar of metadata.gz, data.tar.gz, checksums.yaml.gz (since RubyGems 2.0) and
 * signatures. */
#ifndef SPATE_GEM_H
#define SPATE_GEM_H

#include "digest/digest.h"
#include "shared/status.h"

/* The most bytes of metadata or checksums that are accepted, inflated. */
#define SPATE_GEM_TEXT_MAX ((size_t)10 << 20)

/* One member, borrowed from the archive; bytes is NULL where it is missing. */
typedef struct spate_gem_part {
    const char *name;
    const uint8_t *bytes;
    size_t length;
    bool has_checksum;
    spate_digest_kind kind;
    uint8_t checksum[SPATE_DIGEST_MAX]; /* from checksums.yaml */
} spate_gem_part;

typedef struct spate_gem {
    spate_gem_part metadata; /* gzip, or plain where `name` is "metadata" */
    spate_gem_part data;
} spate_gem;

/* Finds the parts and reads the checksums, without computing any. The archive is borrowed by *gem. */
spate_status spate_gem_read(spate_gem *gem, const uint8_t *archive, size_t length, spate_error *error);
/* SPATE_CHECKSUM if the part's bytes do not match the checksums; SPATE_OK if they do not mention it. */
spate_status spate_gem_verify(const spate_gem_part *part, spate_error *error);

#endif
