/* Entries that can only be checked by computing a digest. They are deferred until all cheaper checks are done. */
#ifndef SPATE_INPUTS_DOUBTS_H
#define SPATE_INPUTS_DOUBTS_H

#include "inputs/look/look.h"

typedef struct inputs_doubt {
    const disk_entry *entry;
    char *path;
    inputs_look look;  /* includes the digest once it is computed */
    inputs_look *memo; /* the memo's copy of the look; NULL without a memo */
    int reason;        /* errno, or 0 if the digest was computed */
    bool skipped;      /* not computed, because another entry has changed */
} inputs_doubt;

/* Initialize with zeros. Release with spate_inputs_doubts_free. */
typedef struct inputs_doubts {
    inputs_doubt *items;
    size_t count;
    size_t capacity;
    uint64_t bytes; /* total size of the files */
} inputs_doubts;

static inline inputs_digest inputs_digest_of(const disk_entry *entry) {
    return (entry->flags & ENTRY_ELF) != 0 ? INPUTS_PROMISE : INPUTS_CONTENT;
}

/* Adds an entry. Returns false if out of memory. */
bool spate_inputs_doubt(inputs_doubts *doubts, const disk_entry *entry, const char *path, inputs_look *look, bool memo);
/* Computes the digests until one differs, on several threads if there is enough data. Fails only with
 * SPATE_NO_MEMORY. */
spate_status spate_inputs_doubts_take(inputs_doubts *doubts);
void spate_inputs_doubts_free(inputs_doubts *doubts);

#endif
