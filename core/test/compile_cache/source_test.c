#include "test/scratch.h"

#include "base/freshness.h"
#include "compile_cache/source.h"

#include <fcntl.h>
#include <sys/stat.h>

/* Sets `kept`, as if the file system stored the kernel's times, regardless of the file system of the test. */
static spate_source source_of(const char *path) {
    spate_source source;
    CHECK(spate_source_stat(path, &source));
    source.kept = true;
    return source;
}

/* Returns a file entry that was recorded `later` nanoseconds after the file's last change. */
static spate_compile_cache_file recorded(const spate_source *source, int64_t later) {
    return (spate_compile_cache_file){
        .size = source->size,
        .mtime_ns = source->mtime_ns,
        .ctime_ns = source->ctime_ns,
        .recorded_ns = source->ctime_ns + later,
        .inode = source->inode,
    };
}

#define SECOND INT64_C(1000000000)

TEST(unchanged_file_is_the_same) {
    const char *path = fresh("file");
    write_text(path, "puts 1", 0644);
    spate_source source = source_of(path);
    CHECK_NUMBER(6, source.size);
    CHECK(source.regular && !source.symlink && source.inode != 0);
    spate_compile_cache_file file = recorded(&source, SECOND);
    CHECK_NUMBER(SPATE_SOURCE_SAME, spate_source_compare(&source, &file));
    file.inode = 0;
    CHECK_NUMBER(SPATE_SOURCE_SAME, spate_source_compare(&source, &file));
}

TEST(another_size_is_another_file) {
    const char *path = fresh("file");
    write_text(path, "puts 1", 0644);
    spate_source source = source_of(path);
    spate_compile_cache_file file = recorded(&source, SECOND);
    file.size++;
    CHECK_NUMBER(SPATE_SOURCE_OTHER_SIZE, spate_source_compare(&source, &file));
    CHECK(spate_source_is_other(SPATE_SOURCE_OTHER_SIZE) && spate_source_is_other(SPATE_SOURCE_OTHER_KIND));
    source = source_of(in_scratch("."));
    file = recorded(&source, SECOND);
    CHECK_NUMBER(SPATE_SOURCE_OTHER_KIND, spate_source_compare(&source, &file));
    CHECK_NUMBER(SPATE_SOURCE_SAME, spate_source_doubt(&source, &file));
}

TEST(changed_time_or_inode_requires_reading) {
    const char *path = fresh("file");
    write_text(path, "puts 1", 0644);
    spate_source source = source_of(path);
    static const spate_source_state expected[] = {SPATE_SOURCE_OTHER_MTIME, SPATE_SOURCE_OTHER_CTIME,
                                                  SPATE_SOURCE_OTHER_INODE};
    for (int field = 0; field < 3; field++) {
        spate_compile_cache_file file = recorded(&source, SECOND);
        file.mtime_ns += field == 0;
        file.ctime_ns -= field == 1;
        file.inode += field == 2;
        CHECK_NUMBER(expected[field], spate_source_compare(&source, &file));
        CHECK(!spate_source_is_other(expected[field]));
    }
}

/* A second change within the same clock tick does not change the times. */
TEST(times_near_the_recording_are_not_trusted) {
    const char *path = fresh("file");
    write_text(path, "puts 1", 0644);
    spate_source source = source_of(path);
    static const struct {
        int64_t later;
        spate_source_state state;
    } cases[] = {
        {0, SPATE_SOURCE_RECENT},
        {SPATE_FRESH_RACY_NS - 1, SPATE_SOURCE_RECENT},
        {SPATE_FRESH_RACY_NS, SPATE_SOURCE_SAME},
        {-SECOND, SPATE_SOURCE_RECENT}, /* recorded before the change, because the clock was set back */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        spate_compile_cache_file file = recorded(&source, cases[i].later);
        CHECK_NUMBER(cases[i].state, spate_source_compare(&source, &file));
    }
}

/* The ctime alone is enough, so a file with an mtime in the future is not read at each start. */
TEST(mtime_at_the_recording_is_ignored) {
    const char *path = fresh("file");
    write_text(path, "puts 1", 0644);
    spate_source source = source_of(path);
    spate_compile_cache_file file = recorded(&source, SECOND);
    source.mtime_ns = file.mtime_ns = file.recorded_ns;
    CHECK_NUMBER(SPATE_SOURCE_SAME, spate_source_compare(&source, &file));
}

