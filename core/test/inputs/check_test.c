#include "test/inputs/case.h"

#include "inputs/format.h"

#include <fcntl.h>
#include <pthread.h>
#include <utime.h>

/* Writes other content, but keeps the size and the mtime. */
static void rewrite(const char *path, const char *text) {
    struct stat before = stat_of(path);
    struct timespec times[2] = {before.st_atim, before.st_mtim};
    write_text(path, text, before.st_mode & 0777);
    CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
}

static const char *old_file(const char *text) {
    const char *path = lasting(fresh("file"));
    write_text(path, text, 0644);
    grow_old();
    return path;
}

/* ---- files ---- */

TEST(a_file_is_its_content) {
    const char *path = old_file("one");
    const char *record = record_of(SPATE_INPUT_FILE, 0, path);
    CHECK_HOLDS(record);
    CHECK(!checked(record)->renew);
    rewrite(path, "two");
    CHECK_CHANGE(SPATE_INPUTS_CONTENT, path, record);
    write_text(path, "longer", 0644);
    CHECK_CHANGE(SPATE_INPUTS_CONTENT, path, record);
    CHECK(unlink(path) == 0);
    CHECK_CHANGE(SPATE_INPUTS_GONE, path, record);
    CHECK(mkdir(path, 0755) == 0);
    CHECK_CHANGE(SPATE_INPUTS_KIND, path, record);
}

TEST(touched_file_holds_and_can_be_renewed) {
    NEEDS_TIMES;
    const char *path = old_file("one");
    const char *record = record_of(SPATE_INPUT_FILE, 0, path);
    CHECK(utime(path, NULL) == 0);
    CHECK_HOLDS(record);
    grow_old();
    CHECK(checked(record)->renew);
    CHECK(renewed(record));
    CHECK_HOLDS(record);
    CHECK(!renewed(record));
}

/* The record has a wrong digest. The stamp still matches, so a quick check does not read the file. */
TEST(thorough_check_reads_files_with_valid_stamps) {
    NEEDS_TIMES;
    static const uint8_t digest[] = {0x76, 0x92, 0xc3, 0xad}; /* the first bytes of the SHA-256 of "one" */
    const char *path = old_file("one");
    const char *record = record_of(SPATE_INPUT_FILE, 0, path);
    uint8_t bytes[4096];
    size_t length = (size_t)stat_of(record).st_size, at = 0;
    int file = open(record, O_RDWR);
    CHECK(length <= sizeof(bytes) && read(file, bytes, length) == (ssize_t)length);
    while (at + sizeof(digest) < length && memcmp(bytes + at, digest, sizeof(digest)) != 0)
        at++;
    bytes[at] ^= 1;
    ((disk_header *)bytes)->checksum = LE32(spate_inputs_checksum(bytes, length));
    CHECK(pwrite(file, bytes, length, 0) == (ssize_t)length && close(file) == 0);
    CHECK_HOLDS(record);
    case_place.thorough = true;
    CHECK_CHANGE(SPATE_INPUTS_CONTENT, path, record);
    case_place.thorough = false;
}

/* The change is recent, so a new stamp would be too close to it to prove anything. */
TEST(recent_change_is_not_renewed_yet) {
    const char *path = old_file("one");
    const char *record = record_of(SPATE_INPUT_FILE, 0, path);
    write_text(path, "one", 0644);
    const spate_inputs_answer *answer = checked(record);
    CHECK_NUMBER(SPATE_INPUTS_SAME, answer->change);
    CHECK(!answer->renew);
}

/* Some of these edits do not change the file's times. The check notices them only because it distrusts fresh stamps. */
TEST(an_edit_in_the_tick_of_the_record_is_seen) {
    for (int i = 0; i < 200; i++) {
        const char *path = lasting(fresh("file"));
        write_text(path, "one", 0644);
        const char *record = record_of(SPATE_INPUT_FILE, 0, path);
        int descriptor = open(path, O_WRONLY | O_CLOEXEC);
        CHECK(descriptor >= 0 && write(descriptor, "two", 3) == 3 && close(descriptor) == 0);
        CHECK_CHANGE(SPATE_INPUTS_CONTENT, path, record);
    }
}

