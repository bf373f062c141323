#include "test/scratch.h"

#include "base/file.h"
#include "link/walk.h"

#include <errno.h>

/* Begins a walk in a new folder. */
static const char *begin(spate_walk *walk) {
    const char *folder = lasting(fresh("walk"));
    CHECK(mkdir(folder, 0755) == 0);
    int base = open(folder, SPATE_FOLDER_FLAGS);
    CHECK(base >= 0);
    spate_walk_begin(walk, base);
    return folder;
}

static void end(spate_walk *walk) {
    spate_walk_end(walk);
    CHECK(close(walk->base) == 0);
}

static int go(spate_walk *walk, const char *path, bool *made) {
    errno = 0;
    return spate_walk_to(walk, path, strlen(path), made);
}

/* Checks that the descriptor refers to this folder. */
static void check_there(int descriptor, const char *folder, const char *path) {
    char full[2 * PATH_MAX];
    struct stat info;
    CHECK(descriptor >= 0);
    CHECK(fstat(descriptor, &info) == 0);
    snprintf(full, sizeof(full), "%s/%s", folder, path);
    CHECK_NUMBER(stat_of(full).st_ino, info.st_ino);
}

static void check_made(bool there) {
    static const char *const paths[] = {"a", "a/b/c", "a/bc", "a/b", "", "b/a", "b", "a/b/c/d"};
    static const bool news[] = {true, true, true, false, false, true, false, true};
    spate_walk walk;
    const char *folder = begin(&walk);
    walk.there = there;
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        bool made = false;
        check_there(go(&walk, paths[i], &made), folder, paths[i]);
        CHECK_NUMBER(news[i], made);
    }
    end(&walk);
}

TEST(folders_are_made_on_the_way) {
    check_made(false);
}

TEST(folders_that_are_expected_are_made_where_they_are_not) {
    check_made(true);
}

TEST(a_long_way_keeps_few_folders_open) {
    char path[4 * SPATE_WALK_STEPS] = "f";
    spate_walk walk;
    const char *folder = begin(&walk);
    for (int i = 1; i < 2 * SPATE_WALK_STEPS - 5; i++)
        strcat(path, "/f");
    check_there(go(&walk, path, NULL), folder, path);
    CHECK(walk.depth <= SPATE_WALK_STEPS);
    check_there(go(&walk, "f/f/g", NULL), folder, "f/f/g");
    check_there(go(&walk, path, NULL), folder, path);
    strcat(path, "/g");
    check_there(go(&walk, path, NULL), folder, path);
    end(&walk);
}

TEST(nothing_but_folders_is_entered) {
    char path[PATH_MAX];
    spate_walk walk;
    const char *folder = begin(&walk);
    snprintf(path, sizeof(path), "%s/file", folder);
    write_text(path, "", 0644);
    snprintf(path, sizeof(path), "%s/link", folder);
    CHECK(symlink(folder, path) == 0);
    static const char *const places[] = {"file", "file/a", "link", "link/a"};
    for (size_t i = 0; i < 8; i++) {
        walk.there = i >= 4;
        CHECK_NUMBER(-1, go(&walk, places[i % 4], NULL));
        CHECK_NUMBER(ENOTDIR, errno);
    }
    snprintf(path, sizeof(path), "%s/a", folder);
    CHECK(!exists(path));
    static const char *const odd[] = {"..", "a/../b", ".", "/a", "a//b", "b/"};
    for (size_t i = 0; i < 6; i++) {
        CHECK_NUMBER(-1, go(&walk, odd[i], NULL));
        CHECK_NUMBER(EINVAL, errno);
    }
    memset(path, 'x', sizeof(path));
    CHECK_NUMBER(-1, spate_walk_to(&walk, path, sizeof(path), NULL));
    CHECK_NUMBER(ENAMETOOLONG, errno);
    check_there(go(&walk, "a", NULL), folder, "a"); /* the walk can continue */
    end(&walk);
}
