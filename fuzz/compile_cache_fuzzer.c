/* Fuzzes compile caches: if a file is accepted, everything in it can be read without leaving its memory and found by
 * path. */
#include <stdlib.h>
#include <string.h>

#include "compile_cache/compile_cache.h"
#include "compile_cache/format.h"

static void require(bool condition) {
    if (!condition)
        abort();
}

static uint64_t sum_of(const void *bytes, size_t length) {
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += ((const uint8_t *)bytes)[i];
    return sum;
}

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed);

/* Repairs length, key and checksum of seven in eight inputs. Otherwise the parser would reject nearly all of them. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed) {
    disk_header header;
    length = LLVMFuzzerMutate(bytes, length, capacity);
    if (length < sizeof header || seed % 8 == 0)
        return length;
    memcpy(&header, bytes, sizeof header);
    memcpy(header.magic, COMPILE_CACHE_MAGIC, sizeof header.magic);
    memset(header.key, 0, sizeof header.key);
    header.version = SPATE_COMPILE_CACHE_VERSION;
    header.endian = COMPILE_CACHE_ENDIAN;
    header.header_length = sizeof header;
    header.length = length;
    if (header.tables_length < sizeof header || header.tables_length > length)
        header.tables_length = length;
    memcpy(bytes, &header, sizeof header);
    header.checksum = spate_compile_cache_checksum(bytes, (size_t)header.tables_length);
    memcpy(bytes, &header, sizeof header);
    return length;
}

static uint64_t read_all(spate_compile_cache *compile_cache) {
    uint64_t sum = 0;
    size_t index;
    for (size_t i = 0; i < spate_compile_cache_count(compile_cache); i++) {
        spate_compile_cache_file file = spate_compile_cache_file_at(compile_cache, i);
        require(strlen(file.path) == file.path_length && file.path_length > 0);
        require((const uint8_t *)file.blob != NULL);
        /* A handcrafted table may have two entries with the same path. The entry that is found must have that path. */
        if (spate_compile_cache_find(compile_cache, spate_compile_cache_hash(file.path, file.path_length), file.path,
                                     file.path_length, &index)) {
            require(index < spate_compile_cache_count(compile_cache));
            require(strcmp(spate_compile_cache_file_at(compile_cache, index).path, file.path) == 0);
        }
        sum += sum_of(file.path, file.path_length) + sum_of(file.blob, file.blob_length);
        sum += spate_compile_cache_check_blob(compile_cache, i);
    }
    for (size_t i = 0; i < spate_compile_cache_data_count(compile_cache); i++) {
        spate_compile_cache_data data = spate_compile_cache_data_at(compile_cache, i);
        require(spate_compile_cache_find_data(compile_cache, data.name, data.name_length, &index) && index <= i);
        sum += sum_of(data.bytes, data.length) + spate_compile_cache_check_data(compile_cache, i);
    }
    require(!spate_compile_cache_find(compile_cache, 1, "no such path", 12, &index));
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    static const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES];
    spate_compile_cache *compile_cache;
    spate_compile_cache_fault fault;
    spate_error error = {0};
    volatile uint64_t sum = 0;                         /* volatile, so that the reads are not optimized away */
    uint8_t *bytes = malloc(length == 0 ? 1 : length); /* aligned; AddressSanitizer detects reads beyond its end */

    require(bytes != NULL);
    memcpy(bytes, input, length);
    spate_status status = spate_compile_cache_parse(&compile_cache, bytes, length, key, &fault, &error);
    require((status == SPATE_OK) == (compile_cache != NULL));
    require((status == SPATE_OK) == (fault == SPATE_COMPILE_CACHE_FINE));
    if (status == SPATE_OK) {
        sum += read_all(compile_cache);
        spate_compile_cache_close(compile_cache);
    }
    free(bytes);
    (void)sum;
    return 0;
}