/* Most of many candidates differ in an input that needs no hashing, so these inputs are checked first. */
TEST(cheap_checks_precede_hashing) {
    const char *folder = new_folder(), *record = lasting(fresh("record"));
    const char *file = lasting(join(folder, "a")), *looked = lasting(join(folder, "b"));
    write_text(file, "one", 0644);
    write_text(looked, "", 0644);
    spate_input inputs[] = {{.kind = SPATE_INPUT_FILE, .path = file}, {.kind = SPATE_INPUT_LOOKED, .path = looked}};
    CHECK_OK(write_record(record, inputs, 2, NULL));
    rewrite(file, "two");
    CHECK_CHANGE(SPATE_INPUTS_CONTENT, file, record);
    CHECK(chmod(looked, 0600) == 0);
    CHECK_CHANGE(SPATE_INPUTS_MODE, looked, record);
}

TEST(only_permissions_of_the_owner_are_compared) {
    const char *path = old_file("one");
    const char *record = record_of(SPATE_INPUT_RUN, 0, path);
    CHECK(chmod(path, 0664) == 0);
    CHECK_HOLDS(record);
    CHECK(chmod(path, 0755) == 0);
    CHECK_CHANGE(SPATE_INPUTS_MODE, path, record);
}

TEST(link_that_replaces_a_file_is_followed) {
    const char *path = old_file("one");
    const char *other = old_file("one");
    const char *followed = record_of(SPATE_INPUT_FILE, 0, path);
    const char *itself = record_of(SPATE_INPUT_FILE, SPATE_INPUT_NOFOLLOW, path);
    CHECK(unlink(path) == 0 && symlink(other, path) == 0);
    CHECK_HOLDS(followed);
    CHECK_CHANGE(SPATE_INPUTS_KIND, path, itself);
    rewrite(other, "two");
    CHECK_CHANGE(SPATE_INPUTS_CONTENT, path, followed);
    CHECK(unlink(other) == 0);
    CHECK_CHANGE(SPATE_INPUTS_GONE, path, followed);
}

TEST(another_file_with_the_same_content_in_its_place_holds) {
    const char *path = old_file("one");
    const char *record = record_of(SPATE_INPUT_FILE, 0, path);
    CHECK(rename(old_file("one"), path) == 0);
    CHECK_HOLDS(record);
    CHECK(rename(old_file("two"), path) == 0);
    CHECK_CHANGE(SPATE_INPUTS_CONTENT, path, record);
}

TEST(another_folder_in_the_place_of_its_folder_is_seen) {
    const char *folder = new_folder(), *other = new_folder();
    write_text(join(folder, "a"), "one", 0644);
    write_text(join(other, "a"), "two", 0644);
    const char *path = lasting(join(folder, "a"));
    const char *record = record_of(SPATE_INPUT_FILE, 0, path);
    CHECK(rename(folder, join(other, "old")) == 0 && rename(other, folder) == 0);
    CHECK_CHANGE(SPATE_INPUTS_CONTENT, path, record);
}

/* /proc does not store file times. */
TEST(content_is_compared_without_reliable_times) {
    const char *record = record_of(SPATE_INPUT_FILE, 0, "/proc/sys/kernel/ostype");
    grow_old();
    CHECK_HOLDS(record);
    CHECK(!checked(record)->renew);
    record = record_of(SPATE_INPUT_FILE, 0, "/proc/sys/kernel/random/uuid");
    CHECK_CHANGE(SPATE_INPUTS_CONTENT, "/proc/sys/kernel/random/uuid", record);
}

/* ---- looks and links ---- */

TEST(looked_compares_type_mode_and_size) {
    const char *path = old_file("one");
    const char *record = record_of(SPATE_INPUT_LOOKED, 0, path);
    const char *timed = record_of(SPATE_INPUT_LOOKED, SPATE_INPUT_MTIME, path);
    rewrite(path, "two");
    CHECK_HOLDS(record);
    CHECK_HOLDS(timed);
    CHECK(utime(path, &(struct utimbuf){1, 1}) == 0);
    CHECK_HOLDS(record);
    CHECK_CHANGE(SPATE_INPUTS_TIME, path, timed);
    CHECK(chmod(path, 0664) == 0);
    CHECK_CHANGE(SPATE_INPUTS_MODE, path, record);
    CHECK(chmod(path, 0644) == 0);
    write_text(path, "longer", 0644);
    CHECK_CHANGE(SPATE_INPUTS_SIZE, path, record);
    CHECK(unlink(path) == 0);
    CHECK_CHANGE(SPATE_INPUTS_GONE, path, record);
    CHECK(mkdir(path, 0755) == 0);
    CHECK_CHANGE(SPATE_INPUTS_KIND, path, record);
}

