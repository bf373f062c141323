/* Which descriptors have something to do, level-triggered: by epoll(7), by poll(2) where that is not. */
#ifndef SPATE_POLLER_H
#define SPATE_POLLER_H

/* Told of one wait. */
#define SPATE_POLLER_READY 128

enum { SPATE_POLLER_READABLE = 1, SPATE_POLLER_WRITABLE = 2, SPATE_POLLER_EXCLUSIVE = 4 };

typedef enum spate_poller_operation {
    SPATE_POLLER_ADD,
    SPATE_POLLER_CHANGE,
    SPATE_POLLER_REMOVE
} spate_poller_operation;

typedef struct spate_poller_ready {
    int fd;
    int state; /* READABLE and WRITABLE; both where it is lost, which is for the reader to find out */
} spate_poller_ready;

typedef struct spate_poller spate_poller;

/* NULL with errno. */
spate_poller *spate_poller_new(void);
void spate_poller_free(spate_poller *poller);

/* Watches nothing from now on; a thread that waits may still be in it. */
void spate_poller_close(spate_poller *poller);

/* 0, or -1 with errno. EXCLUSIVE, with ADD only: of several processes that wait for it one is woken, where the system
 * can do that. From any thread. */
int spate_poller_set(spate_poller *poller, spate_poller_operation operation, int fd, unsigned interest);

/* How many of `ready` were filled, or -1 with errno; -1 milliseconds wait for ever. Of one thread at a time. */
int spate_poller_wait(spate_poller *poller, int milliseconds, spate_poller_ready ready[SPATE_POLLER_READY]);

/* Readable while any of those that were added has something to do; -1 where nothing tells of all. */
int spate_poller_descriptor(const spate_poller *poller);

#endif
