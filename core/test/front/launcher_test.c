#include "test/harness.h"
#include "test/scratch.h"

#include "front/exec/exec.h"
#include "front/exec/expand_path.h"
#include "front/launcher.h"

#include <stdint.h>
#include <string.h>
#include <utime.h>

static spate_launcher launcher;

static int order(const char *one, const char *other) {
    int found = spate_compare_versions(one, strlen(one), other, strlen(other));
    return (found > 0) - (found < 0);
}

TEST(versions_are_ordered_as_by_the_launcher) {
    CHECK_NUMBER(1, order("0.10.0", "0.9.9"));
    CHECK_NUMBER(-1, order("0.10.0.pre2", "0.10.0"));
    CHECK_NUMBER(1, order("0.10.0.pre2", "0.10.0.pre1"));
    CHECK_NUMBER(0, order("1.0", "1"));
    CHECK_NUMBER(-1, order("1.0", "1.0.1"));
    CHECK_NUMBER(0, order("01.2", "1.2"));
    CHECK_NUMBER(1, order("1.0.99999999999999999999", "1.0.9"));
    CHECK_NUMBER(-1, order("1.a", "1"));
}

TEST(paths_are_expanded_as_by_ruby) {
    char path[PATH_MAX];
    CHECK(spate_expand_path("b/./c//d/..", "/a/", path));
    CHECK_STRING("/a/b/c", path);
    CHECK(spate_expand_path("/../..", "/", path));
    CHECK_STRING("/", path);
    CHECK(spate_expand_path("../../../x", "/a/b", path));
    CHECK_STRING("/x", path);
    CHECK(!spate_expand_path("~/x", "/a", path) && !spate_expand_path("x", "a", path));
    char lengthy[PATH_MAX + 2];
    memset(lengthy, 'x', sizeof(lengthy) - 1);
    lengthy[sizeof(lengthy) - 1] = '\0';
    CHECK(!spate_expand_path(lengthy, "/", path));
    lengthy[PATH_MAX - 2] = '\0';
    CHECK(spate_expand_path(lengthy, "/", path));
    CHECK_NUMBER(PATH_MAX - 1, strlen(path));
}

#define PLAIN(...) spate_plain_ruby_words((char *const[]){__VA_ARGS__, NULL})

TEST(options_that_need_an_ordinary_start_are_found) {
    CHECK(PLAIN("-e", "-r") && PLAIN("-w", "script", "-S") && PLAIN("-") && PLAIN("-W0", "-I", "-x", "script"));
    CHECK(!PLAIN("-S", "rake") && !PLAIN("-rset") && !PLAIN("-wx") && !PLAIN("--disable=gems") &&
          !PLAIN("-e", "1", "--enable", "x"));
    CHECK(PLAIN("-e") && PLAIN("-0777") && !PLAIN("--", "-S"));
}

/* Writes spate-ruby and returns the path of a program next to it. */
static const char *write_launcher(const char *folder, const char *facts) {
    static char program[PATH_MAX];
    char path[PATH_MAX];
    CHECK(mkdir(folder, 0755) == 0);
    snprintf(path, sizeof(path), "%s/spate-ruby", folder);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs("#!/usr/bin/ruby\n", file) >= 0 && fputs(facts, file) >= 0 && fclose(file) == 0);
    CHECK(chmod(path, 0755) == 0);
    snprintf(program, sizeof(program), "%s/spate", folder);
    return program;
}

#define FACTS "#:version 1.0\n#:ruby /usr/bin/ruby\n#:ruby-version 3\n#:platform p\n#:description d e\n#:backend z 1\n"

TEST(facts_are_read) {
    const char *program = write_launcher(fresh("facts"), FACTS "#:folder /a b\n#:folder /c\n#:file 1 2 /x\n# more\n");
    CHECK(spate_launcher_beside(&launcher, program) && spate_launcher_read(&launcher));
    CHECK_STRING("d e", launcher.description);
    CHECK_NUMBER(2, launcher.folder_count);
    CHECK_STRING("/a b", launcher.folders[0]);
    CHECK(!spate_launcher_holds(&launcher));
}

TEST(a_launcher_that_lacks_a_fact_is_not_used) {
    CHECK(spate_launcher_beside(&launcher, write_launcher(fresh("lacks"), FACTS "#:file 1 2 /x\n")));
    CHECK(!spate_launcher_read(&launcher));
    CHECK(spate_launcher_beside(&launcher, write_launcher(fresh("odd"), FACTS "#:lib /l\n#:file 1 2 /x\n#:new x\n")));
    CHECK(!spate_launcher_read(&launcher));
    CHECK(spate_launcher_beside(&launcher, write_launcher(fresh("bare"), FACTS "#:lib /l\n#:file 1 2 /x\n#:lib\n")));
    CHECK(!spate_launcher_read(&launcher));
}

TEST(a_launcher_that_others_may_write_is_not_used) {
    const char *program = write_launcher(fresh("shared"), FACTS "#:lib /l\n#:file 1 2 /x\n");
    CHECK(spate_launcher_beside(&launcher, program) && spate_launcher_read(&launcher));
    CHECK(chmod(launcher.path, 0775) == 0 && !spate_launcher_read(&launcher));
    CHECK(chmod(launcher.path, 0757) == 0 && !spate_launcher_read(&launcher));
    char other[PATH_MAX + 8];
    snprintf(other, sizeof(other), "%s.real", launcher.path);
    CHECK(chmod(launcher.path, 0755) == 0 && rename(launcher.path, other) == 0 && symlink(other, launcher.path) == 0);
    CHECK(!spate_launcher_read(&launcher));
}