TEST(looked_may_compare_only_the_type) {
    const char *path = old_file("one");
    const char *record = record_of(SPATE_INPUT_LOOKED, SPATE_INPUT_TYPE, path);
    write_text(path, "longer", 0600);
    CHECK(chmod(path, 0600) == 0);
    CHECK_HOLDS(record);
    CHECK(unlink(path) == 0);
    CHECK_CHANGE(SPATE_INPUTS_GONE, path, record);
    CHECK(mkdir(path, 0755) == 0);
    CHECK_CHANGE(SPATE_INPUTS_KIND, path, record);
}

TEST(looked_compares_the_link_itself) {
    const char *path = old_file("one");
    const char *link = lasting(fresh("link"));
    CHECK(symlink(path, link) == 0);
    const char *through = record_of(SPATE_INPUT_LOOKED, 0, link);
    const char *itself = record_of(SPATE_INPUT_LOOKED, SPATE_INPUT_NOFOLLOW, link);
    CHECK(unlink(path) == 0);
    CHECK_CHANGE(SPATE_INPUTS_GONE, link, through);
    CHECK_HOLDS(itself);
}

TEST(looked_at_a_missing_path_is_absent) {
    const char *path = lasting(fresh("nothing"));
    const char *record = record_of(SPATE_INPUT_LOOKED, 0, path);
    CHECK_HOLDS(record);
    write_text(path, "", 0644);
    CHECK_CHANGE(SPATE_INPUTS_APPEARED, path, record);
}

TEST(other_types_than_files_are_not_read) {
    const char *record = record_of(SPATE_INPUT_FILE, 0, "/dev/null");
    CHECK_HOLDS(record);
    CHECK_HOLDS(record_of(SPATE_INPUT_FILE, 0, "/"));
}

TEST(a_link_is_its_target) {
    const char *path = lasting(fresh("link"));
    CHECK(symlink("one", path) == 0);
    const char *record = record_of(SPATE_INPUT_LINK, 0, path);
    CHECK_HOLDS(record);
    CHECK(unlink(path) == 0 && symlink("two", path) == 0);
    CHECK_CHANGE(SPATE_INPUTS_TARGET, path, record);
    CHECK(unlink(path) == 0);
    CHECK_CHANGE(SPATE_INPUTS_GONE, path, record);
    write_text(path, "", 0644);
    CHECK_CHANGE(SPATE_INPUTS_KIND, path, record);
}

/* ---- folders ---- */

TEST(a_listing_is_names_and_types) {
    const char *folder = new_folder();
    write_text(join(folder, "a"), "", 0644);
    write_text(join(folder, "b"), "", 0644);
    grow_old();
    const char *record = record_of(SPATE_INPUT_LISTED, 0, folder);
    CHECK_HOLDS(record);
    write_text(join(folder, "a"), "other content", 0600);
    CHECK_HOLDS(record);
    write_text(join(folder, "c"), "", 0644);
    CHECK_CHANGE(SPATE_INPUTS_LISTING, folder, record);
    CHECK(unlink(join(folder, "c")) == 0);
    CHECK_HOLDS(record);
    CHECK(unlink(join(folder, "b")) == 0 && mkdir(join(folder, "b"), 0755) == 0);
    CHECK_CHANGE(SPATE_INPUTS_LISTING, folder, record);
    CHECK(rmdir(join(folder, "b")) == 0 && symlink("a", join(folder, "b")) == 0);
    CHECK_CHANGE(SPATE_INPUTS_LISTING, folder, record);
    CHECK_OK(spate_remove_tree(folder, NULL));
    CHECK_CHANGE(SPATE_INPUTS_GONE, folder, record);
    write_text(folder, "", 0644);
    CHECK_CHANGE(SPATE_INPUTS_KIND, folder, record);
}

