/*
 * The listening side of a warm parent: a process that has loaded an application, and forks for each command.
 *
 * A client (core/front/warm) connects, sends one request, and gets replies: see warm/protocol.h.
 */
#ifndef SPATE_WARM_PARENT_H
#define SPATE_WARM_PARENT_H

#include "warm/protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SPATE_WARM_CHILDREN 64

/* See warm/protocol.h. */
typedef struct spate_warm_request {
    int connection;
    int descriptors[SPATE_WARM_DESCRIPTORS];
    size_t descriptor_count;
    char *texts; /* freed by spate_warm_forget */
    size_t length;
} spate_warm_request;

typedef struct spate_warm_child {
    pid_t pid;
    int ended; /* a pidfd */
    int connection;
} spate_warm_child;

typedef struct spate_warm_parent {
    int listener;
    size_t count;
    spate_warm_child children[SPATE_WARM_CHILDREN];
} spate_warm_parent;

/* Listens at a path that must be free, for this user only. false with errno set. */
bool spate_warm_listen(spate_warm_parent *parent, const char *path);

/*
 * Waits for a request, at most so many milliseconds, and meanwhile reports children to their clients; a child whose
 * client has ended is killed. Returns false without a request: at the timeout, or after a signal. The caller answers a
 * request by spate_warm_started or spate_warm_refuse, and then forgets it.
 */
bool spate_warm_wait(spate_warm_parent *parent, int milliseconds, spate_warm_request *request);

/* Tells the client that its child runs, and watches that child. If it cannot be watched, it is killed. */
void spate_warm_started(spate_warm_parent *parent, spate_warm_request *request, pid_t pid);

void spate_warm_refuse(spate_warm_request *request);

/* Closes descriptors, except a connection that is watched, and frees the texts. */
void spate_warm_forget(spate_warm_request *request);

/* Whether the child can have the client's other descriptors under these numbers. `count`: as many as were sent. */
bool spate_warm_fits(const spate_warm_parent *parent, const spate_warm_request *request, const int *numbers,
                     size_t count);

/*
 * In the child: takes the client's streams, other descriptors, working directory and blocked signals, leads a process
 * group, and closes what belongs to the parent. false with errno set.
 */
bool spate_warm_become(spate_warm_parent *parent, spate_warm_request *request, uint64_t blocked, const int *numbers);

#endif
