/* Entries that only a digest can decide: deferred until everything that needs just a look has been checked. */
#ifndef SPATE_INPUTS_DOUBTS_H
#define SPATE_INPUTS_DOUBTS_H

#include "inputs/look/look.h"

typedef struct inputs_doubt {
    const disk_entry *entry;
    char *path;
    inputs_look look;  /* with the digest, once it is computed */
    inputs_look *memo; /* its origin; NULL: no memo */
    int reason;        /* errno; 0: the digest was computed */
    bool skipped;      /* another entry had changed before */
} inputs_doubt;

/* Zero it first; freed with spate_inputs_doubts_free. */
typedef struct inputs_doubts {
    inputs_doubt *items;
    size_t count;
    size_t capacity;
    uint64_t bytes; /* of all files */
} inputs_doubts;

static inline inputs_digest inputs_digest_of(const disk_entry *entry) {
    return (entry->flags & ENTRY_ELF) != 0 ? INPUTS_PROMISE : INPUTS_CONTENT;
}

/* false: no memory. */
bool spate_inputs_doubt(inputs_doubts *doubts, const disk_entry *entry, const char *path, inputs_look *look, bool memo);
/* Computes the digests, on several threads if that pays, until one differs. SPATE_NO_MEMORY. */
spate_status spate_inputs_doubts_take(inputs_doubts *doubts);
void spate_inputs_doubts_free(inputs_doubts *doubts);

#endif
