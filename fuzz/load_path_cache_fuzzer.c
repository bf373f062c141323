/* Fuzzes load-path caches: features can be looked up in a cache that is accepted without leaving its memory. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "digest/crc32c.h"
#include "load_path_cache/resolve/resolve.h"

static void require(bool condition) {
    if (!condition)
        abort();
}

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed);

/* Repairs magic, length and checksum of seven in eight inputs. Otherwise the reader would reject nearly all of them. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed) {
    spate_load_path_cache_header header;
    length = LLVMFuzzerMutate(bytes, length, capacity);
    if (length < sizeof header || seed % 8 == 0)
        return length;
    memcpy(&header, bytes, sizeof header);
    memcpy(header.magic, SPATE_LOAD_PATH_CACHE_MAGIC, sizeof header.magic);
    memcpy(header.shared, ".so\0\0\0\0", sizeof header.shared);
    header.endian = SPATE_LOAD_PATH_CACHE_ENDIAN;
    header.version = SPATE_LOAD_PATH_CACHE_VERSION;
    header.length = length;
    memcpy(bytes, &header, sizeof header);
    size_t summed = offsetof(spate_load_path_cache_header, checksum) + sizeof header.checksum;
    header.checksum = spate_crc32c(0, bytes + summed, length - summed);
    memcpy(bytes, &header, sizeof header);
    return length;
}

static void seen(void *context, const char *path, size_t length, uint32_t position, int kind) {
    *(uint64_t *)context += strlen(path) + length + position + (uint64_t)kind;
}

static void ask_about_all(const spate_load_path_cache *cache) {
    spate_resolver *resolver;
    spate_found found;
    uint64_t sum = 0;
    char feature[2 * SPATE_LOAD_PATH_CACHE_PATH_MAX];
    uint32_t roots[] = {0, 1, 2, SPATE_LOAD_PATH_CACHE_NONE};
    if (spate_resolver_new(&resolver, cache, ".so") != SPATE_OK)
        return;
    require(spate_resolver_load_path(resolver, roots, cache->header->roots < 3 ? cache->header->roots : 3) == SPATE_OK);
    for (uint32_t i = 0; i < cache->header->features && i < 64; i++) {
        const spate_load_path_cache_feature *one = &cache->features[i];
        const spate_load_path_cache_key *key =
            one->key < cache->header->keys ? &cache->keys[one->key] : &cache->keys[0];
        const char *path = spate_load_path_cache_text(cache, key->path, key->length);
        const char *name = spate_load_path_cache_text(cache, one->name, one->length);
        if (path == NULL || name == NULL || key->length + one->length + 2 > sizeof feature)
            continue;
        memcpy(feature, path, key->length);
        feature[key->length] = '/';
        memcpy(feature + key->length + 1, name, one->length);
        size_t start = key->length ? 0 : 1;
        size_t length = key->length + 1 + one->length - start;
        spate_resolver_find(resolver, feature + start, length, false, i % 5 == 0, &found);
        spate_resolver_find(resolver, feature + start, length, true, false, &found);
        spate_resolver_each(resolver, feature + start, length, seen, &sum);
    }
    spate_resolver_find(resolver, "a/b", 3, false, false, &found);
    spate_resolver_free(resolver);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    spate_load_path_cache cache;
    spate_error error = {0};
    uint8_t *bytes = malloc(length ? length : 1); /* aligned; AddressSanitizer detects reads beyond its end */
    require(bytes != NULL);
    memcpy(bytes, input, length);
    spate_status status = spate_load_path_cache_open(&cache, bytes, length, &error);
    require(status == SPATE_OK || error.status == SPATE_STALE);
    if (status == SPATE_OK)
        ask_about_all(&cache);
    free(bytes);
    return 0;
}
