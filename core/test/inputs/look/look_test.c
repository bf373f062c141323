#include "test/scratch.h"

#include "base/bounds.h"

#include "inputs/look/look.h"

#include <time.h>

#define SECOND INT64_C(1000000000)

/* Returns the facts of a file one second after its last change, on a file system that stores the kernel's times. */
static inputs_look old_look(void) {
    return (inputs_look){
        .stamp = {.device = 1, .inode = 2, .mtime_ns = 3, .ctime_ns = 5 * SECOND, .seen_ns = 6 * SECOND}};
}

TEST(stamp_proves_only_if_all_fields_match) {
    inputs_look look = old_look();
    disk_stamp stamp = spate_inputs_stamp(&look);
    CHECK(stamp.seen_ns != 0);
    CHECK(spate_inputs_proves(&stamp, &look));
    for (int field = 0; field < 5; field++) {
        inputs_look other = look;
        other.stamp.device += field == 0;
        other.stamp.inode += field == 1;
        other.stamp.mtime_ns += field == 2;
        other.stamp.ctime_ns -= field == 3;
        other.stamp.device = field == 4 ? 0 : other.stamp.device;
        if (spate_inputs_proves(&stamp, &other))
            harness_fail(__FILE__, __LINE__, "field %d does not count", field);
    }
}

/* Returns whether a stamp with this seen_ns proves the content of the file in `look`. */
static bool proves(const inputs_look *look, int64_t seen_ns) {
    inputs_look then = *look;
    then.stamp.seen_ns = look->stamp.ctime_ns + SECOND;
    disk_stamp stamp = spate_inputs_stamp(&then);
    stamp.seen_ns = (int64_t)LE64(seen_ns);
    return spate_inputs_proves(&stamp, look);
}

TEST(stamp_close_to_a_change_proves_nothing) {
    inputs_look look = old_look();
    CHECK(!proves(&look, look.stamp.ctime_ns + 19999999));
    CHECK(proves(&look, look.stamp.ctime_ns + 20000000));
    CHECK(!proves(&look, 0));
    CHECK(!proves(&look, INT64_MIN)); /* from a forged record */
}

TEST(useless_stamps_are_not_recorded) {
    inputs_look look = old_look();
    look.stamp.device = 0;
    CHECK_NUMBER(0, spate_inputs_stamp(&look).ctime_ns);
    look = old_look();
    look.reason = ENOENT;
    CHECK_NUMBER(0, spate_inputs_stamp(&look).ctime_ns);
    look = old_look();
    look.stamp.seen_ns = look.stamp.ctime_ns + 1;
    CHECK_NUMBER(0, spate_inputs_stamp(&look).ctime_ns);
}

/* Computing a second digest does not change the time of the first look. */
TEST(a_second_digest_does_not_make_the_first_one_younger) {
    const char *path = fresh("file");
    inputs_look look;
    write_text(path, "one", 0644);
    spate_inputs_look(path, true, &look);
    CHECK_NUMBER(0, spate_inputs_digest(path, true, INPUTS_CONTENT, &look));
    int64_t seen = look.stamp.seen_ns;
    CHECK_NUMBER(ENOEXEC, spate_inputs_digest(path, true, INPUTS_PROMISE, &look));
    CHECK_NUMBER(seen, look.stamp.seen_ns);
    CHECK_NUMBER(1 << INPUTS_CONTENT, look.known);
}

TEST(digest_is_of_the_current_content) {
    const char *path = fresh("file");
    inputs_look look;
    uint8_t expected[SPATE_SHA256_LENGTH];
    write_text(path, "one", 0644);
    spate_inputs_look(path, true, &look);
    write_text(path, "longer", 0600);
    spate_sha256_of("longer", 6, expected);
    CHECK_NUMBER(0, spate_inputs_digest(path, true, INPUTS_CONTENT, &look));
    CHECK_BYTES(expected, look.digests[INPUTS_CONTENT], sizeof(expected));
    CHECK_NUMBER(6, look.size);
    CHECK_NUMBER(0600, look.mode & 0777);
}

