#define _GNU_SOURCE
#include "tracer/here.h"
#include "tracer/supervisor/guard.h"
#include "tracer/tracer.h"

#ifdef SPATE_TRACER_HERE

#include "tracer/calls.h"
#include "tracer/supervisor/notice.h"
#include "tracer/supervisor/read_only.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct spate_tracer {
    spate_tracer_table table; /* header is NULL after the owner has stopped reading it */
    int table_file;
    int texts;
    int socket;   /* this process's end */
    int child;    /* the child's end; -1 once closed */
    int listener; /* -1 before it is received and after it is closed */
    bool read_only;
    bool started;
    bool began;
    bool ended;
    bool let_go; /* the thread must free the tracer */
    _Atomic uint64_t asked;
    pthread_mutex_t lock;
    pthread_cond_t end;
    pthread_t thread;
    spate_tracer *next; /* next in `listeners` */
};

/* Missing in older headers. */
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif
#ifndef SECCOMP_IOCTL_NOTIF_ADDFD
struct seccomp_notif_addfd {
    __u64 id;
    __u32 flags;
    __u32 srcfd;
    __u32 newfd;
    __u32 newfd_flags;
};
#define SECCOMP_IOCTL_NOTIF_ADDFD SECCOMP_IOW(3, struct seccomp_notif_addfd)
#endif

/* ---- forked children must not inherit a listener ---- */

/* If a child had a copy, the listener would stay open after this process has ended, and traced processes would wait
 * forever. */
static pthread_mutex_t listeners_lock = PTHREAD_MUTEX_INITIALIZER;
static spate_tracer *listeners;

static void lock_listeners(void) {
    pthread_mutex_lock(&listeners_lock);
}

static void unlock_listeners(void) {
    pthread_mutex_unlock(&listeners_lock);
}

static void close_listeners(void) {
    for (const spate_tracer *tracer = listeners; tracer; tracer = tracer->next)
        close(tracer->listener);
    listeners = NULL;
    pthread_mutex_unlock(&listeners_lock);
}

static void watch_forks(void) {
    pthread_atfork(lock_listeners, unlock_listeners, close_listeners);
}

static bool take_listener(spate_tracer *tracer) {
    struct pollfd waiting = {.fd = tracer->socket, .events = POLLIN};
    while (poll(&waiting, 1, -1) < 0 && errno == EINTR) {}
    lock_listeners();
    tracer->listener = spate_tracer_take_descriptor(tracer->socket);
    if (tracer->listener >= 0) {
        tracer->next = listeners;
        listeners = tracer;
    }
    unlock_listeners();
    return tracer->listener >= 0;
}

static void drop_listener(spate_tracer *tracer) {
    lock_listeners();
    spate_tracer **link = &listeners;
    while (*link && *link != tracer)
        link = &(*link)->next;
    if (*link)
        *link = tracer->next;
    close(tracer->listener);
    tracer->listener = -1;
    unlock_listeners();
}

/* ---- requests and responses ---- */

typedef struct room {
    struct seccomp_notif *asked;
    struct seccomp_notif_resp *answer;
    size_t asked_size;
    size_t answer_size;
} room;

/* Allocates memory for requests and responses. The kernel's structs may be longer than those of the headers. */
static bool make_room(room *r) {
    struct seccomp_notif_sizes sizes;
    if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0)
        return false;
    r->asked_size = sizes.seccomp_notif > sizeof(*r->asked) ? sizes.seccomp_notif : sizeof(*r->asked);
    r->answer_size = sizes.seccomp_notif_resp > sizeof(*r->answer) ? sizes.seccomp_notif_resp : sizeof(*r->answer);
    r->asked = malloc(r->asked_size);
    r->answer = malloc(r->answer_size);
    return r->asked && r->answer;
}

typedef struct decision {
    int error;  /* negative errno, or 0 to continue the call */
    int opened; /* descriptor to return as the result, or -1 */
} decision;

