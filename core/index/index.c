#include "index/index.h"

#include "digest/crc32c.h"

#include <string.h>

static bool power_of_two(uint32_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

/* A search in a table with no empty slot would not end. */
static bool slots_fit(uint32_t slots, uint32_t entries) {
    return power_of_two(slots) && slots > entries && slots <= 4 * SPATE_INDEX_FEATURES_MAX;
}

static bool counts_fit(const spate_index_header *header) {
    return header->roots <= SPATE_INDEX_ROOTS_MAX && header->directories <= SPATE_INDEX_DIRECTORIES_MAX &&
           header->keys >= 1 && header->keys <= SPATE_INDEX_DIRECTORIES_MAX + 1 &&
           header->features <= SPATE_INDEX_FEATURES_MAX && header->candidates <= 2 * SPATE_INDEX_FEATURES_MAX &&
           slots_fit(header->root_slots, header->roots) && slots_fit(header->key_slots, header->keys) &&
           slots_fit(header->feature_slots, header->features);
}

/* The sum cannot overflow: each count has a limit. */
static uint64_t length_of(const spate_index_header *header) {
    return sizeof *header + (uint64_t)header->directories * sizeof(spate_index_directory) +
           (uint64_t)header->roots * sizeof(spate_index_root) + (uint64_t)header->keys * sizeof(spate_index_key) +
           (uint64_t)header->features * sizeof(spate_index_feature) +
           ((uint64_t)header->candidates + header->root_slots + header->key_slots + header->feature_slots) *
               sizeof(uint32_t) +
           header->pool;
}

spate_status spate_index_open(spate_index *index, const uint8_t *bytes, size_t length, spate_error *error) {
    const spate_index_header *header = (const spate_index_header *)(const void *)bytes;
    memset(index, 0, sizeof *index);
    if (length < sizeof *header || length > SPATE_INDEX_LENGTH_MAX || (uintptr_t)bytes % 8 != 0)
        return spate_fail(error, SPATE_STALE, "", "no feature index: %zu bytes", length);
    if (memcmp(header->magic, SPATE_INDEX_MAGIC, sizeof header->magic) != 0)
        return spate_fail(error, SPATE_STALE, "", "no feature index: it begins otherwise");
    if (header->endian != SPATE_INDEX_ENDIAN || header->version != SPATE_INDEX_VERSION)
        return spate_fail(error, SPATE_STALE, "", "a feature index of version %u, not %u", header->version,
                          SPATE_INDEX_VERSION);
    if (header->length != length || !counts_fit(header) || length_of(header) != length)
        return spate_fail(error, SPATE_STALE, "", "a feature index whose lengths disagree");
    if (memchr(header->shared, '\0', sizeof header->shared) == NULL || header->shared[0] != '.')
        return spate_fail(error, SPATE_STALE, "", "a feature index without an extension");
    size_t summed = offsetof(spate_index_header, checksum) + sizeof header->checksum;
    if (spate_crc32c(0, bytes + summed, length - summed) != header->checksum)
        return spate_fail(error, SPATE_STALE, "", "a feature index whose checksum differs");

    index->header = header;
    index->directories = (const void *)(bytes + sizeof *header);
    index->roots = (const void *)(index->directories + header->directories);
    index->keys = (const void *)(index->roots + header->roots);
    index->features = (const void *)(index->keys + header->keys);
    index->candidates = (const void *)(index->features + header->features);
    index->root_slots = index->candidates + header->candidates;
    index->key_slots = index->root_slots + header->root_slots;
    index->feature_slots = index->key_slots + header->key_slots;
    index->pool = (const void *)(index->feature_slots + header->feature_slots);
    return SPATE_OK;
}

const char *spate_index_text(const spate_index *index, uint32_t offset, uint32_t length) {
    if (offset > index->header->pool || length > index->header->pool - offset)
        return NULL;
    return index->pool + offset;
}

static bool same_text(const spate_index *index, uint32_t offset, uint32_t length, const char *text, size_t wanted) {
    if (length != wanted)
        return false;
    const char *stored = spate_index_text(index, offset, length);
    return stored != NULL && memcmp(stored, text, wanted) == 0;
}

uint32_t spate_index_find_root(const spate_index *index, uint32_t hash, const char *path, size_t length) {
    uint32_t mask = index->header->root_slots - 1;
    for (uint32_t slot = spate_index_spread(hash, 0), tries = 0; tries <= mask; slot++, tries++) {
        uint32_t number = index->root_slots[slot & mask] - 1;
        if (number >= index->header->roots) /* an empty slot is now UINT32_MAX */
            return SPATE_INDEX_NONE;
        const spate_index_root *root = &index->roots[number];
        if (same_text(index, root->path, root->length, path, length))
            return number;
    }
    return SPATE_INDEX_NONE;
}

uint32_t spate_index_find_key(const spate_index *index, uint32_t hash, const char *path, size_t length) {
    uint32_t mask = index->header->key_slots - 1;
    for (uint32_t slot = spate_index_spread(hash, 0), tries = 0; tries <= mask; slot++, tries++) {
        uint32_t number = index->key_slots[slot & mask] - 1;
        if (number >= index->header->keys)
            return SPATE_INDEX_NONE;
        const spate_index_key *key = &index->keys[number];
        if (same_text(index, key->path, key->length, path, length))
            return number;
    }
    return SPATE_INDEX_NONE;
}

uint32_t spate_index_find_feature(const spate_index *index, uint32_t key, uint32_t hash, const char *name,
                                  size_t length) {
    uint32_t mask = index->header->feature_slots - 1;
    for (uint32_t slot = spate_index_spread(hash, key), tries = 0; tries <= mask; slot++, tries++) {
        uint32_t number = index->feature_slots[slot & mask] - 1;
        if (number >= index->header->features)
            return SPATE_INDEX_NONE;
        const spate_index_feature *feature = &index->features[number];
        if (feature->key == key && same_text(index, feature->name, feature->length, name, length))
            return number;
    }
    return SPATE_INDEX_NONE;
}

const uint32_t *spate_index_candidates(const spate_index *index, uint32_t feature, size_t *count) {
    const spate_index_header *header = index->header;
    *count = 0;
    if (feature >= header->features)
        return index->candidates;
    uint32_t first = index->features[feature].candidate;
    uint32_t end = feature + 1 < header->features ? index->features[feature + 1].candidate : header->candidates;
    if (first <= end && end <= header->candidates)
        *count = end - first;
    return index->candidates + (*count ? first : 0);
}

void spate_index_key_directories(const spate_index *index, uint32_t key, uint32_t *first, uint32_t *count) {
    *first = *count = 0;
    if (key >= index->header->keys)
        return;
    const spate_index_key *entry = &index->keys[key];
    if (entry->directory <= index->header->directories &&
        entry->directories <= index->header->directories - entry->directory) {
        *first = entry->directory;
        *count = entry->directories;
    }
}

void spate_index_fingerprint(const char *const *paths, const size_t *lengths, size_t count,
                             uint8_t out[SPATE_SIPHASH_BYTES]) {
    spate_siphash hash;
    spate_siphash_begin(&hash);
    for (size_t i = 0; i < count; i++) {
        uint64_t length = lengths[i];
        spate_siphash_add(&hash, &length, sizeof length);
        spate_siphash_add(&hash, paths[i], lengths[i]);
    }
    spate_siphash_end(&hash, out);
}
