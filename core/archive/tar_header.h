/*
 * One 512-byte header of a tar: v7, ustar (POSIX.1-1988) and GNU. Below it the PAX extended headers, which are in
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
    char name[SPATE_TAR_NAME_MAX + 1];      /* prefix/name */
    char link_name[SPATE_TAR_LINK_MAX + 1];
} spate_tar_header;

/* Checks the checksum first. SPATE_CORRUPT, or SPATE_REFUSED for a name that contains a NUL. */
spate_status spate_tar_header_parse(spate_tar_header *header, const uint8_t block[SPATE_TAR_BLOCK], spate_error *error);

bool spate_tar_is_zero(const uint8_t *bytes, size_t length);

/* PAX extended headers (POSIX.1-2001): records "LENGTH KEYWORD=VALUE\n" about the member that follows. */

/* The relevant keywords; zero it first. Others (times, owners, xattrs) are checked for form and ignored. */
typedef struct spate_tar_pax {
    char *path;      /* NULL if absent */
    char *link_path; /* NULL if absent */
    uint64_t size;   /* at most INT64_MAX */
    bool has_size;
    bool sparse;     /* any GNU.sparse keyword */
} spate_tar_pax;

/* SPATE_CORRUPT, or SPATE_REFUSED for a path with a NUL. The caller frees *pax in either case. */
spate_status spate_tar_pax_parse(spate_tar_pax *pax, const char *records, size_t length, spate_error *error);

/* A global header may have any keyword that does not concern a single member: not path, linkpath, size, sparse. */
spate_status spate_tar_pax_check_global(const char *records, size_t length, spate_error *error);

void spate_tar_pax_free(spate_tar_pax *pax);

#endif
