#define _GNU_SOURCE
#include "test/inputs/case.h"

#include "digest/crc32c.h"
#include "digest/digest.h"
#include "inputs/plan.h"

/* Makes a folder with a file, a link and the text of a library in it, and a record with inputs of all kinds. */
static const char *written(void) {
    static const char *const environment[] = {"CC=gcc", NULL};
    const char *folder = new_folder();
    const char *record = lasting(fresh("record"));
    static spate_inputs_root roots[] = {{"bundle", NULL}, {"home", "/nowhere"}};
    roots[0].path = folder;
    case_place = (spate_inputs_place){.roots = roots, .root_count = 2, .environment = environment};
    write_text(join(folder, "a.h"), "text", 0644);
    CHECK(symlink("a.h", join(folder, "link")) == 0);
    grow_old();
    spate_input inputs[] = {
        {.kind = SPATE_INPUT_ABSENT, .path = lasting(join(folder, "no"))},
        {.kind = SPATE_INPUT_RUN, .path = "/bin/sh"},
        {.kind = SPATE_INPUT_LINK, .path = lasting(join(folder, "link"))},
        {.kind = SPATE_INPUT_FILE, .path = lasting(join(folder, "./a.h"))},
        {.kind = SPATE_INPUT_FILE, .path = lasting(join(folder, "/a.h"))},
        {.kind = SPATE_INPUT_LIBRARY, .path = lasting(join(folder, "a.h"))},
        {.kind = SPATE_INPUT_LOOKED, .path = folder},
        {.kind = SPATE_INPUT_LISTED, .path = folder},
        {.kind = SPATE_INPUT_ENVIRONMENT, .path = "CC"},
        {.kind = SPATE_INPUT_ENVIRONMENT, .path = "CFLAGS"},
        {.kind = SPATE_INPUT_ENVIRONMENT, .path = "CC"},
        {.kind = SPATE_INPUT_PROCESSOR, .path = ""},
    };
    CHECK_OK(write_record(record, inputs, sizeof(inputs) / sizeof(*inputs), NULL));
    return record;
}

static void line(void *context, const spate_inputs_item *item) {
    char *text = context;
    size_t used = strlen(text);
    snprintf(text + used, 4096 - used, "%s %s:%s%s%s%s\n", spate_input_kind_name(item->kind),
             item->root ? item->root : "", item->path, item->target ? " -> " : "", item->target ? item->target : "",
             item->sha256 ? " #" : "");
}

TEST(written_inputs_are_listed_once_in_order) {
    spate_inputs *record;
    char text[4096] = "";
    CHECK_OK(spate_inputs_open(&record, written(), NULL));
    CHECK_OK(spate_inputs_each(record, line, text));
    CHECK_STRING(
        "environment :CC #\nenvironment :CFLAGS\nprocessor : #\nrun :/bin/sh #\nlisted bundle:. #\n"
        "looked bundle:.\nfile bundle:a.h #\nlibrary bundle:a.h #\nlink bundle:link -> a.h\nabsent bundle:no\n",
        text);
    spate_inputs_close(record);
    spate_inputs_close(NULL);
}

TEST(empty_record_is_valid) {
    const char *path = fresh("record");
    CHECK_OK(write_record(path, NULL, 0, NULL));
    CHECK_HOLDS(path);
}

TEST(any_damage_is_stale) {
    spate_buffer file = {0};
    spate_inputs *record;
    CHECK_OK(spate_read_file(written(), 1 << 20, &file, NULL, NULL));
    for (size_t i = 0; i < file.length; i++) {
        spate_error error = {0};
        file.bytes[i] ^= 0x40;
        CHECK_STATUS(SPATE_STALE, spate_inputs_parse(&record, file.bytes, file.length, &error));
        CHECK(record == NULL && error.status == SPATE_STALE);
        file.bytes[i] ^= 0x40;
        CHECK_STATUS(SPATE_STALE, spate_inputs_parse(&record, file.bytes, i, NULL));
    }
    CHECK_OK(spate_inputs_parse(&record, file.bytes, file.length, NULL));
    spate_inputs_close(record);
    spate_buffer_free(&file);
}

static void seal(spate_buffer *file) {
    uint32_t sum = spate_crc32c(0, file->bytes + 16, file->length - 16);
    memcpy(file->bytes + 12, &sum, 4);
}

/* Changes each byte of the header and the tables and corrects the checksum. The record is then refused, or it can be
 * used safely. */
