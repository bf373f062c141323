#include "test/front/case.h"

#include <utime.h>

TEST(a_record_of_unchanged_paths_is_in_place) {
    NEEDS_PROC;
    small_record();
    CHECK(holds_with(environment, 0));
    CHECK_STRING("2 gems in place\n", answer.output);
    CHECK_NUMBER(STDERR_FILENO, answer.stream);
    spate_front_release(&answer);
}

TEST(each_changed_byte_fails_the_check) {
    NEEDS_PROC;
    small_record();
    for (size_t at = 0; at < length; at++) {
        bytes[at] ^= 0x40;
        put(length);
        CHECK(!holds());
        bytes[at] ^= 0x40;
    }
    put(length);
    CHECK(holds());
}

/* A changed field that is compared fails the check. Other fields affect only the output and the choice of paths to
 * check. */
TEST(each_changed_byte_with_its_checksum_stays_inside_of_the_record) {
    NEEDS_PROC;
    small_record();
    size_t stream = offsetof(spate_in_place_header, output), user = offsetof(spate_in_place_header, user);
    size_t ignored = offsetof(spate_in_place_header, ignored), state = offsetof(spate_in_place_header, environment);
    for (size_t at = 0; at < length; at++) {
        bytes[at] ^= 0xff;
        seal(length);
        put(length);
        bool found = holds(),
             compared = at < stream || (at >= user && at < ignored) || (at >= state && at < sizeof(header));
        CHECK(!found || !compared || (at >= 8 && at < 12));
        bytes[at] ^= 0xff;
    }
}

TEST(record_of_another_length_fails_the_check) {
    NEEDS_PROC;
    small_record();
    for (size_t cut = 0; cut < length; cut++) {
        put(cut);
        CHECK(!holds());
        if (cut > offsetof(spate_in_place_header, folders)) {
            seal(cut);
            put(cut);
            CHECK(!holds());
        }
    }
    seal(length + 1);
    put(length + 1);
    CHECK(!holds());
}

TEST(wrong_number_of_marks_fails_the_check) {
    NEEDS_PROC;
    small_record();
    folders[2].count--;
    end();
    CHECK(!holds());
    folders[2].count += 2;
    end();
    CHECK(!holds());
    folders[2].count--;
    end();
    CHECK(holds());
}

/* ---- paths ---- */

/* Starts a new record for each change, and checks that the record no longer holds after it. */
#define CHANGED(...)                                                                                                   \
    do {                                                                                                               \
        small_record();                                                                                                \
        CHECK(holds());                                                                                                \
        __VA_ARGS__;                                                                                                   \
        CHECK(!holds());                                                                                               \
    } while (0)

TEST(each_change_of_a_path_fails_the_check) {
    NEEDS_PROC;
    CHANGED(write_text(in_place("read"), "longer", 0644));
    CHANGED(CHECK(unlink(in_place("read")) == 0));
    CHANGED(CHECK(unlink(in_place("deep/file")) == 0));
    CHANGED(CHECK(chmod(in_place("read"), 0600) == 0));
    CHANGED(CHECK(chmod(in_place("deep"), 0700) == 0));
    CHANGED(CHECK(utime(in_place("looked"), &(struct utimbuf){1, 1}) == 0));
    CHANGED(CHECK(unlink(in_place("link")) == 0 && symlink("looked", in_place("link")) == 0));
    CHANGED(write_text(in_place("missing"), "", 0644));
    CHANGED(CHECK(symlink("nowhere", in_place("missing")) == 0));
    CHANGED(CHECK(mkdir(in_place("none"), 0755) == 0); write_text(in_place("none/two"), "", 0644));
    CHANGED(CHECK(rename(in_place("deep"), in_place("other")) == 0));
    CHANGED(CHECK(rename(place, lasting(fresh("moved"))) == 0));
}

/* The file has the same bytes and mtime, but another inode or a new ctime. */
TEST(replaced_file_fails_the_check) {
    NEEDS_PROC;
    NEEDS_TIMES;
    struct stat before;
    small_record();
    before = stat_of(in_place("read"));
    write_text(in_place("new"), "one", 0644);
    CHECK(utimensat(AT_FDCWD, in_place("new"), (struct timespec[]){before.st_atim, before.st_mtim}, 0) == 0);
    CHECK(rename(in_place("new"), in_place("read")) == 0);
    CHECK(!holds());
    small_record();
    before = stat_of(in_place("read"));
    write_text(in_place("read"), "ONE", 0644);
    CHECK(utimensat(AT_FDCWD, in_place("read"), (struct timespec[]){before.st_atim, before.st_mtim}, 0) == 0);
    CHECK(!holds());
}

