/* Tests that the system's library compresses and expands files, and that a damaged file returns a status. */
#include "archive/zstd.h"
#include "test/scratch.h"

#define LARGE ((size_t)1 << 20)
#define NEEDS_ZSTD() NEEDS(!spate_zstd_missing(), "no libzstd.so.1 here")

/* Returns a descriptor of a new file with these bytes, positioned at the start. */
static int holding(const void *bytes, size_t length) {
    int descriptor = open(fresh("file"), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    CHECK(descriptor >= 0);
    CHECK(spate_write_all(descriptor, bytes, length));
    CHECK(lseek(descriptor, 0, SEEK_SET) == 0);
    return descriptor;
}

static size_t bytes_of(int descriptor, uint8_t *bytes, size_t capacity) {
    CHECK(lseek(descriptor, 0, SEEK_SET) == 0);
    int64_t got = spate_read_full(descriptor, bytes, capacity);
    CHECK(got >= 0);
    return (size_t)got;
}

static size_t compress(const void *bytes, size_t length, uint8_t *packed, size_t capacity) {
    spate_error error;
    int from = holding(bytes, length);
    int to = holding("", 0);
    CHECK_OK(spate_zstd_compress(from, to, 3, NULL, &error));
    size_t got = bytes_of(to, packed, capacity);
    close(from);
    close(to);
    return got;
}

static spate_status expand(const uint8_t *packed, size_t length, uint64_t max, uint8_t *bytes, size_t *got) {
    static uint8_t spare[2 * LARGE];
    spate_error error;
    int from = holding(packed, length);
    int to = holding("", 0);
    spate_status status = spate_zstd_expand(from, to, max, NULL, &error);
    size_t all = bytes_of(to, bytes ? bytes : spare, 2 * LARGE);
    if (got)
        *got = all;
    CHECK(all <= max);
    close(from);
    close(to);
    return status;
}

static const uint8_t *noise(void) {
    static uint8_t bytes[LARGE];
    uint32_t state = 1;
    for (size_t i = 0; i < LARGE; i++)
        bytes[i] = (uint8_t)((state = state * 1103515245u + 12345u) >> 16);
    return bytes;
}

TEST(compressed_data_expands_to_the_original) {
    static uint8_t packed[2 * LARGE];
    static uint8_t bytes[2 * LARGE];
    static const uint8_t zeros[LARGE];
    size_t lengths[] = {0, 1, 4096, (128 << 10) - 1, 128 << 10, (128 << 10) + 1, LARGE};
    NEEDS_ZSTD();
    for (size_t i = 0; i < 2 * sizeof(lengths) / sizeof(*lengths); i++) {
        const uint8_t *content = i % 2 ? zeros : noise();
        size_t length = lengths[i / 2];
        size_t got;
        size_t small = compress(content, length, packed, sizeof(packed));
        CHECK_OK(expand(packed, small, length, bytes, &got));
        CHECK_NUMBER(length, got);
        CHECK_BYTES(content, bytes, length);
    }
}

/* For example, a build may contain two copies of a library. */
TEST(repeated_data_is_stored_once) {
    enum { BETWEEN = 4 };
    static uint8_t bytes[(BETWEEN + 2) * LARGE];
    static uint8_t packed[2 * LARGE];
    NEEDS_ZSTD();
    memcpy(bytes, noise(), LARGE);
    memcpy(bytes + (BETWEEN + 1) * LARGE, noise(), LARGE);
    CHECK(compress(bytes, sizeof(bytes), packed, sizeof(packed)) < LARGE + LARGE / 10);
}

TEST(no_more_than_allowed_is_written) {
    static uint8_t packed[2 * LARGE];
    static const uint8_t zeros[LARGE];
    NEEDS_ZSTD();
    size_t small = compress(zeros, LARGE, packed, sizeof(packed));
    CHECK(small < 4096);
    CHECK_STATUS(SPATE_LIMIT, expand(packed, small, LARGE - 1, NULL, NULL));
    CHECK_STATUS(SPATE_LIMIT, expand(packed, small, 0, NULL, NULL));
    CHECK_OK(expand(packed, small, LARGE, NULL, NULL));
}

TEST(truncated_data_is_truncated) {
    static uint8_t packed[2 * LARGE];
    NEEDS_ZSTD();
    size_t length = compress(noise(), 300000, packed, sizeof(packed));
    for (size_t cut = 0; cut < length; cut += cut < 40 || cut > length - 40 ? 1 : 9973)
        CHECK_STATUS(SPATE_TRUNCATED, expand(packed, cut, LARGE, NULL, NULL));
}

TEST(a_changed_byte_is_found) {
    static uint8_t packed[2 * LARGE];
    static uint8_t bytes[2 * LARGE];
    size_t got;
    NEEDS_ZSTD();
    size_t length = compress(noise(), 20000, packed, sizeof(packed));
    for (size_t at = 0; at < length; at += at < 16 || at > length - 16 ? 1 : 997) {
        packed[at] ^= 0x55;
        spate_status status = expand(packed, length, LARGE, bytes, &got);
        packed[at] ^= 0x55;
        /* A flip of an unused header bit has no effect. */
        CHECK(status != SPATE_OK || (got == 20000 && memcmp(bytes, noise(), got) == 0));
    }
}

TEST(window_larger_than_the_limit_is_refused) {
    /* The magic number, the descriptor, a window of 2^31 bytes, and one empty last block. */
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00};
    NEEDS_ZSTD();
    CHECK_STATUS(SPATE_CORRUPT, expand(frame, sizeof(frame), LARGE, NULL, NULL));
}

