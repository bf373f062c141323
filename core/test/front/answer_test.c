#include "test/harness.h"

#include "front/answer.h"
#include "front/environment_block.h"

#include <stdlib.h>

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