TEST(hostile_bytes_are_refused_or_safe) {
    spate_buffer file = {0};
    CHECK_OK(spate_read_file(written(), 1 << 20, &file, NULL, NULL));
    for (size_t i = 8; i < file.length; i++) {
        for (int bit = 0; bit < 8; bit++) {
            spate_inputs *record;
            spate_inputs_answer answer;
            char text[4096] = "";
            file.bytes[i] ^= (uint8_t)(1 << bit);
            seal(&file);
            if (spate_inputs_parse(&record, file.bytes, file.length, NULL) == SPATE_OK) {
                CHECK_OK(spate_inputs_each(record, line, text));
                CHECK_OK(spate_inputs_check(record, &case_place, NULL, &answer));
            }
            spate_inputs_close(record);
            file.bytes[i] ^= (uint8_t)(1 << bit);
        }
    }
    spate_buffer_free(&file);
}

TEST(a_path_below_a_root_stays_there) {
    spate_buffer file = {0};
    spate_inputs *record;
    const char *folder = new_folder();
    static spate_inputs_root root = {"bundle", NULL};
    root.path = folder;
    case_place = (spate_inputs_place){.roots = &root, .root_count = 1};
    CHECK(mkdir(join(folder, "up"), 0755) == 0);
    const char *path = record_of(SPATE_INPUT_ABSENT, 0, join(folder, "up/a"));
    CHECK_OK(spate_read_file(path, 1 << 20, &file, NULL, NULL));
    uint8_t *name = memmem(file.bytes, file.length, "up", 3);
    CHECK(name != NULL);
    memcpy(name, "..", 3);
    seal(&file);
    CHECK_STATUS(SPATE_STALE, spate_inputs_parse(&record, file.bytes, file.length, NULL));
    spate_buffer_free(&file);
}

TEST(input_that_changed_after_reading_is_refused) {
    const char *path = fresh("file"), *record = fresh("record");
    uint8_t digest[SPATE_SHA256_BYTES];
    spate_error error;
    write_text(path, "read", 0644);
    CHECK_OK(spate_digest_once(SPATE_SHA256, "read", 4, digest));
    spate_input input = {.kind = SPATE_INPUT_FILE, .path = path, .sha256 = digest};
    CHECK_OK(write_record(record, &input, 1, NULL));
    digest[0] ^= 1;
    CHECK(unlink(record) == 0);
    CHECK_STATUS(SPATE_STALE, write_record(record, &input, 1, &error));
    CHECK_CONTAINS("differs from what was read", error.message);
    CHECK_STRING(path, error.member);
    input.kind = SPATE_INPUT_LIBRARY;
    CHECK_STATUS(SPATE_STALE, write_record(record, &input, 1, NULL));
    CHECK(!exists(record));
}

TEST(input_read_with_two_contents_is_refused) {
    static const uint8_t one[SPATE_SHA256_LENGTH] = {1}, two[SPATE_SHA256_LENGTH] = {2};
    const char *folder = new_folder(), *record = fresh("record");
    spate_error error;
    spate_input inputs[] = {{.kind = SPATE_INPUT_LISTED, .path = folder, .sha256 = one},
                            {.kind = SPATE_INPUT_LISTED, .path = folder},
                            {.kind = SPATE_INPUT_LISTED, .path = folder, .sha256 = two}};
    CHECK_STATUS(SPATE_STALE, write_record(record, inputs, 3, &error));
    CHECK_CONTAINS("two contents", error.message);
}

TEST(input_that_differs_from_its_description_is_refused) {
    const char *folder = new_folder();
    const char *record = fresh("record");
    const char *here = lasting(join(folder, "here")), *nowhere = lasting(join(folder, "nowhere"));
    write_text(here, "", 0644);
    const struct {
        spate_input input;
        spate_status status;
    } wrong[] = {
        {{.kind = SPATE_INPUT_FILE, .path = nowhere}, SPATE_STALE},
        {{.kind = SPATE_INPUT_LINK, .path = nowhere}, SPATE_STALE},
        {{.kind = SPATE_INPUT_LISTED, .path = nowhere}, SPATE_STALE},
        {{.kind = SPATE_INPUT_LINK, .path = here}, SPATE_STALE},
        {{.kind = SPATE_INPUT_LISTED, .path = here}, SPATE_STALE},
        {{.kind = SPATE_INPUT_ABSENT, .path = here}, SPATE_STALE},
        {{.kind = SPATE_INPUT_FILE, .path = "relative"}, SPATE_CORRUPT},
        {{.kind = SPATE_INPUT_KINDS, .path = here}, SPATE_CORRUPT},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        spate_error error = {0};
        spate_status status = write_record(record, &wrong[i].input, 1, &error);
        if (status != wrong[i].status)
            harness_fail(__FILE__, __LINE__, "case %zu: %s", i, spate_status_name(status));
        CHECK_STRING(wrong[i].input.path, error.member);
        CHECK(!exists(record));
    }
}

