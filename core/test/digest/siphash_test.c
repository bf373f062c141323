#include "test/harness.h"

#include "digest/siphash.h"

static const struct {
    size_t length;
    const char *hex;
} vectors[] = {
    {0, "a3817f04ba25a8e66df67214c7550293"},    {1, "da87c1d86b99af44347659119b22fc45"},
    {2, "8177228da4a45dc7fca38bdef60affe4"},    {7, "a1f1ebbed8dbc153c0b84aa61ff08239"},
    {8, "3b62a9ba6258f5610f83e264f31497b4"},    {9, "264499060ad9baabc47f8b02bb6d71ed"},
    {15, "5493e99933b0a8117e08ec0f97cfc3d9"},   {16, "6ee2a4ca67b054bbfd3315bf85230577"},
    {63, "5150d1772f50834a503e069a973fbd7c"},   {64, "1eaf077dc0d4cd3f8cad4d383658a74b"},
    {1000, "24dafa789ae03d86536a4b57372f0ba6"},
};

static void check_hex(const char *expected, const uint8_t hash[SPATE_SIPHASH_BYTES]) {
    char hex[2 * SPATE_SIPHASH_BYTES + 1];
    for (size_t i = 0; i < SPATE_SIPHASH_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    CHECK_STRING(expected, hex);
}

static void count_up(uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)i;
}

/* The input is the bytes 0, 1, 2 and so on. The short lengths are published vectors; OpenSSL's MAC gave the values for
 * the longer ones. */
TEST(published_vectors) {
    uint8_t bytes[1000];
    uint8_t hash[SPATE_SIPHASH_BYTES];
    count_up(bytes, sizeof(bytes));
    for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
        spate_siphash_of(bytes, vectors[i].length, hash);
        check_hex(vectors[i].hex, hash);
    }
}

TEST(pieces_of_any_length_have_the_same_hash) {
    uint8_t bytes[64];
    uint8_t hash[SPATE_SIPHASH_BYTES];
    count_up(bytes, sizeof(bytes));
    for (size_t piece = 1; piece <= 64; piece++) {
        spate_siphash state;
        spate_siphash_begin(&state);
        for (size_t at = 0; at < sizeof(bytes); at += piece)
            spate_siphash_add(&state, bytes + at, piece < sizeof(bytes) - at ? piece : sizeof(bytes) - at);
        spate_siphash_add(&state, bytes, 0);
        spate_siphash_end(&state, hash);
        check_hex("1eaf077dc0d4cd3f8cad4d383658a74b", hash);
    }
}
