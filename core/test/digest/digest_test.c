#include "digest/digest.h"
#include "digest/hex.h"
#include "test/scratch.h"

#include <pthread.h>

/* Examples from FIPS 180-4: "abc" and the empty message. */
static const struct {
    spate_digest_kind kind;
    const char *message;
    const char *hex;
} known[] = {
    {SPATE_SHA1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {SPATE_SHA1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
    {SPATE_SHA256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {SPATE_SHA256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {SPATE_SHA512, "abc",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
     "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
    {SPATE_SHA512, "",
     "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
     "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"},
};
#define KNOWN (sizeof known / sizeof known[0])

TEST(known_answers_at_once) {
    for (size_t i = 0; i < KNOWN; i++) {
        uint8_t out[SPATE_DIGEST_MAX];
        char hex[2 * SPATE_DIGEST_MAX + 1];
        CHECK_OK(spate_digest_once(known[i].kind, known[i].message, strlen(known[i].message), out));
        spate_hex(out, spate_digest_bytes(known[i].kind), hex);
        CHECK_STRING(known[i].hex, hex);
    }
}

TEST(known_answers_in_pieces_and_again_after_finish) {
    for (size_t i = 0; i < KNOWN; i++) {
        spate_digest *digest;
        CHECK_OK(spate_digest_new(&digest, known[i].kind));
        for (int round = 0; round < 2; round++) {
            uint8_t out[SPATE_DIGEST_MAX];
            char hex[2 * SPATE_DIGEST_MAX + 1];
            for (const char *at = known[i].message; *at != '\0'; at++)
                CHECK_OK(spate_digest_update(digest, at, 1));
            CHECK_OK(spate_digest_update(digest, NULL, 0));
            CHECK_OK(spate_digest_finish(digest, out));
            spate_hex(out, spate_digest_bytes(known[i].kind), hex);
            CHECK_STRING(known[i].hex, hex);
        }
        spate_digest_free(digest);
    }
}

TEST(free_takes_null) {
    spate_digest_free(NULL);
}

TEST(a_thread_allocates_once) {
    uint8_t out[SPATE_DIGEST_MAX];
    CHECK_OK(spate_digest_once(SPATE_SHA512, "a", 1, out));
    harness_fail_allocation(-1);
    for (int i = 0; i < 100; i++)
        CHECK_OK(spate_digest_once(SPATE_SHA512, &i, sizeof i, out));
    CHECK_NUMBER(0, harness_allocations());
}

static void *without_memory(void *answer) {
    uint8_t out[SPATE_DIGEST_MAX];
    harness_fail_allocation(0);
    *(spate_status *)answer = spate_digest_once(SPATE_SHA512, "a", 1, out);
    harness_fail_allocation(-1);
    return NULL;
}

TEST(no_memory) {
    spate_digest *digest;
    harness_fail_allocation(0);
    CHECK_STATUS(SPATE_NO_MEMORY, spate_digest_new(&digest, SPATE_SHA256));
    CHECK(digest == NULL);
    harness_fail_allocation(-1);

    pthread_t thread;
    spate_status status = SPATE_OK;
    CHECK(pthread_create(&thread, NULL, without_memory, &status) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_STATUS(SPATE_NO_MEMORY, status);
}

TEST(unknown_kinds) {
    spate_digest *digest;
    uint8_t out[SPATE_DIGEST_MAX];
    CHECK_STATUS(SPATE_SYSTEM, spate_digest_new(&digest, (spate_digest_kind)7));
    CHECK_STATUS(SPATE_SYSTEM, spate_digest_once((spate_digest_kind)7, "", 0, out));
    CHECK_NUMBER(0, spate_digest_bytes((spate_digest_kind)7));
}

static void *hash_much(void *wrong) {
    static const spate_digest_kind kinds[] = {SPATE_SHA256, SPATE_SHA512, SPATE_SHA1};
    for (size_t i = 0; i < 3000; i++) {
        uint8_t once[SPATE_DIGEST_MAX], pieces[SPATE_DIGEST_MAX];
        spate_digest *digest;
        spate_digest_kind kind = kinds[i % 3];
        if (spate_digest_once(kind, &i, sizeof i, once) != SPATE_OK || spate_digest_new(&digest, kind) != SPATE_OK) {
            ++*(int *)wrong;
            continue;
        }
        if (spate_digest_update(digest, &i, sizeof i) != SPATE_OK || spate_digest_finish(digest, pieces) != SPATE_OK ||
            memcmp(once, pieces, spate_digest_bytes(kind)) != 0)
            ++*(int *)wrong;
        spate_digest_free(digest);
    }
    return NULL;
}

TEST(threads_do_not_disturb_each_other) {
    pthread_t threads[4];
    int wrong[4] = {0};
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, hash_much, &wrong[i]) == 0);
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK_NUMBER(0, wrong[i]);
    }
}

TEST(a_file_is_hashed_in_steps) {
    static uint8_t bytes[200000];
    uint8_t expected[SPATE_SHA256_BYTES], found[SPATE_SHA256_BYTES];
    const char *path = in_scratch("file");
    const size_t lengths[] = {0, 1, 65535, 65536, 65537, 131072, sizeof(bytes)};
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 7);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
        CHECK_OK(spate_write_file(path, bytes, lengths[i], NULL));
        CHECK_OK(spate_digest_once(SPATE_SHA256, bytes, lengths[i], expected));
        CHECK_OK(spate_digest_file(path, NULL, found, NULL));
        CHECK_BYTES(expected, found, sizeof(found));
    }
}

TEST(hashing_a_file_can_be_cancelled_and_fail) {
    static uint8_t bytes[200000];
    uint8_t found[SPATE_SHA256_BYTES];
    spate_cancel cancel = {1};
    spate_error error;
    CHECK_OK(spate_write_file(in_scratch("long"), bytes, sizeof(bytes), NULL));
    CHECK_STATUS(SPATE_CANCELLED, spate_digest_file(in_scratch("long"), &cancel, found, &error));
    CHECK_STATUS(SPATE_SYSTEM, spate_digest_file(in_scratch("missing"), NULL, found, &error));
    CHECK_STATUS(SPATE_SYSTEM, spate_digest_file(in_scratch(""), NULL, found, &error));
}