TEST(a_launcher_that_is_too_long_is_not_used) {
    static char facts[SPATE_LAUNCHER_MAX + 1024];
    memset(facts, '\n', sizeof(facts) - 1);
    memcpy(facts, FACTS "#:lib /l\n#:file 1 2 /x\n", strlen(FACTS "#:lib /l\n#:file 1 2 /x\n"));
    CHECK(spate_launcher_beside(&launcher, write_launcher(fresh("long"), facts)) && !spate_launcher_read(&launcher));
}

static void record(const char *path, const char *folder) {
    char facts[2 * PATH_MAX];
    struct stat info;
    CHECK(stat(path, &info) == 0);
    snprintf(facts, sizeof(facts), FACTS "#:lib /\n#:file %jd %jd %s\n", (intmax_t)info.st_size,
             (intmax_t)info.st_mtime, path);
    CHECK(spate_launcher_beside(&launcher, write_launcher(folder, facts)) && spate_launcher_read(&launcher));
}

TEST(facts_hold_while_the_files_are_unchanged) {
    const char *path = fresh("file");
    FILE *file = fopen(path, "w");
    CHECK(file && fputs("abc", file) >= 0 && fclose(file) == 0);
    record(path, fresh("recorded"));
    CHECK(spate_launcher_holds(&launcher));
    CHECK(chmod(path, 0600) == 0 && spate_launcher_holds(&launcher));
    CHECK(truncate(path, 2) == 0 && !spate_launcher_holds(&launcher));
    record(path, fresh("again"));
    CHECK(spate_launcher_holds(&launcher));
    CHECK(utime(path, &(struct utimbuf){.modtime = 1}) == 0 && !spate_launcher_holds(&launcher));
    record(path, fresh("third"));
    CHECK(unlink(path) == 0 && !spate_launcher_holds(&launcher));
}

TEST(the_newest_gem_must_be_this_one) {
    const char *home = fresh("home");
    char path[PATH_MAX], library[PATH_MAX];
    snprintf(path, sizeof(path), FACTS "#:folder %s/none\n#:folder %s\n#:file 1 2 /x\n", home, home);
    CHECK(spate_launcher_beside(&launcher, write_launcher(fresh("gems"), path)) && spate_launcher_read(&launcher));
    static const char *const folders[] = {"", "/specifications", "/gems", "/gems/spate-1.0", "/gems/spate-1.0/lib"};
    for (size_t at = 0; at < sizeof(folders) / sizeof(*folders); at++) {
        snprintf(path, sizeof(path), "%s%s", home, folders[at]);
        CHECK(mkdir(path, 0755) == 0);
    }
    CHECK(!spate_launcher_library(&launcher, "1.0", library));
    static const char *const names[] = {"spate-1.0", "spate-server-9.0", "spate-0.9", "spate-1.0.pre"};
    for (size_t at = 0; at < sizeof(names) / sizeof(*names); at++) {
        snprintf(path, sizeof(path), "%s/specifications/%s.gemspec", home, names[at]);
        FILE *file = fopen(path, "w");
        CHECK(file && fclose(file) == 0);
    }
    CHECK(spate_launcher_library(&launcher, "1.0", library));
    CHECK_CONTAINS("/gems/spate-1.0/lib", library);
    CHECK(!spate_launcher_library(&launcher, "0.9", library));
    snprintf(path, sizeof(path), "%s/specifications/spate-1.0.1.gemspec", home);
    FILE *file = fopen(path, "w");
    CHECK(file && fclose(file) == 0 && !spate_launcher_library(&launcher, "1.0", library));
}

TEST(a_precompiled_gem_has_its_platform_in_its_name) {
    const char *home = fresh("precompiled");
    char path[PATH_MAX], library[PATH_MAX];
    snprintf(path, sizeof(path), FACTS "#:folder %s\n#:file 1 2 /x\n", home);
    CHECK(spate_launcher_beside(&launcher, write_launcher(fresh("gems"), path)) && spate_launcher_read(&launcher));
    static const char *const folders[] = {"",
                                          "/specifications",
                                          "/gems",
                                          "/gems/spate-1.0-x86_64-linux-gnu",
                                          "/gems/spate-1.0-x86_64-linux-gnu/lib",
                                          "/gems/spate-1.0",
                                          "/gems/spate-1.0/lib"};
    for (size_t at = 0; at < sizeof(folders) / sizeof(*folders); at++) {
        snprintf(path, sizeof(path), "%s%s", home, folders[at]);
        CHECK(mkdir(path, 0755) == 0);
    }
    static const char *const names[] = {"spate-1.0-x86_64-linux-gnu", "spate-1.0-x.86", "spate-1.0"};
    static const char *const expected[] = {"/gems/spate-1.0-x86_64-linux-gnu/lib",
                                           "/gems/spate-1.0-x86_64-linux-gnu/lib", "/gems/spate-1.0/lib"};
    for (size_t at = 0; at < sizeof(names) / sizeof(*names); at++) {
        snprintf(path, sizeof(path), "%s/specifications/%s.gemspec", home, names[at]);
        FILE *file = fopen(path, "w");
        CHECK(file && fclose(file) == 0 && spate_launcher_library(&launcher, "1.0", library));
        CHECK_CONTAINS(expected[at], library);
    }
}