/* Returns a descriptor if the call opens one of the two files that may be written in read-only mode, otherwise -1. The
 * table is recognized by the path from spate_tracer_address. */
static int open_for_caller(const spate_tracer *tracer, const struct seccomp_notif *asked) {
    char address[64];
    spate_tracer_address(tracer, address);
    return spate_tracer_give(asked, address, tracer->table_file);
}

static decision decide(spate_tracer *tracer, const struct seccomp_notif *asked) {
    decision d = {0, -1};
    long outcome = SPATE_TRACER_UNTOLD;
    pthread_mutex_lock(&tracer->lock);
    spate_tracer_table *table = tracer->table.header ? &tracer->table : NULL;
    if (tracer->read_only)
        d.opened = open_for_caller(tracer, asked);
    if (d.opened < 0 && table)
        outcome = spate_tracer_notice(table, tracer->listener, tracer->texts, asked);
    if (d.opened < 0 && tracer->read_only)
        d.error = spate_tracer_refuse(asked, outcome, table);
    pthread_mutex_unlock(&tracer->lock);
    return d;
}

/* Linux before 5.9 cannot install a descriptor. The call then continues and opens the file itself. */
#define NOT_KNOWN EINVAL

/* Installs a copy of a descriptor in the calling process. Returns its number there, or a negative errno. */
static int hand_over(const spate_tracer *tracer, const struct seccomp_notif *asked, int descriptor) {
    struct seccomp_notif_addfd added = {.id = asked->id, .srcfd = (uint32_t)descriptor};
    const spate_tracer_call *call = spate_tracer_call_of(asked->data.nr);
    if ((asked->data.args[call->flags] & O_CLOEXEC) != 0)
        added.newfd_flags = O_CLOEXEC;
    int number = ioctl(tracer->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &added);
    return number < 0 ? -errno : number;
}

