#ifdef HAVE_SYS_EPOLL_H
#include "poller.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#ifndef EPOLLEXCLUSIVE
#define EPOLLEXCLUSIVE 0u
#endif

struct spate_poller {
    int fd;
};

spate_poller *spate_poller_new(void) {
    spate_poller *poller = malloc(sizeof *poller);
    if (!poller)
        return NULL;
    poller->fd = epoll_create1(EPOLL_CLOEXEC);
    if (poller->fd >= 0)
        return poller;
    int error = errno;
    free(poller);
    errno = error;
    return NULL;
}

void spate_poller_close(spate_poller *poller) {
    if (poller->fd >= 0)
        close(poller->fd);
    poller->fd = -1;
}

void spate_poller_free(spate_poller *poller) {
    spate_poller_close(poller);
    free(poller);
}

int spate_poller_set(spate_poller *poller, spate_poller_operation operation, int fd, unsigned interest) {
    static const int operations[] = {EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL};
    struct epoll_event event = {.events = (interest & SPATE_POLLER_READABLE ? EPOLLIN : 0u) |
                                          (interest & SPATE_POLLER_WRITABLE ? EPOLLOUT : 0u) |
                                          (interest & SPATE_POLLER_EXCLUSIVE ? EPOLLEXCLUSIVE : 0u),
                                .data.fd = fd};
    return epoll_ctl(poller->fd, operations[operation], fd, &event);
}

static int state_of(uint32_t events) {
    int state = 0;
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR | EPOLLRDHUP))
        state |= SPATE_POLLER_READABLE;
    if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
        state |= SPATE_POLLER_WRITABLE;
    return state;
}

int spate_poller_wait(spate_poller *poller, int milliseconds, spate_poller_ready ready[SPATE_POLLER_READY]) {
    struct epoll_event events[SPATE_POLLER_READY];
    int count = epoll_wait(poller->fd, events, SPATE_POLLER_READY, milliseconds);
    for (int i = 0; i < count; i++)
        ready[i] = (spate_poller_ready){events[i].data.fd, state_of(events[i].events)};
    return count;
}

int spate_poller_descriptor(const spate_poller *poller) {
    return poller->fd;
}
#endif
