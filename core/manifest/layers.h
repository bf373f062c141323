/* Several manifests layered, seen as one list sorted by path: the last one with a path wins. */
#ifndef SPATE_LAYERS_H
#define SPATE_LAYERS_H

#include "manifest/manifest.h"
#include "shared/status.h"

/* The origin of an entry. */
typedef struct spate_placed {
    size_t manifest;
    size_t entry;
} spate_placed;

typedef struct spate_layers {
    const spate_manifest *const *manifests;
    size_t count;
    spate_placed *order; /* NULL for a single manifest: its own order */
} spate_layers;

/* Borrows the manifests until spate_layers_close. */
spate_status spate_layers_open(spate_layers *layers, const spate_manifest *const *manifests, size_t count,
                               spate_error *error);
void spate_layers_close(spate_layers *layers);
/* placed may be NULL. */
spate_entry spate_layers_entry(const spate_layers *layers, size_t index, spate_placed *placed);

#endif