TEST(facts_that_are_not_recorded_are_ignored) {
    NEEDS_PROC;
    small_record();
    write_text(in_place("deep/more"), "", 0644); /* changes the times of `deep` */
    CHECK(chmod(in_place("looked"), 0600) == 0 && chmod(in_place("looked"), 0644) == 0);
    CHECK(mkdir(in_place("none"), 0755) == 0);
    CHECK(holds());
    CHECK(rmdir(in_place("none")) == 0);
    write_text(in_place("none"), "", 0644);
    CHECK(holds());
}

TEST(two_threads_have_the_result_of_one) {
    NEEDS_PROC;
    char name[32];
    begin();
    place = lasting(fresh("place"));
    CHECK(mkdir(place, 0755) == 0);
    for (unsigned folder = 0; folder < 60; folder++) {
        snprintf(name, sizeof(name), "%u", folder);
        CHECK(mkdir(in_place(name), 0755) == 0);
        add_folder(in_place(name));
        for (unsigned file = 0; file < 10; file++) {
            snprintf(name, sizeof(name), "%u/%u", folder, file);
            write_text(in_place(name), "", 0644);
            add_mark(strchr(name, '/') + 1, PLAIN);
        }
    }
    end();
    for (unsigned file = 0; file < 600; file += 37)
        for (unsigned threads = 0; threads <= 2; threads++) {
            snprintf(name, sizeof(name), "%u/%u", file / 10, file % 10);
            CHECK(holds_with(environment, threads));
            spate_front_release(&answer);
            CHECK(rename(in_place(name), in_place("away")) == 0);
            CHECK(!holds_with(environment, threads));
            spate_front_release(&answer);
            CHECK(rename(in_place("away"), in_place(name)) == 0);
            struct stat renamed = stat_of(in_place(name));
            marks[file].ctime_ns = spate_ctime_ns(&renamed);
            end();
        }
}

/* ---- other inputs ---- */

TEST(environment_is_compared_in_any_order) {
    NEEDS_PROC;
    small_record();
    char *same[] = {"SSH_X=new", "B=2", variable, "TERM=other", NULL};
    char *const others[][6] = {{variable, NULL},
                               {variable, "B=3", NULL},
                               {variable, "B=2", "C=", NULL},
                               {variable, "B=2", "B=2", NULL},
                               {variable, "B=2", "TERMS=1", NULL},
                               {variable, "B=2", "SSH=1", NULL},
                               {variable, "B=2", "BUNDLE_GEMFILE=", NULL},
                               {variable, "B=2", "odd", NULL}};
    CHECK(holds_with(same, 0));
    spate_front_release(&answer);
    for (size_t at = 0; at < sizeof(others) / sizeof(*others); at++) {
        CHECK(!holds_with(others[at], 0));
        spate_front_release(&answer);
    }
}

TEST(record_that_others_may_write_fails_the_check) {
    NEEDS_PROC;
    char folder[PATH_MAX];
    small_record();
    snprintf(folder, sizeof(folder), "%s/store/v1/in-place", home);
    const char *path = lasting(record_path());
    CHECK(chmod(path, 0620) == 0 && !holds() && chmod(path, 0602) == 0 && !holds() && chmod(path, 0600) == 0);
    CHECK(chmod(folder, 0777) == 0 && !holds() && chmod(folder, 0700) == 0 && holds());
    CHECK(rename(path, in_place("record")) == 0 && symlink(in_place("record"), path) == 0 && !holds());
    CHECK(unlink(path) == 0 && mkdir(path, 0700) == 0 && !holds());
    CHECK(rmdir(path) == 0 && mkfifo(path, 0600) == 0 && !holds());
}

TEST(records_depend_on_words_and_folder) {
    NEEDS_PROC;
    small_record();
    char *more[] = {"install", "", NULL}, *none[] = {NULL};
    struct spate_front_request request = {.cwd = "/cwd", .environment = environment, .words = more};
    CHECK(!spate_front_in_place(&request, &answer) && !answer.record);
    request.words = none;
    CHECK(!spate_front_in_place(&request, &answer));
    request = (struct spate_front_request){.cwd = "/", .environment = environment, .words = words};
    CHECK(!spate_front_in_place(&request, &answer));
}

TEST(failed_allocations_fail_the_check) {
    NEEDS_PROC;
    small_record();
    harness_fail_allocation(-1);
    CHECK(holds());
    long needed = harness_allocations();
    for (long at = 0; at < needed; at++) {
        harness_fail_allocation(at);
        bool found = holds();
        harness_fail_allocation(-1);
        CHECK(!found);
    }
}
