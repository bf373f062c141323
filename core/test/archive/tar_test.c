#include "test/harness.h"

#include <zlib.h>

#include "archive/tar.h"

#define BLOCK 512

/* The archive that a test builds. */
typedef struct archive {
    uint8_t bytes[256 * BLOCK];
    size_t length;
} archive;

static archive made;

static void seal(uint8_t *header) {
    unsigned sum = 0;
    memset(header + 148, ' ', 8);
    for (int i = 0; i < BLOCK; i++)
        sum += header[i];
    snprintf((char *)header + 148, 8, "%06o", sum);
}

/* Adds a ustar header and returns it. A test changes the fields it wants to be different, then seals the header
 * again. */
static uint8_t *add_header(const char *name, char type, uint64_t size) {
    uint8_t *header = made.bytes + made.length;
    CHECK(made.length + BLOCK <= sizeof made.bytes);
    memset(header, 0, BLOCK);
    memcpy(header, name, strlen(name));
    memcpy(header + 100, "0000644", 8);
    snprintf((char *)header + 124, 12, "%011llo", (unsigned long long)size & 077777777777);
    header[156] = (uint8_t)type;
    memcpy(header + 257, "ustar\00000", 8);
    seal(header);
    made.length += BLOCK;
    return header;
}

static void add_payload(const void *payload, size_t size) {
    size_t padded = (size + BLOCK - 1) / BLOCK * BLOCK;
    CHECK(made.length + padded <= sizeof made.bytes);
    memset(made.bytes + made.length, 0, padded);
    memcpy(made.bytes + made.length, payload, size);
    made.length += padded;
}

static uint8_t *add(const char *name, char type, const char *content) {
    uint8_t *header = add_header(name, type, strlen(content));
    add_payload(content, strlen(content));
    return header;
}

static void add_end(void) {
    CHECK(made.length + 2 * BLOCK <= sizeof made.bytes);
    memset(made.bytes + made.length, 0, 2 * BLOCK);
    made.length += 2 * BLOCK;
}

/* Adds one PAX record, which begins with its own length. */
static void add_record(char *records, const char *keyword, const char *value) {
    size_t rest = strlen(keyword) + strlen(value) + 3; /* the space, the equals sign and the newline */
    size_t length = rest + 1;
    while (length != rest + (size_t)snprintf(NULL, 0, "%zu", length))
        length++;
    sprintf(records + strlen(records), "%zu %s=%s\n", length, keyword, value);
}

static void add_pax(char type, const char *keyword, const char *value) {
    static char records[80000];
    records[0] = '\0';
    add_record(records, keyword, value);
    add("PaxHeader/x", type, records);
}

/* The result of a walk as text. Each member is one line: "TYPE NAME [-> LINK] MODE SIZE CONTENT". */
typedef struct tar_walk {
    char text[300000];
    spate_status status;
    spate_error error;
} tar_walk;

static void note(tar_walk *walk, spate_tar *tar, const spate_tar_entry *entry, size_t step) {
    static const char types[] = "fdslco";
    size_t at = strlen(walk->text);
    at += (size_t)sprintf(walk->text + at, "%c %s", types[entry->type == SPATE_TAR_HARDLINK ? 3 : entry->type],
                          entry->name);
    CHECK_NUMBER(strlen(entry->name), entry->name_length);
    if (entry->link_name[0] != '\0')
        at += (size_t)sprintf(walk->text + at, " -> %s", entry->link_name);
    at += (size_t)sprintf(walk->text + at, " %o %llu ", entry->mode, (unsigned long long)entry->size);
    size_t produced = 0, total = 0;
    do {
        walk->status = spate_tar_read(tar, (uint8_t *)walk->text + at, step, &produced, &walk->error);
        if (walk->status != SPATE_OK)
            return;
        if (entry->payload != NULL)
            CHECK_BYTES(entry->payload + total, walk->text + at, produced);
        at += produced;
        total += produced;
    } while (produced > 0);
    CHECK_NUMBER(entry->size, total);
    walk->text[at] = '\n';
    walk->text[at + 1] = '\0';
}

