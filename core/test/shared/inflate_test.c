#include "test/harness.h"

#include <pthread.h>
#include <zlib.h>

#include "shared/inflate.h"

#define UNLIMITED ((size_t)1 << 30)

typedef struct bytes {
    uint8_t *at;
    size_t length;
} bytes;

static uint8_t *content_of(size_t length) {
    static const char *const words[] = {"river ", "spate ", "link ", "object ", "store\n", "gem "};
    uint8_t *content = malloc(length + 16);
    uint32_t seed = 12345;
    for (size_t at = 0; at < length;) {
        seed = seed * 1664525 + 1013904223;
        const char *word = words[(seed >> 16) % 6];
        memcpy(content + at, word, strlen(word));
        at += strlen(word);
    }
    return content;
}

/* window_bits has zlib's meaning: -15 for raw, 15 for zlib, 31 for gzip. */
static bytes deflated(int window_bits, const uint8_t *content, size_t length, int level) {
    z_stream stream = {0};
    CHECK(deflateInit2(&stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    bytes made = {malloc(deflateBound(&stream, length) + 64), 0};
    stream.next_in = (Bytef *)(uintptr_t)content;
    stream.avail_in = (uInt)length;
    stream.next_out = made.at;
    stream.avail_out = (uInt)(deflateBound(&stream, length) + 64);
    CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    made.length = stream.total_out;
    CHECK(deflateEnd(&stream) == Z_OK);
    return made;
}

static bytes gzipped(const char *text) {
    return deflated(31, (const uint8_t *)text, strlen(text), 9);
}

/* Frees both inputs. */
static bytes joined(bytes a, bytes b) {
    bytes both = {malloc(a.length + b.length + 1), a.length + b.length};
    memcpy(both.at, a.at, a.length);
    memcpy(both.at + a.length, b.at, b.length);
    free(a.at);
    free(b.at);
    return both;
}

static bytes copied(const void *from, size_t length) {
    bytes copy = {malloc(length + 1), length};
    memcpy(copy.at, from, length);
    return copy;
}

/* Reads an exact copy on the heap, so that a sanitizer notices a read past the end. */
static spate_status whole(spate_container container, const uint8_t *input, size_t length, size_t max,
                          spate_buffer *output) {
    uint8_t *exact = malloc(length == 0 ? 1 : length);
    memcpy(exact, input, length);
    spate_error error = {0};
    spate_status status = spate_inflate(container, exact, length, max, output, NULL, &error);
    CHECK_NUMBER(status, error.status);
    CHECK(status == SPATE_OK || output->length == 0);
    CHECK(status == SPATE_OK || error.message[0] != '\0');
    free(exact);
    return status;
}

static spate_status streamed(spate_container container, const uint8_t *input, size_t length, uint64_t max, size_t step,
                             spate_buffer *output) {
    spate_inflate_stream *stream;
    spate_error error = {0};
    size_t produced = 0;
    spate_status status;

    output->length = 0;
    CHECK_OK(spate_inflate_open(&stream, container, input, length, max, &error));
    do {
        if (output->capacity < output->length + step)
            CHECK_OK(spate_buffer_reserve(output, 2 * output->length + step));
        status = spate_inflate_read(stream, output->bytes + output->length, step, &produced, &error);
        output->length += produced;
    } while (status == SPATE_OK && produced > 0);
    CHECK_NUMBER(status, error.status);
    CHECK_STATUS(status, spate_inflate_read(stream, output->bytes, 1, &produced, NULL)); /* another call repeats the
                                                                                          * status */
    CHECK_NUMBER(0, produced);
    spate_inflate_close(stream);
    return status;
}

/* Inflates the input whole, and as a stream in several step sizes. The status must be the same, and also the content if
 * there is any. */
static spate_status both(spate_container container, bytes input, size_t max, spate_buffer *output) {
    static const size_t steps[] = {1, 7, 512, 100000};
    spate_status status = whole(container, input.at, input.length, max, output);
    for (size_t i = input.length > 3000 ? 3 : 0; i < 4; i++) {
        spate_buffer other = {0};
        CHECK_STATUS(status, streamed(container, input.at, input.length, max, steps[i], &other));
        if (status == SPATE_OK) {
            CHECK_NUMBER(output->length, other.length);
            CHECK_BYTES(output->bytes, other.bytes, output->length);
        }
        spate_buffer_free(&other);
    }
    return status;
}

static void check_output(spate_container container, bytes input, const char *expected) {
    spate_buffer output = {0};
    CHECK_OK(both(container, input, UNLIMITED, &output));
    CHECK_NUMBER(strlen(expected), output.length);
    CHECK_BYTES(expected, output.bytes, output.length);
    spate_buffer_free(&output);
    free(input.at);
}

static void fails(spate_status expected, spate_container container, bytes input) {
    spate_buffer output = {0};
    CHECK_STATUS(expected, both(container, input, UNLIMITED, &output));
    spate_buffer_free(&output);
    free(input.at);
}

TEST(every_container_at_every_level) {
    static const struct {
        spate_container container;
        int window_bits;
    } containers[] = {{SPATE_RAW, -15}, {SPATE_ZLIB, 15}, {SPATE_GZIP, 31}, {SPATE_GZIP_FIRST, 31}};
    static const size_t lengths[] = {0, 1, 511, 70000, 3000000};
    for (size_t c = 0; c < 4; c++) {
        for (size_t l = 0; l < 5; l++) {
            uint8_t *content = content_of(lengths[l]);
            /* zlib takes seconds to compress large content well. */
            int best = lengths[l] < 100000 || harness_full() ? 9 : 3;
            for (int level = 0; level <= best; level += 3) {
                bytes input = deflated(containers[c].window_bits, content, lengths[l], level);
                spate_buffer output = {0};
                CHECK_OK(both(containers[c].container, input, UNLIMITED, &output));
                CHECK_NUMBER(lengths[l], output.length);
                CHECK_BYTES(content, output.bytes, output.length);
                spate_buffer_free(&output);
                free(input.at);
            }
            free(content);
        }
    }
}

TEST(members_one_after_the_other) {
    check_output(SPATE_GZIP, joined(gzipped("one "), gzipped("two")), "one two");
    check_output(SPATE_GZIP, joined(joined(gzipped("one "), gzipped("")), gzipped("three")), "one three");
    check_output(SPATE_GZIP_FIRST, joined(gzipped("one "), gzipped("two")), "one ");
}

TEST(a_second_member_is_checked) {
    bytes two = joined(gzipped("one "), gzipped("two"));
    two.at[two.length - 5] ^= 1;
    fails(SPATE_CHECKSUM, SPATE_GZIP, copied(two.at, two.length));
    fails(SPATE_TRUNCATED, SPATE_GZIP, copied(two.at, two.length - 3));
    check_output(SPATE_GZIP_FIRST, two, "one ");
}

TEST(many_members) {
    bytes all = copied("", 0);
    spate_buffer output = {0};
    for (int i = 0; i < 300; i++)
        all = joined(all, gzipped("0123456789"));
    CHECK_OK(both(SPATE_GZIP, all, UNLIMITED, &output));
    CHECK_NUMBER(3000, output.length);
    CHECK_STATUS(SPATE_LIMIT, both(SPATE_GZIP, all, 2999, &output));
    CHECK_OK(both(SPATE_GZIP, all, 3000, &output));
    spate_buffer_free(&output);
    free(all.at);
}

TEST(padding_and_garbage_after_the_end) {
    static const uint8_t zeros[1000];
    check_output(SPATE_GZIP, joined(gzipped("a"), copied(zeros, 1)), "a");
    check_output(SPATE_GZIP, joined(gzipped("a"), copied(zeros, sizeof zeros)), "a");
    check_output(SPATE_ZLIB, joined(deflated(15, (const uint8_t *)"a", 1, 9), copied(zeros, 9)), "a");
    fails(SPATE_CORRUPT, SPATE_GZIP, joined(gzipped("a"), copied("garbage", 7)));
    fails(SPATE_CORRUPT, SPATE_GZIP, joined(gzipped("a"), copied("\0\0\1", 3)));
    fails(SPATE_CORRUPT, SPATE_GZIP, joined(gzipped("a"), copied("\x1f", 1)));
    fails(SPATE_CORRUPT, SPATE_GZIP, joined(joined(gzipped("a"), copied("\0", 1)), gzipped("b")));
    fails(SPATE_CORRUPT, SPATE_RAW, joined(deflated(-15, (const uint8_t *)"a", 1, 9), copied("x", 1)));
    check_output(SPATE_GZIP_FIRST, joined(gzipped("a"), copied("garbage", 7)), "a");
    check_output(SPATE_GZIP_FIRST, joined(gzipped("a"), copied("\x1f\x8b\x08", 3)), "a");
}

TEST(consumed_tells_where_the_first_one_ended) {
    bytes first = gzipped("one ");
    size_t expected = first.length;
    bytes input = joined(first, copied("\x1f\x8b garbage", 10));
    spate_buffer output = {0};
    size_t consumed = 0;
    CHECK_OK(spate_inflate(SPATE_GZIP, input.at, input.length, 100, &output, &consumed, NULL));
    CHECK_NUMBER(expected, consumed);
    CHECK_NUMBER(4, output.length);
    CHECK_STATUS(SPATE_CORRUPT, spate_inflate(SPATE_GZIP, (const uint8_t *)"abc", 3, 100, &output, &consumed, NULL));
    CHECK_NUMBER(0, consumed);
    spate_buffer_free(&output);
    free(input.at);
}

TEST(gzip_headers_with_everything) {
    static const uint8_t fixed[] = {0x1f, 0x8b, 8, 0x1e, 1, 2, 3, 4, 0, 3, 3, 0, 'x', 'y', 'z'};
    bytes header = joined(copied(fixed, sizeof fixed), copied("name.tar\0a comment\0", 19));
    uLong sum = crc32(0, header.at, (uInt)header.length);
    uint8_t check[] = {(uint8_t)sum, (uint8_t)(sum >> 8)};
    header = joined(header, copied(check, 2));
    size_t header_length = header.length;
    bytes body = gzipped("content");
    bytes input = joined(header, copied(body.at + 10, body.length - 10));
    free(body.at);

    for (size_t length = 0; length < input.length; length++)
        fails(SPATE_TRUNCATED, SPATE_GZIP, copied(input.at, length));
    bytes damaged = copied(input.at, input.length);
    damaged.at[header_length - 1] ^= 1;
    fails(SPATE_CHECKSUM, SPATE_GZIP, damaged);
    check_output(SPATE_GZIP, input, "content");
}

TEST(invalid_gzip) {
    bytes input = gzipped("a");
    fails(SPATE_TRUNCATED, SPATE_GZIP, copied("", 0));
    fails(SPATE_TRUNCATED, SPATE_GZIP, copied("\x1f", 1));
    fails(SPATE_CORRUPT, SPATE_GZIP, copied("<", 1));
    fails(SPATE_CORRUPT, SPATE_GZIP, copied("<html>proxy says no</html>", 26));
    input.at[2] = 7;
    fails(SPATE_CORRUPT, SPATE_GZIP, copied(input.at, input.length));
    input.at[2] = 8;
    input.at[3] = 0x20;
    fails(SPATE_CORRUPT, SPATE_GZIP, input);
}

TEST(invalid_zlib) {
    fails(SPATE_TRUNCATED, SPATE_ZLIB, copied("\x78", 1));
    fails(SPATE_CORRUPT, SPATE_ZLIB, copied("\x78\x9d\x03\0", 4));         /* header check */
    fails(SPATE_CORRUPT, SPATE_ZLIB, copied("\x78\xbb\0\0\0\1", 6));       /* preset dictionary */
    fails(SPATE_CORRUPT, SPATE_ZLIB, copied("\x88\x1c\x03\0\0\0\0\1", 8)); /* a window of 64 KiB */
    bytes input = deflated(15, (const uint8_t *)"abc", 3, 9);
    input.at[input.length - 1] ^= 1;
    fails(SPATE_CHECKSUM, SPATE_ZLIB, input);
}

TEST(invalid_deflate) {
    fails(SPATE_CORRUPT, SPATE_RAW, copied("\x07", 1));           /* block type 3 */
    fails(SPATE_CORRUPT, SPATE_RAW, copied("\x01\x01\0\0\0", 5)); /* the stored length and its complement
                                                                            * differ */
    fails(SPATE_TRUNCATED, SPATE_RAW,
          copied("\x01\x05\0\xfa\xff"
                 "ab",
                 7)); /* stored, cut off */
    fails(SPATE_TRUNCATED, SPATE_RAW, copied("", 0));
    fails(SPATE_CORRUPT, SPATE_RAW, copied("\x4b\x04\x12\0", 4)); /* a distance before the beginning */
}

TEST(null_input) {
    spate_buffer output = {0};
    spate_inflate_stream *stream;
    size_t produced;
    CHECK_STATUS(SPATE_TRUNCATED, spate_inflate(SPATE_GZIP, NULL, 0, 10, &output, NULL, NULL));
    CHECK_OK(spate_inflate_open(&stream, SPATE_RAW, NULL, 0, 10, NULL));
    CHECK_STATUS(SPATE_TRUNCATED, spate_inflate_read(stream, (uint8_t[1]){0}, 1, &produced, NULL));
    spate_inflate_close(stream);
    spate_inflate_close(NULL);
    spate_buffer_free(&output);
}

TEST(truncated_at_every_byte) {
    uint8_t *content = content_of(3000);
    bytes input = deflated(31, content, 3000, 9);
    for (size_t length = 0; length < input.length; length++) {
        fails(SPATE_TRUNCATED, SPATE_GZIP, copied(input.at, length));
        fails(SPATE_TRUNCATED, SPATE_GZIP_FIRST, copied(input.at, length));
    }
    free(input.at);
    free(content);
}

/* Each flip causes an error or leaves the content unchanged. In the header, the time, the system, the extra flags and
 * the text flag have no effect. */
TEST(every_single_bit_flipped) {
    uint8_t *content = content_of(700);
    bytes input = deflated(31, content, 700, 9);
    spate_buffer output = {0};
    unsigned accepted = 0;
    for (size_t bit = 0; bit < 8 * input.length; bit++) {
        input.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        spate_status status = both(SPATE_GZIP, input, UNLIMITED, &output);
        if (status == SPATE_OK) {
            accepted++;
            CHECK_NUMBER(700, output.length);
            CHECK_BYTES(content, output.bytes, 700);
        }
        input.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    CHECK(accepted >= 48 && accepted < 60); /* MTIME, XFL and OS have 48 bits, and FTEXT has one */
    spate_buffer_free(&output);
    free(input.at);
    free(content);
}

TEST(crc_and_length_are_checked) {
    bytes input = gzipped("content");
    spate_error error;
    spate_buffer output = {0};
    input.at[input.length - 8] ^= 0xff;
    CHECK_STATUS(SPATE_CHECKSUM, spate_inflate(SPATE_GZIP, input.at, input.length, 99, &output, NULL, &error));
    CHECK_CONTAINS("CRC-32: expected ", error.message);
    input.at[input.length - 8] ^= 0xff;
    input.at[input.length - 1] = 1;
    CHECK_STATUS(SPATE_CHECKSUM, spate_inflate(SPATE_GZIP, input.at, input.length, 99, &output, NULL, &error));
    CHECK_CONTAINS("expected 16777223 bytes, found 7", error.message);
    fails(SPATE_CHECKSUM, SPATE_GZIP, input);
    spate_buffer_free(&output);
}

TEST(the_limit_is_exact) {
    uint8_t *content = content_of(100000);
    bytes input = deflated(31, content, 100000, 6);
    spate_buffer output = {0};
    CHECK_OK(both(SPATE_GZIP, input, 100000, &output));
    CHECK_STATUS(SPATE_LIMIT, both(SPATE_GZIP, input, 99999, &output));
    CHECK_STATUS(SPATE_LIMIT, both(SPATE_GZIP, input, 1, &output));
    CHECK_STATUS(SPATE_LIMIT, both(SPATE_GZIP, input, 0, &output));
    free(input.at);
    input = gzipped("");
    CHECK_OK(both(SPATE_GZIP, input, 0, &output));
    spate_buffer_free(&output);
    free(input.at);
    free(content);
}

TEST(bombs_stop_at_the_limit) {
    size_t length = 64 << 20;
    uint8_t *zeros = calloc(1, length);
    bytes input = deflated(31, zeros, length, 9);
    spate_buffer output = {0};
    CHECK_STATUS(SPATE_LIMIT, both(SPATE_GZIP, input, 1 << 20, &output));
    CHECK(output.capacity <= 1 << 20);
    CHECK_OK(whole(SPATE_GZIP, input.at, input.length, length, &output));
    CHECK_NUMBER(length, output.length);
    spate_buffer_free(&output);
    free(input.at);
    free(zeros);
}

TEST(wrong_length_causes_no_large_allocation) {
    bytes input = gzipped("content");
    spate_buffer output = {0};
    memset(input.at + input.length - 4, 0xff, 4);
    CHECK_NUMBER(0xffffffff, spate_gzip_claimed_length(input.at, input.length));
    CHECK_STATUS(SPATE_CHECKSUM, whole(SPATE_GZIP, input.at, input.length, SIZE_MAX, &output));
    CHECK(output.capacity <= 64 * 1024);
    spate_buffer_free(&output);
    free(input.at);

    uint8_t *content = content_of(1000000); /* this one claims too short a length */
    input = deflated(31, content, 1000000, 9);
    memset(input.at + input.length - 4, 0, 4);
    CHECK_STATUS(SPATE_CHECKSUM, both(SPATE_GZIP, input, UNLIMITED, &output));
    spate_buffer_free(&output);
    free(input.at);
    free(content);
    CHECK_NUMBER(0, spate_gzip_claimed_length((const uint8_t *)"12345678901234567", 17));
}

TEST(a_buffer_is_used_again) {
    spate_buffer output = {0};
    CHECK_OK(spate_buffer_reserve(&output, 1 << 20));
    uint8_t *memory = output.bytes;
    for (int i = 0; i < 3; i++) {
        bytes input = gzipped(i == 1 ? "second" : "other");
        CHECK_OK(spate_inflate(SPATE_GZIP, input.at, input.length, UNLIMITED, &output, NULL, NULL));
        CHECK_NUMBER(i == 1 ? 6 : 5, output.length);
        CHECK(output.bytes == memory);
        free(input.at);
    }
    CHECK_OK(spate_buffer_reserve(&output, 10));
    CHECK_NUMBER(1 << 20, output.capacity);
    spate_buffer_free(&output);
    CHECK(output.bytes == NULL && output.capacity == 0 && output.length == 0);
    spate_buffer_free(&output);
}

static bytes shared; /* the main thread makes it, because checks may fail only there */

static void *without_memory(void *wrong) {
    bytes input = shared;
    for (long after = 0; after < 8; after++) {
        spate_buffer output = {0};
        spate_inflate_stream *stream;
        harness_fail_allocation(after);
        spate_status status = spate_inflate(SPATE_GZIP, input.at, input.length, 100, &output, NULL, NULL);
        bool failed = harness_allocations() > after;
        harness_fail_allocation(-1);
        if (status != (failed ? SPATE_NO_MEMORY : SPATE_OK))
            ++*(int *)wrong;
        spate_buffer_free(&output);
        harness_fail_allocation(after);
        status = spate_inflate_open(&stream, SPATE_GZIP, input.at, input.length, 100, NULL);
        failed = harness_allocations() > after;
        harness_fail_allocation(-1);
        if (status != (failed ? SPATE_NO_MEMORY : SPATE_OK) || (status != SPATE_OK && stream != NULL))
            ++*(int *)wrong;
        spate_inflate_close(stream);
    }
    return NULL;
}

TEST(no_memory) {
    pthread_t thread;
    int wrong = 0;
    shared = gzipped("content of a file");
    CHECK(pthread_create(&thread, NULL, without_memory, &wrong) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    free(shared.at);
    CHECK_NUMBER(0, wrong);
}

static void *inflate_much(void *wrong) {
    uint8_t *content = content_of(50000);
    spate_buffer output = {0};
    for (int i = 0; i < 100; i++) {
        size_t length = (size_t)(i * 499);
        uLongf compressed_length = compressBound(length);
        uint8_t *compressed = malloc(compressed_length);
        if (compress(compressed, &compressed_length, content, length) != Z_OK ||
            spate_inflate(SPATE_ZLIB, compressed, compressed_length, UNLIMITED, &output, NULL, NULL) != SPATE_OK ||
            output.length != length || (length > 0 && memcmp(output.bytes, content, length) != 0))
            ++*(int *)wrong;
        if (i % 10 == 9 && spate_inflate(SPATE_ZLIB, compressed, compressed_length - 1, UNLIMITED, &output, NULL,
                                         NULL) != SPATE_TRUNCATED)
            ++*(int *)wrong;
        free(compressed);
    }
    spate_buffer_free(&output);
    free(content);
    return NULL;
}

TEST(threads_do_not_disturb_each_other) {
    pthread_t threads[4];
    int wrong[4] = {0};
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, inflate_much, &wrong[i]) == 0);
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK_NUMBER(0, wrong[i]);
    }
}

TEST(the_backend_has_a_name) {
#ifdef SPATE_HAVE_LIBDEFLATE
    CHECK_CONTAINS("libdeflate ", spate_inflate_backend());
#else
    CHECK_CONTAINS("zlib ", spate_inflate_backend());
#endif
}
