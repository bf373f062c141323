#include "test/harness.h"

#include "digest/crc32c.h"

static uint8_t noise[20000];

static void make_noise(void) {
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof(noise); i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        noise[i] = (uint8_t)(state >> 56);
    }
}

/* Computes the checksum bit by bit, as its definition does. */
static uint32_t by_definition(const uint8_t *bytes, size_t length) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
    }
    return ~crc;
}

/* The values are from RFC 3720, B.4, and from the catalogues of CRC polynomials. */
TEST(published_values) {
    uint8_t bytes[32];
    CHECK(spate_crc32c(0, "123456789", 9) == 0xe3069283);
    CHECK(spate_crc32c(0, "", 0) == 0);
    memset(bytes, 0, sizeof(bytes));
    CHECK(spate_crc32c(0, bytes, sizeof(bytes)) == 0x8a9136aa);
    CHECK(spate_crc32c_portable(0, bytes, sizeof(bytes)) == 0x8a9136aa);
    memset(bytes, 0xff, sizeof(bytes));
    CHECK(spate_crc32c(0, bytes, sizeof(bytes)) == 0x62a8ab43);
    for (uint8_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = i;
    CHECK(spate_crc32c(0, bytes, sizeof(bytes)) == 0x46dd794e);
}

/* Tries lengths around each point where the algorithm changes, at every alignment. */
TEST(the_instruction_and_the_tables_agree_with_the_definition) {
    static const size_t lengths[] = {0,   1,   7,   8,    9,    63,   383,  384,  385,  511,   767,
                                     768, 769, 900, 3071, 3072, 3073, 3455, 3456, 6144, 10000, 19990};
    make_noise();
    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
        for (size_t offset = 0; offset < 9; offset++) {
            uint32_t expected = by_definition(noise + offset, lengths[i]);
            CHECK(spate_crc32c(0, noise + offset, lengths[i]) == expected);
            CHECK(spate_crc32c_portable(0, noise + offset, lengths[i]) == expected);
        }
}

TEST(a_sum_can_be_continued) {
    make_noise();
    uint32_t whole = by_definition(noise, 5000);
    for (size_t cut = 0; cut <= 5000; cut += 250) {
        CHECK(spate_crc32c(spate_crc32c(0, noise, cut), noise + cut, 5000 - cut) == whole);
        CHECK(spate_crc32c_portable(spate_crc32c(0, noise, cut), noise + cut, 5000 - cut) == whole);
    }
}

TEST(the_backend_has_a_name) {
    const char *name = spate_crc32c_backend();
    CHECK(strcmp(name, "sse4.2") == 0 || strcmp(name, "arm") == 0 || strcmp(name, "table") == 0);
}
