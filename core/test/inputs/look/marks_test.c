#include "test/scratch.h"

#include "base/times.h"

#include "inputs/look/marks.h"

#include <errno.h>

static const char names[] = "file\0folder\0folder/deep\0link\0missing";

/* Makes a folder with all of these names except the last. */
static const char *made(void) {
    char path[PATH_MAX];
    const char *folder = lasting(fresh("marks"));
    CHECK(mkdir(folder, 0755) == 0);
    snprintf(path, sizeof(path), "%s/file", folder);
    write_text(path, "four", 0644);
    snprintf(path, sizeof(path), "%s/link", folder);
    CHECK(symlink("file", path) == 0);
    snprintf(path, sizeof(path), "%s/folder", folder);
    CHECK(mkdir(path, 0755) == 0);
    snprintf(path, sizeof(path), "%s/folder/deep", folder);
    write_text(path, "", 0755);
    return folder;
}

static void take(const char *folder, spate_mark marks[5]) {
    memset(marks, 0xff, 5 * sizeof(*marks));
    CHECK(spate_marks_take(folder, names, sizeof(names), marks));
}

TEST(mark_contains_the_result_of_lstat) {
    char path[PATH_MAX];
    spate_mark marks[5];
    const char *folder = made();
    take(folder, marks);
    snprintf(path, sizeof(path), "%s/file", folder);
    struct stat info = stat_of(path);
    CHECK_NUMBER(S_IFREG | 0644, marks[0].mode);
    CHECK_NUMBER(4, marks[0].size);
    CHECK_NUMBER(info.st_ino, marks[0].inode);
    CHECK_NUMBER(spate_mtime_ns(&info), marks[0].mtime_ns);
    CHECK(S_ISDIR(marks[1].mode));
    CHECK_NUMBER(0, marks[1].size);
    CHECK_NUMBER(S_IFREG | 0755, marks[2].mode);
    CHECK(S_ISLNK(marks[3].mode));
    CHECK_NUMBER(0, marks[4].mode);
    CHECK_NUMBER(0, marks[4].inode);
}

TEST(another_name_of_a_file_leaves_its_mark) {
    char path[PATH_MAX];
    spate_mark before[5];
    spate_mark after[5];
    const char *folder = made();
    take(folder, before);
    snprintf(path, sizeof(path), "%s/file", folder);
    CHECK(link(path, fresh("name")) == 0);
    take(folder, after);
    CHECK_BYTES(before, after, sizeof(before));
    CHECK(unlink(path) == 0);
    take(folder, after);
    CHECK_NUMBER(0, after[0].mode);
    CHECK_BYTES(&before[1], &after[1], 3 * sizeof(before[0]));
}

TEST(without_a_folder_there_are_no_marks) {
    spate_mark marks[5];
    errno = 0;
    CHECK(!spate_marks_take(fresh("missing"), names, sizeof(names), marks));
    CHECK_NUMBER(ENOENT, errno);
}