/* Anyone can set an mtime, but only the kernel sets the ctime. */
TEST(a_name_in_a_folder_whose_mtime_was_set_back_is_seen) {
    const char *folder = new_folder();
    grow_old();
    const char *listed = record_of(SPATE_INPUT_LISTED, 0, folder);
    const char *path = lasting(join(folder, "new"));
    const char *absent = record_of(SPATE_INPUT_ABSENT, 0, path);
    struct stat before = stat_of(folder);
    struct timespec times[2] = {before.st_atim, before.st_mtim};
    grow_old();
    write_text(path, "", 0644);
    CHECK(utimensat(AT_FDCWD, folder, times, 0) == 0);
    CHECK_CHANGE(SPATE_INPUTS_LISTING, folder, listed);
    CHECK_CHANGE(SPATE_INPUTS_APPEARED, path, absent);
}

TEST(an_edit_of_a_folder_in_the_tick_of_the_record_is_seen) {
    for (int i = 0; i < 200; i++) {
        const char *folder = new_folder();
        const char *path = lasting(join(folder, "new"));
        const char *record = record_of(SPATE_INPUT_ABSENT, 0, path);
        write_text(path, "", 0644);
        CHECK_CHANGE(SPATE_INPUTS_APPEARED, path, record);
    }
}

TEST(a_name_that_appears_as_anything_is_seen) {
    const char *folder = new_folder();
    const char *path = lasting(join(folder, "a.h"));
    const char *record = record_of(SPATE_INPUT_ABSENT, 0, path);
    CHECK_HOLDS(record);
    write_text(path, "", 0644);
    CHECK_CHANGE(SPATE_INPUTS_APPEARED, path, record);
    CHECK(unlink(path) == 0);
    CHECK_HOLDS(record);
    CHECK(mkdir(path, 0755) == 0);
    CHECK_CHANGE(SPATE_INPUTS_APPEARED, path, record);
    CHECK(rmdir(path) == 0 && symlink("nowhere", path) == 0);
    CHECK_CHANGE(SPATE_INPUTS_APPEARED, path, record);
}

TEST(unrelated_name_changes_nothing_and_allows_a_new_stamp) {
    NEEDS_TIMES;
    const char *folder = new_folder();
    grow_old();
    const char *record = record_of(SPATE_INPUT_ABSENT, 0, join(folder, "a.h"));
    write_text(join(folder, "b.h"), "", 0644);
    grow_old();
    CHECK(renewed(record));
    CHECK(!renewed(record));
}

TEST(a_folder_that_is_made_on_the_way_to_a_missing_name_changes_nothing) {
    const char *folder = new_folder();
    const char *path = lasting(join(folder, "include/pg/libpq.h"));
    const char *record = record_of(SPATE_INPUT_ABSENT, 0, path);
    const char *include = lasting(join(folder, "include")), *pg = lasting(join(folder, "include/pg"));
    CHECK_HOLDS(record);
    CHECK(mkdir(include, 0755) == 0);
    CHECK_HOLDS(record);
    CHECK(mkdir(pg, 0755) == 0);
    CHECK_HOLDS(record);
    write_text(path, "", 0644);
    CHECK_CHANGE(SPATE_INPUTS_APPEARED, path, record);
    CHECK(unlink(path) == 0 && rmdir(pg) == 0 && symlink(folder, pg) == 0);
    CHECK_HOLDS(record);
    write_text(join(folder, "libpq.h"), "", 0644);
    CHECK_CHANGE(SPATE_INPUTS_APPEARED, path, record);
}

TEST(a_name_in_a_folder_that_is_gone_or_a_file_is_absent) {
    const char *folder = new_folder();
    const char *record = record_of(SPATE_INPUT_ABSENT, 0, join(folder, "include/libpq.h"));
    CHECK(rmdir(folder) == 0);
    CHECK_HOLDS(record);
    write_text(folder, "", 0644);
    CHECK_HOLDS(record);
}

