/* Fuzzes records of inputs: a record that is accepted can be listed and checked without leaving its memory. */
#include <stdlib.h>
#include <string.h>

#include "digest/crc32c.h"
#include "inputs/inputs.h"

static void require(bool condition) {
    if (!condition)
        abort();
}

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed);

/* Repairs checksum and length of seven in eight inputs. Otherwise the parser would reject nearly all of them. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed) {
    length = LLVMFuzzerMutate(bytes, length, capacity);
    if (length < 56 || seed % 8 == 0)
        return length;
    uint64_t whole = length;
    uint32_t counts[5];
    memcpy(bytes, "SPATEIN1\1\0\0\0", 12);
    memcpy(bytes + 16, &whole, sizeof whole);
    memcpy(bytes + 24, "\70\0\0\0", 4);
    memcpy(counts, bytes + 28, sizeof counts);
    uint64_t tables = 56 + 8 * (uint64_t)counts[0] + 96 * (uint64_t)counts[1] + 104 * (uint64_t)counts[2] +
                      8 * (uint64_t)counts[3] + 48 * (uint64_t)counts[4];
    if (tables <= length) {
        uint64_t strings = length - tables;
        memcpy(bytes + 48, &strings, sizeof strings);
    }
    uint32_t checksum = spate_crc32c(0, bytes + 16, length - 16);
    memcpy(bytes + 12, &checksum, sizeof checksum);
    return length;
}

static uint64_t sum_of(const char *text) {
    uint64_t sum = 0;
    for (; text && *text; text++)
        sum += (uint8_t)*text;
    return sum;
}

static void show(void *context, const spate_inputs_item *item) {
    uint64_t *sum = context;
    require(item->kind < SPATE_INPUT_KINDS);
    require(strlen(item->path) < SPATE_INPUTS_PATH_MAX);
    *sum += sum_of(item->root) + sum_of(item->path) + sum_of(item->target) + sum_of(item->target_root);
    *sum += item->sha256 ? item->sha256[SPATE_SHA256_LENGTH - 1] : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    static const char *const environment[] = {"CC=gcc", NULL};
    static const spate_inputs_root roots[] = {{"bundle", "/nonexistent/bundle"}, {"home", "/nonexistent"}};
    static const spate_inputs_place place = {roots, 2, environment, "/nonexistent/cpuinfo"};
    spate_inputs *record;
    spate_error error = {0};
    volatile uint64_t total = 0; /* volatile, so that the reads are not optimized away */
    uint64_t sum = 0;

    spate_status status = spate_inputs_parse(&record, input, length, &error);
    require((status == SPATE_OK) == (record != NULL));
    require(status == SPATE_OK || error.status == status);
    if (status == SPATE_OK) {
        static spate_inputs_answer answer;
        status = spate_inputs_each(record, show, &sum);
        require(status == SPATE_OK || status == SPATE_LIMIT);
        require(spate_inputs_check(record, &place, NULL, &answer) == SPATE_OK);
        require(memchr(answer.path, '\0', sizeof answer.path) != NULL && answer.change < SPATE_INPUTS_CHANGES);
        total += sum;
    }
    spate_inputs_close(record);
    (void)total;
    return 0;
}
