#ifndef SPATE_SERVER_TLS_RECORDS_H
#define SPATE_SERVER_TLS_RECORDS_H

/* Handshake, reads and writes through libssl. No Ruby objects: all functions may run without the GVL. */
#include "native.h"

#define SPATE_TLS_RECORD ((size_t)SSL3_RT_MAX_PLAIN_LENGTH)
#define READ 1
#define WRITE 2

typedef enum { HANDSHAKE, OPEN, BROKEN, CLOSED } stage;

typedef struct connection {
    SSL *ssl;
    spate_tls_socket socket;
    stage stage;
    uint8_t wants; /* READ or WRITE: the socket readiness that libssl needs to continue; else 0 */
    bool more;     /* libssl holds bytes, or an end, that the poller does not report */
    bool handshake_done;
    bool slow_key;
    bool busy; /* in use by a thread without the GVL */
} connection;

/* One read, write or handshake step, and its result. */
typedef struct operation {
    connection *c;
    uint8_t *bytes;
    size_t length, done;
    enum { ALL, BLOCKED, PAUSED, END, FAILED } result;
    const char *reason;
} operation;

/*
 * The following functions set `result` of an operation: ALL when it is complete, BLOCKED when the socket must become
 * ready (see `wants`), END after the peer's close, FAILED with either `reason` or socket.error. `argument` is an
 * operation *; functions with this parameter return NULL.
 */

/* Continues the handshake. */
void *spate_tls_handshake(void *argument);
/*
 * Decrypts into `bytes` and adds to `done`. Result ALL: `length` bytes are filled. PAUSED: at least `pause` bytes are
 * filled.
 */
void spate_tls_read(operation *w, size_t pause);
/* Like spate_tls_read, but without a pause. */
void *spate_tls_read_all(void *argument);
/* Encrypts and sends `bytes`, and adds to `done`. */
void *spate_tls_write(void *argument);

#endif
