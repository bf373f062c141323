#include "load_path_cache/load_path_cache.h"

#include "digest/crc32c.h"

#include <string.h>

static bool power_of_two(uint32_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

/* Whether the table has an empty slot. Without one, a search would not end. */
static bool slots_fit(uint32_t slots, uint32_t entries) {
    return power_of_two(slots) && slots > entries && slots <= 4 * SPATE_LOAD_PATH_CACHE_FEATURES_MAX;
}

static bool counts_fit(const spate_load_path_cache_header *header) {
    return header->roots <= SPATE_LOAD_PATH_CACHE_ROOTS_MAX &&
           header->directories <= SPATE_LOAD_PATH_CACHE_DIRECTORIES_MAX && header->keys >= 1 &&
           header->keys <= SPATE_LOAD_PATH_CACHE_DIRECTORIES_MAX + 1 &&
           header->features <= SPATE_LOAD_PATH_CACHE_FEATURES_MAX &&
           header->candidates <= 2 * SPATE_LOAD_PATH_CACHE_FEATURES_MAX &&
           slots_fit(header->root_slots, header->roots) && slots_fit(header->key_slots, header->keys) &&
           slots_fit(header->feature_slots, header->features);
}

/* Cannot overflow, because each count is limited. */
static uint64_t length_of(const spate_load_path_cache_header *header) {
    return sizeof *header + (uint64_t)header->directories * sizeof(spate_load_path_cache_directory) +
           (uint64_t)header->roots * sizeof(spate_load_path_cache_root) +
           (uint64_t)header->keys * sizeof(spate_load_path_cache_key) +
           (uint64_t)header->features * sizeof(spate_load_path_cache_feature) +
           ((uint64_t)header->candidates + header->root_slots + header->key_slots + header->feature_slots) *
               sizeof(uint32_t) +
           header->pool;
}

spate_status spate_load_path_cache_open(spate_load_path_cache *cache, const uint8_t *bytes, size_t length,
                                        spate_error *error) {
    const spate_load_path_cache_header *header = (const spate_load_path_cache_header *)(const void *)bytes;
    memset(cache, 0, sizeof *cache);
    if (length < sizeof *header || length > SPATE_LOAD_PATH_CACHE_LENGTH_MAX || (uintptr_t)bytes % 8 != 0)
        return spate_fail(error, SPATE_STALE, "", "not a load-path cache: %zu bytes", length);
    if (memcmp(header->magic, SPATE_LOAD_PATH_CACHE_MAGIC, sizeof header->magic) != 0)
        return spate_fail(error, SPATE_STALE, "", "not a load-path cache: unknown first bytes");
    if (header->endian != SPATE_LOAD_PATH_CACHE_ENDIAN || header->version != SPATE_LOAD_PATH_CACHE_VERSION)
        return spate_fail(error, SPATE_STALE, "", "a load-path cache of version %u, not %u", header->version,
                          SPATE_LOAD_PATH_CACHE_VERSION);
    if (header->length != length || !counts_fit(header) || length_of(header) != length)
        return spate_fail(error, SPATE_STALE, "", "a load-path cache with inconsistent lengths");
    if (memchr(header->shared, '\0', sizeof header->shared) == NULL || header->shared[0] != '.')
        return spate_fail(error, SPATE_STALE, "", "a load-path cache without an extension");
    size_t summed = offsetof(spate_load_path_cache_header, checksum) + sizeof header->checksum;
    if (spate_crc32c(0, bytes + summed, length - summed) != header->checksum)
        return spate_fail(error, SPATE_STALE, "", "a load-path cache with a wrong checksum");

    cache->header = header;
    cache->directories = (const void *)(bytes + sizeof *header);
    cache->roots = (const void *)(cache->directories + header->directories);
    cache->keys = (const void *)(cache->roots + header->roots);
    cache->features = (const void *)(cache->keys + header->keys);
    cache->candidates = (const void *)(cache->features + header->features);
    cache->root_slots = cache->candidates + header->candidates;
    cache->key_slots = cache->root_slots + header->root_slots;
    cache->feature_slots = cache->key_slots + header->key_slots;
    cache->pool = (const void *)(cache->feature_slots + header->feature_slots);
    return SPATE_OK;
}

const char *spate_load_path_cache_text(const spate_load_path_cache *cache, uint32_t offset, uint32_t length) {
    if (offset > cache->header->pool || length > cache->header->pool - offset)
        return NULL;
    return cache->pool + offset;
}

static bool same_text(const spate_load_path_cache *cache, uint32_t offset, uint32_t length, const char *text,
                      size_t wanted) {
    if (length != wanted)
        return false;
    const char *stored = spate_load_path_cache_text(cache, offset, length);
    return stored != NULL && memcmp(stored, text, wanted) == 0;
}

uint32_t spate_load_path_cache_find_root(const spate_load_path_cache *cache, uint32_t hash, const char *path,
                                         size_t length) {
    uint32_t mask = cache->header->root_slots - 1;
    for (uint32_t slot = spate_load_path_cache_spread(hash, 0), tries = 0; tries <= mask; slot++, tries++) {
        uint32_t number = cache->root_slots[slot & mask] - 1;
        if (number >= cache->header->roots) /* empty slots are UINT32_MAX after the subtraction */
            return SPATE_LOAD_PATH_CACHE_NONE;
        const spate_load_path_cache_root *root = &cache->roots[number];
        if (same_text(cache, root->path, root->length, path, length))
            return number;
    }
    return SPATE_LOAD_PATH_CACHE_NONE;
}

uint32_t spate_load_path_cache_find_key(const spate_load_path_cache *cache, uint32_t hash, const char *path,
                                        size_t length) {
    uint32_t mask = cache->header->key_slots - 1;
    for (uint32_t slot = spate_load_path_cache_spread(hash, 0), tries = 0; tries <= mask; slot++, tries++) {
        uint32_t number = cache->key_slots[slot & mask] - 1;
        if (number >= cache->header->keys)
            return SPATE_LOAD_PATH_CACHE_NONE;
        const spate_load_path_cache_key *key = &cache->keys[number];
        if (same_text(cache, key->path, key->length, path, length))
            return number;
    }
    return SPATE_LOAD_PATH_CACHE_NONE;
}

uint32_t spate_load_path_cache_find_feature(const spate_load_path_cache *cache, uint32_t key, uint32_t hash,
                                            const char *name, size_t length) {
    uint32_t mask = cache->header->feature_slots - 1;
    for (uint32_t slot = spate_load_path_cache_spread(hash, key), tries = 0; tries <= mask; slot++, tries++) {
        uint32_t number = cache->feature_slots[slot & mask] - 1;
        if (number >= cache->header->features)
            return SPATE_LOAD_PATH_CACHE_NONE;
        const spate_load_path_cache_feature *feature = &cache->features[number];
        if (feature->key == key && same_text(cache, feature->name, feature->length, name, length))
            return number;
    }
    return SPATE_LOAD_PATH_CACHE_NONE;
}

const uint32_t *spate_load_path_cache_candidates(const spate_load_path_cache *cache, uint32_t feature, size_t *count) {
    const spate_load_path_cache_header *header = cache->header;
    *count = 0;
    if (feature >= header->features)
        return cache->candidates;
    uint32_t first = cache->features[feature].candidate;
    uint32_t end = feature + 1 < header->features ? cache->features[feature + 1].candidate : header->candidates;
    if (first <= end && end <= header->candidates)
        *count = end - first;
    return cache->candidates + (*count ? first : 0);
}

void spate_load_path_cache_key_directories(const spate_load_path_cache *cache, uint32_t key, uint32_t *first,
                                           uint32_t *count) {
    *first = *count = 0;
    if (key >= cache->header->keys)
        return;
    const spate_load_path_cache_key *entry = &cache->keys[key];
    if (entry->directory <= cache->header->directories &&
        entry->directories <= cache->header->directories - entry->directory) {
        *first = entry->directory;
        *count = entry->directories;
    }
}

void spate_load_path_cache_fingerprint(const char *const *paths, const size_t *lengths, size_t count,
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
