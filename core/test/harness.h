/*
 * A test file includes "harness.h" and defines tests as TEST(what_it_shows) { CHECK(...); }. The header contains main.
 * `program` runs all tests, and `program word` those whose name contains the word. A failed check ends its test, but
 * not the program.
 */
#ifndef SPATE_TEST_HARNESS_H
#define SPATE_TEST_HARNESS_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/status.h"

/* Makes one later allocation of this thread fail, once: 0 means the next one, 1 the one after it; -1 means none.
 * allocation.c defines it. */
void harness_fail_allocation(long after);
/* Returns how many allocations this thread has made since the last call of harness_fail_allocation. */
long harness_allocations(void);

typedef struct harness_test {
    const char *name;
    void (*run)(void);
    struct harness_test *next;
} harness_test;

static harness_test *harness_first, **harness_last = &harness_first;
static jmp_buf harness_out;
static unsigned long harness_checks;
static const char *harness_missing = "";

/* Whether to try every case, as `bin/test --full` does. Otherwise a test tries a sample. */
__attribute__((unused)) static bool harness_full(void) {
    return getenv("SPATE_TEST_FULL") != NULL;
}

static void harness_add(harness_test *test) {
    *harness_last = test;
    harness_last = &test->next;
}

#define TEST(test_name)                                                                                                \
    static void test_##test_name(void);                                                                                \
    static harness_test entry_of_##test_name = {#test_name, test_##test_name, NULL};                                   \
    __attribute__((constructor)) static void add_##test_name(void) {                                                   \
        harness_add(&entry_of_##test_name);                                                                            \
    }                                                                                                                  \
    static void test_##test_name(void)

__attribute__((noreturn, format(printf, 3, 4))) static inline void harness_fail(const char *file, int line,
                                                                                const char *format, ...) {
    va_list arguments;
    harness_fail_allocation(-1);
    fprintf(stderr, "%s:%d: ", file, line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    longjmp(harness_out, 1);
}

/* Skips the test with a reason if this machine lacks what it needs. */
#define NEEDS(condition, otherwise)                                                                                    \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            harness_missing = (otherwise);                                                                             \
            longjmp(harness_out, 2);                                                                                   \
        }                                                                                                              \
    } while (0)

/* Fails the test unless the condition is true. Only the main thread may use it. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        harness_checks++;                                                                                              \
        if (!(condition)) {                                                                                            \
            harness_fail(__FILE__, __LINE__, "not so: %s", #condition);                                                \
        }                                                                                                              \
    } while (0)

#define CHECK_NUMBER(expected, actual)                                                                                 \
    do {                                                                                                               \
        long long harness_expected = (long long)(expected), harness_actual = (long long)(actual);                      \
        harness_checks++;                                                                                              \
        if (harness_expected != harness_actual) {                                                                      \
            harness_fail(__FILE__, __LINE__, "%s: expected %lld, found %lld", #actual, harness_expected,               \
                         harness_actual);                                                                              \
        }                                                                                                              \
    } while (0)

#define CHECK_STATUS(expected, actual)                                                                                 \
    do {                                                                                                               \
        spate_status harness_expected = (expected), harness_actual = (actual);                                         \
        harness_checks++;                                                                                              \
        if (harness_expected != harness_actual) {                                                                      \
            harness_fail(__FILE__, __LINE__, "%s: expected %s, found %s", #actual, spate_status_name(harness_expected), \
                         spate_status_name(harness_actual));                                                           \
        }                                                                                                              \
    } while (0)

#define CHECK_OK(actual) CHECK_STATUS(SPATE_OK, actual)

#define CHECK_STRING(expected, actual)                                                                                 \
    do {                                                                                                               \
        const char *harness_expected = (expected), *harness_actual = (actual);                                         \
        harness_checks++;                                                                                              \
        if (strcmp(harness_expected, harness_actual) != 0) {                                                           \
            harness_fail(__FILE__, __LINE__, "%s: expected \"%s\", found \"%s\"", #actual, harness_expected,           \
                         harness_actual);                                                                              \
        }                                                                                                              \
    } while (0)

#define CHECK_CONTAINS(part, actual)                                                                                   \
    do {                                                                                                               \
        const char *harness_part = (part), *harness_actual = (actual);                                                 \
        harness_checks++;                                                                                              \
        if (strstr(harness_actual, harness_part) == NULL) {                                                            \
            harness_fail(__FILE__, __LINE__, "%s: \"%s\" is not in \"%s\"", #actual, harness_part, harness_actual);    \
        }                                                                                                              \
    } while (0)

#define CHECK_BYTES(expected, actual, length)                                                                          \
    do {                                                                                                               \
        size_t harness_length = (length);                                                                              \
        harness_checks++;                                                                                              \
        if (harness_length > 0 && memcmp(expected, actual, harness_length) != 0) {                                     \
            harness_fail(__FILE__, __LINE__, "%s differs from %s", #actual, #expected);                                \
        }                                                                                                              \
    } while (0)

int main(int argc, char **argv) {
    const char *program = strrchr(argv[0], '/') == NULL ? argv[0] : strrchr(argv[0], '/') + 1;
    volatile unsigned run = 0, failed = 0, skipped = 0;

    for (harness_test *volatile test = harness_first; test != NULL; test = test->next) {
        if (argc > 1 && strstr(test->name, argv[1]) == NULL) {
            continue;
        }
        run++;
        switch (setjmp(harness_out)) {
        case 0: test->run(); break;
        case 1:
            failed++;
            fprintf(stderr, "  in test %s of %s\n", test->name, program);
            break;
        default: skipped++; printf("skipped: %s of %s: %s\n", test->name, program, harness_missing);
        }
    }
    printf("%s: %u tests, %lu checks, %u failed\n", program, run - skipped, harness_checks, failed);
    return failed > 0 || run == 0;
}

#endif
