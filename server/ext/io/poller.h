/* Level-triggered readiness of descriptors: epoll(7), or poll(2) on systems without epoll. */
#ifndef SPATE_POLLER_H
#define SPATE_POLLER_H

/* Maximum number of descriptors that one wait returns. */
#define SPATE_POLLER_READY 128

enum { SPATE_POLLER_READABLE = 1, SPATE_POLLER_WRITABLE = 2, SPATE_POLLER_EXCLUSIVE = 4 };

typedef enum spate_poller_operation {
    SPATE_POLLER_ADD,
    SPATE_POLLER_CHANGE,
    SPATE_POLLER_REMOVE
} spate_poller_operation;

typedef struct spate_poller_ready {
    int fd;
    int state; /* READABLE, WRITABLE; both after an error or hangup, which the next read or write reports */
} spate_poller_ready;

typedef struct spate_poller spate_poller;

/* Returns a poller for spate_poller_free, or NULL with errno. */
spate_poller *spate_poller_new(void);
/* Closes and frees the poller. No other thread may use it. */
void spate_poller_free(spate_poller *poller);

/* Stops watching all descriptors. Safe while another thread waits. */
void spate_poller_close(spate_poller *poller);

/*
 * Adds, changes or removes a watched descriptor, from any thread. `interest`: READABLE, WRITABLE, and with ADD
 * EXCLUSIVE, which wakes only one of several waiting processes where the system supports that. Returns 0, or -1 with
 * errno.
 */
int spate_poller_set(spate_poller *poller, spate_poller_operation operation, int fd, unsigned interest);

/*
 * Waits until a descriptor is ready, for at most `milliseconds` (-1: no timeout). Returns the number of entries filled
 * in `ready`, 0 on timeout, or -1 with errno. Only one thread may wait at a time.
 */
int spate_poller_wait(spate_poller *poller, int milliseconds, spate_poller_ready ready[SPATE_POLLER_READY]);

/* A descriptor that is readable while any watched descriptor is ready, or -1 with poll(2). Owned by the poller. */
int spate_poller_descriptor(const spate_poller *poller);

#endif
