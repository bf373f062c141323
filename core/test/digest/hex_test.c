#include "test/harness.h"

#include "digest/hex.h"

TEST(hex_round_trip) {
    uint8_t bytes[256], back[256];
    char hex[513];
    for (int i = 0; i < 256; i++)
        bytes[i] = (uint8_t)i;
    spate_hex(bytes, 256, hex);
    CHECK_NUMBER(512, strlen(hex));
    CHECK(spate_unhex(hex, 512, back, 256));
    CHECK_BYTES(bytes, back, 256);
    CHECK(spate_unhex("aBCd", 4, back, 2));
    CHECK(back[0] == 0xab && back[1] == 0xcd);
    CHECK(spate_unhex("", 0, back, 0));
}

TEST(invalid_hex) {
    uint8_t bytes[4];
    CHECK(!spate_unhex("abc", 3, bytes, 1));
    CHECK(!spate_unhex("abcd", 4, bytes, 1));
    CHECK(!spate_unhex("ab", 2, bytes, 2));
    CHECK(!spate_unhex("ag", 2, bytes, 1));
    CHECK(!spate_unhex("0x", 2, bytes, 1));
    CHECK(!spate_unhex(" a", 2, bytes, 1));
    CHECK(!spate_unhex("a\xff", 2, bytes, 1));
}
