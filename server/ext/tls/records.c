#include "records.h"

#include <openssl/err.h>

static void fail(work *w, const char *reason) {
    w->c->stage = BROKEN;
    w->result = FAILED;
    w->reason = reason;
}

/* The peer's end without its farewell is an end too: HTTP knows by itself whether something is missing. */
static bool is_bare_end(void) {
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
    unsigned long code = ERR_peek_error();
    return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
#else
    return false;
#endif
}

/*
 * What libssl's answer means. `wants` becomes what the operation does not wait for anyway; what a read waits for
 * stays while something is written.
 */
static void judge(work *w, int answer, uint8_t usual) {
    connection *c = w->c;
    int error = SSL_get_error(c->ssl, answer);
    if (usual != WRITE)
        c->wants = 0;
    w->result = BLOCKED;
    if (c->socket.clear_text)
        fail(w, "plain HTTP where TLS is spoken");
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
    else if (error == SSL_ERROR_SYSCALL || is_bare_end()) {
        c->stage = BROKEN;
        w->result = END;
    } else
        fail(w, spate_tls_reason());
    ERR_clear_error();
}

void *spate_tls_shake(void *argument) {
    work *w = argument;
    ERR_clear_error();
    int answer = SSL_do_handshake(w->c->ssl);
    if (answer == 1) {
        w->c->stage = OPEN;
        w->c->shaken = true;
        w->c->wants = 0;
        w->result = ALL;
    } else
        judge(w, answer, 0);
    return NULL;
}

void spate_tls_read(work *w, size_t pause) {
    connection *c = w->c;
    w->result = ALL;
    while (w->done < w->length) {
        size_t count = 0;
        if (w->done >= pause) {
            w->result = PAUSED;
            return;
        }
        ERR_clear_error();
        int answer = SSL_read_ex(c->ssl, w->bytes + w->done, w->length - w->done, &count);
        if (answer != 1) {
            judge(w, answer, READ);
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
    work *w = argument;
    connection *c = w->c;
    w->result = ALL;
    while (w->done < w->length) {
        size_t left = w->length - w->done, count = 0;
        size_t part = left < SPATE_TLS_RECORD ? left : SPATE_TLS_RECORD;
        ERR_clear_error();
        c->socket.more_follows = part < left;
        int answer = SSL_write_ex(c->ssl, w->bytes + w->done, part, &count);
        c->socket.more_follows = false;
        if (answer != 1) {
            judge(w, answer, WRITE);
            break;
        }
        w->done += count;
    }
    return NULL;
}
