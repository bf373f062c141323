/* Fuzzes manifests: if a manifest is accepted, everything in it can be read without leaving its memory and found by
 * path. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "manifest/manifest.h"

static void require(bool condition) {
    if (!condition)
        abort();
}

static uint64_t sum_of(const char *text, size_t length) {
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += (uint8_t)text[i];
    return sum;
}

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed);

/* Repairs checksum and length of seven in eight inputs. Otherwise the parser would reject nearly all of them. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed) {
    length = LLVMFuzzerMutate(bytes, length, capacity);
    if (length < 128 || seed % 8 == 0)
        return length;
    uint64_t whole = length;
    memcpy(bytes, "SPATEMF1", 8);
    memcpy(bytes + 24, &whole, sizeof whole);
    uint32_t checksum = (uint32_t)crc32(0, bytes + 16, (unsigned)(length - 16));
    memcpy(bytes + 12, &checksum, sizeof checksum);
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    spate_manifest *manifest;
    spate_error error = {0};
    volatile uint64_t sum = 0; /* volatile, so that the reads are not optimized away */
    uint8_t *bytes = malloc(length + 1); /* aligned; AddressSanitizer detects reads beyond its end */

    require(bytes != NULL);
    memcpy(bytes, input, length);
    bytes = realloc(bytes, length == 0 ? 1 : length);
    require(bytes != NULL);
    spate_status status = spate_manifest_parse(&manifest, bytes, length, &error);
    require((status == SPATE_OK) == (manifest != NULL));
    require(status == SPATE_OK || error.status == status);
    if (status == SPATE_OK) {
        size_t facts_length;
        const char *facts = spate_manifest_facts(manifest, &facts_length);
        sum += sum_of(facts, facts_length) + *spate_manifest_sha256(manifest);
        for (size_t i = 0; i < spate_manifest_count(manifest); i++) {
            spate_entry entry = spate_manifest_entry(manifest, i);
            size_t index;
            sum += sum_of(entry.path, strlen(entry.path)) + sum_of(entry.target, strlen(entry.target));
            require(entry.path[0] != '/' && entry.mode <= 0777);
            require(spate_manifest_find(manifest, entry.path, &index) && index == i);
        }
        spate_manifest_close(manifest);
    }
    free(bytes);
    (void)sum;
    return 0;
}
