#ifndef SPATE_SERVER_TLS_RECORDS_H
#define SPATE_SERVER_TLS_RECORDS_H

/* A connection's bytes through libssl, without a Ruby object: all of it may run without Ruby's lock. */
#include "native.h"

#define SPATE_TLS_RECORD ((size_t)SSL3_RT_MAX_PLAIN_LENGTH)
#define READ 1
#define WRITE 2

typedef enum { SHAKING, OPEN, BROKEN, CLOSED } stage;

typedef struct connection {
    SSL *ssl;
    spate_tls_socket socket;
    stage stage;
    uint8_t wants; /* READ or WRITE: what libssl waits for before anything goes on; else 0 */
    bool more;     /* libssl holds bytes, or an end, that no poller tells of */
    bool shaken;   /* the handshake is through */
    bool slow_key;
    bool busy; /* without Ruby's lock */
} connection;

/* A piece of work on a connection, with Ruby's lock or without. */
typedef struct work {
    connection *c;
    uint8_t *bytes;
    size_t length, done;
    enum { ALL, BLOCKED, PAUSED, END, FAILED } result;
    const char *reason;
} work;

/* The handshake, as far as it comes: ALL when it is through. For all of these: `argument` is a work. */
void *spate_tls_shake(void *argument);
/* Records into `bytes`: ALL when they are full, PAUSED when at least `pause` bytes came. */
void spate_tls_read(work *w, size_t pause);
/* The same without a pause. */
void *spate_tls_read_all(void *argument);
/* Records of `bytes`: ALL when they are written. */
void *spate_tls_write(void *argument);

#endif
