/* The parent's side of the table: making one, and reading it after the run. */
#ifndef SPATE_TRACER_RECORD_H
#define SPATE_TRACER_RECORD_H

#include "shared/status.h"
#include "tracer/table.h"

typedef struct spate_tracer_size {
    uint32_t slots; /* a power of two; 0: four times what the largest known build needs */
    uint32_t bytes; /* for entries */
} spate_tracer_size;

/*
 * An empty table in memory that no child can shrink. ignored: absolute clean paths, SPATE_LIMIT if they do not fit.
 * *descriptor: close-on-exec; children reopen it through /proc. Released with spate_tracer_record_free, which closes
 * it.
 */
spate_status spate_tracer_record_new(spate_tracer_table *table, int *descriptor, const char *const *ignored,
                                     size_t count, spate_tracer_size size, spate_error *error);
void spate_tracer_record_free(spate_tracer_table *table, int descriptor);

/* One recorded entry. The text is NUL-terminated and valid during the call. */
typedef bool spate_tracer_visit(void *context, const char *text, size_t length, uint64_t kinds);
/*
 * All entries in the order of first occurrence, each as it is now, until visit returns false. Entries that a child has
 * overwritten in ways that no writer does are left out and reported as "!damaged"; so is "!overflow".
 */
spate_status spate_tracer_record_each(const spate_tracer_table *table, spate_tracer_visit *visit, void *context);

#endif
