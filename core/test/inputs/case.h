/* Makes a record of a few inputs in a scratch folder. The files are old enough for their times to prove that they are
 * unchanged. */
#ifndef SPATE_TEST_INPUTS_CASE_H
#define SPATE_TEST_INPUTS_CASE_H

#include "test/scratch.h"

#include "inputs/inputs.h"

#include <time.h>

#define CHECK_CHANGE(expected, name, record)                                                                           \
    do {                                                                                                               \
        const spate_inputs_answer *case_answer = checked(record);                                                      \
        if (case_answer->change != (expected))                                                                         \
            harness_fail(__FILE__, __LINE__, "expected %s, found %s: %s", spate_inputs_change_name(expected),          \
                         spate_inputs_change_name(case_answer->change), case_answer->path);                            \
        CHECK_STRING(name, case_answer->path);                                                                         \
    } while (0)
#define CHECK_HOLDS(record) CHECK_CHANGE(SPATE_INPUTS_SAME, "", record)

static spate_inputs_place case_place;
static spate_inputs_memo *case_memo;

/* Sleeps longer than a tick of the kernel's clock. */
__attribute__((unused)) static void grow_old(void) {
    struct timespec time = {0, 30000000};
    nanosleep(&time, NULL);
}

__attribute__((unused)) static const char *join(const char *folder, const char *name) {
    static char buffers[8][PATH_MAX];
    static unsigned next;
    char *path = buffers[next++ % 8];
    CHECK((size_t)snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX);
    return path;
}

__attribute__((unused)) static const char *new_folder(void) {
    const char *path = fresh("folder");
    CHECK(mkdir(path, 0755) == 0);
    return lasting(path);
}

__attribute__((unused)) static spate_status write_record(const char *path, const spate_input *inputs, size_t count,
                                                         spate_error *error) {
    static const spate_inputs_options options = {.threads = 2};
    return spate_inputs_write(path, inputs, count, &case_place, &options, NULL, error);
}

/* Writes a record of one input and returns its path. */
__attribute__((unused)) static const char *record_of(spate_input_kind kind, uint32_t flags, const char *path) {
    const char *record = lasting(fresh("record"));
    spate_input input = {.kind = kind, .flags = flags, .path = path};
    CHECK_OK(write_record(record, &input, 1, NULL));
    return record;
}

__attribute__((unused)) static const spate_inputs_answer *checked(const char *path) {
    static spate_inputs_answer answer;
    spate_inputs *record;
    CHECK_OK(spate_inputs_open(&record, path, NULL));
    CHECK_OK(spate_inputs_check(record, &case_place, case_memo, &answer));
    spate_inputs_close(record);
    return &answer;
}

/* Checks the record and renews it. Returns whether there was anything to renew. */
__attribute__((unused)) static bool renewed(const char *path) {
    spate_inputs_answer answer;
    spate_inputs *record;
    CHECK_OK(spate_inputs_open(&record, path, NULL));
    CHECK_OK(spate_inputs_check(record, &case_place, NULL, &answer));
    CHECK_NUMBER(SPATE_INPUTS_SAME, answer.change);
    CHECK_STATUS(answer.renew ? SPATE_OK : SPATE_STALE, spate_inputs_renew(record, path, NULL));
    spate_inputs_close(record);
    return answer.renew;
}

#endif