TEST(times_prove_nothing_where_no_kernel_keeps_them) {
    NEEDS_TIMES;
    const char *path = fresh("file");
    struct stat info;
    write_text(path, "puts 1", 0644);
    const struct timespec past[] = {{1, 1}, {1, 1}};
    CHECK(utimensat(AT_FDCWD, path, past, 0) == 0);
    CHECK(stat(path, &info) == 0);
    CHECK(spate_times_kept(path, &info));
    info.st_ctim.tv_nsec = 0; /* like a file system or a file-backed image whose times have whole seconds */
    CHECK(!spate_times_kept(path, &info));
    CHECK(stat("/proc/self/status", &info) == 0);
    info.st_ctim.tv_nsec = 1;
    CHECK(!spate_times_kept("/proc/self/status", &info));
    spate_source source = source_of(path);
    source.kept = false;
    spate_compile_cache_file file = recorded(&source, SECOND);
    CHECK_NUMBER(SPATE_SOURCE_UNKEPT, spate_source_compare(&source, &file));
    file.size++;
    CHECK_NUMBER(SPATE_SOURCE_OTHER_SIZE, spate_source_compare(&source, &file));
}

TEST(symlinks_are_reported_and_followed) {
    const char *path = fresh("file");
    const char *link = fresh("link");
    spate_source source;
    write_text(path, "puts 1", 0644);
    CHECK(symlink(path, link) == 0);
    source = source_of(link);
    CHECK(source.symlink && source.regular);
    CHECK_NUMBER(source_of(path).inode, source.inode);
    CHECK(unlink(path) == 0);
    CHECK(!spate_source_stat(link, &source));
}

TEST(the_content_is_hashed_in_pieces) {
    static char text[100001];
    const char *path = fresh("file");
    uint8_t expected[SPATE_SIPHASH_BYTES];
    uint8_t found[SPATE_SIPHASH_BYTES];
    memset(text, 'x', sizeof(text) - 1);
    write_text(path, text, 0644);
    spate_siphash_of(text, sizeof(text) - 1, expected);
    CHECK(spate_source_hash(path, found));
    CHECK_BYTES(expected, found, sizeof(found));
    CHECK(!spate_source_hash(in_scratch("none"), found));
    CHECK(!spate_source_hash(in_scratch("."), found));
}

/* ---- real paths ---- */

static char root[PATH_MAX];

/* Makes two releases that contain the same file, and a link `current` to one of them. */
static void releases(void) {
    char path[PATH_MAX + 32];
    char *real = realpath(in_scratch("."), NULL);
    static int made;
    CHECK(real != NULL);
    snprintf(root, sizeof(root), "%s/app%d", real, made++);
    free(real);
    CHECK(mkdir(root, 0755) == 0);
    for (char name = 'a'; name <= 'b'; name++) {
        snprintf(path, sizeof(path), "%s/%c", root, name);
        CHECK(mkdir(path, 0755) == 0);
        snprintf(path, sizeof(path), "%s/%c/lib", root, name);
        CHECK(mkdir(path, 0755) == 0);
        snprintf(path, sizeof(path), "%s/%c/lib/x.rb", root, name);
        write_text(path, "puts 1", 0644);
    }
    snprintf(path, sizeof(path), "%s/current", root);
    CHECK(symlink("a", path) == 0);
}

static bool match(spate_realpaths *realpaths, const char *path, const char *expected) {
    char full[PATH_MAX + 64];
    char real[PATH_MAX + 64];
    spate_source source;
    snprintf(full, sizeof(full), "%s/%s", root, path);
    snprintf(real, sizeof(real), "%s/%s", root, expected);
    CHECK(spate_source_stat(full, &source));
    return spate_realpaths_match(realpaths, full, strlen(full), source.symlink, real, strlen(real));
}

TEST(real_path_resolves_folders) {
    char link[PATH_MAX + 32];
    releases();
    spate_realpaths *realpaths = spate_realpaths_new();
    for (int twice = 0; twice < 2; twice++) {
        CHECK(match(realpaths, "a/lib/x.rb", "a/lib/x.rb"));
        CHECK(!match(realpaths, "a/lib/x.rb", "b/lib/x.rb"));
        CHECK(!match(realpaths, "a/lib/x.rb", "a/lib/y.rb"));
        CHECK(!match(realpaths, "a/lib/x.rb", "a/lib/x.r"));
        CHECK(match(realpaths, "current/lib/x.rb", "a/lib/x.rb"));
        CHECK(!match(realpaths, "current/lib/x.rb", "b/lib/x.rb"));
        CHECK(!match(realpaths, "current/lib/x.rb", "current/lib/x.rb"));
        CHECK(match(realpaths, "current/../a/./lib//x.rb", "a/lib/x.rb"));
    }
    spate_realpaths_free(realpaths);
    snprintf(link, sizeof(link), "%s/current", root);
    CHECK(unlink(link) == 0);
    CHECK(symlink("b", link) == 0);
    realpaths = spate_realpaths_new();
    CHECK(match(realpaths, "current/lib/x.rb", "b/lib/x.rb"));
    CHECK(!match(realpaths, "current/lib/x.rb", "a/lib/x.rb"));
    spate_realpaths_free(realpaths);
    spate_realpaths_free(NULL);
}

