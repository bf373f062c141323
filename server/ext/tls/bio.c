#define OPENSSL_SUPPRESS_DEPRECATED /* libssl's kTLS functions are reachable only through BIO_meth_get_* */
#include "native.h"

#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

const spate_bytes_abi *spate_bytes;
const spate_write_buffer_abi *spate_write_buffer;

const char *spate_tls_reason(void) {
    unsigned long code = ERR_peek_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    ERR_clear_error();
    return reason ? reason : "failed without a reason";
}

/*
 * libssl's socket BIO with different reads and writes:
 *
 * - A short read is the last one of a tick: the socket is empty, and the poller reports further bytes. This saves a
 *   call that would fail with EAGAIN.
 * - A tick reads a limited number of bytes, so that a flood of empty records does not delay other connections.
 * - A write that is followed by another write sets MSG_MORE, so that TCP segments span records.
 * - The first byte shows whether the peer speaks plain HTTP. libssl's alert is not sent to such a peer.
 *
 * With kTLS, libssl's own functions are called.
 */
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifndef MSG_MORE
#define MSG_MORE 0
#endif
#define HANDSHAKE_RECORD 0x16

static BIO_METHOD *method;
static int slot;
#if SPATE_TLS_KTLS
static int (*libssl_write)(BIO *, const char *, int);
static int (*libssl_read)(BIO *, char *, int);
#endif

static spate_tls_socket *socket_of(BIO *bio) {
    return BIO_get_ex_data(bio, slot);
}

static bool blocked(int error) {
    return error == EAGAIN || error == EWOULDBLOCK;
}

static int bio_write(BIO *bio, const char *bytes, int length) {
    spate_tls_socket *s = socket_of(bio);
    ssize_t count;
    BIO_clear_retry_flags(bio);
    if (s->clear_text)
        return length;
#if SPATE_TLS_KTLS
    if (BIO_get_ktls_send(bio))
        return libssl_write(bio, bytes, length);
#endif
    do
        count = send(s->fd, bytes, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT | (s->more_follows ? MSG_MORE : 0));
    while (count < 0 && errno == EINTR);
    if (count >= 0)
        return (int)count;
    if (blocked(errno))
        BIO_set_retry_write(bio);
    else
        s->error = errno;
    return -1;
}

static int bio_read(BIO *bio, char *bytes, int length) {
    spate_tls_socket *s = socket_of(bio);
    ssize_t count;
    BIO_clear_retry_flags(bio);
    if (s->key_updates > SPATE_TLS_KEY_UPDATES)
        return -1;
    if (s->drained || s->budget == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
#if SPATE_TLS_KTLS
    if (BIO_get_ktls_recv(bio))
        return libssl_read(bio, bytes, length);
#endif
    do
        count = recv(s->fd, bytes, (size_t)length, MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    if (count < 0) {
        if (blocked(errno))
            BIO_set_retry_read(bio);
        else
            s->error = errno;
        return -1;
    }
    s->drained = count > 0 && count < length;
    s->budget -= (size_t)count < s->budget ? (size_t)count : s->budget;
    if (!s->begun && count > 0) {
        s->begun = true;
        s->clear_text = bytes[0] != HANDSHAKE_RECORD && isalpha((unsigned char)bytes[0]);
    }
    return (int)count;
}

#if SPATE_TLS_KTLS
static bool inherit(void) {
    BIO_METHOD *base = (BIO_METHOD *)BIO_s_socket();
    libssl_write = BIO_meth_get_write(base);
    libssl_read = BIO_meth_get_read(base);
    return BIO_meth_set_ctrl(method, BIO_meth_get_ctrl(base)) &&
           BIO_meth_set_create(method, BIO_meth_get_create(base)) &&
           BIO_meth_set_destroy(method, BIO_meth_get_destroy(base));
}

static bool attach(BIO *bio, int fd) {
    return BIO_set_fd(bio, fd, BIO_NOCLOSE) == 1;
}
#else
static long bio_ctrl(BIO *bio, int command, long number, void *pointer) {
    return command == BIO_CTRL_FLUSH || command == BIO_CTRL_DUP;
}

static bool inherit(void) {
    return BIO_meth_set_ctrl(method, bio_ctrl);
}

static bool attach(BIO *bio, int fd) {
    BIO_set_init(bio, 1);
    return true;
}
#endif

bool spate_tls_init_bio(void) {
    slot = BIO_get_ex_new_index(0, NULL, NULL, NULL, NULL);
    method = BIO_meth_new(BIO_TYPE_SOCKET, "spate socket");
    return slot >= 0 && method && inherit() && BIO_meth_set_write(method, bio_write) &&
           BIO_meth_set_read(method, bio_read);
}

BIO *spate_tls_new_bio(spate_tls_socket *socket) {
    BIO *bio = BIO_new(method);
    if (!bio)
        return NULL;
    if (attach(bio, socket->fd) && BIO_set_ex_data(bio, slot, socket))
        return bio;
    BIO_free(bio);
    return NULL;
}

/* Setting TCP_ULP on an unconnected socket fails with ENOTCONN if the kernel supports kTLS, else with ENOENT. */
bool spate_tls_has_ktls(void) {
#if SPATE_TLS_KTLS && defined(TCP_ULP)
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        return false;
    bool supported = setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", sizeof "tls") < 0 && errno == ENOTCONN;
    close(fd);
    return supported;
#else
    return false;
#endif
}
