#define _GNU_SOURCE
#include "warm/parent.h"

#ifdef __linux__

#include "base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BACKLOG 64
/* Pause between polls, in ms. Children are polled because no descriptor reports that a child has been stopped. */
#define STOP_PAUSE 100
/* Seconds in which a client must send its request. */
#define PATIENCE 2

static void shut(int *descriptor) {
    if (*descriptor >= 0)
        (void)close(*descriptor);
    *descriptor = -1;
}

/* ---- listening ---- */

/* Makes the address of the socket. If the path is too long for it, uses a descriptor of the directory. */
static bool address_of(const char *path, struct sockaddr_un *address, int *folder) {
    const char *slash = strrchr(path, '/');
    char above[4096];
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    *folder = -1;
    if (strlen(path) < sizeof(address->sun_path)) {
        strcpy(address->sun_path, path);
        return true;
    }
    if (!slash || slash == path || (size_t)(slash - path) >= sizeof(above)) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(above, path, (size_t)(slash - path));
    above[slash - path] = '\0';
    *folder = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (*folder < 0)
        return false;
    int length = snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d%s", *folder, slash);
    return length > 0 && (size_t)length < sizeof(address->sun_path);
}

bool spate_warm_listen(spate_warm_parent *parent, const char *path) {
    struct sockaddr_un address;
    int folder;
    *parent = (spate_warm_parent){.listener = -1};
    if (!address_of(path, &address, &folder))
        return false;
    parent->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t before = umask(0077);
    bool done = parent->listener >= 0 &&
                bind(parent->listener, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
                listen(parent->listener, BACKLOG) == 0;
    (void)umask(before);
    int reason = errno;
    shut(&folder);
    if (!done)
        shut(&parent->listener);
    errno = reason;
    return done;
}

/* ---- requests ---- */

static bool is_own(int connection) {
    struct ucred peer;
    socklen_t length = sizeof(peer);
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

/* Extracts the descriptors from a message. Returns false if there are too few or too many. */
static bool take_descriptors(struct msghdr *message, spate_warm_request *request) {
    for (struct cmsghdr *each = CMSG_FIRSTHDR(message); each; each = CMSG_NXTHDR(message, each)) {
        if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS)
            continue;
        size_t more = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t at = 0; at < more; at++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(each) + at * sizeof(int), sizeof(int));
            if (request->descriptor_count < SPATE_WARM_DESCRIPTORS)
                request->descriptors[request->descriptor_count++] = descriptor;
            else
                (void)close(descriptor);
        }
    }
    return request->descriptor_count >= SPATE_WARM_STANDARD && !(message->msg_flags & MSG_CTRUNC);
}

static bool read_rest(int connection, char *bytes, size_t length) {
    while (length > 0) {
        ssize_t got = recv(connection, bytes, length, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        length -= (size_t)got;
    }
    return true;
}

/* Reads the length, which comes with the descriptors, and then the texts. */
static bool read_request(spate_warm_request *request) {
    uint8_t head[4];
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int) * SPATE_WARM_DESCRIPTORS)];
    } control;
    struct iovec part = {head, sizeof(head)};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
    ssize_t got = recvmsg(request->connection, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    bool whole = got >= 0 && take_descriptors(&message, request);
    if (!whole || got != sizeof(head))
        return false;
    size_t length = (size_t)head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    if (length == 0 || length > SPATE_WARM_REQUEST_MAX || !(request->texts = malloc(length)))
        return false;
    request->length = length;
    return read_rest(request->connection, request->texts, length) && request->texts[length - 1] == '\0';
}

