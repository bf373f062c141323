#define _GNU_SOURCE
#include "ear/ear.h"
#include "ear/here.h"
#include "ear/supervisor/guard.h"

#ifdef SPATE_EAR_HERE

#include "ear/calls.h"
#include "ear/supervisor/notice.h"
#include "ear/supervisor/read_only.h"

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

struct spate_ear {
    spate_ear_table table; /* header NULL: no longer read by the owner */
    int table_file;
    int texts;
    int socket;   /* this side's */
    int child;    /* the child's; -1 once hung up */
    int listener; /* -1: none yet, or no more */
    bool read_only;
    bool started;
    bool began;
    bool ended;
    bool let_go; /* the thread frees */
    _Atomic uint64_t asked;
    pthread_mutex_t lock;
    pthread_cond_t end;
    pthread_t thread;
    spate_ear *next; /* of those that have a listener */
};

/* Younger than some headers. */
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

/* ---- no copy of a listener in a forked child ---- */

/* A child with a copy would keep it open when this process dies, and asking processes would wait for ever. */
static pthread_mutex_t listeners_lock = PTHREAD_MUTEX_INITIALIZER;
static spate_ear *listeners;

static void lock_listeners(void) {
    pthread_mutex_lock(&listeners_lock);
}

static void unlock_listeners(void) {
    pthread_mutex_unlock(&listeners_lock);
}

static void close_listeners(void) {
    for (const spate_ear *ear = listeners; ear; ear = ear->next)
        close(ear->listener);
    listeners = NULL;
    pthread_mutex_unlock(&listeners_lock);
}

static void watch_forks(void) {
    pthread_atfork(lock_listeners, unlock_listeners, close_listeners);
}

static bool take_listener(spate_ear *ear) {
    struct pollfd waiting = {.fd = ear->socket, .events = POLLIN};
    while (poll(&waiting, 1, -1) < 0 && errno == EINTR) {
    }
    lock_listeners();
    ear->listener = spate_ear_take_descriptor(ear->socket);
    if (ear->listener >= 0) {
        ear->next = listeners;
        listeners = ear;
    }
    unlock_listeners();
    return ear->listener >= 0;
}

static void drop_listener(spate_ear *ear) {
    lock_listeners();
    spate_ear **link = &listeners;
    while (*link && *link != ear)
        link = &(*link)->next;
    if (*link)
        *link = ear->next;
    close(ear->listener);
    ear->listener = -1;
    unlock_listeners();
}

/* ---- questions and answers ---- */

typedef struct room {
    struct seccomp_notif *asked;
    struct seccomp_notif_resp *answer;
    size_t asked_size;
    size_t answer_size;
} room;

/* The kernel's structs may be longer than the headers'. */
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
    int error;  /* the negative errno; 0: the call goes on */
    int opened; /* a descriptor that is its result; -1: none */
} decision;

/* The name of the table is the one that spate_ear_address tells. */
static int give(const spate_ear *ear, const struct seccomp_notif *asked) {
    char address[64];
    spate_ear_address(ear, address);
    return spate_ear_give(asked, address, ear->table_file);
}

static decision decide(spate_ear *ear, const struct seccomp_notif *asked) {
    decision d = {0, -1};
    long outcome = SPATE_EAR_UNTOLD;
    pthread_mutex_lock(&ear->lock);
    spate_ear_table *table = ear->table.header ? &ear->table : NULL;
    if (ear->read_only)
        d.opened = give(ear, asked);
    if (d.opened < 0 && table)
        outcome = spate_ear_notice(table, ear->listener, ear->texts, asked);
    if (d.opened < 0 && ear->read_only)
        d.error = spate_ear_refuse(asked, outcome, table);
    pthread_mutex_unlock(&ear->lock);
    return d;
}

/* Linux before 5.9 cannot hand a descriptor over; there the call continues, and opens the file itself. */
#define NOT_KNOWN EINVAL

/* The number that a descriptor of this process has in the one that asks, the negative errno where it gets none. */
static int hand_over(const spate_ear *ear, const struct seccomp_notif *asked, int descriptor) {
    struct seccomp_notif_addfd added = {.id = asked->id, .srcfd = (uint32_t)descriptor};
    const spate_ear_call *call = spate_ear_call_of(asked->data.nr);
    if ((asked->data.args[call->flags] & O_CLOEXEC) != 0)
        added.newfd_flags = O_CLOEXEC;
    int number = ioctl(ear->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &added);
    return number < 0 ? -errno : number;
}

