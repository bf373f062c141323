#ifndef HAVE_SYS_EPOLL_H
#include "poller.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FIRST 64

/* Each wait copies all descriptors: O(n). */
struct spate_poller {
    pthread_mutex_t lock; /* protects `watched` */
    struct pollfd *watched;
    size_t count, capacity;
    struct pollfd *copy; /* the waiting thread's copy of `watched` */
    size_t copy_capacity;
    size_t next; /* index at which the next wait starts to collect, so that no descriptor starves */
};

spate_poller *spate_poller_new(void) {
    spate_poller *poller = calloc(1, sizeof *poller);
    if (poller)
        pthread_mutex_init(&poller->lock, NULL);
    return poller;
}

void spate_poller_close(spate_poller *poller) {
    pthread_mutex_lock(&poller->lock);
    poller->count = 0;
    pthread_mutex_unlock(&poller->lock);
}

void spate_poller_free(spate_poller *poller) {
    pthread_mutex_destroy(&poller->lock);
    free(poller->watched);
    free(poller->copy);
    free(poller);
}

/* Grows the array to at least `wanted` elements. Returns 0 or ENOMEM. */
static int grow(struct pollfd **array, size_t *capacity, size_t wanted) {
    size_t larger = *capacity ? *capacity : FIRST;
    if (wanted <= *capacity)
        return 0;
    while (larger < wanted)
        larger *= 2;
    struct pollfd *grown = realloc(*array, larger * sizeof **array);
    if (!grown)
        return ENOMEM;
    *array = grown;
    *capacity = larger;
    return 0;
}

static int set(spate_poller *poller, spate_poller_operation operation, struct pollfd wanted) {
    size_t at = 0;
    while (at < poller->count && poller->watched[at].fd != wanted.fd)
        at++;
    if (operation == SPATE_POLLER_ADD) {
        int error = at < poller->count ? EEXIST : grow(&poller->watched, &poller->capacity, at + 1);
        if (error)
            return error;
        poller->count++;
    } else if (at == poller->count) {
        return ENOENT;
    }
    poller->watched[at] = operation == SPATE_POLLER_REMOVE ? poller->watched[--poller->count] : wanted;
    return 0;
}

int spate_poller_set(spate_poller *poller, spate_poller_operation operation, int fd, unsigned interest) {
    struct pollfd wanted = {.fd = fd,
                            .events = (short)((interest & SPATE_POLLER_READABLE ? POLLIN : 0) |
                                              (interest & SPATE_POLLER_WRITABLE ? POLLOUT : 0))};
    if (fd < 0) {
        errno = EBADF;
        return -1;
    }
    pthread_mutex_lock(&poller->lock);
    int error = set(poller, operation, wanted);
    pthread_mutex_unlock(&poller->lock);
    errno = error ? error : errno;
    return error ? -1 : 0;
}

/* Copies `watched`. Returns the number of descriptors, or -1 with errno. */
static ssize_t copy_watched(spate_poller *poller) {
    pthread_mutex_lock(&poller->lock);
    size_t count = poller->count;
    int error = grow(&poller->copy, &poller->copy_capacity, count);
    if (!error && count)
        memcpy(poller->copy, poller->watched, count * sizeof *poller->copy);
    pthread_mutex_unlock(&poller->lock);
    errno = error ? error : errno;
    return error ? -1 : (ssize_t)count;
}

static int state_of(short events) {
    int state = 0;
    if (events & (POLLIN | POLLHUP | POLLERR | POLLNVAL))
        state |= SPATE_POLLER_READABLE;
    if (events & (POLLOUT | POLLHUP | POLLERR | POLLNVAL))
        state |= SPATE_POLLER_WRITABLE;
    return state;
}

int spate_poller_wait(spate_poller *poller, int milliseconds, spate_poller_ready ready[SPATE_POLLER_READY]) {
    ssize_t count = copy_watched(poller);
    if (count < 0 || poll(poller->copy, (nfds_t)count, milliseconds) < 0)
        return -1;
    int found = 0;
    size_t looked = 0;
    for (; looked < (size_t)count && found < SPATE_POLLER_READY; looked++) {
        const struct pollfd *one = &poller->copy[(poller->next + looked) % (size_t)count];
        if (one->revents)
            ready[found++] = (spate_poller_ready){one->fd, state_of(one->revents)};
    }
    poller->next = count ? (poller->next + looked) % (size_t)count : 0;
    return found;
}

int spate_poller_descriptor(const spate_poller *poller) {
    (void)poller;
    return -1;
}
#endif
