#include "link/gather.h"

#include <stdlib.h>
#include <string.h>

typedef struct gathering {
    spate_entry *entries;
    size_t count;
    char *paths; /* of all entries of the jobs, each with a NUL */
    size_t used;
} gathering;

static void add_job(gathering *g, const spate_link_job *job) {
    const spate_manifest *manifest = job->manifests[0];
    size_t prefix = strlen(job->destination);
    for (size_t i = 0; i < spate_manifest_count(manifest); i++) {
        spate_entry entry = spate_manifest_entry(manifest, i);
        size_t length = strlen(entry.path) + 1;
        char *path = g->paths + g->used;
        memcpy(path, job->destination, prefix);
        path[prefix] = '/';
        memcpy(path + prefix + 1, entry.path, length);
        g->used += prefix + 1 + length;
        entry.path = path;
        g->entries[g->count++] = entry;
    }
}

static bool make_room(gathering *g, const spate_link_job *jobs, size_t count, size_t link_count) {
    size_t entries = link_count + 1;
    size_t bytes = 1;
    for (size_t i = 0; i < count; i++) {
        const spate_manifest *manifest = jobs[i].manifests[0];
        entries += spate_manifest_count(manifest);
        for (size_t j = 0; j < spate_manifest_count(manifest); j++)
            bytes += strlen(jobs[i].destination) + strlen(spate_manifest_entry(manifest, j).path) + 2;
    }
    g->entries = calloc(entries, sizeof(*g->entries));
    g->paths = malloc(bytes);
    return g->entries && g->paths;
}

spate_status spate_gather(const char *path, const spate_link_job *jobs, size_t count, const spate_symlink *links,
                          size_t link_count, const char *facts, size_t facts_length, spate_error *error) {
    static const uint8_t archive[SPATE_SHA256_BYTES];
    gathering g = {0};
    spate_status status = SPATE_OK;
    if (!make_room(&g, jobs, count, link_count))
        status = spate_fail(error, SPATE_NO_MEMORY, path, "no memory for a manifest");
    if (status == SPATE_OK) {
        for (size_t i = 0; i < count; i++)
            add_job(&g, &jobs[i]);
        for (size_t i = 0; i < link_count; i++)
            if (links[i].target)
                g.entries[g.count++] =
                    (spate_entry){.type = SPATE_ENTRY_SYMLINK, .path = links[i].path, .target = links[i].target};
        status = spate_manifest_write(path, archive, g.entries, g.count, facts, facts_length, error);
    }
    free(g.entries);
    free(g.paths);
    return status;
}
