/* Tests the messages between a client and its warm parent. */
#include "test/harness.h"

#include "front/warm/messages.h"

#include <limits.h>
#include <signal.h>

#define WORDS(...) ((char *const[]){__VA_ARGS__, NULL})

TEST(a_request_has_numbers_words_and_variables) {
    spate_warm_command command = {.ignored = 1u << 12,
                                  .blocked = UINT64_MAX,
                                  .others = (const int[]){7, 255},
                                  .other_count = 2,
                                  .words = WORDS("bin/rails", "a b", ""),
                                  .environment = WORDS("A=1", "odd")};
    static const char expected[] = "SPATEW2\0"
                                   "4096\0"
                                   "18446744073709551615\0"
                                   "7,255,\0"
                                   "3\0bin/rails\0a b\0\0"
                                   "2\0A=1\0odd";
    size_t length;
    uint8_t *bytes = spate_warm_encode(&command, &length);
    CHECK(bytes);
    CHECK_NUMBER(4 + sizeof(expected), length);
    CHECK_NUMBER(sizeof(expected), bytes[0]);
    CHECK(bytes[1] == 0 && bytes[2] == 0 && bytes[3] == 0);
    CHECK_BYTES(expected, bytes + 4, sizeof(expected));
    free(bytes);
}

TEST(a_request_has_at_most_4_mb) {
    char *large = malloc(SPATE_WARM_REQUEST_MAX + 1);
    CHECK(large);
    memset(large, 'x', SPATE_WARM_REQUEST_MAX);
    large[SPATE_WARM_REQUEST_MAX - 2000] = '\0';
    spate_warm_command command = {.words = WORDS("rails"), .environment = WORDS(large)};
    size_t length;
    uint8_t *bytes = spate_warm_encode(&command, &length);
    CHECK(bytes && length < SPATE_WARM_REQUEST_MAX && length > SPATE_WARM_REQUEST_MAX - 2000);
    CHECK_NUMBER(length - 4, bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24);
    free(bytes);
    large[SPATE_WARM_REQUEST_MAX - 2000] = 'x';
    large[SPATE_WARM_REQUEST_MAX] = '\0';
    CHECK(!spate_warm_encode(&command, &length));
    free(large);
}

TEST(failed_allocation_encodes_no_request) {
    spate_warm_command command = {.words = WORDS("rails"), .environment = WORDS("A=1")};
    size_t length;
    harness_fail_allocation(0);
    uint8_t *bytes = spate_warm_encode(&command, &length);
    harness_fail_allocation(-1);
    CHECK(!bytes);
}

static spate_warm_reply reply;

static bool decode(uint32_t kind, uint32_t value) {
    uint8_t bytes[SPATE_WARM_REPLY_BYTES];
    for (size_t at = 0; at < 4; at++) {
        bytes[at] = (uint8_t)(kind >> 8 * at);
        bytes[4 + at] = (uint8_t)(value >> 8 * at);
    }
    return spate_warm_decode(bytes, &reply);
}

TEST(replies_have_a_kind_and_a_value) {
    CHECK(decode(1, 0x12345) && reply.kind == SPATE_WARM_STARTED && reply.value == 0x12345);
    CHECK(decode(2, 255) && reply.kind == SPATE_WARM_EXITED && reply.value == 255);
    CHECK(decode(3, SIGKILL) && reply.kind == SPATE_WARM_SIGNALED && reply.value == SIGKILL);
    CHECK(decode(4, 0) && reply.kind == SPATE_WARM_REFUSED);
    CHECK(decode(5, SIGTSTP) && reply.kind == SPATE_WARM_STOPPED && reply.value == SIGTSTP);
}

/* kill(-1) would signal all processes of the user, and kill(0) the client's own process group. */
TEST(values_out_of_range_are_no_replies) {
    static const uint32_t bad[][2] = {{0, 1},          {6, 1},        {UINT32_MAX, 1}, {1, 0},          {1, 1},
                                      {1, UINT32_MAX}, {1, 1u << 31}, {2, 256},        {2, UINT32_MAX}, {3, 0},
                                      {3, 65},         {5, 0},        {5, 65},         {3, UINT32_MAX}};
    for (size_t at = 0; at < sizeof(bad) / sizeof(*bad); at++)
        CHECK(!decode(bad[at][0], bad[at][1]));
}

TEST(any_bytes_are_a_valid_reply_or_rejected) {
    uint32_t state = 1;
    for (unsigned round = 0; round < 100000; round++) {
        uint8_t bytes[SPATE_WARM_REPLY_BYTES];
        for (size_t at = 0; at < sizeof(bytes); at++) {
            state = state * 1103515245 + 12345;
            bytes[at] = at == 0 || (round & 1 && at == 4) ? (uint8_t)(state >> 16) & 7 : (uint8_t)(state >> 28) / 15;
        }
        if (spate_warm_decode(bytes, &reply))
            CHECK(reply.value >= 0 && (reply.kind != SPATE_WARM_STARTED || reply.value > 1) &&
                  ((reply.kind != SPATE_WARM_SIGNALED && reply.kind != SPATE_WARM_STOPPED) || reply.value <= 64));
    }
}
