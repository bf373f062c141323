/*
 * Parses one 512-byte tar header: v7, ustar (POSIX.1-1988) or GNU. Also declares the parser of PAX extended headers, in
 * tar_pax.c.
 */
#ifndef SPATE_TAR_HEADER_H
#define SPATE_TAR_HEADER_H

#include "shared/status.h"

#define SPATE_TAR_BLOCK 512
#define SPATE_TAR_NAME_MAX (155 + 1 + 100)
#define SPATE_TAR_LINK_MAX 100

typedef struct spate_tar_header {
    char type_flag;
    uint32_t mode; /* & 07777 */
    uint64_t size; /* bytes, at most INT64_MAX */
    char name[SPATE_TAR_NAME_MAX + 1];      /* "prefix/name" */
    char link_name[SPATE_TAR_LINK_MAX + 1];
} spate_tar_header;

/* Verifies the checksum first. Returns SPATE_CORRUPT, or SPATE_REFUSED for a name that contains a NUL. */
spate_status spate_tar_header_parse(spate_tar_header *header, const uint8_t block[SPATE_TAR_BLOCK], spate_error *error);

bool spate_tar_is_zero(const uint8_t *bytes, size_t length);

/* PAX extended headers (POSIX.1-2001) consist of "LENGTH KEYWORD=VALUE\n" records that describe the next member. */

/* The values of the keywords that are used. Other keywords (times, owners, xattrs) are parsed and ignored. Zero it
 * before use. */
typedef struct spate_tar_pax {
    char *path;      /* NULL if absent */
    char *link_path; /* NULL if absent */
    uint64_t size;   /* at most INT64_MAX */
    bool has_size;
    bool sparse;     /* any GNU.sparse keyword */
} spate_tar_pax;

/* Returns SPATE_CORRUPT, or SPATE_REFUSED for a path with a NUL. The caller frees *pax in any case. */
spate_status spate_tar_pax_parse(spate_tar_pax *pax, const char *records, size_t length, spate_error *error);

/* Returns SPATE_REFUSED if a global header sets a keyword that concerns a single member: path, linkpath, size or
 * GNU.sparse. */
spate_status spate_tar_pax_check_global(const char *records, size_t length, spate_error *error);

void spate_tar_pax_free(spate_tar_pax *pax);

#endif
