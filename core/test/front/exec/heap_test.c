#include "test/harness.h"
#include "test/scratch.h"

#include "base/file.h"
#include "front/exec/heap.h"
#include "front/exec/memory.h"

#include <string.h>

static const char *kind(const char *program, const char *word, const char *mode) {
    static char text[160];
    char rails[64];
    snprintf(rails, sizeof(rails), "RAILS_ENV=%s", mode);
    char *words[] = {(char *)program, (char *)word, NULL};
    return spate_boot_kind(words, (char *[]){rails, "RACK_ENV=rack", NULL}, text, sizeof(text)) ? text : "";
}

TEST(a_boot_is_of_the_kind_that_ruby_would_name) {
    CHECK_STRING("rails server [test]", kind("bin/rails", "server", "test"));
    CHECK_STRING("rake [rack]", kind("/x/rake", NULL, "not a word"));
    CHECK_STRING("rake db:a/b-1 c [x]", kind("rake", "db:a/b-1 c", "x"));
    CHECK_STRING("ruby [x]", kind("ruby", "-e 'odd'", "x"));
    CHECK_STRING("ruby [x]", kind("ruby", "two\nlines", "x"));
    CHECK_STRING("ru\xc3"
                 "by [x]",
                 kind("ru\xc3"
                      "by",
                      "a", "x"));
    CHECK_STRING("", kind("bin/", "a", "x"));
}

static spate_boots boots;

static bool read_boots(const char *text) {
    static char copy[4096];
    snprintf(copy, sizeof(copy), "%s", text);
    return spate_read_boots(copy, "k", &boots);
}

TEST(boots_with_and_without_settings_are_distinguished) {
    CHECK(read_boots("1\tk\taccept\t1\t1\t9\t1\t100\t5,6\theap=x\n1\tk\tfork\t1\t1\t9\t1\t200\t7,8\ta=b\theap=x\n"
                     "1\tk\tfork\t1\t1\t9\t1\t30\t\n1\tother\tfork\t1\t1\t9\t1\t900\t1\theap="
                     "x\n1\tk\tfork\t1\t1\t4\t5\t900\t1\theap=x\n"));
    CHECK(boots.tried && boots.without == 150 && boots.with == 30);
    CHECK_STRING("7,8", boots.slots);
}

TEST(only_the_last_boots_of_each_kind_decide) {
    CHECK(read_boots("1\tk\tfork\t1\t1\t9\t1\t900\t1\th=\theap=x\n1\tk\tfork\t1\t1\t9\t1\t1\t1\theap=x\n"
                     "1\tk\tfork\t1\t1\t9\t1\t2\t1\theap=x\n1\tk\tfork\t1\t1\t9\t1\t3\t1\theap=x\n"
                     "1\tk\tfork\t1\t1\t9\t1\t4\t1\theap=x\n1\tk\tfork\t1\t1\t9\t1\t5\t1\theap=x\n"));
    CHECK(!boots.tried && boots.without == 3 && boots.with == 0);
}

TEST(an_odd_log_is_left_to_ruby) {
    CHECK(read_boots("") && !boots.slots && !boots.tried);
    CHECK(read_boots("a\tb\n\n1\tk\tfork\t1\t1\t9\t1\tx\t1\theap=x\n") && !boots.slots);
    CHECK(!read_boots("1\tk\tfork\t1\t1\t9\t1\t1\t1\todd\n"));
    CHECK(!read_boots("1\tother\tfork\t1\t1\t9\t1\t1\t1\t\ta=b\n"));
    CHECK(!read_boots("1\tk\tfork\t1\t1\t9x\t1\t1\t1\theap=x\n"));
    CHECK(!read_boots("1\tk\tfork\t1\t1\t9\t1\t12345678901234567890\t1\theap=x\n"));
    CHECK(!read_boots("\xc3\xa9\n"));
}

/* Writes a file below the root and makes its folders. */
static void put(const char *root, const char *path, const char *text) {
    char whole[PATH_MAX];
    spate_error error = {0};
    snprintf(whole, sizeof(whole), "%s%s", root, path);
    char *slash = strrchr(whole, '/');
    *slash = '\0';
    CHECK_OK(spate_make_directories(whole, 0755, &error));
    *slash = '/';
    FILE *file = fopen(whole, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

TEST(available_memory_respects_cgroups) {
    const char *root = fresh("memory");
    CHECK_NUMBER(0, spate_available_memory(root));
    put(root, "/proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    1000 kB\n");
    CHECK_NUMBER(1024000, spate_available_memory(root));
    put(root, "/proc/self/cgroup", "8:cpu,memory:/a/b\n0::/c\n");
    CHECK_NUMBER(1024000, spate_available_memory(root));
    put(root, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "500\n");
    put(root, "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK_NUMBER(500, spate_available_memory(root));
    put(root, "/sys/fs/cgroup/c/memory.max", "max\n");
    put(root, "/sys/fs/cgroup/memory.max", "400\n");
    CHECK_NUMBER(400, spate_available_memory(root));
    put(root, "/proc/self/cgroup", "8:memoryx:/a/b\n::\nodd\n1:cpu\n");
    CHECK_NUMBER(400, spate_available_memory(root));
    put(root, "/proc/self/cgroup", "8:memoryx:/a/b\nodd\n1:cpu\n");
    CHECK_NUMBER(1024000, spate_available_memory(root));
}