static void walk_with(tar_walk *walk, spate_tar *tar, size_t step, bool read) {
    spate_tar_entry entry;
    bool more = false;
    memset(&walk->error, 0, sizeof walk->error);
    walk->text[0] = '\0';
    for (;;) {
        walk->status = spate_tar_next(tar, &entry, &more, &walk->error);
        if (walk->status != SPATE_OK || !more)
            break;
        if (read) {
            note(walk, tar, &entry, step);
            if (walk->status != SPATE_OK)
                break;
        }
    }
    CHECK_NUMBER(walk->status, walk->error.status);
    size_t produced;
    CHECK_STATUS(walk->status, spate_tar_next(tar, &entry, &more, NULL)); /* another call repeats the result */
    CHECK(!more);
    if (walk->status != SPATE_OK)
        CHECK_STATUS(walk->status, spate_tar_read(tar, (uint8_t *)walk->text, 1, &produced, NULL));
    spate_tar_close(tar);
}

/* Compresses the bytes with gzip at the fastest level. */
static uint8_t *wrapped(const uint8_t *bytes, size_t length, size_t *wrapped_length) {
    z_stream stream = {0};
    CHECK(deflateInit2(&stream, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    size_t capacity = deflateBound(&stream, length) + 64;
    uint8_t *out = malloc(capacity);
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.avail_in = (uInt)length;
    stream.next_out = out;
    stream.avail_out = (uInt)capacity;
    CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    *wrapped_length = stream.total_out;
    CHECK(deflateEnd(&stream) == Z_OK);
    return out;
}

static tar_walk from_memory, from_stream;

/* Walks the first `length` bytes from memory and from a stream. Both walks must have the same result. */
static tar_walk *walk_bytes(size_t length) {
    spate_tar *tar;
    size_t gzip_length;
    uint8_t *exact = malloc(length == 0 ? 1 : length);
    memcpy(exact, made.bytes, length);
    CHECK_OK(spate_tar_open_memory(&tar, exact, length, NULL));
    walk_with(&from_memory, tar, 100, true);

    uint8_t *gzip = wrapped(made.bytes, length, &gzip_length);
    for (int read = 0; read < 2; read++) {
        spate_inflate_stream *stream;
        CHECK_OK(spate_inflate_open(&stream, SPATE_GZIP, gzip, gzip_length, UINT64_MAX, NULL));
        CHECK_OK(spate_tar_open_stream(&tar, stream, NULL));
        walk_with(&from_stream, tar, 7, read == 1);
        spate_inflate_close(stream);
        CHECK_STATUS(from_memory.status, from_stream.status);
    }
    if (from_memory.status == SPATE_OK)
        CHECK_STRING(from_memory.text, from_stream.text);
    free(gzip);
    free(exact);
    return &from_memory;
}

static void check_list(const char *expected) {
    tar_walk *seen = walk_bytes(made.length);
    if (seen->status != SPATE_OK)
        fprintf(stderr, "%s: %s\n", seen->error.member, seen->error.message);
    CHECK_OK(seen->status);
    CHECK_STRING(expected, seen->text);
    made.length = 0;
}

static void answers(spate_status expected, const char *reason) {
    tar_walk *seen = walk_bytes(made.length);
    CHECK_STATUS(expected, seen->status);
    CHECK_CONTAINS(reason, seen->error.message);
    made.length = 0;
}

TEST(plain_members) {
    made.length = 0;
    add("lib/a.rb", '0', "puts 1\n");
    add("lib/", '5', "");
    memcpy(add("old", '\0', "x") + 100, "0000755", 8);
    seal(made.bytes + made.length - 2 * BLOCK);
    add("empty", '0', "");
    add("contiguous", '7', "c");
    add_end();
    check_list("f lib/a.rb 644 7 puts 1\n\nd lib/ 644 0 \nf old 755 1 x\nf empty 644 0 \nf contiguous 644 1 c\n");
}

TEST(links_and_others) {
    made.length = 0;
    memcpy(add("s", '2', "") + 157, "../t", 4);
    seal(made.bytes);
    memcpy(add("h", '1', "") + 157, "t", 1);
    seal(made.bytes + BLOCK);
    add("c", '3', "");
    add("b", '4', "");
    add("p", '6', "");
    add("V", 'V', "");
    add("?", '?', "skipped");
    add_end();
    check_list(
        "s s -> ../t 644 0 \nl h -> t 644 0 \nc c 644 0 \nc b 644 0 \nc p 644 0 \no V 644 0 \no ? 644 7 skipped\n");
}

TEST(an_old_directory_is_a_name_with_a_slash) {
    made.length = 0;
    add("a/", '\0', "");
    add("b/", '0', "");
    check_list("d a/ 644 0 \nd b/ 644 0 \n");
    add("a/", '0', "x");
    answers(SPATE_CORRUPT, "with 1 bytes of content");
}

TEST(the_end_of_an_archive) {
    made.length = 0;
    check_list("");
    add_end();
    check_list("");
    add("a", '0', "1");
    check_list("f a 644 1 1\n"); /* without zero blocks */
    add("a", '0', "1");
    made.length += BLOCK; /* one zero block */
    memset(made.bytes + made.length - BLOCK, 0, BLOCK);
    check_list("f a 644 1 1\n");
    add("a", '0', "1");
    memset(made.bytes + made.length, 0, 100); /* part of a zero block */
    made.length += 100;
    check_list("f a 644 1 1\n");
    add("a", '0', "1");
    add_end();
    memset(made.bytes + made.length, 'x', 3 * BLOCK); /* anything after the end is ignored */
    made.length += 3 * BLOCK;
    check_list("f a 644 1 1\n");
    add("a", '0', "1");
    made.length -= BLOCK - 1; /* the last padding is missing */
    check_list("f a 644 1 1\n");
    add("a", '0', "1");
    made.length -= 10;
    check_list("f a 644 1 1\n");
}

TEST(truncated_at_every_byte) {
    made.length = 0;
    add("a", '0', "content of a");
    add_pax('x', "path", "a long name");
    add("b", '0', "content of b");
    add_end();
    size_t second = 2 * BLOCK, end = made.length - 2 * BLOCK;
    for (size_t length = 0; length <= made.length; length++) {
        tar_walk *seen = walk_bytes(length);
        bool between = length == 0 || (length >= BLOCK + 12 && length <= second) || length >= end - BLOCK + 12;
        CHECK_STATUS(between ? SPATE_OK : SPATE_TRUNCATED, seen->status);
    }
}

TEST(every_single_bit_of_a_header_flipped) {
    made.length = 0;
    add("name", '0', "content");
    add_end();
    for (size_t bit = 0; bit < 8 * BLOCK; bit++) {
        made.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        spate_status status = walk_bytes(made.length)->status;
        /* In the checksum field, a space next to the digits may become a NUL, and a NUL a space. */
        CHECK(status != SPATE_OK || (bit / 8 >= 148 && bit / 8 < 156));
        made.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

TEST(checksums) {
    made.length = 0;
    add("a", '0', "")[0] = 'b';
    answers(SPATE_CORRUPT, "checksum");
    add("a", '0', "");
    memset(made.bytes + 148, 0, 8);
    answers(SPATE_CORRUPT, "checksum");
    add("a", '0', "");
    memcpy(made.bytes + 148, "12x4567", 7);
    answers(SPATE_CORRUPT, "checksum");
    add("\xe9\xe9", '0', ""); /* its checksum is the sum of signed bytes */
    unsigned sum = 0;
    memset(made.bytes + 148, ' ', 8);
    for (int i = 0; i < BLOCK; i++)
        sum += (unsigned)(int8_t)made.bytes[i];
    snprintf((char *)made.bytes + 148, 8, "%06o", sum);
    check_list("f \xe9\xe9 644 0 \n");
    memset(made.bytes, '<', BLOCK);
    made.length = BLOCK;
    answers(SPATE_CORRUPT, "missing tar header");
}

static void size_field(const char *bytes, size_t length) {
    made.length = 0;
    add("a", '0', "x");
    memset(made.bytes + 124, 0, 12);
    memcpy(made.bytes + 124, bytes, length);
    seal(made.bytes);
}

TEST(sizes) {
    size_field("1", 1);
    check_list("f a 644 1 x\n");
    size_field("     1 ", 7);
    check_list("f a 644 1 x\n");
    size_field("000000000001", 12);
    check_list("f a 644 1 x\n");
    size_field("\x80\0\0\0\0\0\0\0\0\0\0\1", 12);
    check_list("f a 644 1 x\n");
    size_field("-1", 2);
    answers(SPATE_CORRUPT, "negative");
    size_field("8", 1);
    answers(SPATE_CORRUPT, "not a number");
    size_field("1\0001", 3);
    answers(SPATE_CORRUPT, "not a number");
    size_field("0x1", 3);
    answers(SPATE_CORRUPT, "not a number");
    size_field("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12);
    answers(SPATE_CORRUPT, "negative");
    size_field("\xc0\0\0\0\0\0\0\0\0\0\0\1", 12);
    answers(SPATE_CORRUPT, "negative");
    size_field("\x80\0\0\0\x80\0\0\0\0\0\0\0", 12); /* 2^63 */
    answers(SPATE_CORRUPT, "too large");
    size_field("\x80\0\0\1\0\0\0\0\0\0\0\0", 12); /* 2^64 */
    answers(SPATE_CORRUPT, "too large");
    size_field("\xbf\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12);
    answers(SPATE_CORRUPT, "too large");
    size_field("\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12); /* 2^63 - 1: the padding must not overflow */
    answers(SPATE_TRUNCATED, "the archive ends");
    size_field("777777777777", 12);
    answers(SPATE_TRUNCATED, "the archive ends");
}

TEST(modes) {
    made.length = 0;
    memcpy(add("a", '0', "") + 100, "104755\0", 7);
    seal(made.bytes);
    check_list("f a 4755 0 \n");
    memset(add("a", '0', "") + 100, 0, 8);
    seal(made.bytes);
    check_list("f a 0 0 \n");
    memcpy(add("a", '0', "") + 100, "rw-r--r", 7);
    seal(made.bytes);
    answers(SPATE_CORRUPT, "mode");
}

TEST(names_over_two_fields) {
    char name[101];
    made.length = 0;
    memset(name, 'n', 100);
    name[100] = '\0';
    memcpy(add(name, '0', "") + 345, "some/prefix", 11);
    seal(made.bytes);
    char expected[200];
    sprintf(expected, "f some/prefix/%s 644 0 \n", name);
    check_list(expected);
    memset(add(name, '0', "") + 345, 'p', 155);
    seal(made.bytes);
    char longest[400];
    memset(longest, 'p', 157);
    memcpy(longest, "f ", 2);
    sprintf(longest + 157, "/%s 644 0 \n", name);
    check_list(longest);
}

static uint8_t *add_with_times_of_star(void) {
    made.length = 0;
    uint8_t *header = add("name", '0', "");
    memcpy(header + 345, "folder", 6);
    memcpy(header + 476, "15176726014\00015176726014", 24);
    seal(made.bytes);
    return header;
}

TEST(times_of_star_are_no_prefix) {
    add_with_times_of_star();
    check_list("f folder/name 644 0 \n");
    add_with_times_of_star()[476] = '9'; /* not an octal number, so the field is a prefix with a NUL in it */
    seal(made.bytes);
    answers(SPATE_REFUSED, "null byte");
}

TEST(no_prefix_outside_ustar) {
    made.length = 0;
    add("a", '0', "");
    memcpy(made.bytes + 257, "ustar  ", 8); /* the GNU format stores times in the prefix field */
    memcpy(made.bytes + 345, "14000000000", 11);
    seal(made.bytes);
    check_list("f a 644 0 \n");
    add("a", '0', ""); /* v7 format */
    memset(made.bytes + 257, 0, 255);
    seal(made.bytes);
    check_list("f a 644 0 \n");
    add("a", '0', "");
    memcpy(made.bytes + 257, "other", 6);
    memcpy(made.bytes + 345, "prefix", 6);
    seal(made.bytes);
    answers(SPATE_CORRUPT, "unknown kind");
}

TEST(a_nul_within_a_name) {
    made.length = 0;
    memcpy(add("a", '0', ""), "a\0b", 3);
    seal(made.bytes);
    answers(SPATE_REFUSED, "null byte");
    memcpy(add("a", '0', "") + 345, "p\0q", 3);
    seal(made.bytes);
    answers(SPATE_REFUSED, "null byte");
    memcpy(add("a", '2', "") + 157, "t\0u", 3);
    seal(made.bytes);
    answers(SPATE_REFUSED, "null byte");
    add_header("././@LongLink", 'L', 4);
    add_payload("a\0b", 4);
    add("b", '0', "");
    answers(SPATE_REFUSED, "null byte");
    add_header("x", 'x', 12);
    add_payload("12 path=a\0b\n", 12);
    add("b", '0', "");
    answers(SPATE_REFUSED, "null byte");
    add_header("x", 'x', 16);
    add_payload("16 linkpath=a\0b\n", 16);
    add("b", '2', "");
    answers(SPATE_REFUSED, "null byte");
}

TEST(gnu_long_names) {
    char name[301], expected[400];
    made.length = 0;
    memset(name, 'g', 300);
    name[300] = '\0';
    add_header("././@LongLink", 'L', 301);
    add_payload(name, 301);
    add_header("././@LongLink", 'K', 5);
    add_payload("link", 5);
    add("short", '2', "");
    add("next", '0', "");
    sprintf(expected, "s %s -> link 644 0 \nf next 644 0 \n", name);
    check_list(expected);
    add("././@LongLink", 'L', "a");
    add("././@LongLink", 'L', "b");
    add("c", '0', "");
    answers(SPATE_CORRUPT, "two GNU long names");
    add("././@LongLink", 'L', "a");
    answers(SPATE_TRUNCATED, "between");
    add("././@LongLink", 'L', "a");
    add_end();
    add("c", '0', "");
    answers(SPATE_TRUNCATED, "between");
}

TEST(pax_wins) {
    char records[200] = "";
    made.length = 0;
    add_record(records, "path", "from/pax");
    add_record(records, "linkpath", "pax target");
    add_record(records, "mtime", "1.5");
    add_record(records, "SCHILY.xattr.user.x", "=\n=");
    add("x", 'x', records);
    add("././@LongLink", 'L', "from/gnu");
    add("././@LongLink", 'K', "gnu target");
    add("short", '2', "");
    add("next", '0', "");
    check_list("s from/pax -> pax target 644 0 \nf next 644 0 \n");
}

/* The PAX size belongs to the file, not to the long name in between (CVE-2025-62518). A reader that skips the wrong
 * size finds a forged member in the content. */
TEST(pax_size_wins_and_belongs_to_the_file) {
    made.length = 0;
    add_pax('x', "size", "1024");
    add("././@LongLink", 'L', "long");
    add_header("short", '0', 0);
    memset(made.bytes + made.length, 'i', 1024);
    made.length += 1024;
    add("after", '0', "");
    tar_walk *seen = walk_bytes(made.length);
    CHECK_OK(seen->status);
    CHECK_CONTAINS("f long 644 1024 iiii", seen->text);
    CHECK_CONTAINS("iiii\nf after 644 0 \n", seen->text);
    made.length = 0;

    add_pax('x', "size", "1");
    add_header("a", '0', 5 * BLOCK);
    add_payload("x", 1);
    add("b", '0', "");
    check_list("f a 644 1 x\nf b 644 0 \n");
    add_pax('x', "size", "3");
    add("d", '5', "");
    answers(SPATE_CORRUPT, "with 3 bytes of content");
}

TEST(invalid_pax_sizes) {
    static const char *const sizes[] = {"-1", "0x1", "1 ", "1.5", "9223372036854775808", "99999999999999999999999"};
    made.length = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        add_pax('x', "size", sizes[i]);
        add("a", '0', "");
        answers(SPATE_CORRUPT, "PAX size");
    }
    add_pax('x', "size", "9223372036854775807");
    add("a", '0', "");
    answers(SPATE_TRUNCATED, "the archive ends");
}

TEST(empty_pax_value_removes_the_previous_one) {
    char records[200] = "";
    made.length = 0;
    add_record(records, "path", "first");
    add_record(records, "path", "");
    add_record(records, "size", "9");
    add_record(records, "size", "");
    add("x", 'x', records);
    add("a", '0', "1");
    check_list("f a 644 1 1\n");
    records[0] = '\0';
    add_record(records, "path", "first");
    add_record(records, "path", "second");
    add("x", 'x', records);
    add("a", '0', "1");
    check_list("f second 644 1 1\n");
}

/* Solaris' tar wrote PAX headers with type X. RubyGems ignores them, and npm reads them. */
TEST(old_pax) {
    char records[200] = "";
    made.length = 0;
    add_record(records, "path", "second");
    add("x", 'X', records);
    add("a", '0', "1");
    add_end();
    for (int old_pax = 0; old_pax < 2; old_pax++) {
        spate_tar *tar;
        spate_tar_entry entry;
        spate_error error;
        bool more = false;
        CHECK(spate_tar_open_memory(&tar, made.bytes, made.length, &error) == SPATE_OK);
        if (old_pax)
            spate_tar_read_old_pax(tar);
        CHECK(spate_tar_next(tar, &entry, &more, &error) == SPATE_OK && more);
        CHECK(strcmp(entry.name, old_pax ? "second" : "x") == 0);
        CHECK(entry.type == (old_pax ? SPATE_TAR_FILE : SPATE_TAR_OTHER));
        spate_tar_close(tar);
    }
    made.length = 0;
}

TEST(invalid_pax) {
    static const char *const records[] = {"path=a\n",
                                          "99 path=a\n",
                                          "6 path=a\n",
                                          "13 comment=a\nx",
                                          "9 path=a",
                                          "0 path=a\n",
                                          "-9 path=a\n",
                                          "9  path\n",
                                          "8 =abcd\n",
                                          "7 path\n\n",
                                          "3 \n",
                                          " 9 path=a\n",
                                          "99999999999999999999 path=a\n",
                                          "4\n"};
    made.length = 0;
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        add("x", 'x', records[i]);
        add("a", '0', "");
        answers(SPATE_CORRUPT, "LENGTH KEYWORD=VALUE");
        add("x", 'g', records[i]);
        add("a", '0', "");
        answers(SPATE_CORRUPT, "LENGTH KEYWORD=VALUE");
    }
}

TEST(two_pax_headers_for_one_member) {
    made.length = 0;
    add_pax('x', "path", "a");
    add_pax('x', "path", "b");
    add("c", '0', "");
    answers(SPATE_CORRUPT, "two PAX headers");
    add_pax('x', "path", "a");
    add_end();
    answers(SPATE_TRUNCATED, "between");
}

TEST(global_headers) {
    made.length = 0;
    add_pax('g', "comment", "0123456789abcdef");
    add_pax('x', "path", "a");
    add_pax('g', "mtime", "1");
    add("b", '0', "x");
    add("c", '0', "y");
    check_list("f a 644 1 x\nf c 644 1 y\n");
    add_pax('g', "comment", "alone");
    add_end();
    check_list("");
    static const char *const keywords[] = {"path", "linkpath", "size", "GNU.sparse.major"};
    for (size_t i = 0; i < 4; i++) {
        add_pax('g', keywords[i], "1");
        add("a", '0', "x");
        answers(SPATE_REFUSED, keywords[i]);
    }
}

TEST(sparse_files) {
    made.length = 0;
    add("a", 'S', "");
    answers(SPATE_REFUSED, "sparse");
    add_pax('x', "GNU.sparse.realsize", "100");
    add("a", '0', "");
    answers(SPATE_REFUSED, "sparse");
    add("a", 'M', "");
    answers(SPATE_REFUSED, "another volume");
}

TEST(content_of_members_without_content) {
    made.length = 0;
    for (const char *type = "125"; *type != '\0'; type++) {
        add("a", *type, "x");
        answers(SPATE_CORRUPT, "with 1 bytes of content");
    }
}

TEST(extended_headers_are_bounded) {
    made.length = 0;
    for (const char *type = "xgLK"; *type != '\0'; type++) {
        add_header("a", *type, 1048577);
        answers(SPATE_REFUSED, "the allowed 1048576");
        add_header("a", *type, 1048576);
        answers(SPATE_TRUNCATED, "the archive ends 1048576 bytes before");
    }
}

TEST(a_long_pax_path) {
    static char path[70001], expected[70100];
    made.length = 0;
    memset(path, 'p', 70000);
    add_pax('x', "path", path);
    add("a", '0', "");
    sprintf(expected, "f %s 644 0 \n", path);
    check_list(expected);
}

TEST(a_stream_is_checked_to_its_end) {
    spate_inflate_stream *stream;
    spate_tar *tar;
    size_t length;
    made.length = 0;
    add("a", '0', "content");
    add_end();
    uint8_t *gzip = wrapped(made.bytes, made.length, &length);
    gzip[length - 8] ^= 1;
    CHECK_OK(spate_inflate_open(&stream, SPATE_GZIP, gzip, length, UINT64_MAX, NULL));
    CHECK_OK(spate_tar_open_stream(&tar, stream, NULL));
    walk_with(&from_stream, tar, 100, true);
    CHECK_STATUS(SPATE_CHECKSUM, from_stream.status);
    spate_inflate_close(stream);
    gzip[length - 8] ^= 1;
    CHECK_OK(spate_inflate_open(&stream, SPATE_GZIP, gzip, length, 1000, NULL));
    CHECK_OK(spate_tar_open_stream(&tar, stream, NULL));
    walk_with(&from_stream, tar, 100, true);
    CHECK_STATUS(SPATE_LIMIT, from_stream.status);
    spate_inflate_close(stream);
    free(gzip);
}

TEST(no_memory) {
    made.length = 0;
    add_pax('x', "path", "a");
    add("././@LongLink", 'L', "b");
    add_pax('g', "comment", "c");
    add("d", '0', "x");
    unsigned failures = 0;
    for (long after = 0;; after++) {
        spate_tar *tar;
        spate_tar_entry entry;
        bool more;
        harness_fail_allocation(after);
        spate_status status = spate_tar_open_memory(&tar, made.bytes, made.length, NULL);
        if (status == SPATE_OK)
            status = spate_tar_next(tar, &entry, &more, NULL);
        bool failed = harness_allocations() > after;
        harness_fail_allocation(-1);
        CHECK_STATUS(failed ? SPATE_NO_MEMORY : SPATE_OK, status);
        spate_tar_close(tar);
        if (!failed)
            break;
        failures++;
    }
    CHECK_NUMBER(5, failures);
}

TEST(null_input) {
    spate_tar *tar;
    CHECK_OK(spate_tar_open_memory(&tar, NULL, 0, NULL));
    walk_with(&from_memory, tar, 1, true);
    CHECK_OK(from_memory.status);
    spate_tar_close(NULL);
}
