#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

/* Merges a manifest into the list of entries built so far. Both are sorted by path; for equal paths the manifest
 * wins. */
static size_t merge(const spate_layers *layers, const spate_placed *below, size_t below_count, size_t manifest,
                    spate_placed *out) {
    const spate_manifest *above = layers->manifests[manifest];
    size_t above_count = spate_manifest_count(above);
    size_t used = 0;
    for (size_t i = 0, j = 0; i < below_count || j < above_count;) {
        int order = i == below_count ? 1 : j == above_count ? -1 : 0;
        if (order == 0)
            order = strcmp(spate_manifest_entry(layers->manifests[below[i].manifest], below[i].entry).path,
                           spate_manifest_entry(above, j).path);
        out[used++] = order < 0 ? below[i] : (spate_placed){manifest, j};
        i += order <= 0;
        j += order >= 0;
    }
    return used;
}

spate_status spate_layers_open(spate_layers *layers, const spate_manifest *const *manifests, size_t count,
                               spate_error *error) {
    *layers = (spate_layers){.manifests = manifests};
    if (count == 1)
        layers->count = spate_manifest_count(manifests[0]);
    if (count <= 1)
        return SPATE_OK;
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += spate_manifest_count(manifests[i]);
    spate_placed *below = malloc((total + 1) * sizeof(*below));
    spate_placed *merged = malloc((total + 1) * sizeof(*merged));
    if (!below || !merged) {
        free(below);
        free(merged);
        return spate_fail(error, SPATE_NO_MEMORY, "", "no memory for %zu entries", total);
    }
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        used = merge(layers, below, used, i, merged);
        spate_placed *swap = below;
        below = merged;
        merged = swap;
    }
    free(merged);
    layers->order = below;
    layers->count = used;
    return SPATE_OK;
}

void spate_layers_close(spate_layers *layers) {
    free(layers->order);
    *layers = (spate_layers){0};
}

spate_entry spate_layers_entry(const spate_layers *layers, size_t index, spate_placed *placed) {
    spate_placed at = layers->order ? layers->order[index] : (spate_placed){0, index};
    if (placed)
        *placed = at;
    return spate_manifest_entry(layers->manifests[at.manifest], at.entry);
}
