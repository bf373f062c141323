#include "test/archive.h"

#include "unpack/unpack.h"

#include <dirent.h>

static spate_pool *pool;

/* Each case has its own store and tree. */
typedef struct setting {
    spate_store *store;
    char tree[PATH_MAX];
    spate_unpack_options options;
    spate_unpacked unpacked;
    spate_error error;
} setting;

static setting begin(void) {
    setting s = {0};
    if (!pool)
        CHECK_OK(spate_pool_new(&pool, 4));
    CHECK_OK(spate_store_open(&s.store, fresh("store"), NULL));
    snprintf(s.tree, sizeof(s.tree), "%s/tmp/tree", spate_store_root(s.store));
    return s;
}

static spate_status unpack(setting *s, const char *archive) {
    s->options.tree = s->tree;
    memset(&s->error, 0, sizeof(s->error));
    return spate_unpack_file(s->store, pool, archive, &s->options, &s->unpacked, &s->error);
}

static void end(setting *s) {
    spate_unpacked_free(&s->unpacked);
    spate_store_close(s->store);
}

static const char *in_tree(const setting *s, const char *path) {
    static char full[2 * PATH_MAX];
    snprintf(full, sizeof(full), "%s/%s", s->tree, path);
    return full;
}

/* Checks that the tree does not exist and that the store's tmp folder is empty. */
static void check_nothing_left(const setting *s) {
    char tmp[PATH_MAX];
    CHECK(!exists(s->tree));
    snprintf(tmp, sizeof(tmp), "%s/tmp", spate_store_root(s->store));
    CHECK(rmdir(tmp) == 0);
}

static void refuses(bytes *tar, spate_status expected, const char *member, const char *reason) {
    setting s = begin();
    const char *archive = save_gem(tar, NULL, SPATE_SHA256);
    spate_status status = unpack(&s, archive);
    if (status != expected)
        harness_fail(__FILE__, __LINE__, "%s: expected %s, found %s: %s", member, spate_status_name(expected),
                     spate_status_name(status), s.error.message);
    CHECK_STRING(member, s.error.member);
    CHECK_CONTAINS(reason, s.error.message);
    check_nothing_left(&s);
    s.options.memory = 4096; /* the same from a stream */
    char again[PATH_MAX];
    snprintf(again, sizeof(again), "%s/tmp", spate_store_root(s.store));
    CHECK(mkdir(again, 0777) == 0);
    CHECK_STATUS(expected, unpack(&s, archive));
    check_nothing_left(&s);
    end(&s);
}

TEST(a_gem_becomes_objects_and_a_tree) {
    setting s = begin();
    bytes tar = {0};
    add_file(&tar, "./lib/test.rb", "puts 1\n");
    add_member(&tar, "bin/run", '0', 0775, NULL, "#!", 2);
    add_member(&tar, "secret", '0', 04600, NULL, "s", 1);
    add_member(&tar, "lib/link.rb", '2', 0777, "test.rb", NULL, 0);
    add_file(&tar, "lib/empty", "");
    CHECK_OK(unpack(&s, save_gem(&tar, "SHA256", SPATE_SHA256)));
    CHECK_NUMBER(5, s.unpacked.count);
    CHECK_NUMBER(10, s.unpacked.bytes);
    CHECK(!s.unpacked.parallel);
    CHECK(!s.unpacked.streamed);
    static const char *const paths[] = {"bin/run", "lib/empty", "lib/link.rb", "lib/test.rb", "secret"};
    for (size_t i = 0; i < 5; i++)
        CHECK_STRING(paths[i], s.unpacked.entries[i].path);
    CHECK_STRING("test.rb", s.unpacked.entries[2].target);
    CHECK_NUMBER(0600, s.unpacked.entries[4].mode); /* the setuid bit is dropped */
    check_text(in_tree(&s, "lib/test.rb"), "puts 1\n");
    CHECK_NUMBER(0775, stat_of(in_tree(&s, "bin/run")).st_mode & 07777);
    CHECK_NUMBER(0600, stat_of(in_tree(&s, "secret")).st_mode & 07777);
    CHECK(S_ISLNK(stat_of(in_tree(&s, "lib/link.rb")).st_mode));
    CHECK_BYTES("--- !ruby/object:Gem::Specification\n", s.unpacked.metadata.bytes, 36);
    for (size_t i = 0; i < 5; i++) {
        const spate_entry *entry = &s.unpacked.entries[i];
        spate_object_state state;
        if (entry->type != SPATE_ENTRY_FILE)
            continue;
        CHECK_OK(spate_store_examine(s.store, entry, true, &state, NULL, NULL));
        CHECK_NUMBER(SPATE_OBJECT_GOOD, state);
        struct stat info = stat_of(in_tree(&s, entry->path));
        CHECK_NUMBER(entry->mtime_ns, spate_mtime_ns(&info));
    }
    end(&s);
}

