#ifndef SPATE_SERVER_TLS_NATIVE_H
#define SPATE_SERVER_TLS_NATIVE_H

/*
 * TLS 1.2 and 1.3 on libssl, for sockets that never block.
 * Suggested reading order: context.c (what is offered), bio.c (the socket below), records.c (bytes through it),
 * connection.c (for Ruby).
 */
#include <ruby.h>

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <write_buffer.h>
#include <spate/bytes.h>

#ifndef RBOOL /* Ruby 3.2 */
#define RBOOL(condition) ((condition) ? Qtrue : Qfalse)
#endif

#if defined(SSL_OP_ENABLE_KTLS) && !defined(OPENSSL_NO_KTLS) && defined(HAVE_BIO_METH_GET_CTRL)
#define SPATE_TLS_KTLS 1
#else
#define SPATE_TLS_KTLS 0
#endif

/* The peer may change its keys so often before it has to say something: each change costs us more than it costs it. */
#define SPATE_TLS_KEY_UPDATES 32

/* Between libssl and a socket's descriptor, which is not ours to close. */
typedef struct spate_tls_socket {
    int fd;
    int error;            /* errno of the call that failed, else 0 */
    bool begun;           /* a first byte came */
    bool clear_text;      /* and it begins no record of TLS, but a word: plain HTTP, most likely */
    bool dry;             /* the last read left nothing: the poller tells of more */
    bool more_follows;    /* the next write is not the last one of this tick */
    unsigned key_updates; /* since the last bytes of the peer's */
    size_t budget;        /* bytes that may still be read in this tick */
} spate_tls_socket;

/* Once, before the first BIO. False where there is no memory. */
bool spate_tls_init_bio(void);
/* A BIO over a socket that outlives it. NULL where there is no memory. */
BIO *spate_tls_new_bio(spate_tls_socket *socket);
/* Whether this kernel encrypts TCP's bytes itself. */
bool spate_tls_kernel_encrypts(void);

/* A new SSL of a context, and whether its handshake's signature takes long. Raises TypeError, NoMemoryError. */
SSL *spate_tls_new_ssl(VALUE context, bool *slow_key);
/* The first reason in this thread's queue of errors, which is empty then; static memory. */
const char *spate_tls_reason(void);

extern const spate_bytes_abi *spate_bytes;
extern const spate_write_buffer_abi *spate_write_buffer;

void spate_init_tls_context(VALUE native);
void spate_init_tls_connection(VALUE native);

#endif
