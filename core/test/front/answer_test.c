#include "test/harness.h"

#include "front/answer.h"
#include "front/exec/environment_block.h"

#include <stdlib.h>
#include <unistd.h>

static const char *gems(uint32_t count) {
    static char text[32];
    CHECK(spate_format_gems(text, sizeof(text), count) == strlen(text));
    return text;
}

static const char *seconds(double value) {
    static char text[32];
    CHECK(spate_format_seconds(text, sizeof(text), (int64_t)(value * 1e9)) == strlen(text));
    return text;
}

TEST(numbers_are_formatted_as_by_units) {
    CHECK_STRING("0 gems", gems(0));
    CHECK_STRING("1 gem", gems(1));
    CHECK_STRING("999 gems", gems(999));
    CHECK_STRING("1,356 gems", gems(1356));
    CHECK_STRING("4,294,967,295 gems", gems(UINT32_MAX));
    CHECK_STRING("0.00 s", seconds(0.004));
    CHECK_STRING("6.3 s", seconds(6.28));
    CHECK_STRING("3:14 min", seconds(194));
    char text[8];
    CHECK_NUMBER(0, spate_format_gems(text, sizeof(text), 1000));
    CHECK_NUMBER(0, spate_format_seconds(text, sizeof(text), INT64_MAX));
}

TEST(an_environment_is_changed_in_a_copy) {
    char *own[] = {"A=1", "AB=2", "A=3", "odd", NULL};
    spate_environment copy;
    CHECK(spate_environment_copy(&copy, own, 1));
    spate_environment_unset(&copy, "A");
    CHECK_STRING("AB=2", copy.entries[0]);
    CHECK_STRING("odd", copy.entries[1]);
    CHECK(spate_environment_set(&copy, "AB", "x"));
    CHECK_STRING("x", spate_variable(copy.entries, "AB"));
    CHECK(!spate_variable(copy.entries, "A") && !spate_variable(copy.entries, "odd"));
    CHECK_NUMBER(2, copy.count);
    CHECK_STRING("1", spate_variable(own, "A"));
    free(copy.entries[1]);
    free(copy.entries);
}

static spate_arguments read_words;
static struct spate_front_answer found = {.gems = 1356};

static bool install(void) {
    return spate_answer_install(&found, &read_words, 26400000);
}

static bool check(void) {
    return spate_answer_check(&found, &read_words);
}

/* What the function writes to the descriptor. */
static const char *output(int descriptor, bool (*print)(void)) {
    static char text[2048];
    int ends[2];
    int kept = dup(descriptor);
    CHECK(kept >= 0 && pipe(ends) == 0 && dup2(ends[1], descriptor) >= 0 && close(ends[1]) == 0);
    bool done = print();
    CHECK(dup2(kept, descriptor) >= 0 && close(kept) == 0);
    CHECK(done);
    ssize_t length = read(ends[0], text, sizeof(text) - 1);
    CHECK(length >= 0 && close(ends[0]) == 0);
    text[length > 0 ? length : 0] = '\0';
    return text;
}

TEST(a_bundle_in_place_is_told_as_by_ruby) {
    read_words = (spate_arguments){.task = SPATE_TASK_INSTALL};
    CHECK_STRING("1,356 gems in place, nothing to do (0.03 s)\n", output(STDERR_FILENO, install));
    CHECK_STRING("the bundle is complete: 1,356 gems\n", output(STDERR_FILENO, check));
    read_words.quiet = true;
    CHECK_STRING("", output(STDERR_FILENO, install));
    CHECK_STRING("", output(STDERR_FILENO, check));
    read_words.json = true;
    const char *events = output(STDOUT_FILENO, install);
    CHECK_CONTAINS("{\"event\":\"plan\",\"total\":1356,\"in_place\":1356,\"fetch\":0}\n{\"event\":\"done\",", events);
    CHECK_CONTAINS("\"reused\":1356,\"seconds\":0.026,\"peak_memory\":", events);
    CHECK_CONTAINS("\"total\":1356,\"missing\":[]", output(STDOUT_FILENO, check));
    found.in_folders = 1;
    CHECK(!install());
    found.in_folders = 0;
}

/* Ruby then repeats the command. */
TEST(an_answer_that_cannot_be_written_is_none) {
    read_words = (spate_arguments){.task = SPATE_TASK_INSTALL};
    int kept = dup(STDERR_FILENO);
    int ends[2];
    CHECK(kept >= 0 && pipe(ends) == 0 && close(ends[0]) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    bool done = install();
    CHECK(dup2(kept, STDERR_FILENO) >= 0 && close(kept) == 0 && close(ends[1]) == 0);
    CHECK(!done);
}
