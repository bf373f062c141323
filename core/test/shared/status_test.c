#include "test/harness.h"

#include <errno.h>

TEST(error_contains_the_facts) {
    spate_error error;
    CHECK_STATUS(SPATE_CORRUPT, spate_fail(&error, SPATE_CORRUPT, "lib/a.rb", "expected %d, found %s", 3, "x"));
    CHECK_NUMBER(SPATE_CORRUPT, error.status);
    CHECK_NUMBER(0, error.system_errno);
    CHECK_STRING("lib/a.rb", error.member);
    CHECK_STRING("expected 3, found x", error.message);
}

TEST(no_error_is_wanted) {
    CHECK_STATUS(SPATE_LIMIT, spate_fail(NULL, SPATE_LIMIT, "a", "%s", "b"));
    errno = EACCES;
    CHECK_STATUS(SPATE_SYSTEM, spate_fail_errno(NULL, "a", "open"));
}

TEST(no_member) {
    spate_error error;
    CHECK_STATUS(SPATE_LIMIT, spate_fail(&error, SPATE_LIMIT, NULL, "%s", "b"));
    CHECK_STRING("", error.member);
}

TEST(a_system_error_names_call_and_reason) {
    spate_error error;
    errno = ENOSPC;
    CHECK_STATUS(SPATE_SYSTEM, spate_fail_errno(&error, "objects/ab", "write"));
    CHECK_NUMBER(ENOSPC, error.system_errno);
    CHECK_CONTAINS("write: No space left", error.message);
    CHECK_STRING("objects/ab", error.member);
}

TEST(a_system_error_for_want_of_memory) {
    spate_error error;
    errno = ENOMEM;
    CHECK_STATUS(SPATE_NO_MEMORY, spate_fail_errno(&error, "", "mmap"));
    CHECK_NUMBER(ENOMEM, error.system_errno);
}

static const char *escaped(const char *text) {
    static spate_error error;
    CHECK_STATUS(SPATE_REFUSED, spate_fail(&error, SPATE_REFUSED, text, "%s", text));
    CHECK_STRING(error.member, error.message);
    return error.message;
}

TEST(control_characters_are_escaped) {
    CHECK_STRING("a\\x1b[31mb", escaped("a\x1b[31mb"));
    CHECK_STRING("\\x0a\\x0d\\x09\\x7f\\x01", escaped("\n\r\t\x7f\x01"));
    CHECK_STRING("\\xc2\\x9b", escaped("\xc2\x9b"));                 /* CSI as C1 */
    CHECK_STRING("\\xe2\\x80\\xaegnp", escaped("\xe2\x80\xaegnp"));  /* right-to-left override */
    CHECK_STRING("\\xff\\x80", escaped("\xff\x80"));                 /* not UTF-8 */
    CHECK_STRING("\\xc0\\xaf", escaped("\xc0\xaf"));                 /* overlong slash */
    CHECK_STRING("\\xed\\xa0\\x80", escaped("\xed\xa0\x80"));        /* surrogate */
    CHECK_STRING("\\xe2\\x82", escaped("\xe2\x82"));                 /* cut off */
    CHECK_STRING("\\xf4\\x90\\x80\\x80", escaped("\xf4\x90\x80\x80"));
}

TEST(other_languages_are_not) {
    CHECK_STRING("grüße/日本語/😀", escaped("grüße/日本語/😀"));
}

TEST(long_names_are_cut_between_characters) {
    char name[4096];
    spate_error error;

    for (size_t i = 0; i + 3 < sizeof name; i += 3)
        memcpy(name + i, "\xe2\x82\xac", 4);
    CHECK_STATUS(SPATE_REFUSED, spate_fail(&error, SPATE_REFUSED, name, "%s", name));
    CHECK_NUMBER(510, strlen(error.member));  /* 170 characters of 3 bytes fit into 511 */
    CHECK_NUMBER(765, strlen(error.message)); /* 255 into 767 */
    memset(name, '\n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    CHECK_STATUS(SPATE_REFUSED, spate_fail(&error, SPATE_REFUSED, name, "%s", name));
    CHECK_NUMBER(508, strlen(error.member));
    CHECK_NUMBER(764, strlen(error.message));
}

TEST(every_status_has_a_name) {
    for (int status = SPATE_OK; status <= SPATE_STALE; status++)
        CHECK(strcmp(spate_status_name((spate_status)status), "unknown") != 0);
    CHECK_STRING("no_memory", spate_status_name(SPATE_NO_MEMORY));
    CHECK_STRING("unknown", spate_status_name((spate_status)99));
}
