#include "store/verify.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { UNKNOWN, GOOD, DAMAGED };

typedef struct verifying {
    spate_store *store;
    const spate_manifest *manifest;
    const spate_cancel *cancel;
    uint8_t *found; /* one of the above for each entry, written by one thread each */
    atomic_bool failed;
    pthread_mutex_t lock;
    spate_status status;
    spate_error error;
} verifying;

static void fail(verifying *v, spate_status status, const spate_error *error) {
    pthread_mutex_lock(&v->lock);
    if (v->status == SPATE_OK) {
        v->status = status;
        v->error = *error;
    }
    pthread_mutex_unlock(&v->lock);
    atomic_store_explicit(&v->failed, true, memory_order_relaxed);
}

static void verify_entry(void *context, size_t index) {
    verifying *v = context;
    spate_error error;
    spate_object_state state;
    int64_t mtime_ns = 0;
    if (atomic_load_explicit(&v->failed, memory_order_relaxed))
        return;
    if (v->cancel && v->cancel->requested) {
        fail(v, spate_fail(&error, SPATE_CANCELLED, "", "cancelled"), &error);
        return;
    }
    spate_entry entry = spate_manifest_entry(v->manifest, index);
    if (entry.type != SPATE_ENTRY_FILE) {
        v->found[index] = GOOD;
        return;
    }
    spate_status status = spate_store_examine(v->store, &entry, true, &state, &mtime_ns, &error);
    if (status != SPATE_OK) {
        fail(v, status, &error);
        return;
    }
    v->found[index] = state == SPATE_OBJECT_GOOD ? GOOD : DAMAGED;
    if (state == SPATE_OBJECT_GOOD)
        spate_manifest_note(v->manifest, index, mtime_ns);
}

spate_status spate_verify_manifest(spate_store *store, spate_pool *pool, const spate_manifest *manifest,
                                   const spate_cancel *cancel, size_t **damaged, size_t *count, spate_error *error) {
    size_t entries = spate_manifest_count(manifest);
    verifying v = {.store = store, .manifest = manifest, .cancel = cancel, .found = calloc(entries + 1, 1)};
    *damaged = malloc((entries + 1) * sizeof(**damaged));
    *count = 0;
    if (!v.found || !*damaged || pthread_mutex_init(&v.lock, NULL) != 0) {
        free(v.found);
        free(*damaged);
        *damaged = NULL;
        return spate_fail(error, SPATE_NO_MEMORY, "", "no memory for %zu entries", entries);
    }
    spate_status status = spate_pool_run(pool, entries, verify_entry, &v);
    if (status != SPATE_OK)
        spate_fail(error, status, "", "no memory for threads");
    else if (v.status != SPATE_OK && error)
        *error = v.error;
    status = status != SPATE_OK ? status : v.status;
    for (size_t i = 0; i < entries; i++)
        if (v.found[i] == DAMAGED)
            (*damaged)[(*count)++] = i;
    pthread_mutex_destroy(&v.lock);
    free(v.found);
    if (status != SPATE_OK) {
        free(*damaged);
        *damaged = NULL;
        *count = 0;
    }
    return status;
}
