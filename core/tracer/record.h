/* The parent's side of the table: creates it, and reads it after the run. */
#ifndef SPATE_TRACER_RECORD_H
#define SPATE_TRACER_RECORD_H

#include "shared/status.h"
#include "tracer/table.h"

typedef struct spate_tracer_size {
    uint32_t slots; /* a power of two; 0: four times what the largest known build needs */
    uint32_t bytes; /* size of the area for entries */
} spate_tracer_size;

/*
 * Creates an empty table in memory that no child can shrink. ignored: absolute clean paths; SPATE_LIMIT if they do not
 * fit. *descriptor is close-on-exec; children reopen it through /proc. spate_tracer_record_free releases the table and
 * closes the descriptor.
 */
spate_status spate_tracer_record_new(spate_tracer_table *table, int *descriptor, const char *const *ignored,
                                     size_t count, spate_tracer_size size, spate_error *error);
void spate_tracer_record_free(spate_tracer_table *table, int descriptor);

/* One recorded entry. The text is NUL-terminated and valid during the call. */
typedef bool spate_tracer_visit(void *context, const char *text, size_t length, uint64_t kinds);
/*
 * Visits all entries in the order of first occurrence, in their current state, until visit returns false. Corrupt
 * entries, which only a stray write of a child can cause, are skipped and reported as "!damaged". A full table is
 * reported as "!overflow".
 */
spate_status spate_tracer_record_each(const spate_tracer_table *table, spate_tracer_visit *visit, void *context);

#endif