TEST(a_name_below_a_file_is_absent_until_the_file_is_a_folder) {
    const char *path = old_file("");
    const char *below = lasting(join(path, "a"));
    const char *record = record_of(SPATE_INPUT_ABSENT, 0, below);
    CHECK_HOLDS(record);
    CHECK(unlink(path) == 0 && mkdir(path, 0755) == 0);
    CHECK_HOLDS(record);
    write_text(below, "", 0644);
    CHECK_CHANGE(SPATE_INPUTS_APPEARED, below, record);
}

TEST(absence_behind_a_dangling_link_depends_on_link_and_target) {
    const char *folder = new_folder();
    const char *link = lasting(join(folder, "link")), *target = lasting(join(folder, "target"));
    CHECK(symlink("target", link) == 0);
    const char *record = record_of(SPATE_INPUT_ABSENT, 0, join(folder, "link/a.h"));
    const char *name = lasting(join(target, "a.h"));
    CHECK_HOLDS(record);
    CHECK(mkdir(target, 0755) == 0);
    CHECK_HOLDS(record);
    write_text(name, "", 0644);
    CHECK_CHANGE(SPATE_INPUTS_APPEARED, name, record);
    CHECK(unlink(name) == 0 && unlink(link) == 0 && symlink("elsewhere", link) == 0);
    CHECK_CHANGE(SPATE_INPUTS_TARGET, link, record);
}

TEST(a_link_on_the_way_that_leads_elsewhere_is_seen) {
    const char *one = new_folder(), *two = new_folder();
    const char *link = lasting(fresh("current"));
    CHECK(symlink(one, link) == 0);
    write_text(join(two, "a.h"), "", 0644);
    grow_old();
    const char *path = lasting(join(link, "a.h"));
    const char *record = record_of(SPATE_INPUT_ABSENT, 0, path);
    CHECK_HOLDS(record);
    CHECK(unlink(link) == 0 && symlink(two, link) == 0);
    CHECK_CHANGE(SPATE_INPUTS_APPEARED, path, record);
}

/* The test switches to another user, because root may search every folder. */
TEST(inaccessible_path_is_denied_while_it_is_inaccessible) {
    if (geteuid() != 0)
        return;
    const char *open_folder = new_folder(), *closed = lasting(join(open_folder, "closed"));
    const char *path = lasting(join(closed, "a")), *record = lasting(join(open_folder, "record"));
    CHECK(mkdir(closed, 0700) == 0 && chmod(open_folder, 0777) == 0 && chmod(in_scratch(""), 0755) == 0);
    spate_input inputs[] = {{.kind = SPATE_INPUT_ABSENT, .path = path}, {.kind = SPATE_INPUT_LOOKED, .path = path}};
    CHECK(seteuid(65534) == 0);
    spate_status status = write_record(record, inputs, 2, NULL);
    spate_inputs_answer denied = *checked(record);
    CHECK(seteuid(0) == 0);
    CHECK_OK(status);
    CHECK_NUMBER(SPATE_INPUTS_SAME, denied.change);
    CHECK_CHANGE(SPATE_INPUTS_MODE, path, record);
}

/* ---- inputs that are not paths ---- */

TEST(variable_is_compared_by_value_or_absence) {
    static const char *const set[] = {"CC=gcc", "CCC=x", NULL}, *const other[] = {"CC=clang", NULL};
    static const char *const empty[] = {"CC=", NULL}, *const none[] = {"CCC=x", NULL};
    case_place.environment = set;
    const char *record = record_of(SPATE_INPUT_ENVIRONMENT, 0, "CC");
    CHECK_HOLDS(record);
    case_place.environment = other;
    CHECK_CHANGE(SPATE_INPUTS_VALUE, "CC", record);
    case_place.environment = none;
    CHECK_CHANGE(SPATE_INPUTS_VALUE, "CC", record);
    record = record_of(SPATE_INPUT_ENVIRONMENT, 0, "CC");
    CHECK_HOLDS(record);
    case_place.environment = empty;
    CHECK_CHANGE(SPATE_INPUTS_VALUE, "CC", record);
    case_place.environment = NULL;
    CHECK_HOLDS(record);
}