/* A file appears or disappears while the paths are read. */
TEST(input_that_changes_during_recording_is_refused) {
    const char *folder = new_folder();
    const char *path = lasting(join(folder, "a")), *other = lasting(join(folder, "b"));
    spate_inputs_options options = {0};
    spate_error error;
    write_text(other, "", 0644);
    spate_input inputs[] = {{.kind = SPATE_INPUT_ABSENT, .path = path}, {.kind = SPATE_INPUT_LOOKED, .path = other}};
    for (int i = 0; i < 2; i++) {
        inputs_plan plan = {0};
        CHECK_OK(spate_inputs_plan(&plan, &inputs[i], 1, &case_place, NULL));
        if (i == 0)
            write_text(path, "", 0644);
        else
            CHECK(unlink(other) == 0);
        CHECK_STATUS(SPATE_STALE, spate_inputs_take(&plan, &options, NULL, &error));
        CHECK_STRING(inputs[i].path, error.member);
        spate_inputs_plan_free(&plan);
    }
}

TEST(a_path_that_begins_like_a_root_is_not_below_it) {
    char text[4096] = "";
    const char *folder = new_folder();
    spate_inputs *record;
    static spate_inputs_root root = {"bundle", NULL};
    root.path = lasting(join(folder, "app"));
    case_place = (spate_inputs_place){.roots = &root, .root_count = 1};
    CHECK(mkdir(join(folder, "app"), 0755) == 0 && mkdir(join(folder, "apple"), 0755) == 0);
    const char *path = record_of(SPATE_INPUT_LISTED, 0, join(folder, "apple"));
    CHECK_OK(spate_inputs_open(&record, path, NULL));
    CHECK_OK(spate_inputs_each(record, line, text));
    spate_inputs_close(record);
    CHECK_CONTAINS("listed :/", text);
    case_place = (spate_inputs_place){0};
}

TEST(cancelled_record_is_not_written) {
    spate_cancel cancel = {1};
    spate_inputs_options options = {0};
    const char *record = fresh("record");
    spate_input input = {.kind = SPATE_INPUT_FILE, .path = "/bin/sh"};
    CHECK_STATUS(SPATE_CANCELLED, spate_inputs_write(record, &input, 1, &case_place, &options, &cancel, NULL));
    CHECK(!exists(record));
}

static void count_stamps(void *context, const spate_inputs_item *item) {
    *(int *)context += item->stamped;
}

static int stamps_of(const char *path) {
    spate_inputs *record;
    int count = 0;
    CHECK_OK(spate_inputs_open(&record, path, NULL));
    CHECK_OK(spate_inputs_each(record, count_stamps, &count));
    spate_inputs_close(record);
    return count;
}

TEST(a_portable_record_has_no_stamps) {
    NEEDS_TIMES;
    const char *folder = new_folder(), *record = lasting(fresh("record"));
    const char *path = lasting(join(folder, "a"));
    spate_inputs_options options = {.portable = true};
    write_text(path, "text", 0644);
    grow_old();
    spate_input inputs[] = {{.kind = SPATE_INPUT_FILE, .path = path},
                            {.kind = SPATE_INPUT_LISTED, .path = folder},
                            {.kind = SPATE_INPUT_ABSENT, .path = lasting(join(folder, "b"))}};
    CHECK_OK(spate_inputs_write(record, inputs, 3, &case_place, &options, NULL, NULL));
    CHECK_NUMBER(0, stamps_of(record));
    CHECK_OK(write_record(record, inputs, 3, NULL));
    CHECK_NUMBER(3, stamps_of(record));
    CHECK_OK(spate_inputs_write(record, inputs, 3, &case_place, &options, NULL, NULL));
    CHECK_HOLDS(record);
    CHECK(renewed(record));
    CHECK(!renewed(record));
}

