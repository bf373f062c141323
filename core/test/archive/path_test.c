#include "test/harness.h"

#include "archive/path.h"

typedef spate_status cleaner(const char *, size_t, char *, size_t, size_t *, spate_error *);

static void cleans(cleaner *clean, const char *name, const char *expected) {
    char cleaned[4097];
    size_t length = 99;
    spate_error error = {0};
    spate_status status = clean(name, strlen(name), cleaned, sizeof cleaned, &length, &error);
    if (status != SPATE_OK)
        fprintf(stderr, "%s: %s\n", name, error.message);
    CHECK_OK(status);
    CHECK_STRING(expected, cleaned);
    CHECK_NUMBER(strlen(expected), length);
}

static void refuses_bytes(cleaner *clean, const char *name, size_t name_length, const char *reason) {
    char cleaned[4097];
    size_t length = 99;
    spate_error error = {0};
    if (clean(name, name_length, cleaned, sizeof cleaned, &length, &error) == SPATE_OK) {
        fprintf(stderr, "%s was taken\n", name);
        CHECK(false);
    }
    CHECK_NUMBER(SPATE_REFUSED, error.status);
    CHECK_CONTAINS(reason, error.message);
    CHECK_NUMBER(0, length);
}

static void refuses(cleaner *clean, const char *name, const char *reason) {
    refuses_bytes(clean, name, strlen(name), reason);
}

TEST(clean_names_stay) {
    cleans(spate_path_clean, "a", "a");
    cleans(spate_path_clean, "lib/a.rb", "lib/a.rb");
    cleans(spate_path_clean, ".hidden/..b/c..", ".hidden/..b/c..");
    cleans(spate_path_clean, "...", "...");
    cleans(spate_path_clean, "a b/grüße", "a b/grüße");
    cleans(spate_path_clean, "latin\xe9", "latin\xe9");
    cleans(spate_path_clean, "~root/x", "~root/x");
    cleans(spate_path_clean, "a\\..\\b", "a\\..\\b");
}

TEST(dots_and_slashes_go) {
    cleans(spate_path_clean, "./a", "a");
    cleans(spate_path_clean, "././/a", "a");
    cleans(spate_path_clean, "a//b///c/", "a/b/c");
    cleans(spate_path_clean, "a/./b/.", "a/b");
    cleans(spate_path_clean, "a/b/", "a/b");
}

TEST(dot_dot_is_folded) {
    cleans(spate_path_clean, "a/../b", "b");
    cleans(spate_path_clean, "a/b/../../c", "c");
    cleans(spate_path_clean, "a/b/../c", "a/c");
    cleans(spate_path_clean, "aa/bb/cc/..", "aa/bb");
    cleans(spate_path_clean, "a/./..//b", "b");
}

TEST(the_root_itself) {
    cleans(spate_path_clean, ".", "");
    cleans(spate_path_clean, "./", "");
    cleans(spate_path_clean, "a/..", "");
}

TEST(names_that_leave_the_package) {
    refuses(spate_path_clean, "/etc/passwd", "absolute");
    refuses(spate_path_clean, "//a", "absolute");
    refuses(spate_path_clean, "/", "absolute");
    refuses(spate_path_clean, "..", "leads out");
    refuses(spate_path_clean, "../a", "leads out");
    refuses(spate_path_clean, "./../a", "leads out");
    refuses(spate_path_clean, "a/../../b", "leads out");
    refuses(spate_path_clean, "a/../../a/b", "leads out");
    refuses(spate_path_clean, "../dest_backup/x", "leads out");
    refuses(spate_path_clean, "a/b/../../..", "leads out");
}

TEST(invalid_names) {
    refuses(spate_path_clean, "", "empty");
    refuses_bytes(spate_path_clean, "a\0b", 3, "null byte");
    refuses_bytes(spate_path_clean, "a\0", 2, "null byte");
    refuses(spate_path_clean, "a\nb", "newline");
    refuses(spate_path_clean, "a\x1b[2J", "control");
    refuses(spate_path_clean, "a\x7f", "control");
    cleans(spate_path_clean, "lib/Icon\r", "lib/Icon\r"); /* macOS makes such files, and real gems contain them */
}

TEST(long_names) {
    char name[4200];

    memset(name, 'a', sizeof name);
    name[255] = '\0';
    cleans(spate_path_clean, name, name);
    name[255] = 'a';
    name[256] = '\0';
    refuses(spate_path_clean, name, "255 bytes");
    memset(name, 'a', sizeof name);
    for (size_t i = 100; i < sizeof name; i += 100)
        name[i] = '/';
    name[4096] = '\0';
    cleans(spate_path_clean, name, name);
    name[4096] = 'a';
    name[4097] = '\0';
    refuses(spate_path_clean, name, "4096 bytes");
}

