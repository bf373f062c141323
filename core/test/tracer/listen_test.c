#include "test/scratch.h"

#include "tracer/here.h"

#ifdef SPATE_TRACER_HERE

#include "tracer/supervisor/guard.h"
#include "tracer/tracer.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static char trace[1 << 16];

static bool take(void *context, const char *text, size_t length, uint64_t kinds) {
    size_t at = strlen(trace);
    (void)context;
    snprintf(trace + at, sizeof(trace) - at, "%.*s=%" PRIx64 "\n", (int)length, text, kinds);
    return true;
}

static const char *recorded_of(spate_tracer *tracer) {
    trace[0] = '\0';
    CHECK_OK(spate_tracer_each(tracer, take, NULL));
    return trace;
}

static spate_tracer *begin_with(bool read_only) {
    spate_tracer *tracer;
    CHECK_OK(spate_tracer_new(&tracer, NULL, 0, (spate_tracer_size){.slots = 256, .bytes = 65536}, read_only, NULL));
    CHECK_OK(spate_tracer_start(tracer, NULL));
    return tracer;
}

static spate_tracer *begin(void) {
    return begin_with(false);
}

/* Runs a function in a traced child. A sanitizer may open other files there, so the tests check only paths below the
 * scratch folder. */
static pid_t child(spate_tracer *tracer, void (*deed)(void)) {
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid > 0)
        return pid;
    if (spate_tracer_enter(dup(spate_tracer_socket(tracer)), NULL) != SPATE_OK)
        _exit(1);
    deed();
    _exit(7);
}

static void check_end(pid_t pid, int expected) {
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status));
    CHECK_NUMBER(expected, WEXITSTATUS(status));
}

static bool forbidden(void) {
    spate_error error;
    if (spate_tracer_try(&error) == SPATE_OK)
        return false;
    fprintf(stderr, "  not tried: %s\n", error.message);
    return true;
}

static char present[4096], absent[4096];

static void look(void) {
    syscall(SYS_openat, AT_FDCWD, present, O_RDONLY);
    syscall(SYS_openat, AT_FDCWD, absent, O_RDONLY);
}

static void prepare(void) {
    snprintf(present, sizeof(present), "%s", fresh("present"));
    snprintf(absent, sizeof(absent), "%s", fresh("absent"));
    write_text(present, "text", 0600);
}

TEST(a_child_and_its_end_are_traced) {
    if (forbidden())
        return;
    char line[5000];
    prepare();
    spate_tracer *tracer = begin();
    CHECK(!spate_tracer_wait(tracer, 1));
    pid_t pid = child(tracer, look);
    spate_tracer_stop(tracer);
    check_end(pid, 7);
    CHECK(spate_tracer_wait(tracer, 5000));
    snprintf(line, sizeof(line), "%s=%x\n", present, SPATE_TRACER_READ);
    CHECK_CONTAINS(line, recorded_of(tracer));
    snprintf(line, sizeof(line), "%s=%x\n", absent, SPATE_TRACER_ABSENT);
    CHECK_CONTAINS(line, trace);
    CHECK(strchr(trace, '!') == NULL);
    CHECK(spate_tracer_asked(tracer) >= 2);
    spate_tracer_free(tracer);
}

TEST(tracer_that_stops_without_a_child) {
    spate_tracer *tracer = begin();
    spate_tracer_stop(tracer);
    CHECK(spate_tracer_wait(tracer, 5000));
    CHECK_STRING("!never began=a\n", recorded_of(tracer));
    spate_tracer_free(tracer);
    spate_tracer_free(begin());
    spate_tracer_free(NULL);
}

static void look_later(void) {
    usleep(200000);
    look();
    if (syscall(SYS_openat, AT_FDCWD, present, O_RDONLY) < 0)
        _exit(2);
}

/* The system calls of a process that outlives the tracer still return. */
TEST(a_child_that_outlives_its_tracer) {
    if (forbidden())
        return;
    prepare();
    spate_tracer *tracer = begin();
    pid_t pid = child(tracer, look_later);
    while (spate_tracer_asked(tracer) == 0 && !strstr(recorded_of(tracer), "!still running"))
        usleep(1000);
    spate_tracer_free(tracer);
    check_end(pid, 7);
    usleep(50000); /* the thread frees what is left, and AddressSanitizer checks for it */
}

static bool fails(long result, int error) {
    return result == -1 && errno == error;
}

