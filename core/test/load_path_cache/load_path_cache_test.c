#include "test/harness.h"
#include "test/scratch.h"

#include "load_path_cache/resolve/resolve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char base[PATH_MAX];

static const char *at(const char *relative) {
    static char path[2][2 * PATH_MAX];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", base, relative);
    return path[turn];
}

static void make(const char *relative) {
    int file = open(at(relative), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    CHECK(file >= 0);
    close(file);
}

/* Waits, because the cache does not trust a listing made within 20 ms of a change. */
static void settle(void) {
    nanosleep(&(struct timespec){0, 40000000}, NULL);
}

static void begin_trees(void) {
    char real[PATH_MAX];
    const char *folder = fresh("load_path_cache");
    CHECK(mkdir(folder, 0755) == 0 && realpath(folder, real) != NULL);
    snprintf(base, sizeof base, "%s", real);
    for (const char *const *name = (const char *const[]){"one", "two", "one/a", "two/a", NULL}; *name; name++)
        CHECK(mkdir(at(*name), 0755) == 0);
    make("one/b.so");
    make("two/b.rb");
    make("two/a/c.rb");
    make("two/d.so.rb");
    settle();
}

static const uint8_t *built;
static size_t built_length;

static void build(void) {
    char one[2 * PATH_MAX], two[2 * PATH_MAX];
    uint8_t *bytes;
    snprintf(one, sizeof one, "%s", at("one"));
    snprintf(two, sizeof two, "%s", at("two"));
    const char *paths[] = {one, two};
    spate_error error;
    CHECK_NUMBER(SPATE_OK, spate_load_path_cache_build(paths, 2, 2, ".so", NULL, &bytes, &built_length, &error));
    free((void *)(uintptr_t)built);
    built = bytes;
}

static spate_resolver *resolver_of(spate_load_path_cache *cache) {
    spate_resolver *resolver;
    char path[2 * PATH_MAX];
    uint32_t roots[2];
    CHECK_NUMBER(SPATE_OK, spate_resolver_new(&resolver, cache, ".so"));
    for (int i = 0; i < 2; i++) {
        int length = snprintf(path, sizeof path, "%s", at(i ? "two" : "one"));
        roots[i] = spate_resolver_root(resolver, path, (size_t)length);
        CHECK(roots[i] != SPATE_LOAD_PATH_CACHE_NONE);
    }
    CHECK_NUMBER(SPATE_OK, spate_resolver_load_path(resolver, roots, 2));
    return resolver;
}

static void finds(spate_resolver *resolver, const char *feature, const char *expected) {
    spate_found found;
    spate_answer answer = spate_resolver_find(resolver, feature, strlen(feature), false, false, &found);
    CHECK_NUMBER(expected ? SPATE_FOUND : SPATE_ABSENT, answer);
    if (expected)
        CHECK_STRING(at(expected), found.path);
}

static void finds_all(spate_resolver *resolver) {
    finds(resolver, "b", "two/b.rb"); /* a .rb in any folder comes before a .so in any other */
    finds(resolver, "b.so", "one/b.so");
    finds(resolver, "b.o", "one/b.so");
    finds(resolver, "a/c", "two/a/c.rb");
    finds(resolver, "a/c.rb", "two/a/c.rb");
    finds(resolver, "d.so", "two/d.so.rb");
    finds(resolver, "a", NULL);
    finds(resolver, "none/at/all", NULL);
}

TEST(finds_by_an_index_without_listing) {
    NEEDS_TIMES;
    spate_load_path_cache cache;
    begin_trees();
    build();
    CHECK_NUMBER(SPATE_OK, spate_load_path_cache_open(&cache, built, built_length, NULL));
    spate_resolver *resolver = resolver_of(&cache);
    finds_all(resolver);
    CHECK_NUMBER(0, spate_resolver_counted(resolver).listings);
    spate_resolver_free(resolver);
}

TEST(finds_without_an_index_by_listing) {
    NEEDS_TIMES;
    begin_trees();
    spate_resolver *resolver = resolver_of(NULL);
    finds_all(resolver);
    CHECK_NUMBER(4, spate_resolver_counted(resolver).listings);
    spate_resolver_free(resolver);
}

TEST(a_changed_folder_alone_is_listed_again) {
    NEEDS_TIMES;
    spate_load_path_cache cache;
    begin_trees();
    build();
    CHECK_NUMBER(SPATE_OK, spate_load_path_cache_open(&cache, built, built_length, NULL));
    make("one/a/c.rb");
    spate_resolver *resolver = resolver_of(&cache);
    finds(resolver, "a/c", "one/a/c.rb");
    CHECK_NUMBER(1, spate_resolver_counted(resolver).listings);
    CHECK(unlink(at("one/a/c.rb")) == 0);
    spate_resolver_forget(resolver);
    finds(resolver, "a/c", "two/a/c.rb");
    CHECK(mkdir(at("one/new"), 0755) == 0);
    make("one/new/e.rb");
    spate_resolver_forget(resolver);
    finds(resolver, "new/e", "one/new/e.rb");
    spate_resolver_free(resolver);
}

TEST(a_root_that_leads_elsewhere_is_seen_once_it_is_to_be_forgotten) {
    begin_trees();
    CHECK(symlink(at("one"), at("root")) == 0);
    spate_resolver *resolver = resolver_of(NULL);
    CHECK_NUMBER(0, spate_resolver_root(resolver, at("root"), strlen(at("root"))));
    CHECK(unlink(at("root")) == 0 && symlink(at("two"), at("root")) == 0);
    spate_resolver_forget(resolver);
    CHECK_NUMBER(1, spate_resolver_root(resolver, at("root"), strlen(at("root"))));
    spate_resolver_free(resolver);
}

TEST(resolver_bytes_include_the_load_path) {
    enum { ENTRIES = 100000 };
    uint32_t *roots = malloc(ENTRIES * sizeof *roots);
    spate_resolver *resolver;
    CHECK(roots != NULL);
    memset(roots, 0xff, ENTRIES * sizeof *roots);
    CHECK_OK(spate_resolver_new(&resolver, NULL, ".so"));
    CHECK_OK(spate_resolver_load_path(resolver, roots, ENTRIES));
    CHECK(spate_resolver_bytes(resolver) >= ENTRIES * sizeof *roots);
    spate_resolver_free(resolver);
    free(roots);
}

TEST(names_that_ruby_resolves_differently_are_uncertain) {
    static const char *const names[] = {"", "/a", "./b", "../b", "a//c", "a/", "a/../b", "a/./c", "~/b", ".rb"};
    spate_found found;
    begin_trees();
    spate_resolver *resolver = resolver_of(NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK_NUMBER(SPATE_UNSURE, spate_resolver_find(resolver, names[i], strlen(names[i]), false, false, &found));
    spate_resolver_free(resolver);
}

TEST(the_same_trees_give_the_same_bytes) {
    begin_trees();
    build();
    uint8_t *first = malloc(built_length);
    size_t length = built_length;
    memcpy(first, built, length);
    build();
    CHECK(length == built_length && memcmp(first, built, length) == 0);
    free(first);
}

TEST(flipped_bytes_are_rejected) {
    spate_load_path_cache cache;
    begin_trees();
    build();
    uint8_t *copy = malloc(built_length);
    for (size_t i = 0; i < built_length; i++) {
        memcpy(copy, built, built_length);
        copy[i] ^= (uint8_t)(1 + i % 255);
        CHECK_NUMBER(SPATE_STALE, spate_load_path_cache_open(&cache, copy, built_length, NULL));
    }
    for (size_t length = 0; length < built_length; length += 7)
        CHECK_NUMBER(SPATE_STALE, spate_load_path_cache_open(&cache, built, length, NULL));
    free(copy);
}

TEST(order_and_content_matter_to_the_fingerprint) {
    uint8_t prints[4][SPATE_SIPHASH_BYTES];
    const char *paths[][2] = {{"/a", "/b"}, {"/b", "/a"}, {"/a/", "b"}, {"/a", "/b"}};
    for (int i = 0; i < 4; i++) {
        size_t lengths[] = {strlen(paths[i][0]), strlen(paths[i][1])};
        spate_load_path_cache_fingerprint(paths[i], lengths, 2, prints[i]);
    }
    CHECK(memcmp(prints[0], prints[1], sizeof *prints) != 0);
    CHECK(memcmp(prints[0], prints[2], sizeof *prints) != 0);
    CHECK(memcmp(prints[0], prints[3], sizeof *prints) == 0);
}

TEST(failed_allocations_make_every_answer_uncertain) {
    spate_load_path_cache cache;
    spate_found found;
    begin_trees();
    build();
    CHECK_NUMBER(SPATE_OK, spate_load_path_cache_open(&cache, built, built_length, NULL));
    for (long after = 0; after < 40; after++) {
        spate_resolver *resolver = NULL;
        harness_fail_allocation(after);
        if (spate_resolver_new(&resolver, &cache, ".so") == SPATE_OK) {
            uint32_t root = spate_resolver_root(resolver, at("two"), strlen(at("two")));
            if (spate_resolver_load_path(resolver, &root, 1) == SPATE_OK) {
                spate_answer answer = spate_resolver_find(resolver, "b", 1, false, false, &found);
                CHECK(answer == SPATE_UNSURE || answer == SPATE_FOUND);
            }
        }
        harness_fail_allocation(-1);
        spate_resolver_free(resolver);
    }
}