/* Unpacks the same archive in every code path. Apart from the times, the entries must be the same. */
static void unpack_all_ways(bytes *tar, size_t expected, void (*check)(const setting *s)) {
    const char *archive = save_gem(tar, "SHA512", SPATE_SHA512);
    setting first = begin();
    first.options.parallel_from = UINT_MAX;
    CHECK_OK(unpack(&first, archive));
    CHECK_NUMBER(expected, first.unpacked.count);
    CHECK(!first.unpacked.parallel);
    check(&first);
    for (int way = 0; way < 4; way++) {
        setting s = begin();
        s.options.parallel_from = way % 2 ? UINT_MAX : 1;
        s.options.memory = way < 2 ? 0 : 3000;
        CHECK_OK(unpack(&s, archive));
        CHECK(s.unpacked.parallel == (way % 2 == 0));
        CHECK(s.unpacked.streamed == (way >= 2));
        CHECK_NUMBER(first.unpacked.count, s.unpacked.count);
        CHECK_NUMBER(first.unpacked.bytes, s.unpacked.bytes);
        CHECK_BYTES(first.unpacked.sha256, s.unpacked.sha256, SPATE_SHA256_BYTES);
        for (size_t i = 0; i < s.unpacked.count; i++) {
            const spate_entry *a = &first.unpacked.entries[i];
            const spate_entry *b = &s.unpacked.entries[i];
            CHECK_STRING(a->path, b->path);
            CHECK_STRING(a->target, b->target);
            CHECK_NUMBER(a->type, b->type);
            CHECK_NUMBER(a->mode, b->mode);
            CHECK_NUMBER(a->size, b->size);
            CHECK_BYTES(a->sha256, b->sha256, SPATE_SHA256_BYTES);
        }
        check(&s);
        end(&s);
    }
    end(&first);
}

static void check_winners(const setting *s) {
    char name[64];
    char text[64];
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof(name), "lib/dir%d/file%d.rb", i % 7, i);
        snprintf(text, sizeof(text), "round 2 of file %d\n", i);
        check_text(in_tree(s, name), text);
    }
    check_text(in_tree(s, "large"), "");
    CHECK_NUMBER(0755, stat_of(in_tree(s, "lib/dir0/file0.rb")).st_mode & 07777);
    CHECK(S_ISLNK(stat_of(in_tree(s, "was-file")).st_mode));
    check_text(in_tree(s, "was-link"), "file");
    CHECK(S_ISDIR(stat_of(in_tree(s, "was-file-too")).st_mode));
}