/* Answers one question. False if no more can be answered. */
static bool answer_one(spate_ear *ear, const room *r) {
    memset(r->asked, 0, r->asked_size); /* or the kernel refuses */
    if (ioctl(ear->listener, SECCOMP_IOCTL_NOTIF_RECV, r->asked) != 0)
        return errno == EINTR || errno == ENOENT; /* ENOENT: who asked has been killed */
    atomic_fetch_add(&ear->asked, 1);
    decision d = decide(ear, r->asked);
    memset(r->answer, 0, r->answer_size);
    r->answer->id = r->asked->id;
    if (d.opened >= 0) {
        int number = hand_over(ear, r->asked, d.opened);
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
    return ioctl(ear->listener, SECCOMP_IOCTL_NOTIF_SEND, r->answer) == 0 || errno == ENOENT || errno == EINTR;
}

static void answer_all(spate_ear *ear) {
    room r = {0};
    /* The asking process is about to wait for this thread: on the same processor, no other one has to be woken. */
    ioctl(ear->listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
    struct pollfd waiting = {.fd = ear->listener, .events = POLLIN};
    bool on = make_room(&r);
    while (on) {
        int ready = poll(&waiting, 1, -1);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready > 0 && (waiting.revents & POLLIN) == 0)
            break; /* POLLHUP: all traced processes have ended */
        on = ready > 0 && answer_one(ear, &r);
    }
    pthread_mutex_lock(&ear->lock);
    if (!on && ear->table.header)
        spate_ear_table_trouble(&ear->table, "the listener failed", "");
    pthread_mutex_unlock(&ear->lock);
    free(r.asked);
    free(r.answer);
}

static void *listen_main(void *context) {
    spate_ear *ear = context;
    char mode = ear->read_only ? SPATE_EAR_READ_ONLY : SPATE_EAR_MAY_WRITE;
    if (send(ear->socket, &mode, 1, MSG_NOSIGNAL) == 1 && take_listener(ear)) {
        pthread_mutex_lock(&ear->lock);
        ear->began = true;
        if (ear->table.header)
            atomic_store(&ear->table.header->listening, 1);
        pthread_mutex_unlock(&ear->lock);
        if (send(ear->socket, "", 1, MSG_NOSIGNAL) == 1)
            answer_all(ear);
        drop_listener(ear);
    }
    pthread_mutex_lock(&ear->lock);
    ear->ended = true;
    pthread_cond_broadcast(&ear->end);
    bool mine = ear->let_go;
    pthread_mutex_unlock(&ear->lock);
    if (mine)
        spate_ear_free(ear);
    return NULL;
}

/* ---- the owner's side ---- */

spate_status spate_ear_start(spate_ear *ear, spate_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sigset_t all, before;
    pthread_once(&once, watch_forks);
    sigfillset(&all);
    bool masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0; /* signals belong to the program's own threads */
    errno = pthread_create(&ear->thread, NULL, listen_main, ear);
    if (masked)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    ear->started = errno == 0;
    return ear->started ? SPATE_OK : spate_fail_errno(error, NULL, "pthread_create");
}

void spate_ear_address(const spate_ear *ear, char *address) {
    snprintf(address, 64, "/proc/%d/fd/%d", (int)getpid(), ear->table_file);
}

static spate_status make_parts(spate_ear *ear, const char *const *ignored, size_t count, spate_ear_size size,
                               spate_error *error) {
    int ends[2];
    pthread_condattr_t steady;
    spate_status status = spate_ear_record_new(&ear->table, &ear->table_file, ignored, count, size, error);
    if (status != SPATE_OK)
        return status;
    ear->texts = memfd_create("spate-ear-texts", MFD_CLOEXEC);
    if (ear->texts < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        status = spate_fail_errno(error, NULL, ear->texts < 0 ? "memfd_create" : "socketpair");
        spate_ear_record_free(&ear->table, ear->table_file);
        if (ear->texts >= 0)
            close(ear->texts);
        return status;
    }
    ear->socket = ends[0];
    ear->child = ends[1];
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&ear->lock, NULL);
    pthread_cond_init(&ear->end, &steady);
    pthread_condattr_destroy(&steady);
    return SPATE_OK;
}

