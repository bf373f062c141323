#define _GNU_SOURCE
#include "machine/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#define STACK ((size_t)64 << 10)
/* Maximum number of descriptors that are closed one by one if the kernel has no close_range. */
#define MOST_DESCRIPTORS 65536

/* Shared with the child process. */
typedef struct start {
    _Alignas(16) char stack[STACK];
    char *const *words;
    char *const *environment;
    int output;
    const posix_spawnattr_t *attributes;
    const char *failed; /* name of the failed call, or NULL */
    int failure;        /* its errno */
} start;

static int failed(start *what, const char *call, int number) {
    what->failed = call;
    what->failure = number;
    return 1;
}

static void close_all_from(int first) {
    struct rlimit most;
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0)
        return;
#endif
    if (getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_cur > MOST_DESCRIPTORS)
        most.rlim_cur = MOST_DESCRIPTORS;
    for (int descriptor = first; descriptor < (int)most.rlim_cur; descriptor++)
        close(descriptor);
}

static int between(void *given) {
    start *what = given;
    pid_t program;
    /* Moves it above the three standard descriptors. */
    int output = fcntl(what->output, F_DUPFD, 3);
    int null = open("/dev/null", O_RDONLY);
    if (output < 0 || null < 0 || dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
        return failed(what, "dup2", errno);
    if (setsid() < 0 || chdir("/") != 0)
        return failed(what, "chdir", errno);
    close_all_from(3);
    int number = posix_spawn(&program, what->words[0], NULL, what->attributes, what->words, what->environment);
    return number ? failed(what, "posix_spawn", number) : 0;
}

/* Resets all signals to their default handlers and unblocks them. */
static int set_attributes(posix_spawnattr_t *attributes) {
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    int number = posix_spawnattr_setsigdefault(attributes, &all);
    if (!number)
        number = posix_spawnattr_setsigmask(attributes, &none);
    return number ? number : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

#ifdef __linux__
/*
 *   this process ──clone, no exit signal──► between ──posix_spawn──► the program
 *                ◄──────waitpid, __WCLONE── exits                   reparented to process 1
 *
 * `between` never executes another program, so it keeps its setting of no exit signal. The kernel sends no SIGCHLD for
 * it, and only a wait with __WCLONE reports it. Like a child of vfork, it uses this process's memory while the calling
 * thread is suspended. Nothing is copied, and it may only call async-signal-safe functions.
 */
static pid_t start_between(start *what) {
    return clone(between, what->stack + STACK, CLONE_VM | CLONE_VFORK, what);
}
#else
/* The short-lived child causes a SIGCHLD, and another thread that waits for any child may reap it. */
#define __WCLONE 0
static pid_t start_between(start *what) {
    pid_t child = fork();
    if (child == 0)
        _exit(between(what));
    return child;
}
#endif

/* Blocks all signals during the start, so that no signal handler of this process runs in the child, which shares its
 * memory. */
static void run(start *what) {
    sigset_t all, before;
    sigfillset(&all);
    int number = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (number) {
        failed(what, "pthread_sigmask", number);
        return;
    }
    pid_t child = start_between(what);
    if (child < 0)
        failed(what, "fork", errno);
    while (child > 0 && waitpid(child, NULL, __WCLONE) < 0 && errno == EINTR)
        continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

spate_status spate_start_apart(char *const words[], char *const environment[], int output, spate_error *error) {
    posix_spawnattr_t attributes;
    start *what = mmap(NULL, sizeof(*what), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (what == MAP_FAILED)
        return spate_fail_errno(error, words[0], "mmap");
    what->words = words;
    what->environment = environment;
    what->output = output;
    int number = posix_spawnattr_init(&attributes);
    if (number) {
        failed(what, "posix_spawnattr_init", number);
    } else {
        what->attributes = &attributes;
        number = set_attributes(&attributes);
        if (number)
            failed(what, "posix_spawnattr_setflags", number);
        else
            run(what);
        posix_spawnattr_destroy(&attributes);
    }
    const char *call = what->failed;
    int failure = what->failure;
    munmap(what, sizeof(*what));
    errno = failure;
    return call ? spate_fail_errno(error, words[0], call) : SPATE_OK;
}

bool spate_adopts_orphans(void) {
    int asked = 0;
#ifdef __linux__
    if (prctl(PR_GET_CHILD_SUBREAPER, &asked) != 0)
        asked = 0;
#endif
    return getpid() == 1 || asked;
}

#define LOWEST 19
/* For ioprio_set(2), which here applies to the calling thread. The class is stored above the 13 bits of the level. */
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_CLASS_IDLE 3
#define IOPRIO_CLASS_SHIFT 13

void spate_become_idle(void) {
    (void)setpriority(PRIO_PROCESS, 0, LOWEST);
#ifdef __linux__
    struct sched_param none = {0};
    (void)sched_setscheduler(0, SCHED_IDLE, &none);
    (void)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_CLASS_IDLE << IOPRIO_CLASS_SHIFT);
#endif
}
