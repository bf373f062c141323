#include "test/harness.h"
#include "test/scratch.h"

#include "base/trust.h"

#include <stdlib.h>
#include <sys/wait.h>

#define STRANGER 54321

static spate_culprit culprit;

static const char *reason(const char *path) {
    const char *name = spate_distrust_name(spate_trust_path(path, false, false, &culprit));
    return name ? name : "";
}

#define NEEDS_ROOT NEEDS(geteuid() == 0, "only root can give a folder away")

/* CI containers often run this way: the process is root, and HOME belongs to another user. */
TEST(only_home_itself_may_belong_to_another_user) {
    const char *home = fresh("home"), *link = fresh("link");
    char cache[PATH_MAX / 2], below[PATH_MAX];
    NEEDS_ROOT;
    snprintf(cache, sizeof(cache), "%s/.cache", home);
    snprintf(below, sizeof(below), "%s/spate", cache);
    CHECK(mkdir(home, 0755) == 0 && mkdir(cache, 0755) == 0 && mkdir(below, 0755) == 0 && symlink(home, link) == 0);
    CHECK(chown(home, STRANGER, STRANGER) == 0);
    unsetenv("HOME");
    CHECK_STRING("owner", reason(below));
    CHECK_STRING(home, culprit.path);
    setenv("HOME", link, 1);
    CHECK_STRING("", reason(below));
    CHECK_STRING("owner", reason(home));
    CHECK(chown(cache, STRANGER, STRANGER) == 0);
    CHECK_STRING("owner", reason(below));
    CHECK_STRING(cache, culprit.path);
    CHECK(chown(cache, 0, 0) == 0 && chmod(home, 0777) == 0);
    CHECK_STRING("others", reason(below));
}

/* In a user namespace, the host's root may be shown as the overflow user ID. Then this user owns the root folder. */
TEST(owner_of_the_root_folder_may_own_parent_folders) {
    const char *root = fresh("root");
    char below[PATH_MAX];
    int status = -1;
    NEEDS_ROOT;
    snprintf(below, sizeof(below), "%s/a", root);
    CHECK(mkdir(root, 0755) == 0 && mkdir(below, 0755) == 0);
    snprintf(below, sizeof(below), "%s/a/b", root);
    CHECK(mkdir(below, 0755) == 0 && chown(root, STRANGER, STRANGER) == 0);
    *strrchr(below, '/') = '\0';
    CHECK(chown(below, STRANGER, STRANGER) == 0);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("HOME");
        if (chroot(root) != 0 || chdir("/") != 0)
            _exit(3);
        _exit(strcmp(reason("/a/b"), "") != 0 ? 1 : strcmp(reason("/a"), "owner") != 0 ? 2 : 0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_NUMBER(0, status);
}