/* There are more than 32 entries, each of them three times. The last one wins in every code path. */
TEST(the_last_duplicate_wins_in_every_branch) {
    bytes tar = {0};
    char large[10000];
    memset(large, 'x', sizeof(large));
    add_member(&tar, "large", '0', 0644, NULL, large, sizeof(large));
    add_file(&tar, "was-file", "file");
    add_file(&tar, "was-file-too", "file");
    add_member(&tar, "was-link", '2', 0777, "/etc/passwd", NULL, 0); /* never created, so never refused */
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 60; i++) {
            char name[64];
            char text[64];
            snprintf(name, sizeof(name), "%slib/dir%d/%sfile%d.rb", round == 1 ? "./" : "", i % 7,
                     round == 1 ? "./" : "", i);
            snprintf(text, sizeof(text), "round %d of file %d\n", round, i);
            add_member(&tar, name, '0', round == 2 && i == 0 ? 0755 : 0644, NULL, text, strlen(text));
        }
    }
    add_member(&tar, "was-file", '2', 0777, "lib", NULL, 0);
    add_file(&tar, "was-link", "file");
    add_member(&tar, "was-file-too", '5', 0755, NULL, NULL, 0);
    add_file(&tar, "large", "");
    unpack_all_ways(&tar, 64, check_winners);
}

static void check_large(const setting *s) {
    CHECK_NUMBER(50000, stat_of(in_tree(s, "b/large")).st_size);
    check_text(in_tree(s, "a"), "small");
    check_text(in_tree(s, "z"), "small");
}

/* The file is larger than the memory limit, so it is written in pieces, between other files. */
TEST(files_larger_than_memory_are_streamed) {
    bytes tar = {0};
    static char large[50000];
    for (size_t i = 0; i < sizeof(large); i++)
        large[i] = (char)(i * 7 ^ i >> 8);
    add_file(&tar, "a", "small");
    add_member(&tar, "b/large", '0', 0644, NULL, large, sizeof(large));
    add_member(&tar, "c/same", '0', 0644, NULL, large, sizeof(large));
    add_file(&tar, "z", "small");
    unpack_all_ways(&tar, 4, check_large);
}

static void check_folders(const setting *s) {
    CHECK_NUMBER(0775, stat_of(in_tree(s, "empty/deep")).st_mode & 07777);
    CHECK_NUMBER(0775, stat_of(in_tree(s, "empty")).st_mode & 07777);
    CHECK_NUMBER(0700, stat_of(in_tree(s, "closed")).st_mode & 07777);
    check_text(in_tree(s, "closed/file"), "x");
    mode_t mask = umask(0);
    umask(mask);
    CHECK_NUMBER(0777 & ~mask, stat_of(in_tree(s, "implied")).st_mode & 07777);
}

/* Folders have the modes that RubyGems uses: the mode of the folder's member if it precedes the folder's files,
 * otherwise the mode from the umask. */
TEST(folders_have_the_modes_that_rubygems_gives) {
    bytes tar = {0};
    add_member(&tar, "./", '5', 0700, NULL, NULL, 0);
    add_member(&tar, "empty/deep/", '5', 0775, NULL, NULL, 0);
    add_member(&tar, "closed", '5', 0000, NULL, NULL, 0);
    add_file(&tar, "closed/file", "x");
    add_file(&tar, "implied/file", "y");
    add_member(&tar, "implied", '5', 0700, NULL, NULL, 0);
    unpack_all_ways(&tar, 5, check_folders);
}

TEST(names_that_differ_in_case_or_form_are_all_kept) {
    setting s = begin();
    bytes tar = {0};
    add_file(&tar, "README", "1");
    add_file(&tar, "readme", "2");
    add_file(&tar, "caf\xc3\xa9", "3");
    add_file(&tar, "cafe\xcc\x81", "4");
    CHECK_OK(unpack(&s, save_gem(&tar, NULL, SPATE_SHA256)));
    CHECK_NUMBER(4, s.unpacked.count);
    check_text(in_tree(&s, "README"), "1");
    check_text(in_tree(&s, "readme"), "2");
    end(&s);
}