TEST(bytes_after_the_frame_are_refused) {
    static uint8_t packed[2 * LARGE];
    NEEDS_ZSTD();
    size_t length = compress("abc", 3, packed, sizeof(packed));
    packed[length] = 0;
    CHECK_STATUS(SPATE_CORRUPT, expand(packed, length + 1, LARGE, NULL, NULL));
    memmove(packed + length, packed, length);
    CHECK_STATUS(SPATE_CORRUPT, expand(packed, 2 * length, LARGE, NULL, NULL));
}

TEST(invalid_frame_is_refused) {
    NEEDS_ZSTD();
    CHECK_STATUS(SPATE_CORRUPT, expand((const uint8_t *)"<html><body>not found</body>", 28, LARGE, NULL, NULL));
}

TEST(cancelled_work_ends) {
    spate_cancel cancel = {1};
    spate_error error;
    NEEDS_ZSTD();
    int from = holding("abc", 3);
    int to = holding("", 0);
    CHECK_STATUS(SPATE_CANCELLED, spate_zstd_compress(from, to, 3, &cancel, &error));
    CHECK(lseek(from, 0, SEEK_SET) == 0);
    CHECK_STATUS(SPATE_CANCELLED, spate_zstd_expand(from, to, 3, &cancel, &error));
    close(from);
    close(to);
}

TEST(system_errors_are_returned) {
    spate_error error;
    NEEDS_ZSTD();
    int from = holding("abc", 3);
    int to = open("/dev/full", O_WRONLY | O_CLOEXEC);
    NEEDS(to >= 0, "no /dev/full here");
    CHECK_STATUS(SPATE_SYSTEM, spate_zstd_compress(from, to, 3, NULL, &error));
    CHECK_STATUS(SPATE_SYSTEM, spate_zstd_compress(-1, to, 3, NULL, &error));
    for (long nth = 0; nth < 2; nth++) {
        harness_fail_allocation(nth);
        CHECK_STATUS(SPATE_NO_MEMORY, spate_zstd_expand(from, to, 3, NULL, &error));
        harness_fail_allocation(-1);
    }
    close(from);
    close(to);
}
