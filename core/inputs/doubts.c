#define _GNU_SOURCE
#include "inputs/doubts.h"

#include "base/pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Minimum total size for which threads are worth their cost. */
#define ENOUGH_BYTES ((uint64_t)1 << 20)
#define THREADS_MAX 4

typedef struct taking {
    inputs_doubts *doubts;
    atomic_bool over;
} taking;

bool spate_inputs_doubt(inputs_doubts *doubts, const disk_entry *entry, const char *path, inputs_look *look,
                        bool memo) {
    if (doubts->count == doubts->capacity) {
        size_t capacity = doubts->capacity ? doubts->capacity * 2 : 64;
        inputs_doubt *grown = realloc(doubts->items, capacity * sizeof(*grown));
        if (!grown)
            return false;
        doubts->items = grown;
        doubts->capacity = capacity;
    }
    char *copy = strdup(path);
    if (!copy)
        return false;
    doubts->items[doubts->count++] =
        (inputs_doubt){.entry = entry, .path = copy, .look = *look, .memo = memo ? look : NULL};
    doubts->bytes += look->size;
    return true;
}

static void take_one(void *context, size_t index) {
    taking *t = context;
    inputs_doubt *doubt = &t->doubts->items[index];
    inputs_digest which = inputs_digest_of(doubt->entry);
    doubt->skipped = atomic_load_explicit(&t->over, memory_order_relaxed);
    if (doubt->skipped)
        return;
    bool follow = (doubt->entry->flags & SPATE_INPUT_NOFOLLOW) == 0;
    doubt->reason = spate_inputs_digest(doubt->path, follow, which, &doubt->look);
    if (doubt->reason != 0 || memcmp(doubt->look.digests[which], doubt->entry->sha256, SPATE_SHA256_LENGTH) != 0)
        atomic_store_explicit(&t->over, true, memory_order_relaxed);
}

spate_status spate_inputs_doubts_take(inputs_doubts *doubts) {
    taking t = {.doubts = doubts};
    spate_pool *pool;
    unsigned threads = doubts->bytes < ENOUGH_BYTES ? 1 : spate_processors();
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    atomic_init(&t.over, false);
    spate_status status = spate_pool_new(&pool, threads);
    if (status == SPATE_OK)
        status = spate_pool_run(pool, doubts->count, take_one, &t);
    spate_pool_free(pool);
    return status;
}

void spate_inputs_doubts_free(inputs_doubts *doubts) {
    for (size_t i = 0; i < doubts->count; i++)
        free(doubts->items[i].path);
    free(doubts->items);
}