TEST(hostile_members_are_refused) {
    bytes tar = {0};
    add_file(&tar, "good", "x");
    add_file(&tar, "../evil", "x");
    refuses(&tar, SPATE_REFUSED, "../evil", "");
    add_file(&tar, "/etc/evil", "x");
    refuses(&tar, SPATE_REFUSED, "/etc/evil", "");
    add_file(&tar, "a/../../tree_backup/evil", "x");
    refuses(&tar, SPATE_REFUSED, "a/../../tree_backup/evil", "");
    add_member(&tar, "hard", '1', 0644, "/etc/passwd", NULL, 0);
    refuses(&tar, SPATE_REFUSED, "hard", "hard link to \"/etc/passwd\"");
    add_member(&tar, "device", '3', 0644, NULL, NULL, 0);
    refuses(&tar, SPATE_REFUSED, "device", "'3'");
    add_member(&tar, "fifo", '6', 0644, NULL, NULL, 0);
    refuses(&tar, SPATE_REFUSED, "fifo", "'6'");
    add_member(&tar, "link", '2', 0777, "/etc", NULL, 0);
    refuses(&tar, SPATE_REFUSED, "link", "");
    add_member(&tar, "link", '2', 0777, "../outside", NULL, 0);
    refuses(&tar, SPATE_REFUSED, "link", "");
}

/* As in RubyGems, a member of an ignored type replaces an earlier one of its name, and its folder is created. */
static void check_ignored(const setting *s) {
    static const char *const paths[] = {"kept", "lib/a.rb", "lib/large"};
    CHECK_NUMBER(3, s->unpacked.count);
    for (size_t i = 0; i < 3; i++)
        CHECK_STRING(paths[i], s->unpacked.entries[i].path);
    CHECK_NUMBER(5, s->unpacked.ignored);
    CHECK_STRING("label", s->unpacked.first_ignored);
}

TEST(members_of_unknown_types_are_ignored) {
    bytes tar = {0};
    char large[10000];
    memset(large, 'x', sizeof(large));
    add_file(&tar, "replaced", "x");
    add_member(&tar, "label", 'V', 0644, NULL, NULL, 0);
    add_member(&tar, "lib/acl", 'A', 0644, NULL, large, sizeof(large));
    add_file(&tar, "lib/a.rb", "a");
    add_member(&tar, "replaced", 'X', 0644, NULL, "no PAX", 6);
    add_member(&tar, "contiguous", '7', 0644, NULL, "x", 1);
    add_member(&tar, "kept", '?', 0644, NULL, "x", 1);
    add_member(&tar, "lib/large", '0', 0644, NULL, large, sizeof(large));
    add_file(&tar, "kept", "k");
    unpack_all_ways(&tar, 3, check_ignored);
}

TEST(dangerous_members_of_unknown_types_are_refused) {
    bytes tar = {0};
    add_member(&tar, "blank", ' ', 0644, NULL, "x", 1); /* RubyGems reads it as a file */
    refuses(&tar, SPATE_REFUSED, "blank", "unknown member type ' '");
    add_member(&tar, "../label", 'V', 0644, NULL, NULL, 0);
    refuses(&tar, SPATE_REFUSED, "../label", "leads out");
}

TEST(nothing_is_written_through_symlinks) {
    bytes tar = {0};
    add_member(&tar, "lib", '5', 0755, NULL, NULL, 0);
    add_member(&tar, "link", '2', 0777, "lib", NULL, 0);
    add_file(&tar, "link/file", "x");
    refuses(&tar, SPATE_REFUSED, "link", "members beneath it");
    add_file(&tar, "link/file", "x"); /* the symlink comes later */
    add_member(&tar, "link", '2', 0777, "lib", NULL, 0);
    refuses(&tar, SPATE_REFUSED, "link", "members beneath it");
    add_file(&tar, "a", "x");
    add_file(&tar, "a/b/c", "x");
    refuses(&tar, SPATE_REFUSED, "a", "both a file and a folder");
    add_file(&tar, "a/b/c", "x");
    add_file(&tar, "a/b", "x");
    refuses(&tar, SPATE_REFUSED, "a/b", "both a file and a folder");
    add_member(&tar, "a/b/c/up", '2', 0777, "../../..", NULL,
               0); /* leads up to the package itself; by its text, nothing leaves the package */
    add_member(&tar, "out", '2', 0777, "a/b/c/up/../..", NULL, 0);
    add_file(&tar, "a/b/c/d", "x");
    setting s = begin();
    CHECK_STATUS(SPATE_REFUSED, unpack(&s, save_gem(&tar, NULL, SPATE_SHA256)));
    check_nothing_left(&s);
    end(&s);
}