TEST(the_error_names_the_member) {
    spate_error error;
    char cleaned[16];
    size_t length;
    CHECK_STATUS(SPATE_REFUSED, spate_path_clean("../a\nb", 4, cleaned, sizeof cleaned, &length, &error));
    CHECK_STRING("../a", error.member);
    CHECK_STATUS(SPATE_REFUSED, spate_path_clean("../a", 4, cleaned, sizeof cleaned, &length, NULL));
}

TEST(small_capacity) {
    spate_error error;
    char cleaned[8] = "zzzzzzz";
    size_t length;
    CHECK_OK(spate_path_clean("ab/c", 4, cleaned, 5, &length, &error));
    CHECK_STRING("ab/c", cleaned);
    CHECK_STATUS(SPATE_REFUSED, spate_path_clean("ab/cd", 5, cleaned, 5, &length, &error));
    CHECK_STATUS(SPATE_REFUSED, spate_path_clean("a", 1, cleaned, 1, &length, &error));
    CHECK_STATUS(SPATE_REFUSED, spate_path_clean("a", 1, cleaned, 0, &length, &error));
    CHECK(cleaned[5] == 'z' && cleaned[6] == 'z');
}

static void link_stays(const char *path, const char *target) {
    spate_error error = {0};
    spate_status status = spate_path_check_link(path, target, &error);
    if (status != SPATE_OK)
        fprintf(stderr, "%s -> %s: %s\n", path, target, error.message);
    CHECK_OK(status);
    CHECK_OK(spate_path_check_link(path, target, NULL));
}

static void link_refused(const char *path, const char *target, const char *reason) {
    spate_error error = {0};
    if (spate_path_check_link(path, target, &error) == SPATE_OK)
        fprintf(stderr, "%s -> %s was taken\n", path, target);
    CHECK_NUMBER(SPATE_REFUSED, error.status);
    CHECK_CONTAINS(reason, error.message);
    CHECK_STRING(path, error.member);
}

TEST(links_that_stay_inside) {
    link_stays("a", "b");
    link_stays("a", "b/c");
    link_stays("lib/a", "../b");
    link_stays("lib/x/a", "../../b");
    link_stays("lib/a", "./../lib/b");
    link_stays("lib/x/a", "..");
    link_stays("lib/a", ".");
    link_stays("a", "b//c/.");
}

TEST(links_that_leave_the_package) {
    link_refused("a", "/etc/passwd", "absolute");
    link_refused("a", "..", "leads out");
    link_refused("a", "../gem-1.0-backup/x", "leads out");
    link_refused("lib/a", "../../x", "leads out");
    link_refused("lib/a", "../..", "leads out");
    link_refused("lib/a", "./.././../x", "leads out");
    link_refused("a", ".", "package itself");
    link_refused("lib/a", "..", "package itself");
}

/* By its text alone, a/b/c/up -> ../../.. stays inside. A second link z -> a/b/c/up/../x then also stays inside by its
 * text, but the kernel follows it to the outside. */
TEST(links_through_links) {
    link_refused("z", "a/b/c/up/../x", "down and up");
    link_refused("lib/a", "x/../y", "down and up");
}

TEST(links_to_nothing) {
    char target[5000];
    link_refused("a", "", "no target");
    link_refused("a", "b\nc", "not a valid path");
    link_refused("a", "b\x1b", "not a valid path");
    memset(target, 'a', sizeof target);
    target[sizeof target - 1] = '\0';
    link_refused("a", target, "not a valid path");
}

TEST(npm_drops_the_first_part) {
    cleans(spate_path_clean_npm, "package/index.js", "index.js");
    cleans(spate_path_clean_npm, "node-v1/lib/a.js", "lib/a.js");
    cleans(spate_path_clean_npm, "package\\lib\\a.js", "lib/a.js");
    cleans(spate_path_clean_npm, "package//a.js", "a.js");
    cleans(spate_path_clean_npm, "./a.js", "a.js");
    cleans(spate_path_clean_npm, "package/a/../b", "b");
    cleans(spate_path_clean_npm, "package", "");
    cleans(spate_path_clean_npm, "package/", "");
    cleans(spate_path_clean_npm, "package/.", "");
}

TEST(npm_names_that_leave_the_package) {
    refuses(spate_path_clean_npm, "/package/a", "absolute");
    refuses(spate_path_clean_npm, "\\package\\a", "absolute");
    refuses(spate_path_clean_npm, "../a", "leads out");
    refuses(spate_path_clean_npm, "package/../a", "leads out");
    refuses(spate_path_clean_npm, "package\\..\\..\\a", "leads out");
    refuses(spate_path_clean_npm, "..\\a", "leads out");
    refuses(spate_path_clean_npm, "", "empty");
    refuses_bytes(spate_path_clean_npm, "package/a\0b", 11, "null byte");
    refuses(spate_path_clean_npm, "pack\nage/a", "newline");
}
