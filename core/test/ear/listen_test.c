#include "test/scratch.h"

#include "ear/here.h"

#ifdef SPATE_EAR_HERE

#include "ear/ear.h"
#include "ear/supervisor/guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static char heard[1 << 16];

static bool take(void *context, const char *text, size_t length, uint64_t kinds) {
    size_t at = strlen(heard);
    (void)context;
    snprintf(heard + at, sizeof(heard) - at, "%.*s=%" PRIx64 "\n", (int)length, text, kinds);
    return true;
}

static const char *heard_of(spate_ear *ear) {
    heard[0] = '\0';
    CHECK_OK(spate_ear_each(ear, take, NULL));
    return heard;
}

static spate_ear *begin(void) {
    spate_ear *ear;
    CHECK_OK(spate_ear_new(&ear, NULL, 0, (spate_ear_size){.slots = 256, .bytes = 65536}, NULL));
    CHECK_OK(spate_ear_start(ear, NULL));
    return ear;
}

/* Sanitizers open files of their own in a child: only what is under the scratch folder is looked for. */
static pid_t child(spate_ear *ear, void (*deed)(void)) {
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid > 0)
        return pid;
    if (spate_ear_enter(dup(spate_ear_socket(ear)), NULL) != SPATE_OK)
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
    if (spate_ear_try(&error) == SPATE_OK)
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

TEST(a_child_is_heard_and_its_end) {
    if (forbidden())
        return;
    char line[5000];
    prepare();
    spate_ear *ear = begin();
    CHECK(!spate_ear_wait(ear, 1));
    pid_t pid = child(ear, look);
    spate_ear_hang_up(ear);
    check_end(pid, 7);
    CHECK(spate_ear_wait(ear, 5000));
    snprintf(line, sizeof(line), "%s=%x\n", present, SPATE_EAR_READ);
    CHECK_CONTAINS(line, heard_of(ear));
    snprintf(line, sizeof(line), "%s=%x\n", absent, SPATE_EAR_ABSENT);
    CHECK_CONTAINS(line, heard);
    CHECK(strchr(heard, '!') == NULL);
    CHECK(spate_ear_asked(ear) >= 2);
    spate_ear_free(ear);
}

TEST(no_child_no_beginning) {
    spate_ear *ear = begin();
    spate_ear_hang_up(ear);
    CHECK(spate_ear_wait(ear, 5000));
    CHECK_STRING("!never began=a\n", heard_of(ear));
    spate_ear_free(ear);
    spate_ear_free(begin());
    spate_ear_free(NULL);
}

static void look_later(void) {
    usleep(200000);
    look();
    if (syscall(SYS_openat, AT_FDCWD, present, O_RDONLY) < 0)
        _exit(2);
}

/* What still runs when nobody wants to hear it any more is answered on. */
TEST(a_child_that_outlives_its_ear) {
    if (forbidden())
        return;
    prepare();
    spate_ear *ear = begin();
    pid_t pid = child(ear, look_later);
    while (spate_ear_asked(ear) == 0 && !strstr(heard_of(ear), "!still running"))
        usleep(1000);
    spate_ear_free(ear);
    check_end(pid, 7);
    usleep(50000); /* the thread frees what is left: AddressSanitizer counts */
}

static void enter_again(void) {
    int ends[2];
    spate_error error;
    if (pipe(ends) != 0 || spate_ear_enter(ends[0], &error) != SPATE_SYSTEM || !strstr(error.message, "another one"))
        _exit(3);
}

TEST(one_ear_within_another) {
    if (forbidden())
        return;
    spate_ear *ear = begin();
    check_end(child(ear, enter_again), 7);
    spate_ear_hang_up(ear);
    CHECK(spate_ear_wait(ear, 5000));
    CHECK_CONTAINS("!another listener", heard_of(ear));
    spate_ear_free(ear);
}

TEST(nobody_listens) {
    if (forbidden())
        return;
    pid_t pid = fork();
    if (pid == 0) {
        spate_error error;
        spate_status status = spate_ear_enter(-1, &error);
        _exit(status == SPATE_SYSTEM && strstr(error.message, "nobody listens") ? 7 : 1);
    }
    check_end(pid, 7);
}

/* One ear's listener is in no copy of another's process: see close_listeners. */
TEST(forked_children_hold_no_listener) {
    if (forbidden())
        return;
    prepare();
    spate_ear *ear = begin();
    int gate[2];
    CHECK(pipe(gate) == 0);
    pid_t heard_child = child(ear, look_later);
    while (strstr(heard_of(ear), "!never began"))
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
    check_end(heard_child, 7);
    spate_ear_free(ear);
    close(gate[0]);
    close(gate[1]);
}

#else

TEST(nothing_here) {
    NEEDS(false, "no ear here");
}

#endif