TEST(a_symlink_through_a_symlink_does_not_go_up) {
    bytes tar = {0};
    add_member(&tar, "a/up", '2', 0777, "b/c", NULL, 0);
    add_member(&tar, "out", '2', 0777, "a/up/../x", NULL, 0);
    refuses(&tar, SPATE_REFUSED, "out", "down and up again");
}

TEST(caps_can_be_reached_and_raised) {
    bytes tar = {0};
    add_file(&tar, "one", "12345");
    add_file(&tar, "two", "12345");
    const char *archive = save_gem(&tar, NULL, SPATE_SHA256);
    setting s = begin();
    s.options.max_total = 9;
    CHECK_STATUS(SPATE_LIMIT, unpack(&s, archive));
    CHECK_STRING("two", s.error.member);
    s.options.max_total = 10;
    s.options.max_entry = 4;
    CHECK_STATUS(SPATE_LIMIT, unpack(&s, archive));
    CHECK_STRING("one", s.error.member);
    s.options.max_entry = 5;
    s.options.max_entries = 1;
    CHECK_STATUS(SPATE_LIMIT, unpack(&s, archive));
    s.options.max_entries = 2;
    CHECK_OK(unpack(&s, archive));
    end(&s);
}

TEST(implied_folders_count_for_the_limit) {
    bytes tar = {0};
    add_file(&tar, "a/a/a/one", "1");
    add_file(&tar, "b/b/two", "2");
    const char *archive = save_gem(&tar, NULL, SPATE_SHA256);
    setting s = begin();
    s.options.max_entries = 4;
    CHECK_STATUS(SPATE_LIMIT, unpack(&s, archive));
    CHECK_STRING("b/b/two", s.error.member);
    s.options.max_entries = 5;
    CHECK_OK(unpack(&s, archive));
    end(&s);
}

TEST(the_archive_must_have_the_expected_digest) {
    bytes tar = {0};
    add_file(&tar, "file", "x");
    const char *archive = save_gem(&tar, "SHA1", SPATE_SHA1);
    setting s = begin();
    uint8_t right[64];
    uint8_t wrong[64] = {0};
    spate_buffer file = {0};
    CHECK_OK(spate_read_file(archive, 1 << 20, &file, NULL, NULL));
    CHECK_OK(spate_digest_once(SPATE_SHA512, file.bytes, file.length, right));
    spate_buffer_free(&file);
    s.options.sha256 = wrong;
    CHECK_STATUS(SPATE_CHECKSUM, unpack(&s, archive));
    CHECK_CONTAINS("expected 0000", s.error.message);
    s.options.sha256 = NULL;
    s.options.sha512 = wrong;
    CHECK_STATUS(SPATE_CHECKSUM, unpack(&s, archive));
    check_nothing_left(&s);
    char again[PATH_MAX];
    snprintf(again, sizeof(again), "%s/tmp", spate_store_root(s.store));
    CHECK(mkdir(again, 0777) == 0);
    CHECK_OK(spate_unpack_file(s.store, pool, archive, &(spate_unpack_options){.sha512 = right}, &s.unpacked, NULL));
    end(&s);
}

