#include "test/harness.h"

#include "front/answer.h"
#include "front/exec/environment_block.h"
#include "front/in_place_record.h"

#include <stdlib.h>
#include <unistd.h>

static const char *seconds(double value) {
    static char text[32];
    CHECK(spate_format_seconds(text, sizeof(text), (int64_t)(value * 1e9)) == strlen(text));
    return text;
}

TEST(numbers_are_formatted_as_by_units) {
    CHECK_STRING("0.00 s", seconds(0.004));
    CHECK_STRING("6.3 s", seconds(6.28));
    CHECK_STRING("3:14 min", seconds(194));
    char text[8];
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

static struct spate_front_answer found;

static bool answer(void) {
    return spate_answer_recorded(&found, 26400000);
}

/* Returns what the function writes to the descriptor. */
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

TEST(an_output_is_printed_with_the_facts_of_this_run) {
    found = (struct spate_front_answer){.stream = STDERR_FILENO, .output = "1,356 gems in place (\1)\nn\303\244chste\n"};
    CHECK_STRING("1,356 gems in place (0.03 s)\nn\303\244chste\n", output(STDERR_FILENO, answer));
    found = (struct spate_front_answer){.stream = STDOUT_FILENO, .output = "{\"seconds\":\2,\"peak_memory\":\3}\n"};
    const char *event = output(STDOUT_FILENO, answer);
    CHECK_CONTAINS("{\"seconds\":0.026,\"peak_memory\":", event);
    CHECK(strtol(strrchr(event, ':') + 1, NULL, 10) > 100000);
    found.output = "";
    CHECK_STRING("", output(STDOUT_FILENO, answer));
}

TEST(an_output_with_unknown_bytes_or_too_long_is_no_answer) {
    static char text[SPATE_OUTPUT_MAX + 1];
    memset(text, 'x', SPATE_OUTPUT_MAX);
    found = (struct spate_front_answer){.stream = STDOUT_FILENO, .output = text};
    CHECK(!answer());
    text[SPATE_OUTPUT_MAX - 2] = SPATE_OUTPUT_SECONDS;
    CHECK(!answer());
    found.output = "x\4";
    CHECK(!answer());
}

/* Ruby repeats the command in that case. */
TEST(unwritable_output_is_left_to_ruby) {
    found = (struct spate_front_answer){.stream = STDERR_FILENO, .output = "x\n"};
    int kept = dup(STDERR_FILENO);
    int ends[2];
    CHECK(kept >= 0 && pipe(ends) == 0 && close(ends[0]) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    bool done = answer();
    CHECK(dup2(kept, STDERR_FILENO) >= 0 && close(kept) == 0 && close(ends[1]) == 0);
    CHECK(!done);
}
