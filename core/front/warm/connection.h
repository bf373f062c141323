/* The socket connection between a client and its warm parent. */
#ifndef SPATE_FRONT_WARM_CONNECTION_H
#define SPATE_FRONT_WARM_CONNECTION_H

#include "front/warm/messages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct spate_warm_connection {
    int descriptor;
    uint8_t bytes[SPATE_WARM_REPLY_BYTES]; /* the bytes of a reply that have arrived */
    size_t used;
} spate_warm_connection;

/* The results of spate_warm_receive. */
typedef enum spate_warm_arrival {
    SPATE_WARM_NOTHING, /* no complete reply yet */
    SPATE_WARM_REPLY,
    SPATE_WARM_END /* no more replies, or an invalid one */
} spate_warm_arrival;

/*
 * Connects to a process of this user. The socket must be in a directory that is accessible only by this user. `path` is
 * absolute. Returns false otherwise.
 */
bool spate_warm_connect(spate_warm_connection *connection, const char *path);
void spate_warm_disconnect(spate_warm_connection *connection);

/* Sends the request with the standard streams, the working directory and the other descriptors. */
bool spate_warm_send(const spate_warm_connection *connection, const uint8_t *bytes, size_t length, const int *others,
                     size_t other_count);

/* Waits for the first reply. Returns false unless it is STARTED; the parent has not started a child then, and will
 * not. */
bool spate_warm_await_start(spate_warm_connection *connection, int *child);

/* Returns the next reply, without waiting. */
spate_warm_arrival spate_warm_receive(spate_warm_connection *connection, spate_warm_reply *reply);

#endif