TEST(a_cancelled_unpack_leaves_no_tree) {
    bytes tar = {0};
    add_file(&tar, "file", "x");
    const char *archive = save_gem(&tar, NULL, SPATE_SHA256);
    setting s = begin();
    spate_cancel cancel = {1};
    s.options.cancel = &cancel;
    CHECK_STATUS(SPATE_CANCELLED, unpack(&s, archive));
    check_nothing_left(&s);
    end(&s);
}

static void check_archive(const void *content, size_t length, spate_status expected, const char *reason) {
    setting s = begin();
    const char *path = fresh("archive");
    CHECK_OK(spate_write_file(path, content, length, NULL));
    spate_status status = unpack(&s, path);
    if (status != expected)
        harness_fail(__FILE__, __LINE__, "%s: found %s: %s", reason, spate_status_name(status), s.error.message);
    CHECK_CONTAINS(reason, s.error.message);
    check_nothing_left(&s);
    end(&s);
}

TEST(invalid_gems_are_rejected) {
    check_archive("", 0, SPATE_TRUNCATED, "empty");
    static const char page[] = "\xEF\xBB\xBF\r\n <!DOCTYPE html><html><body>Sign in to the network</body></html>";
    check_archive(page, sizeof(page) - 1, SPATE_CORRUPT, "an HTML or XML page, not a gem");
    check_archive("{\"error\":1}", 11, SPATE_CORRUPT, "a JSON text");
    check_archive("MD5SUM = \"x\"", 12, SPATE_CORRUPT, "before 2005");
    check_archive("PK\x03\x04....", 8, SPATE_CORRUPT, "a zip file");
    bytes tar = {0};
    add_file(&tar, "metadata.gz", "x");
    end_tar(&tar);
    check_archive(tar.at, tar.length, SPATE_CORRUPT, "missing from the gem");
    bytes packed = gzipped(tar.at, tar.length);
    check_archive(packed.at, packed.length, SPATE_CORRUPT, "gzip data, not a gem");
    clear(&packed);
    clear(&tar);
    bytes data = gzipped("", 0);
    add_member(&tar, "data.tar.gz", '0', 0644, NULL, data.at, data.length);
    end_tar(&tar);
    check_archive(tar.at, tar.length, SPATE_CORRUPT, "missing from the gem");
    clear(&tar);
    for (int i = 0; i < 2; i++)
        add_member(&tar, "data.tar.gz", '0', 0644, NULL, data.at, data.length);
    end_tar(&tar);
    check_archive(tar.at, tar.length, SPATE_REFUSED, "duplicate member of the gem");
    clear(&tar);
    clear(&data);
}

TEST(damaged_gems_are_rejected) {
    bytes tar = {0};
    spate_buffer file = {0};
    for (int i = 0; i < 40; i++) {
        char name[20];
        snprintf(name, sizeof(name), "file%d", i);
        add_file(&tar, name, name);
    }
    CHECK_OK(spate_read_file(save_gem(&tar, "SHA256", SPATE_SHA256), 1 << 20, &file, NULL, NULL));
    check_archive(file.bytes, 1600, SPATE_TRUNCATED, "");
    size_t data = 512 + 512 + 512; /* after two headers and a short metadata.gz */
    file.bytes[data + 60] ^= 1;
    check_archive(file.bytes, file.length, SPATE_CHECKSUM, "checksums.yaml.gz");
    spate_buffer_free(&file);
}

static void save_checksums(const char *text, spate_status expected) {
    bytes gem = {0};
    bytes data = {0};
    setting s = begin();
    const char *path = fresh("archive");
    end_tar(&data);
    bytes packed = gzipped(data.at, data.length);
    bytes sums = gzipped(text, strlen(text));
    add_member(&gem, "metadata.gz", '0', 0444, NULL, packed.at, packed.length);
    add_member(&gem, "data.tar.gz", '0', 0444, NULL, packed.at, packed.length);
    add_member(&gem, "checksums.yaml.gz", '0', 0444, NULL, sums.at, sums.length);
    end_tar(&gem);
    save(path, &gem);
    spate_status status = unpack(&s, path);
    if (status != expected)
        harness_fail(__FILE__, __LINE__, "%s: found %s: %s", text, spate_status_name(status), s.error.message);
    end(&s);
    clear(&gem);
    clear(&data);
    clear(&packed);
    clear(&sums);
}