TEST(a_processor_is_its_makers_models_and_abilities) {
    const char *path = lasting(fresh("cpuinfo"));
    write_text(path,
               "processor\t: 0\nvendor_id\t: A\ncpu MHz\t: 1\nflags\t: fpu sse\n\nprocessor\t: 1\nvendor_id\t: A\n",
               0644);
    case_place.processor = path;
    const char *record = record_of(SPATE_INPUT_PROCESSOR, 0, "");
    CHECK_HOLDS(record);
    write_text(path, "flags\t: fpu sse\nvendor_id\t: A\ncpu MHz\t: 2\n", 0644);
    CHECK_HOLDS(record);
    write_text(path, "flags\t: fpu sse avx\nvendor_id\t: A\n", 0644);
    CHECK_CHANGE(SPATE_INPUTS_PROCESSOR, "", record);
    CHECK(unlink(path) == 0);
    CHECK_CHANGE(SPATE_INPUTS_PROCESSOR, "", record);
    case_place.processor = NULL;
    record = record_of(SPATE_INPUT_PROCESSOR, 0, "");
    CHECK_HOLDS(record);
    CHECK_OK(spate_inputs_memo_new(&case_memo));
    CHECK_HOLDS(record);
    CHECK_HOLDS(record);
    spate_inputs_memo_free(case_memo);
    case_memo = NULL;
}

/* ---- roots ---- */

static void copy_tree(const char *from, const char *to) {
    char command[2 * PATH_MAX];
    CHECK((size_t)snprintf(command, sizeof(command), "cp -r '%s' '%s'", from, to) < sizeof(command));
    CHECK(system(command) == 0);
}

TEST(record_below_a_root_holds_in_another_folder) {
    NEEDS_TIMES;
    const char *folder = new_folder();
    const char *bundle = lasting(join(folder, "bundle")), *moved = lasting(join(folder, "moved"));
    CHECK(mkdir(bundle, 0755) == 0 && mkdir(join(bundle, "lib"), 0755) == 0);
    write_text(join(bundle, "lib/a.h"), "one", 0644);
    CHECK(symlink(join(bundle, "lib"), join(bundle, "link")) == 0);
    static spate_inputs_root here[2], there[2];
    here[0] = (spate_inputs_root){"home", folder}, here[1] = (spate_inputs_root){"bundle", bundle};
    there[0] = (spate_inputs_root){"bundle", moved}, there[1] = (spate_inputs_root){"home", "/nowhere"};
    case_place = (spate_inputs_place){.roots = here, .root_count = 2};
    char paths[6][PATH_MAX];
    static const char *const names[] = {"lib/a.h", "lib/b.h", "lib", "link", "", "lib/none/c.h"};
    for (int i = 0; i < 6; i++)
        snprintf(paths[i], PATH_MAX, "%s/%s", bundle, names[i]);
    spate_input inputs[] = {
        {.kind = SPATE_INPUT_FILE, .path = paths[0]},   {.kind = SPATE_INPUT_ABSENT, .path = paths[1]},
        {.kind = SPATE_INPUT_LISTED, .path = paths[2]}, {.kind = SPATE_INPUT_LINK, .path = paths[3]},
        {.kind = SPATE_INPUT_LOOKED, .path = paths[4]}, {.kind = SPATE_INPUT_ABSENT, .path = paths[5]},
        {.kind = SPATE_INPUT_LISTED, .path = paths[4]},
    };
    const char *record = lasting(fresh("record"));
    CHECK_OK(write_record(record, inputs, 7, NULL));
    CHECK_HOLDS(record);
    copy_tree(bundle, moved);
    CHECK(unlink(join(moved, "link")) == 0 && symlink(join(moved, "lib"), join(moved, "link")) == 0);
    case_place = (spate_inputs_place){.roots = there, .root_count = 2};
    CHECK_HOLDS(record);
    grow_old();
    CHECK(renewed(record));
    write_text(join(moved, "lib/a.h"), "two", 0644);
    CHECK_CHANGE(SPATE_INPUTS_CONTENT, join(moved, "lib/a.h"), record);
    case_place = (spate_inputs_place){0};
    CHECK_CHANGE(SPATE_INPUTS_ROOT, "bundle", record);
}

