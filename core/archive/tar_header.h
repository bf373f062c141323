/* One 512-byte header of a tar: v7, ustar (POSIX.1-1988) and GNU. */
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

/* Checks the checksum first. SPATE_CORRUPT, or SPATE_REFUSED for a name that holds a NUL. */
spate_status spate_tar_header_parse(spate_tar_header *header, const uint8_t block[SPATE_TAR_BLOCK], spate_error *error);

bool spate_tar_is_zero(const uint8_t *bytes, size_t length);

#endif