#define ZEROS_40 "0000000000000000000000000000000000000000"
#define ZEROS_64 ZEROS_40 "000000000000000000000000"

TEST(checksums_of_every_age_are_read) {
    save_checksums("", SPATE_OK);
    save_checksums("---\nSHA256:\n  data.tar.gz: " ZEROS_64 "\n", SPATE_CHECKSUM);
    save_checksums("---\r\n\"SHA256\":\r\n  \"metadata.gz\": '" ZEROS_64 "'\r\n", SPATE_CHECKSUM);
    save_checksums("---\nSHA1:\n  data.tar.gz: " ZEROS_40 "\n", SPATE_CHECKSUM);
    save_checksums("---\nSHA256:\n  data.tar.gz: " ZEROS_40 "\n", SPATE_CORRUPT);
    save_checksums("---\nSHA256:\n  other.gz: " ZEROS_64 "\n", SPATE_OK);
    save_checksums("---\nMD7:\n  data.tar.gz: 00\n", SPATE_OK);
    save_checksums("---\nSHA1: !binary |-\n  data.tar.gz: !binary |-\n    MDAwMA==\n", SPATE_OK);
}

TEST(an_npm_package_loses_its_first_folder) {
    setting s = begin();
    bytes tar = {0};
    const char *path = fresh("archive");
    add_file(&tar, "package/package.json", "{}");
    add_member(&tar, "package/bin/cli.js", '0', 0777, NULL, "x", 1);
    add_member(&tar, "package/odd", '0', 0600, NULL, "y", 1);
    /* npm and pnpm skip links, folders without files, and files outside the top folder. */
    add_member(&tar, "package/link", '2', 0777, "/etc/passwd", NULL, 0);
    add_member(&tar, "package/hard", '1', 0777, "package/odd", NULL, 0);
    add_member(&tar, "package/empty", '5', 0700, NULL, NULL, 0);
    add_member(&tar, "package/bin", '5', 0700, NULL, NULL, 0);
    add_file(&tar, "beside", "z");
    end_tar(&tar);
    bytes packed = gzipped(tar.at, tar.length);
    save(path, &packed);
    s.options.kind = SPATE_ARCHIVE_NPM;
    mode_t before = umask(022);
    CHECK_OK(unpack(&s, path));
    umask(before);
    CHECK_NUMBER(3, s.unpacked.count);
    CHECK_NUMBER(4, s.unpacked.bytes);
    CHECK(!exists(in_tree(&s, "empty")));
    CHECK_NUMBER(0755, stat_of(in_tree(&s, "bin")).st_mode & 07777);
    CHECK_NUMBER(0755, stat_of(in_tree(&s, "bin/cli.js")).st_mode & 07777);
    CHECK_NUMBER(0644, stat_of(in_tree(&s, "odd")).st_mode & 07777);
    check_text(in_tree(&s, "package.json"), "{}");
    CHECK_NUMBER(0, s.unpacked.metadata.length);
    clear(&tar);
    clear(&packed);
    end(&s);
}

TEST(an_npm_package_may_be_a_plain_tar) {
    for (int streamed = 0; streamed < 2; streamed++) {
        setting s = begin();
        bytes tar = {0};
        const char *path = fresh("archive");
        add_file(&tar, "package/package.json", "{}");
        end_tar(&tar);
        save(path, &tar);
        s.options.memory = streamed ? 64 : 0;          /* a larger limit maps the archive */
        CHECK_STATUS(SPATE_CORRUPT, unpack(&s, path)); /* it is not a gem */
        s.options.kind = SPATE_ARCHIVE_NPM;
        CHECK_OK(unpack(&s, path));
        check_text(in_tree(&s, "package.json"), "{}");
        clear(&tar);
        end(&s);
    }
}

