#define _GNU_SOURCE
#include "test/scratch.h"

#include "machine/mount.h"

#ifdef __linux__
#include <sched.h>
#include <sys/mount.h>
#endif
#include <sys/wait.h>

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

static uint64_t number_of(const char *path) {
    struct stat info;
    CHECK(lstat(path, &info) == 0);
    return spate_mount_number(-1, path, &info);
}

#ifdef __linux__
/* Returns the number of a path's mount, determined in a separate process. */
static uint64_t number_apart(const char *path) {
    int ends[2];
    uint64_t number = 0;
    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        number = number_of(path);
        _exit(write(ends[1], &number, sizeof(number)) == sizeof(number) ? 0 : 1);
    }
    CHECK(read(ends[0], &number, sizeof(number)) == sizeof(number));
    CHECK(waitpid(child, NULL, 0) == child);
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    return number;
}

static bool bind_over(const char *from, const char *to) {
    return mount(from, to, "none", MS_BIND, NULL) == 0;
}

/* Returns 0, or the number of the step that failed. 99 means that mounts are forbidden. */
static int try_mounts(const char *folder, const char *boot_id) {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0)
        return 99;
    uint64_t before = number_apart(folder);
    if (!bind_over(folder, folder))
        return 99;
    uint64_t first = number_apart(folder);
    if (first == 0 || first == before)
        return 1;
    if (umount2(folder, MNT_DETACH) != 0 || number_apart(folder) != before)
        return 2;
    if (!bind_over(folder, folder) || number_apart(folder) == first)
        return 3;
    uint64_t second = number_apart(folder);
    if (!bind_over(boot_id, BOOT_ID) || number_apart(folder) == second)
        return 4;
    return number_apart(folder) == 0 ? 5 : 0;
}

/* Mounts a folder over itself twice, and then in a different boot. This test comes first, because a process reads its
 * boot ID only once. */
TEST(each_mount_and_each_boot_has_its_own) {
    NEEDS(geteuid() == 0, "needs root, for mounts");
    int status;
    const char *folder = lasting(fresh("folder")), *boot_id = lasting(fresh("boot"));
    CHECK(mkdir(folder, 0755) == 0);
    write_text(boot_id, "54b86f48-d518-4dfc-80b6-0af2b8c4cf78\n", 0644);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        _exit(number_apart(folder) == 0 ? 99 : try_mounts(folder, boot_id));
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    NEEDS(WEXITSTATUS(status) != 99, "no numbers of mounts, or mounts are forbidden");
    CHECK_NUMBER(0, WEXITSTATUS(status));
}
#endif

static bool mounts_have_numbers(void) {
    return number_of(in_scratch("")) != 0;
}
#define NEEDS_NUMBERS NEEDS(mounts_have_numbers(), "no numbers of mounts: Linux before 6.8, or no times of birth")

TEST(files_of_one_mount_have_one_number) {
    NEEDS_NUMBERS;
    const char *path = fresh("file"), *link = fresh("link");
    write_text(path, "", 0644);
    CHECK(symlink("/proc/self/status", link) == 0);
    CHECK(number_of(path) == number_of(in_scratch("")));
    CHECK(number_of(link) == number_of(path));
}

TEST(an_open_file_has_the_number_of_its_own_mount) {
    NEEDS_NUMBERS;
    const char *path = fresh("file");
    struct stat info;
    write_text(path, "", 0644);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(descriptor >= 0 && fstat(descriptor, &info) == 0);
    CHECK(spate_mount_number(descriptor, "/proc/self/status", &info) == number_of(path));
    CHECK(close(descriptor) == 0);
}

TEST(a_file_without_a_time_of_birth_has_none) {
    CHECK_NUMBER(0, number_of("/proc/self/status"));
    struct stat info = stat_of("/");
    CHECK_NUMBER(0, spate_mount_number(-1, "/no/such/file", &info));
}