TEST(digest_of_previous_content_is_dropped) {
    const char *path = fresh("file");
    inputs_look look;
    uint8_t expected[SPATE_SHA256_LENGTH];
    write_text(path, "one", 0644);
    spate_inputs_look(path, true, &look);
    CHECK_NUMBER(0, spate_inputs_digest(path, true, INPUTS_CONTENT, &look));
    CHECK(unlink(path) == 0);
    struct timespec time = {0, 30000000};
    CHECK(nanosleep(&time, NULL) == 0);
    write_text(path, "two", 0644);
    CHECK_NUMBER(ENOEXEC, spate_inputs_digest(path, true, INPUTS_PROMISE, &look));
    CHECK_NUMBER(0, spate_inputs_digest(path, true, INPUTS_CONTENT, &look));
    spate_sha256_of("two", 3, expected);
    CHECK_BYTES(expected, look.digests[INPUTS_CONTENT], sizeof(expected));
}

/* Opening a FIFO waits for a writer, and opening a device may have an effect. */
TEST(nothing_but_files_and_folders_is_opened) {
    const char *path = fresh("fifo");
    inputs_look look;
    CHECK(mkfifo(path, 0644) == 0);
    spate_inputs_look(path, true, &look);
    CHECK_NUMBER(ENXIO, spate_inputs_digest(path, true, INPUTS_CONTENT, &look));
    spate_inputs_look(in_scratch("."), true, &look);
    CHECK_NUMBER(EISDIR, spate_inputs_digest(in_scratch("."), true, INPUTS_CONTENT, &look));
}

TEST(links_are_followed_where_that_is_asked) {
    const char *link = fresh("link");
    inputs_look look;
    CHECK(symlink("nowhere", link) == 0);
    spate_inputs_look(link, true, &look);
    CHECK_NUMBER(ENOENT, look.reason);
    spate_inputs_look(link, false, &look);
    CHECK_NUMBER(0, look.reason);
    CHECK(S_ISLNK(look.mode));
    CHECK(spate_inputs_digest(link, false, INPUTS_CONTENT, &look) != 0);
}

TEST(link_that_replaces_the_file_is_not_opened) {
    const char *path = fresh("file");
    inputs_look look;
    write_text(path, "one", 0644);
    spate_inputs_look(path, false, &look);
    CHECK(unlink(path) == 0 && symlink("/bin/sh", path) == 0);
    CHECK_NUMBER(ELOOP, spate_inputs_digest(path, false, INPUTS_CONTENT, &look));
}

/* The format sorts the names. The file system lists them in its own order. */
TEST(names_are_sorted_with_their_types) {
    const char *folder = lasting(fresh("folder"));
    inputs_look look;
    spate_sha256 hash;
    uint8_t expected[SPATE_SHA256_LENGTH];
    char path[PATH_MAX], name[16];
    CHECK(mkdir(folder, 0755) == 0);
    spate_sha256_begin(&hash);
    for (int i = 10; i < 90; i++) {
        snprintf(name, sizeof(name), "%c%d", i % 3 == 0 ? 'd' : i % 3 == 1 ? 'f' : 'l', i);
        spate_sha256_add(&hash, name, strlen(name) + 1);
        snprintf(path, sizeof(path), "%s/%d", folder, i);
        CHECK((i % 3 == 0 ? mkdir(path, 0755) : i % 3 == 1 ? mknod(path, S_IFREG | 0644, 0) : symlink("x", path)) == 0);
    }
    spate_sha256_end(&hash, expected);
    spate_inputs_look(folder, true, &look);
    CHECK_NUMBER(0, spate_inputs_digest(folder, true, INPUTS_NAMES, &look));
    CHECK_BYTES(expected, look.digests[INPUTS_NAMES], sizeof(expected));
}