TEST(a_record_without_its_stamps_is_a_portable_one) {
    NEEDS_TIMES;
    const char *folder = new_folder(), *stamped = lasting(fresh("stamped")), *portable = lasting(fresh("portable"));
    const char *path = lasting(join(folder, "a"));
    spate_inputs_options options = {.portable = true};
    write_text(path, "text", 0644);
    grow_old();
    spate_input inputs[] = {{.kind = SPATE_INPUT_FILE, .path = path},
                            {.kind = SPATE_INPUT_LOOKED, .path = path, .flags = SPATE_INPUT_MTIME},
                            {.kind = SPATE_INPUT_LISTED, .path = folder},
                            {.kind = SPATE_INPUT_ABSENT, .path = lasting(join(folder, "b"))}};
    CHECK_OK(write_record(stamped, inputs, 4, NULL));
    CHECK_OK(spate_inputs_write(portable, inputs, 4, &case_place, &options, NULL, NULL));
    spate_buffer expected = {0};
    CHECK_OK(spate_read_file(portable, 1 << 20, &expected, NULL, NULL));
    spate_inputs *record;
    CHECK_OK(spate_inputs_open(&record, stamped, NULL));
    size_t length;
    const uint8_t *bytes = spate_inputs_portable(record, &length);
    CHECK_NUMBER(expected.length, length);
    CHECK_BYTES(expected.bytes, bytes, length);
    spate_inputs_close(record);
    spate_buffer_free(&expected);
}

/* There are enough files for several threads, both in writing and in checking by content. */
TEST(many_files_are_hashed_by_several_threads) {
    NEEDS_TIMES;
    enum { MANY = 300, LENGTH = 5000 };
    static spate_input inputs[MANY];
    static char text[LENGTH + 1];
    spate_inputs_options portable = {.portable = true, .threads = 2};
    const char *folder = new_folder(), *record = lasting(fresh("record"));
    memset(text, 'x', LENGTH);
    for (int i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof(name), "file%d", i);
        inputs[i] = (spate_input){.kind = SPATE_INPUT_FILE, .path = lasting(join(folder, name))};
        memcpy(text, name, strlen(name));
        write_text(inputs[i].path, text, 0644);
    }
    grow_old();
    CHECK_OK(spate_inputs_write(record, inputs, MANY, &case_place, &portable, NULL, NULL));
    CHECK(renewed(record));
    CHECK_HOLDS(record);
    CHECK(!checked(record)->renew);
    CHECK_NUMBER(MANY, stamps_of(record));
    CHECK_OK(spate_inputs_write(record, inputs, MANY, &case_place, &portable, NULL, NULL));
    write_text(inputs[177].path, text, 0644);
    CHECK_CHANGE(SPATE_INPUTS_CONTENT, inputs[177].path, record);
    CHECK_OK(spate_inputs_memo_new(&case_memo));
    CHECK_CHANGE(SPATE_INPUTS_CONTENT, inputs[177].path, record);
    spate_inputs_memo_free(case_memo);
    case_memo = NULL;
}

TEST(failed_allocations_return_an_error) {
    const char *path = written();
    const char *folder = new_folder();
    const char *record = lasting(fresh("record"));
    spate_input inputs[] = {{.kind = SPATE_INPUT_FILE, .path = "/bin/sh"},
                            {.kind = SPATE_INPUT_LISTED, .path = folder},
                            {.kind = SPATE_INPUT_ABSENT, .path = lasting(join(folder, "no"))}};
    spate_inputs_options options = {.threads = 1};
    for (long n = 0; n < 30; n++) {
        harness_fail_allocation(n);
        spate_status status = spate_inputs_write(record, inputs, 3, &case_place, &options, NULL, NULL);
        harness_fail_allocation(-1);
        CHECK(status == SPATE_OK || status == SPATE_NO_MEMORY);
    }
    for (long n = 0; n < 30; n++) {
        spate_inputs *opened = NULL;
        spate_inputs_memo *memo = NULL;
        spate_inputs_answer answer;
        harness_fail_allocation(n);
        spate_status status = spate_inputs_memo_new(&memo);
        if (status == SPATE_OK)
            status = spate_inputs_open(&opened, path, NULL);
        if (status == SPATE_OK)
            status = spate_inputs_check(opened, &case_place, memo, &answer);
        harness_fail_allocation(-1);
        CHECK(status == SPATE_OK || status == SPATE_NO_MEMORY);
        spate_inputs_close(opened);
        spate_inputs_memo_free(memo);
    }
}
