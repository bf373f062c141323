#define _GNU_SOURCE
#include "front/warm/connection.h"

#ifdef __linux__

#include "base/times.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Timeout in seconds. */
#define PATIENCE 5

/* Opens the directory. Returns -1 unless it belongs to this user and is accessible only by this user. */
static int open_folder(const char *path, size_t length) {
    char folder[PATH_MAX];
    struct stat info;
    if (length == 0 || length >= sizeof(folder))
        return -1;
    memcpy(folder, path, length);
    folder[length] = '\0';
    int descriptor = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, &info) == 0 && info.st_uid == geteuid() &&
        (info.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO)) == S_IRWXU)
        return descriptor;
    (void)close(descriptor);
    return -1;
}

static bool is_own(int connection) {
    struct ucred peer;
    socklen_t length = sizeof(peer);
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && length == sizeof(peer) &&
           peer.uid == geteuid();
}

/* Connects; waits while the server's backlog is full. */
static int connect_to(const struct sockaddr_un *address) {
    struct timeval patience = {.tv_sec = PATIENCE};
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0)
        return -1;
    if (setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) == 0 &&
        connect(connection, (const struct sockaddr *)address, sizeof(*address)) == 0 && is_own(connection))
        return connection;
    (void)close(connection);
    return -1;
}

bool spate_warm_connect(spate_warm_connection *connection, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *slash = strrchr(path, '/');
    int folder = slash ? open_folder(path, (size_t)(slash - path)) : -1;
    if (folder < 0)
        return false;
    /* Uses the descriptor because the path may be too long, and to connect within the checked directory. */
    int length = snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d%s", folder, slash);
    bool fits = length > 0 && (size_t)length < sizeof(address.sun_path);
    *connection = (spate_warm_connection){.descriptor = fits ? connect_to(&address) : -1};
    (void)close(folder);
    return connection->descriptor >= 0;
}

void spate_warm_disconnect(spate_warm_connection *connection) {
    (void)close(connection->descriptor);
    connection->descriptor = -1;
}

/* ---- the request ---- */

static int64_t now(void) {
    struct timespec time;
    return clock_gettime(CLOCK_MONOTONIC, &time) == 0 ? spate_nanoseconds(time) : INT64_MAX;
}

/* Waits until the event occurs. Returns false on timeout. */
static bool await(const spate_warm_connection *connection, short event, int64_t until) {
    struct pollfd entry = {.fd = connection->descriptor, .events = event};
    for (;;) {
        int64_t left = (until - now()) / 1000000;
        int ready = left > 0 ? poll(&entry, 1, (int)left) : 0;
        if (ready >= 0 || errno != EINTR)
            return ready > 0;
    }
}

static int64_t until_later(void) {
    return now() + PATIENCE * INT64_C(1000000000);
}

/* Sends the first bytes of the message together with the descriptors. */
static ssize_t send_first(int connection, const uint8_t *bytes, size_t length, const int *descriptors, size_t count) {
    union {
        char bytes[CMSG_SPACE(sizeof(int) * SPATE_WARM_DESCRIPTORS)];
        struct cmsghdr aligned;
    } control = {.bytes = {0}};
    struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(sizeof(int) * count)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * count);
    return sendmsg(connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static bool send_rest(const spate_warm_connection *connection, const uint8_t *bytes, size_t length) {
    int64_t until = until_later();
    while (length > 0) {
        ssize_t sent = send(connection->descriptor, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR && (errno != EAGAIN || !await(connection, POLLOUT, until)))
            return false;
        if (sent > 0) {
            bytes += sent;
            length -= (size_t)sent;
        }
    }
    return true;
}

bool spate_warm_send(const spate_warm_connection *connection, const uint8_t *bytes, size_t length, const int *others,
                     size_t other_count) {
    int folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 || other_count > SPATE_WARM_DESCRIPTORS - SPATE_WARM_STANDARD)
        return false;
    int descriptors[SPATE_WARM_DESCRIPTORS] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, folder};
    memcpy(descriptors + SPATE_WARM_STANDARD, others, sizeof(*others) * other_count);
    ssize_t sent = send_first(connection->descriptor, bytes, length, descriptors, SPATE_WARM_STANDARD + other_count);
    (void)close(folder);
    return sent > 0 && send_rest(connection, bytes + sent, length - (size_t)sent);
}

/* ---- replies ---- */

spate_warm_arrival spate_warm_receive(spate_warm_connection *connection, spate_warm_reply *reply) {
    while (connection->used < sizeof(connection->bytes)) {
        ssize_t got = recv(connection->descriptor, connection->bytes + connection->used,
                           sizeof(connection->bytes) - connection->used, MSG_DONTWAIT);
        if (got > 0)
            connection->used += (size_t)got;
        else if (got < 0 && errno == EAGAIN)
            return SPATE_WARM_NOTHING;
        else if (got == 0 || errno != EINTR)
            return SPATE_WARM_END;
    }
    connection->used = 0;
    return spate_warm_decode(connection->bytes, reply) ? SPATE_WARM_REPLY : SPATE_WARM_END;
}

bool spate_warm_await_start(spate_warm_connection *connection, int *child) {
    spate_warm_reply reply;
    spate_warm_arrival arrival;
    int64_t until = until_later();
    do {
        if (!await(connection, POLLIN, until))
            /* After this the parent cannot write STARTED, but it may have written it just before. */
            (void)shutdown(connection->descriptor, SHUT_RD);
        arrival = spate_warm_receive(connection, &reply);
    } while (arrival == SPATE_WARM_NOTHING);
    if (arrival != SPATE_WARM_REPLY || reply.kind != SPATE_WARM_STARTED)
        return false;
    *child = reply.value;
    return true;
}

#endif