spate_status spate_ear_new(spate_ear **ear, const char *const *ignored, size_t count, spate_ear_size size,
                           bool read_only, spate_error *error) {
    *ear = NULL;
    spate_ear *made = calloc(1, sizeof(*made));
    if (!made)
        return spate_fail(error, SPATE_NO_MEMORY, NULL, "no memory for an ear");
    made->listener = -1;
    made->read_only = read_only;
    spate_status status = make_parts(made, ignored, count, size, error);
    if (status == SPATE_OK)
        *ear = made;
    else
        free(made);
    return status;
}

int spate_ear_socket(const spate_ear *ear) {
    return ear->child;
}

int spate_ear_texts(const spate_ear *ear) {
    return ear->texts;
}

void spate_ear_hang_up(spate_ear *ear) {
    if (ear->child >= 0)
        close(ear->child);
    ear->child = -1;
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

bool spate_ear_wait(spate_ear *ear, int milliseconds) {
    struct timespec until = after(milliseconds < 0 ? 0 : milliseconds);
    int failed = 0;
    pthread_mutex_lock(&ear->lock);
    while (!ear->ended && failed == 0)
        failed = milliseconds < 0 ? pthread_cond_wait(&ear->end, &ear->lock)
                                  : pthread_cond_timedwait(&ear->end, &ear->lock, &until);
    bool ended = ear->ended;
    pthread_mutex_unlock(&ear->lock);
    return ended;
}

spate_status spate_ear_each(spate_ear *ear, spate_ear_visit *visit, void *context) {
    static const char running[] = "!still running";
    static const char silent[] = "!never began";
    spate_status status = spate_ear_record_each(&ear->table, visit, context);
    pthread_mutex_lock(&ear->lock);
    bool began = ear->began;
    bool ended = ear->ended;
    pthread_mutex_unlock(&ear->lock);
    if (status == SPATE_OK && !began)
        visit(context, silent, sizeof(silent) - 1, SPATE_EAR_TROUBLE);
    else if (status == SPATE_OK && !ended)
        visit(context, running, sizeof(running) - 1, SPATE_EAR_TROUBLE);
    return status;
}

uint64_t spate_ear_asked(const spate_ear *ear) {
    return atomic_load(&((spate_ear *)(uintptr_t)ear)->asked);
}

/* True if the thread goes on, and frees what is left. */
static bool let_go(spate_ear *ear) {
    pthread_mutex_lock(&ear->lock);
    spate_ear_record_free(&ear->table, ear->table_file);
    ear->table_file = -1;
    bool runs = ear->started && !ear->ended;
    ear->let_go = runs;
    pthread_mutex_unlock(&ear->lock);
    return runs;
}

void spate_ear_free(spate_ear *ear) {
    if (!ear)
        return;
    spate_ear_hang_up(ear);
    pthread_t thread = ear->thread;
    bool by_thread = ear->let_go;
    if (!by_thread && let_go(ear)) {
        pthread_detach(thread);
        return;
    }
    if (!by_thread && ear->started)
        pthread_join(ear->thread, NULL);
    close(ear->socket);
    close(ear->texts);
    pthread_cond_destroy(&ear->end);
    pthread_mutex_destroy(&ear->lock);
    free(ear);
}

#else

/* Elsewhere this cannot be done: spate_ear_new says so, and the rest is never called. */
spate_status spate_ear_new(spate_ear **ear, const char *const *ignored, size_t count, spate_ear_size size,
                           bool read_only, spate_error *error) {
    (void)read_only;
    (void)ignored;
    (void)count;
    (void)size;
    *ear = NULL;
    return spate_ear_try(error);
}

int spate_ear_socket(const spate_ear *ear) {
    (void)ear;
    return -1;
}

int spate_ear_texts(const spate_ear *ear) {
    (void)ear;
    return -1;
}

void spate_ear_address(const spate_ear *ear, char *address) {
    (void)ear;
    address[0] = '\0';
}

spate_status spate_ear_start(spate_ear *ear, spate_error *error) {
    (void)ear;
    return spate_ear_try(error);
}

void spate_ear_hang_up(spate_ear *ear) {
    (void)ear;
}

bool spate_ear_wait(spate_ear *ear, int milliseconds) {
    (void)milliseconds;
    return ear == NULL;
}

spate_status spate_ear_each(spate_ear *ear, spate_ear_visit *visit, void *context) {
    (void)visit;
    (void)context;
    return ear == NULL ? SPATE_OK : SPATE_SYSTEM;
}

uint64_t spate_ear_asked(const spate_ear *ear) {
    (void)ear;
    return 0;
}

void spate_ear_free(spate_ear *ear) {
    (void)ear;
}

#endif
