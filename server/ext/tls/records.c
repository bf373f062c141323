#include "native.h"

#include <openssl/err.h>

static void fail(operation *w, const char *reason) {
    w->c->stage = BROKEN;
    w->result = FAILED;
    w->reason = reason;
}

/* Whether the peer closed without close_notify. This is treated as a normal end, because HTTP detects truncation. */
static bool is_unannounced_end(void) {
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
    unsigned long code = ERR_peek_error();
    return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
#else
    return false;
#endif
}

/*
 * Sets `result` after a call of libssl that did not succeed. `usual` is the readiness that the operation waits for
 * anyway: `wants` is set only if it differs. A write does not clear the `wants` of a read.
 */
static void handle_failure(operation *w, int returned, uint8_t usual) {
    connection *c = w->c;
    int error = SSL_get_error(c->ssl, returned);
    if (usual != WRITE)
        c->wants = 0;
    w->result = BLOCKED;
    if (c->socket.clear_text)
        fail(w, "plain HTTP request on a TLS port");
    else if (error == SSL_ERROR_WANT_READ)
        c->wants = usual == READ ? c->wants : READ;
    else if (error == SSL_ERROR_WANT_WRITE)
        c->wants = usual == WRITE ? c->wants : WRITE;
    else if (error == SSL_ERROR_ZERO_RETURN)
        w->result = END;
    else if (c->socket.key_updates > SPATE_TLS_KEY_UPDATES)
        fail(w, "too many key updates");
    else if (c->socket.error)
        fail(w, NULL);
    else if (error == SSL_ERROR_SYSCALL || is_unannounced_end()) {
        c->stage = BROKEN;
        w->result = END;
    } else
        fail(w, spate_tls_reason());
    ERR_clear_error();
}

void *spate_tls_handshake(void *argument) {
    operation *w = argument;
    ERR_clear_error();
    int returned = SSL_do_handshake(w->c->ssl);
    if (returned == 1) {
        w->c->stage = OPEN;
        w->c->handshake_done = true;
        w->c->wants = 0;
        w->result = ALL;
    } else
        handle_failure(w, returned, 0);
    return NULL;
}

void spate_tls_read(operation *w, size_t pause) {
    connection *c = w->c;
    w->result = ALL;
    while (w->done < w->length) {
        size_t count = 0;
        if (w->done >= pause) {
            w->result = PAUSED;
            return;
        }
        ERR_clear_error();
        int returned = SSL_read_ex(c->ssl, w->bytes + w->done, w->length - w->done, &count);
        if (returned != 1) {
            handle_failure(w, returned, READ);
            return;
        }
        c->wants = 0;
        c->socket.key_updates = 0;
        w->done += count;
    }
}

void *spate_tls_read_all(void *argument) {
    spate_tls_read(argument, SIZE_MAX);
    return NULL;
}

void *spate_tls_write(void *argument) {
    operation *w = argument;
    connection *c = w->c;
    w->result = ALL;
    while (w->done < w->length) {
        size_t left = w->length - w->done, count = 0;
        size_t part = left < SPATE_TLS_RECORD ? left : SPATE_TLS_RECORD;
        ERR_clear_error();
        c->socket.more_follows = part < left;
        int returned = SSL_write_ex(c->ssl, w->bytes + w->done, part, &count);
        c->socket.more_follows = false;
        if (returned != 1) {
            handle_failure(w, returned, WRITE);
            break;
        }
        w->done += count;
    }
    return NULL;
}