static bool accept_request(spate_warm_parent *parent, spate_warm_request *request) {
    struct timeval patience = {.tv_sec = PATIENCE};
    *request = (spate_warm_request){.connection = -1};
    request->connection = accept4(parent->listener, NULL, NULL, SOCK_CLOEXEC);
    if (request->connection < 0)
        return false;
    if (is_own(request->connection) && parent->count < SPATE_WARM_CHILDREN &&
        setsockopt(request->connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0 &&
        setsockopt(request->connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) == 0 &&
        read_request(request))
        return true;
    spate_warm_refuse(request);
    spate_warm_forget(request);
    return false;
}

static bool reply(int connection, spate_warm_reply_kind kind, int32_t value) {
    uint32_t number = (uint32_t)value;
    uint8_t bytes[SPATE_WARM_REPLY_BYTES] = {(uint8_t)kind};
    for (int at = 0; at < 4; at++)
        bytes[4 + at] = (uint8_t)(number >> (8 * at));
    ssize_t sent = send(connection, bytes, sizeof(bytes), MSG_NOSIGNAL);
    return sent == (ssize_t)sizeof(bytes);
}

void spate_warm_refuse(spate_warm_request *request) {
    (void)reply(request->connection, SPATE_WARM_REFUSED, 0);
}

void spate_warm_forget(spate_warm_request *request) {
    shut(&request->connection);
    while (request->descriptor_count > 0)
        shut(&request->descriptors[--request->descriptor_count]);
    free(request->texts);
    request->texts = NULL;
}

/* ---- children ---- */

static void forget_child(spate_warm_parent *parent, spate_warm_child *child) {
    shut(&child->ended);
    shut(&child->connection);
    *child = parent->children[--parent->count];
}

/* Reports a change of state of the child to its client. Returns whether the child has ended. */
static bool report(spate_warm_child *child) {
    int status;
    pid_t ended = waitpid(child->pid, &status, WNOHANG | WUNTRACED | WCONTINUED);
    if (ended == 0)
        return false;
    if (ended < 0) {
        if (errno == EINTR)
            return false;
        (void)reply(child->connection, SPATE_WARM_EXITED, 255);
    } else if (WIFEXITED(status)) {
        (void)reply(child->connection, SPATE_WARM_EXITED, WEXITSTATUS(status));
    } else if (WIFSIGNALED(status)) {
        (void)reply(child->connection, SPATE_WARM_SIGNALED, WTERMSIG(status));
    } else {
        if (WIFSTOPPED(status))
            (void)reply(child->connection, SPATE_WARM_STOPPED, WSTOPSIG(status));
        return false;
    }
    return true;
}

/* Reports children to their clients. Kills children whose client has ended: a client sends nothing after its request,
 * so any event on its connection means that it has ended. */
static void look_at_children(spate_warm_parent *parent, const struct pollfd *ready) {
    for (size_t at = parent->count; at-- > 0;) {
        spate_warm_child *child = &parent->children[at];
        if (ready[2 * at].revents)
            (void)kill(child->pid, SIGKILL);
        if (report(child))
            forget_child(parent, child);
    }
}

static int64_t clock_ms(void) {
    struct timespec time;
    return clock_gettime(CLOCK_MONOTONIC, &time) == 0 ? (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000 : 0;
}

bool spate_warm_wait(spate_warm_parent *parent, int milliseconds, spate_warm_request *request) {
    int64_t end = clock_ms() + milliseconds;
    for (;;) {
        struct pollfd ready[2 * SPATE_WARM_CHILDREN + 1];
        for (size_t at = 0; at < parent->count; at++) {
            ready[2 * at] = (struct pollfd){parent->children[at].connection, POLLIN | POLLRDHUP, 0};
            ready[2 * at + 1] = (struct pollfd){parent->children[at].ended, POLLIN, 0};
        }
        struct pollfd *listener = &ready[2 * parent->count];
        *listener = (struct pollfd){parent->listener, POLLIN, 0};
        int64_t left = end - clock_ms();
        if (left <= 0)
            return false;
        int pause = left > INT32_MAX ? INT32_MAX : (int)left;
        int found = poll(ready, 2 * parent->count + 1, parent->count && pause > STOP_PAUSE ? STOP_PAUSE : pause);
        if (found < 0)
            return false;
        bool asked = listener->revents != 0;
        look_at_children(parent, ready);
        if (asked && accept_request(parent, request))
            return true;
    }
}

void spate_warm_started(spate_warm_parent *parent, spate_warm_request *request, pid_t pid) {
    int ended = (int)syscall(SYS_pidfd_open, pid, 0);
    (void)setpgid(pid, pid); /* the child does the same; either may be first */
    if (ended < 0 || parent->count >= SPATE_WARM_CHILDREN ||
        !reply(request->connection, SPATE_WARM_STARTED, (int32_t)pid)) {
        (void)kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
        shut(&ended);
        return;
    }
    parent->children[parent->count++] = (spate_warm_child){pid, ended, request->connection};
    request->connection = -1;
}

static bool set_blocked(uint64_t mask) {
    sigset_t set;
    if (sigemptyset(&set) != 0)
        return false;
    for (int number = 1; number <= 64; number++)
        if (mask & UINT64_C(1) << (number - 1))
            (void)sigaddset(&set, number); /* fails for signals reserved by the C library */
    return sigprocmask(SIG_SETMASK, &set, NULL) == 0;
}

/* Whether the child will close or move this descriptor. */
static bool is_passing(const spate_warm_parent *parent, const spate_warm_request *request, int descriptor) {
    bool found = descriptor == parent->listener || descriptor == request->connection;
    for (size_t at = 0; at < parent->count; at++)
        found |= descriptor == parent->children[at].ended || descriptor == parent->children[at].connection;
    for (size_t at = 0; at < request->descriptor_count; at++)
        found |= descriptor == request->descriptors[at];
    return found;
}

bool spate_warm_fits(const spate_warm_parent *parent, const spate_warm_request *request, const int *numbers,
                     size_t count) {
    bool fits = count == request->descriptor_count - SPATE_WARM_STANDARD;
    for (size_t at = 0; fits && at < count; at++)
        fits = numbers[at] > STDERR_FILENO && numbers[at] <= INT16_MAX &&
               (fcntl(numbers[at], F_GETFD) < 0 || is_passing(parent, request, numbers[at]));
    return fits;
}

/* Moves the descriptors above all numbers that they will get. */
static bool move_above(spate_warm_request *request, const int *numbers) {
    int above = STDERR_FILENO + 1;
    for (size_t at = SPATE_WARM_STANDARD; at < request->descriptor_count; at++)
        if (numbers[at - SPATE_WARM_STANDARD] >= above)
            above = numbers[at - SPATE_WARM_STANDARD] + 1;
    for (size_t at = 0; at < request->descriptor_count; at++) {
        int moved = fcntl(request->descriptors[at], F_DUPFD_CLOEXEC, above);
        if (moved < 0)
            return false;
        (void)close(request->descriptors[at]);
        request->descriptors[at] = moved;
    }
    return true;
}

bool spate_warm_become(spate_warm_parent *parent, spate_warm_request *request, uint64_t blocked, const int *numbers) {
    shut(&parent->listener);
    shut(&request->connection);
    while (parent->count > 0)
        forget_child(parent, &parent->children[0]);
    (void)setpgid(0, 0); /* the parent does the same; either may be first */
    if (!move_above(request, numbers))
        return false;
    for (size_t at = 0; at < request->descriptor_count; at++) {
        int number = at < SPATE_WARM_STANDARD ? (int)at : numbers[at - SPATE_WARM_STANDARD];
        if (at != SPATE_WARM_STANDARD - 1 && dup2(request->descriptors[at], number) < 0)
            return false;
    }
    return fchdir(request->descriptors[SPATE_WARM_STANDARD - 1]) == 0 && set_blocked(blocked);
}

#endif