/* Responds to one request. Returns false if no more requests can be handled. */
static bool answer_one(spate_tracer *tracer, const room *r) {
    memset(r->asked, 0, r->asked_size); /* the kernel requires zeros */
    if (ioctl(tracer->listener, SECCOMP_IOCTL_NOTIF_RECV, r->asked) != 0)
        return errno == EINTR || errno == ENOENT; /* ENOENT: the calling process has been killed */
    atomic_fetch_add(&tracer->asked, 1);
    decision d = decide(tracer, r->asked);
    memset(r->answer, 0, r->answer_size);
    r->answer->id = r->asked->id;
    if (d.opened >= 0) {
        int number = hand_over(tracer, r->asked, d.opened);
        close(d.opened);
        if (number == -NOT_KNOWN)
            r->answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        else if (number < 0)
            r->answer->error = number;
        else
            r->answer->val = number;
    } else if (d.error != 0) {
        r->answer->error = d.error;
    } else {
        r->answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    return ioctl(tracer->listener, SECCOMP_IOCTL_NOTIF_SEND, r->answer) == 0 || errno == ENOENT || errno == EINTR;
}

static void answer_all(spate_tracer *tracer) {
    room r = {0};
    /* The calling process waits for this thread, so the kernel may wake it on the same processor. */
    ioctl(tracer->listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
    struct pollfd waiting = {.fd = tracer->listener, .events = POLLIN};
    bool on = make_room(&r);
    while (on) {
        int ready = poll(&waiting, 1, -1);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready > 0 && (waiting.revents & POLLIN) == 0)
            break; /* POLLHUP: all traced processes have ended */
        on = ready > 0 && answer_one(tracer, &r);
    }
    pthread_mutex_lock(&tracer->lock);
    if (!on && tracer->table.header)
        spate_tracer_table_trouble(&tracer->table, "the listener failed", "");
    pthread_mutex_unlock(&tracer->lock);
    free(r.asked);
    free(r.answer);
}

static void *listen_main(void *context) {
    spate_tracer *tracer = context;
    char mode = tracer->read_only ? SPATE_TRACER_READ_ONLY : SPATE_TRACER_MAY_WRITE;
    if (send(tracer->socket, &mode, 1, MSG_NOSIGNAL) == 1 && take_listener(tracer)) {
        pthread_mutex_lock(&tracer->lock);
        tracer->began = true;
        if (tracer->table.header)
            atomic_store(&tracer->table.header->listening, 1);
        pthread_mutex_unlock(&tracer->lock);
        if (send(tracer->socket, "", 1, MSG_NOSIGNAL) == 1)
            answer_all(tracer);
        drop_listener(tracer);
    }
    pthread_mutex_lock(&tracer->lock);
    tracer->ended = true;
    pthread_cond_broadcast(&tracer->end);
    bool mine = tracer->let_go;
    pthread_mutex_unlock(&tracer->lock);
    if (mine)
        spate_tracer_free(tracer);
    return NULL;
}

/* ---- the owner's side ---- */

spate_status spate_tracer_start(spate_tracer *tracer, spate_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sigset_t all, before;
    pthread_once(&once, watch_forks);
    sigfillset(&all);
    bool masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0; /* signals are handled by the program's own
                                                                     * threads */
    errno = pthread_create(&tracer->thread, NULL, listen_main, tracer);
    if (masked)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    tracer->started = errno == 0;
    return tracer->started ? SPATE_OK : spate_fail_errno(error, NULL, "pthread_create");
}

void spate_tracer_address(const spate_tracer *tracer, char *address) {
    snprintf(address, 64, "/proc/%d/fd/%d", (int)getpid(), tracer->table_file);
}

static spate_status make_parts(spate_tracer *tracer, const char *const *ignored, size_t count, spate_tracer_size size,
                               spate_error *error) {
    int ends[2];
    pthread_condattr_t steady;
    spate_status status = spate_tracer_record_new(&tracer->table, &tracer->table_file, ignored, count, size, error);
    if (status != SPATE_OK)
        return status;
    tracer->texts = memfd_create("spate-tracer-texts", MFD_CLOEXEC);
    if (tracer->texts < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        status = spate_fail_errno(error, NULL, tracer->texts < 0 ? "memfd_create" : "socketpair");
        spate_tracer_record_free(&tracer->table, tracer->table_file);
        if (tracer->texts >= 0)
            close(tracer->texts);
        return status;
    }
    tracer->socket = ends[0];
    tracer->child = ends[1];
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&tracer->lock, NULL);
    pthread_cond_init(&tracer->end, &steady);
    pthread_condattr_destroy(&steady);
    return SPATE_OK;
}

spate_status spate_tracer_new(spate_tracer **tracer, const char *const *ignored, size_t count, spate_tracer_size size,
                              bool read_only, spate_error *error) {
    *tracer = NULL;
    spate_tracer *made = calloc(1, sizeof(*made));
    if (!made)
        return spate_fail(error, SPATE_NO_MEMORY, NULL, "no memory for a tracer");
    made->listener = -1;
    made->read_only = read_only;
    spate_status status = make_parts(made, ignored, count, size, error);
    if (status == SPATE_OK)
        *tracer = made;
    else
        free(made);
    return status;
}

int spate_tracer_socket(const spate_tracer *tracer) {
    return tracer->child;
}

int spate_tracer_texts(const spate_tracer *tracer) {
    return tracer->texts;
}

void spate_tracer_stop(spate_tracer *tracer) {
    if (tracer->child >= 0)
        close(tracer->child);
    tracer->child = -1;
}

static struct timespec after(int milliseconds) {
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    moment.tv_sec += milliseconds / 1000;
    moment.tv_nsec += (milliseconds % 1000) * 1000000L;
    if (moment.tv_nsec >= 1000000000L) {
        moment.tv_sec++;
        moment.tv_nsec -= 1000000000L;
    }
    return moment;
}

