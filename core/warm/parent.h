/*
 * The listening side of a warm parent: a process that has loaded an application and forks for each command.
 *
 * A client (core/front/warm) connects, sends one request, and receives replies: see warm/protocol.h.
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

/* Listens at `path`, which must not exist, for this user only. Returns false with errno set on failure. */
bool spate_warm_listen(spate_warm_parent *parent, const char *path);

/*
 * Waits for a request for up to `milliseconds`. Meanwhile reports the state of children to their clients, and kills
 * children whose client has ended. Returns false at the timeout or after a signal. After a request, call
 * spate_warm_started or spate_warm_refuse, and then spate_warm_forget.
 */
bool spate_warm_wait(spate_warm_parent *parent, int milliseconds, spate_warm_request *request);

/* Reports to the client that its child runs, and monitors the child. Kills the child if it cannot be monitored. */
void spate_warm_started(spate_warm_parent *parent, spate_warm_request *request, pid_t pid);

void spate_warm_refuse(spate_warm_request *request);

/* Closes the descriptors and frees the texts. The connection stays open if its child is monitored. */
void spate_warm_forget(spate_warm_request *request);

/* Whether the child can have the client's other descriptors under these numbers. `count` is their number and must match
 * the request. */
bool spate_warm_fits(const spate_warm_parent *parent, const spate_warm_request *request, const int *numbers,
                     size_t count);

/*
 * Called in the child: takes over the client's streams, other descriptors, working directory and blocked signals,
 * creates a process group, and closes the parent's descriptors. Returns false with errno set on failure.
 */
bool spate_warm_become(spate_warm_parent *parent, spate_warm_request *request, uint64_t blocked, const int *numbers);

#endif
