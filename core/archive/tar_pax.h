/* PAX extended headers (POSIX.1-2001): records "LENGTH KEYWORD=VALUE\n" about the member that follows. */
#ifndef SPATE_TAR_PAX_H
#define SPATE_TAR_PAX_H

#include "shared/status.h"

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