TEST(build_results_keep_their_modes) {
    for (int packed = 0; packed < 2; packed++) {
        setting s = begin();
        bytes tar = {0};
        const char *path = fresh("archive");
        add_member(&tar, "gems/a/empty", '5', 0500, NULL, NULL, 0);
        add_member(&tar, "gems/a/lib/a.so", '0', 0711, NULL, "x", 1);
        add_member(&tar, "gems/a/lib/link.so", '2', 0777, "a.so", NULL, 0);
        end_tar(&tar);
        bytes smaller = gzipped(tar.at, tar.length);
        save(path, packed ? &smaller : &tar);
        s.options.kind = SPATE_ARCHIVE_BUILD;
        CHECK_OK(spate_unpack_file(s.store, pool, path, &s.options, &s.unpacked, &s.error));
        CHECK_NUMBER(3, s.unpacked.count); /* folders that only lead to other members are not listed */
        CHECK_STRING("gems/a/empty", s.unpacked.entries[0].path);
        CHECK_NUMBER(0500, s.unpacked.entries[0].mode);
        CHECK_NUMBER(0711, s.unpacked.entries[1].mode);
        CHECK_STRING("a.so", s.unpacked.entries[2].target);
        clear(&tar);
        clear(&smaller);
        end(&s);
    }
}

TEST(a_build_has_no_setuid_files) {
    static const unsigned modes[] = {04755, 02755, 01777};
    for (size_t i = 0; i < 3; i++) {
        setting s = begin();
        bytes tar = {0};
        const char *path = fresh("archive");
        add_member(&tar, "gems/a/run", '0', modes[i], NULL, "x", 1);
        end_tar(&tar);
        save(path, &tar);
        s.options.kind = SPATE_ARCHIVE_BUILD;
        CHECK_STATUS(SPATE_REFUSED, unpack(&s, path));
        CHECK_CONTAINS("setuid", s.error.message);
        clear(&tar);
        end(&s);
    }
}

TEST(a_tree_that_exists_is_not_touched) {
    setting s = begin();
    bytes tar = {0};
    add_file(&tar, "file", "x");
    CHECK(mkdir(s.tree, 0777) == 0);
    write_text(in_tree(&s, "mine"), "mine", 0644);
    CHECK_STATUS(SPATE_SYSTEM, unpack(&s, save_gem(&tar, NULL, SPATE_SHA256)));
    check_text(in_tree(&s, "mine"), "mine");
    end(&s);
}

TEST(failed_allocations_return_an_error) {
    bytes tar = {0};
    for (int i = 0; i < 40; i++) {
        char name[20];
        snprintf(name, sizeof(name), "dir%d/file", i);
        add_file(&tar, name, name);
    }
    char archive[PATH_MAX];
    strcpy(archive, save_gem(&tar, "SHA256", SPATE_SHA256)); /* in_scratch reuses its buffers soon */
    bool succeeded = false;
    for (long n = 0; n < 500 && !succeeded; n++) {
        setting s = begin();
        s.options.parallel_from = UINT_MAX;
        s.options.memory = n % 2 ? 0 : 3000;
        s.options.tree = s.tree;
        harness_fail_allocation(n);
        spate_status status = spate_unpack_file(s.store, pool, archive, &s.options, &s.unpacked, &s.error);
        succeeded = status == SPATE_OK && harness_allocations() <= n;
        harness_fail_allocation(-1);
        if (status != SPATE_OK) {
            if (status != SPATE_NO_MEMORY)
                harness_fail(__FILE__, __LINE__, "allocation %ld: %s: %s", n, spate_status_name(status),
                             s.error.message);
            CHECK(!exists(s.tree));
        }
        end(&s);
    }
    CHECK(succeeded);
}
