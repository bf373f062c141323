/* A listing's members in the archive's order; listing.c selects among them. */
#ifndef SPATE_LISTING_INNER_H
#define SPATE_LISTING_INNER_H

#include "unpack/listing.h"

/* A copy that lives as long as the listing; NULL without memory. */
const char *spate_listing_keep(spate_listing *listing, const char *text, size_t length);
/* All members of the archive, in its order. SPATE_REFUSED and SPATE_LIMIT for a forbidden one, SPATE_CANCELLED. */
spate_status spate_listing_walk(spate_listing *listing, spate_tar *tar, const spate_unpack_options *limits,
                                spate_error *error);
spate_status spate_listing_no_memory(spate_error *error, const char *member);

#endif