bool spate_tracer_wait(spate_tracer *tracer, int milliseconds) {
    struct timespec until = after(milliseconds < 0 ? 0 : milliseconds);
    int failed = 0;
    pthread_mutex_lock(&tracer->lock);
    while (!tracer->ended && failed == 0)
        failed = milliseconds < 0 ? pthread_cond_wait(&tracer->end, &tracer->lock)
                                  : pthread_cond_timedwait(&tracer->end, &tracer->lock, &until);
    bool ended = tracer->ended;
    pthread_mutex_unlock(&tracer->lock);
    return ended;
}

spate_status spate_tracer_each(spate_tracer *tracer, spate_tracer_visit *visit, void *context) {
    static const char running[] = "!still running";
    static const char silent[] = "!never began";
    spate_status status = spate_tracer_record_each(&tracer->table, visit, context);
    pthread_mutex_lock(&tracer->lock);
    bool began = tracer->began;
    bool ended = tracer->ended;
    pthread_mutex_unlock(&tracer->lock);
    if (status == SPATE_OK && !began)
        visit(context, silent, sizeof(silent) - 1, SPATE_TRACER_TROUBLE);
    else if (status == SPATE_OK && !ended)
        visit(context, running, sizeof(running) - 1, SPATE_TRACER_TROUBLE);
    return status;
}

uint64_t spate_tracer_asked(const spate_tracer *tracer) {
    return atomic_load(&((spate_tracer *)(uintptr_t)tracer)->asked);
}

/* Frees the table. If the listener's thread is still running, returns true, and the thread will free the rest. */
static bool release(spate_tracer *tracer) {
    pthread_mutex_lock(&tracer->lock);
    spate_tracer_record_free(&tracer->table, tracer->table_file);
    tracer->table_file = -1;
    bool runs = tracer->started && !tracer->ended;
    tracer->let_go = runs;
    pthread_mutex_unlock(&tracer->lock);
    return runs;
}

void spate_tracer_free(spate_tracer *tracer) {
    if (!tracer)
        return;
    spate_tracer_stop(tracer);
    pthread_t thread = tracer->thread;
    bool by_thread = tracer->let_go;
    if (!by_thread && release(tracer)) {
        pthread_detach(thread);
        return;
    }
    if (!by_thread && tracer->started)
        pthread_join(tracer->thread, NULL);
    close(tracer->socket);
    close(tracer->texts);
    pthread_cond_destroy(&tracer->end);
    pthread_mutex_destroy(&tracer->lock);
    free(tracer);
}

#else

/* Stubs for other platforms: spate_tracer_new fails, and the other functions are never called. */
spate_status spate_tracer_new(spate_tracer **tracer, const char *const *ignored, size_t count, spate_tracer_size size,
                              bool read_only, spate_error *error) {
    (void)read_only;
    (void)ignored;
    (void)count;
    (void)size;
    *tracer = NULL;
    return spate_tracer_try(error);
}

int spate_tracer_socket(const spate_tracer *tracer) {
    (void)tracer;
    return -1;
}

int spate_tracer_texts(const spate_tracer *tracer) {
    (void)tracer;
    return -1;
}

void spate_tracer_address(const spate_tracer *tracer, char *address) {
    (void)tracer;
    address[0] = '\0';
}

spate_status spate_tracer_start(spate_tracer *tracer, spate_error *error) {
    (void)tracer;
    return spate_tracer_try(error);
}

void spate_tracer_stop(spate_tracer *tracer) {
    (void)tracer;
}

bool spate_tracer_wait(spate_tracer *tracer, int milliseconds) {
    (void)milliseconds;
    return tracer == NULL;
}

spate_status spate_tracer_each(spate_tracer *tracer, spate_tracer_visit *visit, void *context) {
    (void)visit;
    (void)context;
    return tracer == NULL ? SPATE_OK : SPATE_SYSTEM;
}

uint64_t spate_tracer_asked(const spate_tracer *tracer) {
    (void)tracer;
    return 0;
}

void spate_tracer_free(spate_tracer *tracer) {
    (void)tracer;
}

#endif
