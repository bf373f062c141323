#include "test/harness.h"

#include "digest/digest.h"
#include "digest/hex.h"
#include "digest/sha256.h"

static void check_hex(const char *expected, const void *bytes, size_t length) {
    uint8_t found[SPATE_SHA256_LENGTH];
    char hex[2 * SPATE_SHA256_LENGTH + 1];
    spate_sha256_of(bytes, length, found);
    spate_hex(found, sizeof(found), hex);
    CHECK_STRING(expected, hex);
}

/* The examples are from FIPS 180-4. */
TEST(published_messages_have_the_published_digests) {
    static const char *const two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    check_hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", NULL, 0);
    check_hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "abc", 3);
    check_hex("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", two_blocks, strlen(two_blocks));
}

/* Hashes each length around the block boundaries, whole and in two pieces. Compares the digest with libcrypto's. */
TEST(any_length_in_any_pieces_equals_libcrypto) {
    uint8_t bytes[400];
    uint8_t expected[SPATE_SHA256_LENGTH];
    uint8_t found[SPATE_SHA256_LENGTH];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 7 + i / 3);
    for (size_t length = 0; length <= sizeof(bytes); length++) {
        CHECK_OK(spate_digest_once(SPATE_SHA256, bytes, length, expected));
        spate_sha256_portable(bytes, length, found);
        CHECK_BYTES(expected, found, sizeof(found));
        for (size_t cut = 0; cut <= length; cut += 13) {
            spate_sha256 hash;
            spate_sha256_begin(&hash);
            spate_sha256_add(&hash, bytes, cut);
            spate_sha256_add(&hash, bytes + cut, length - cut);
            spate_sha256_end(&hash, found);
            CHECK_BYTES(expected, found, sizeof(found));
        }
    }
}

TEST(the_backend_has_a_name) {
    CHECK(strcmp(spate_sha256_backend(), "c") == 0 || strcmp(spate_sha256_backend(), "sha-ni") == 0);
}
