#include "test/harness.h"
#include "test/scratch.h"

#include <errno.h>

static spate_status read_into(const char *path, spate_buffer *buffer, spate_error *error) {
    spate_status status = spate_read_file(path, 1000, buffer, NULL, error);
    spate_buffer_free(buffer);
    return status;
}

/* Opening a pipe instead of a file would wait for a writer. */
TEST(only_regular_files_are_read) {
    const char *pipe_path = fresh("pipe"), *link = fresh("link"), *folder = fresh("folder");
    spate_buffer buffer = {0};
    spate_error error;
    CHECK(mkfifo(pipe_path, 0600) == 0 && mkdir(folder, 0700) == 0 && symlink(pipe_path, link) == 0);
    alarm(20);
    CHECK_STATUS(SPATE_CORRUPT, read_into(pipe_path, &buffer, &error));
    alarm(0);
    CHECK_STRING("not a regular file", error.message);
    CHECK_STATUS(SPATE_CORRUPT, read_into(folder, &buffer, &error));
    CHECK_STATUS(SPATE_SYSTEM, read_into(link, &buffer, &error));
    CHECK_NUMBER(ELOOP, error.system_errno);
}

TEST(file_of_the_maximum_length_is_read) {
    static char text[1001];
    spate_buffer buffer = {0};
    struct stat info;
    const char *path = fresh("file");
    memset(text, 'x', 1000);
    write_text(path, text, 0600);
    CHECK_OK(spate_read_file(path, 1000, &buffer, &info, NULL));
    CHECK(buffer.length == 1000 && info.st_size == 1000);
    CHECK_BYTES(text, buffer.bytes, 1000);
    spate_buffer_free(&buffer);
    CHECK_STATUS(SPATE_LIMIT, spate_read_file(path, 999, &buffer, NULL, NULL));
    spate_buffer_free(&buffer);
}

TEST(failed_publish_keeps_the_existing_file) {
    const char *path = fresh("taken");
    spate_error error;
    CHECK(mkdir(path, 0700) == 0);
    CHECK_STATUS(SPATE_SYSTEM, spate_write_file(path, "new", 3, &error));
    CHECK_CONTAINS("rename", error.message);
    CHECK(S_ISDIR(stat_of(path).st_mode));
    CHECK_STATUS(SPATE_SYSTEM, spate_write_file(in_scratch("none/file"), "new", 3, &error));
    CHECK_NUMBER(ENOENT, error.system_errno);
}

/* The tree is deeper than a path can be long, and deeper than the number of descriptors a process may open. */
TEST(a_folder_of_any_depth_is_removed) {
    const char *top = fresh("deep");
    CHECK(mkdir(top, 0700) == 0);
    int folder = open(top, SPATE_FOLDER_FLAGS);
    for (int depth = 0; depth < 2000; depth++) {
        CHECK(mkdirat(folder, "node_modules", 0700) == 0 && symlinkat("/", folder, "link") == 0);
        int inner = openat(folder, "node_modules", SPATE_FOLDER_FLAGS);
        close(folder);
        folder = inner;
    }
    close(folder);
    CHECK_OK(spate_remove_tree(top, NULL));
    CHECK(access(top, F_OK) != 0);
    CHECK_OK(spate_remove_tree(top, NULL));
}