/* The change is seen within two seconds, or right after spate_realpaths_forget. */
TEST(a_folder_that_leads_elsewhere_is_seen) {
    char link[PATH_MAX + 32];
    releases();
    spate_realpaths *realpaths = spate_realpaths_new();
    snprintf(link, sizeof(link), "%s/current", root);
    CHECK(match(realpaths, "current/lib/x.rb", "a/lib/x.rb"));
    CHECK(unlink(link) == 0);
    CHECK(symlink("b", link) == 0);
    spate_realpaths_forget(realpaths);
    CHECK(match(realpaths, "current/lib/x.rb", "b/lib/x.rb"));
    if (harness_full()) {
        CHECK(unlink(link) == 0);
        CHECK(symlink("a", link) == 0);
        sleep(3);
        CHECK(match(realpaths, "current/lib/x.rb", "a/lib/x.rb"));
    }
    spate_realpaths_free(realpaths);
    spate_realpaths_forget(NULL);
}

TEST(real_path_resolves_a_file_symlink) {
    char link[PATH_MAX + 32];
    releases();
    spate_realpaths *realpaths = spate_realpaths_new();
    snprintf(link, sizeof(link), "%s/a/lib/link.rb", root);
    CHECK(symlink("x.rb", link) == 0);
    CHECK(match(realpaths, "a/lib/link.rb", "a/lib/x.rb"));
    CHECK(!match(realpaths, "a/lib/link.rb", "a/lib/link.rb"));
    spate_realpaths_free(realpaths);
}

TEST(a_folder_that_leads_to_the_root) {
    char link[PATH_MAX + 32];
    char asked[2 * PATH_MAX];
    const char *file = "/etc/passwd";
    releases();
    spate_realpaths *realpaths = spate_realpaths_new();
    snprintf(link, sizeof(link), "%s/slash", root);
    CHECK(symlink("/", link) == 0);
    snprintf(asked, sizeof(asked), "%s/etc/passwd", link);
    CHECK(spate_realpaths_match(realpaths, asked, strlen(asked), false, file, strlen(file)));
    CHECK(spate_realpaths_match(realpaths, file, strlen(file), false, file, strlen(file)));
    CHECK(!spate_realpaths_match(realpaths, "/none", 5, false, file, strlen(file)));
    CHECK(spate_realpaths_match(realpaths, "/none", 5, false, "/none", 5)); /* the caller knows that the file exists */
    spate_realpaths_free(realpaths);
}

TEST(hundreds_of_folders_are_cached) {
    char path[2 * PATH_MAX];
    releases();
    spate_realpaths *realpaths = spate_realpaths_new();
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 600; i++) {
            snprintf(path, sizeof(path), "%s/a/%d", root, i);
            CHECK(round == 1 || mkdir(path, 0755) == 0);
            strcat(path, "/x.rb");
            CHECK(spate_realpaths_match(realpaths, path, strlen(path), false, path, strlen(path)));
        }
    spate_realpaths_free(realpaths);
}

TEST(memory_that_runs_out_is_no_match_or_a_right_one) {
    char path[2 * PATH_MAX];
    releases();
    snprintf(path, sizeof(path), "%s/current/lib/x.rb", root);
    char *real = realpath(path, NULL);
    CHECK(real != NULL);
    for (long n = 0; n < 12; n++) {
        harness_fail_allocation(n);
        spate_realpaths *realpaths = spate_realpaths_new();
        if (realpaths)
            spate_realpaths_match(realpaths, path, strlen(path), false, real, strlen(real));
        harness_fail_allocation(-1);
        if (realpaths)
            CHECK(spate_realpaths_match(realpaths, path, strlen(path), false, real, strlen(real)));
        spate_realpaths_free(realpaths);
    }
    free(real);
}