/* The path is the inner root itself, so it is recorded as a path below the outer root. */
TEST(innermost_root_is_used) {
    static spate_inputs_root here[2], there[2];
    const char *home = new_folder(), *other = lasting(fresh("folder"));
    const char *bundle = lasting(join(home, "bundle"));
    CHECK(symlink("elsewhere", bundle) == 0);
    here[0] = (spate_inputs_root){"home", home}, here[1] = (spate_inputs_root){"bundle", bundle};
    there[0] = (spate_inputs_root){"home", other}, there[1] = (spate_inputs_root){"bundle", "/nowhere"};
    case_place = (spate_inputs_place){.roots = here, .root_count = 2};
    const char *record = record_of(SPATE_INPUT_LINK, 0, bundle);
    CHECK_HOLDS(record);
    CHECK(rename(home, other) == 0);
    case_place = (spate_inputs_place){.roots = there, .root_count = 2};
    CHECK_HOLDS(record);
    case_place = (spate_inputs_place){0};
}

/* ---- the memo of looks ---- */

TEST(memo_checks_each_path_once) {
    const char *path = old_file("one");
    const char *folder = new_folder();
    const char *name = lasting(join(folder, "a"));
    const char *record = record_of(SPATE_INPUT_FILE, 0, path);
    const char *absent = record_of(SPATE_INPUT_ABSENT, 0, name);
    CHECK_OK(spate_inputs_memo_new(&case_memo));
    CHECK_HOLDS(record);
    CHECK_HOLDS(absent);
    rewrite(path, "two");
    write_text(name, "", 0644);
    CHECK_HOLDS(record);
    CHECK_HOLDS(absent);
    spate_inputs_memo_forget(case_memo);
    CHECK_CHANGE(SPATE_INPUTS_CONTENT, path, record);
    CHECK_CHANGE(SPATE_INPUTS_APPEARED, name, absent);
    spate_inputs_memo_free(case_memo);
    case_memo = NULL;
}

enum { THREADS = 4, ROUNDS = 50 };

static void *check_many(void *argument) {
    const char *path = argument;
    uintptr_t held = 0;
    for (int i = 0; i < ROUNDS; i++) {
        spate_inputs_answer answer;
        spate_inputs *record;
        if (spate_inputs_open(&record, path, NULL) != SPATE_OK)
            break;
        held += spate_inputs_check(record, &case_place, case_memo, &answer) == SPATE_OK &&
                answer.change == SPATE_INPUTS_SAME;
        spate_inputs_close(record);
        if (i % 10 == 9)
            spate_inputs_memo_forget(case_memo);
    }
    return (void *)held;
}

TEST(threads_share_a_memo) {
    pthread_t threads[THREADS];
    const char *record = record_of(SPATE_INPUT_FILE, 0, old_file("one"));
    CHECK_OK(spate_inputs_memo_new(&case_memo));
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, check_many, (void *)(uintptr_t)record) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *held = NULL;
        CHECK(pthread_join(threads[i], &held) == 0);
        CHECK_NUMBER(ROUNDS, (uintptr_t)held);
    }
    spate_inputs_memo_free(case_memo);
    case_memo = NULL;
}

/* A name that is missing according to the memo may exist by now, so the check must not record a later stamp for it. */
TEST(memo_renews_no_later_stamp) {
    NEEDS_TIMES;
    const char *folder = new_folder();
    const char *name = lasting(join(folder, "a"));
    const char *record = record_of(SPATE_INPUT_ABSENT, 0, name);
    const char *both = lasting(fresh("record"));
    spate_input inputs[] = {{.kind = SPATE_INPUT_ABSENT, .path = name}, {.kind = SPATE_INPUT_LISTED, .path = folder}};
    CHECK_OK(write_record(both, inputs, 2, NULL));
    CHECK_OK(spate_inputs_memo_new(&case_memo));
    CHECK_HOLDS(record);
    write_text(name, "", 0644);
    CHECK(unlink(name) == 0);
    grow_old();
    CHECK_HOLDS(both);
    CHECK(!checked(both)->renew);
    spate_inputs_memo_free(case_memo);
    case_memo = NULL;
    CHECK(checked(both)->renew);
}
