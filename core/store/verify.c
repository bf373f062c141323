#include "store/verify.h"

#include <stdlib.h>

typedef struct verifying {
    spate_store *store;
    const spate_manifest *manifest;
    const spate_cancel *cancel;
    bool *damaged; /* one flag per entry, each written by one thread */
    spate_failure failure;
} verifying;

static void verify_entry(void *context, size_t index) {
    verifying *v = context;
    spate_error error;
    spate_object_state state = SPATE_OBJECT_GOOD;
    int64_t mtime_ns = 0;
    if (spate_failed(&v->failure))
        return;
    spate_entry entry = spate_manifest_entry(v->manifest, index);
    spate_status status = spate_cancelled(v->cancel, &error);
    if (status == SPATE_OK && entry.type == SPATE_ENTRY_FILE) {
        status = spate_store_examine(v->store, &entry, true, &state, &mtime_ns, &error);
        if (status == SPATE_OK && state == SPATE_OBJECT_GOOD)
            spate_manifest_note(v->manifest, index, mtime_ns);
    }
    v->damaged[index] = status == SPATE_OK && state != SPATE_OBJECT_GOOD;
    spate_failure_note(&v->failure, status, &error);
}

spate_status spate_verify_manifest(spate_store *store, spate_pool *pool, const spate_manifest *manifest,
                                   const spate_cancel *cancel, size_t **damaged, size_t *count, spate_error *error) {
    size_t entries = spate_manifest_count(manifest);
    verifying v = {
        .store = store, .manifest = manifest, .cancel = cancel, .damaged = calloc(entries + 1, sizeof(bool))};
    *damaged = malloc((entries + 1) * sizeof(**damaged));
    *count = 0;
    if (!v.damaged || !*damaged) {
        free(v.damaged);
        free(*damaged);
        *damaged = NULL;
        return spate_fail(error, SPATE_NO_MEMORY, "", "no memory for %zu entries", entries);
    }
    spate_status status = spate_pool_run(pool, entries, verify_entry, &v);
    if (status != SPATE_OK)
        spate_fail(error, status, "", "no memory for threads");
    else
        status = spate_failure_of(&v.failure, error);
    for (size_t i = 0; i < entries; i++)
        if (v.damaged[i])
            (*damaged)[(*count)++] = i;
    free(v.damaged);
    if (status != SPATE_OK) {
        free(*damaged);
        *damaged = NULL;
        *count = 0;
    }
    return status;
}