/* Each function exits with the number of the first step that went wrong. */
static void write_and_exit(void) {
    int file = (int)syscall(SYS_openat, AT_FDCWD, present, O_RDONLY);
    const char byte = 'x';
    char also[5000];
    snprintf(also, sizeof(also), "%s.also", present);
    if (file < 0)
        _exit(20);
    if (!fails(syscall(SYS_openat, AT_FDCWD, present, O_WRONLY), EROFS))
        _exit(21);
    if (!fails(syscall(SYS_openat, AT_FDCWD, present, O_RDONLY | O_TRUNC), EROFS))
        _exit(22);
    if (!fails(syscall(SYS_openat, AT_FDCWD, absent, O_RDONLY | O_CREAT, 0600), EROFS))
        _exit(23);
    if (!fails(syscall(SYS_openat, AT_FDCWD, absent, O_RDWR), ENOENT))
        _exit(24);
    if (!fails(syscall(437, AT_FDCWD, present, NULL, 0), ENOSYS)) /* openat2 */
        _exit(25);
    if (!fails(syscall(SYS_unlinkat, AT_FDCWD, present, 0), EROFS) ||
        !fails(syscall(SYS_unlinkat, AT_FDCWD, absent, 0), ENOENT))
        _exit(26);
    if (!fails(syscall(SYS_mkdirat, AT_FDCWD, present, 0700), EEXIST) ||
        !fails(syscall(SYS_mkdirat, AT_FDCWD, absent, 0700), EROFS))
        _exit(27);
    if (!fails(syscall(SYS_renameat2, AT_FDCWD, present, AT_FDCWD, absent, 0), EROFS) ||
        !fails(syscall(SYS_linkat, AT_FDCWD, present, AT_FDCWD, also, 0), EROFS) ||
        !fails(syscall(SYS_symlinkat, "x", AT_FDCWD, absent), EROFS))
        _exit(28);
    if (!fails(syscall(SYS_fchmod, file, 0), EROFS) || !fails(syscall(SYS_fchown, file, 1, 1), EROFS) ||
        !fails(syscall(SYS_utimensat, file, NULL, NULL, 0), EROFS) || !fails(syscall(SYS_truncate, present, 0L), EROFS))
        _exit(29);
    if (!fails(syscall(SYS_unshare, 0x10000000), EPERM)) /* CLONE_NEWUSER */
        _exit(30);
    int null = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0 || write(null, &byte, 1) != 1 || fcntl(null, F_GETFD) != FD_CLOEXEC)
        _exit(31);
}

static void fork_and_write(void) {
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        write_and_exit();
        _exit(7);
    }
    _exit(waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 32);
}

TEST(a_read_only_child_changes_nothing) {
    if (forbidden())
        return;
    void (*const deeds[])(void) = {write_and_exit, fork_and_write};
    for (size_t i = 0; i < 2; i++) {
        char line[5000];
        struct stat before, after;
        prepare();
        CHECK(stat(present, &before) == 0);
        spate_tracer *tracer = begin_with(true);
        pid_t pid = child(tracer, deeds[i]);
        spate_tracer_stop(tracer);
        check_end(pid, 7);
        CHECK(spate_tracer_wait(tracer, 5000));
        CHECK(stat(present, &after) == 0 && memcmp(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim)) == 0);
        CHECK(after.st_mode == before.st_mode && after.st_size == before.st_size && after.st_nlink == 1);
        CHECK(access(absent, F_OK) != 0);
        recorded_of(tracer);
        snprintf(line, sizeof(line), "%s=%x%x%x", present, SPATE_TRACER_WRITTEN, SPATE_TRACER_LOOKED,
                 SPATE_TRACER_READ);
        CHECK_CONTAINS(line, trace);
        CHECK_CONTAINS("!changes a file: fchmod", trace);
        spate_tracer_free(tracer);
    }
}

static void write_later(void) {
    usleep(200000);
    if (!fails(syscall(SYS_openat, AT_FDCWD, present, O_WRONLY), EROFS) ||
        !fails(syscall(SYS_unlinkat, AT_FDCWD, present, 0), EROFS) ||
        syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY) < 0)
        _exit(2);
}

TEST(a_read_only_child_that_outlives_its_tracer) {
    if (forbidden())
        return;
    prepare();
    spate_tracer *tracer = begin_with(true);
    pid_t pid = child(tracer, write_later);
    while (strstr(recorded_of(tracer), "!never began"))
        usleep(1000);
    spate_tracer_free(tracer);
    check_end(pid, 7);
    usleep(50000); /* the thread frees what is left, and AddressSanitizer checks for it */
}

static void enter_again(void) {
    int ends[2];
    spate_error error;
    char mode = SPATE_TRACER_MAY_WRITE;
    if (pipe(ends) != 0 || write(ends[1], &mode, 1) != 1)
        _exit(2);
    if (spate_tracer_enter(ends[0], &error) != SPATE_SYSTEM || !strstr(error.message, "another listener"))
        _exit(3);
}

TEST(one_tracer_within_another) {
    if (forbidden())
        return;
    spate_tracer *tracer = begin();
    check_end(child(tracer, enter_again), 7);
    spate_tracer_stop(tracer);
    CHECK(spate_tracer_wait(tracer, 5000));
    CHECK_CONTAINS("!another seccomp listener", recorded_of(tracer));
    spate_tracer_free(tracer);
}

TEST(entering_without_a_parent_is_an_error) {
    if (forbidden())
        return;
    pid_t pid = fork();
    if (pid == 0) {
        spate_error error;
        spate_status status = spate_tracer_enter(-1, &error);
        _exit(status == SPATE_SYSTEM && strstr(error.message, "the parent is gone") ? 7 : 1);
    }
    check_end(pid, 7);
}

/* close_listeners closes the listeners of other tracers in each child. */
TEST(forked_children_hold_no_listener) {
    if (forbidden())
        return;
    prepare();
    spate_tracer *tracer = begin();
    int gate[2];
    CHECK(pipe(gate) == 0);
    pid_t traced_child = child(tracer, look_later);
    while (strstr(recorded_of(tracer), "!never began"))
        usleep(1000);
    pid_t copy = fork();
    if (copy == 0) {
        char link[64], target[128];
        for (int file = 3; file < 64; file++) {
            snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
            ssize_t length = readlink(link, target, sizeof(target) - 1);
            target[length < 0 ? 0 : length] = '\0';
            if (strstr(target, "seccomp"))
                _exit(4);
        }
        _exit(7);
    }
    check_end(copy, 7);
    check_end(traced_child, 7);
    spate_tracer_free(tracer);
    close(gate[0]);
    close(gate[1]);
}

#else

TEST(nothing_here) {
    NEEDS(false, "no tracer here");
}

#endif
