/*
 * TLS 1.2 and 1.3 with libssl, for nonblocking sockets.
 * Suggested reading order: context.c (certificates and settings), bio.c (socket I/O), records.c (handshake, reads and
 * writes without Ruby), connection.c (the Ruby class).
 */
#ifndef SPATE_SERVER_TLS_NATIVE_H
#define SPATE_SERVER_TLS_NATIVE_H

#include <openssl/ssl.h>
#include <ruby.h>
#include <spate/bytes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <write_buffer.h>

#ifndef RBOOL /* Ruby 3.2 */
#define RBOOL(condition) ((condition) ? Qtrue : Qfalse)
#endif

#if defined(SSL_OP_ENABLE_KTLS) && !defined(OPENSSL_NO_KTLS) && defined(HAVE_BIO_METH_GET_CTRL)
#define SPATE_TLS_KTLS 1
#else
#define SPATE_TLS_KTLS 0
#endif

/* Key updates that a peer may send without application data in between. Each costs the server more than the peer. */
#define SPATE_TLS_KEY_UPDATES 32

/* The state of a BIO over a socket. The caller owns the descriptor. */
typedef struct spate_tls_socket {
    int fd;
    int error;            /* errno of the failed call, or 0 */
    bool begun;           /* the first byte has been received */
    bool clear_text;      /* the first byte is a letter and not a TLS record: probably plain HTTP */
    bool drained;         /* the last read emptied the socket; the poller reports further bytes */
    bool more_follows;    /* the next write is not the last one of this tick */
    unsigned key_updates; /* since the peer's last application data */
    size_t budget;        /* bytes that may still be read in this tick */
} spate_tls_socket;

/* Creates the BIO method. Call it once, before spate_tls_new_bio. Returns false when out of memory. */
bool spate_tls_init_bio(void);
/* Returns a BIO over `socket`, which must outlive it, or NULL when out of memory. The caller owns the BIO. */
BIO *spate_tls_new_bio(spate_tls_socket *socket);
/* Whether this kernel supports kTLS. */
bool spate_tls_has_ktls(void);

/*
 * Returns a new SSL of a TLSContext, owned by the caller, and sets `slow_key` when signing the handshake takes long.
 * Raises TypeError, NoMemoryError.
 */
SSL *spate_tls_new_ssl(VALUE context, bool *slow_key);
/* Returns the first reason in this thread's OpenSSL error queue (static memory) and clears the queue. */
const char *spate_tls_reason(void);

extern const spate_bytes_abi *spate_bytes;
extern const spate_write_buffer_abi *spate_write_buffer;

void spate_init_tls_context(VALUE native);
void spate_init_tls_connection(VALUE native);

/* Handshake, reads and writes through libssl. No Ruby objects: all functions may run without the GVL. */

#define SPATE_TLS_RECORD ((size_t)SSL3_RT_MAX_PLAIN_LENGTH)
#define READ 1
#define WRITE 2

typedef enum { HANDSHAKE, OPEN, BROKEN, CLOSED } stage;

typedef struct connection {
    SSL *ssl;
    spate_tls_socket socket;
    stage stage;
    uint8_t wants; /* READ or WRITE: the socket readiness that libssl needs to continue; else 0 */
    bool more;     /* libssl has bytes, or the end of the stream, that the poller does not report */
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
