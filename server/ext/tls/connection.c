#include "native.h"

#include <errno.h>
#include <openssl/err.h>
#include <ruby/thread.h>
#include <sys/socket.h>

/*
 * TLSConnection: TLS over one nonblocking socket. The socket belongs to a Ruby object that outlives this one.
 *
 * The bytes of a WriteBuffer are encrypted directly from its buffer, one record after another, until all are written or
 * the socket is full. Received bytes are decrypted into an ArrayBuffer. Both buffers are pinned while libssl uses them,
 * so the GVL can be released. It is released only for at least RELEASE_BYTES, because reacquiring it may take longer
 * than a smaller operation. Only one thread at a time may use a connection.
 *
 * Every failure raises SystemCallError and ends the connection. If the peer violated TLS, the error is EPROTO with
 * libssl's reason.
 */
#define RELEASE_BYTES ((size_t)64 << 10)
/* Maximum encrypted bytes that one tick reads. */
#define BUDGET ((size_t)256 << 10)

static void connection_free(void *pointer) {
    connection *c = pointer;
    SSL_free(c->ssl);
    xfree(c);
}

/* Includes the approximate memory of libssl for an idle connection. */
static size_t connection_size(const void *pointer) {
    return sizeof(connection) + (((const connection *)pointer)->ssl ? 12000 : 0);
}

static const rb_data_type_t connection_type = {"Spate::Server::Native::TLSConnection",
                                               {NULL, connection_free, connection_size},
                                               0,
                                               0,
                                               RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE connection_alloc(VALUE klass) {
    connection *c;
    VALUE self = TypedData_Make_Struct(klass, connection, &connection_type, c);
    c->stage = CLOSED;
    return self;
}

static connection *connection_of(VALUE self) {
    connection *c = rb_check_typeddata(self, &connection_type);
    if (c->busy)
        rb_raise(rb_eThreadError, "another thread is using this TLSConnection");
    return c;
}

/* TLSConnection.new(context, fd): server side. The caller owns the descriptor. Raises NoMemoryError. */
static VALUE connection_initialize(VALUE self, VALUE context, VALUE descriptor) {
    connection *c = connection_of(self);
    int fd = NUM2INT(descriptor);
    if (c->ssl)
        rb_raise(rb_eArgError, "this TLSConnection is already initialized");
    ERR_clear_error();
    c->ssl = spate_tls_new_ssl(context, &c->slow_key);
    c->socket.fd = fd;
    BIO *bio = spate_tls_new_bio(&c->socket);
    if (!bio)
        rb_raise(rb_eNoMemError, "no memory for a connection");
    SSL_set_bio(c->ssl, bio, bio);
    SSL_set_msg_callback_arg(c->ssl, &c->socket);
    SSL_set_accept_state(c->ssl);
    c->stage = HANDSHAKE;
    c->wants = READ;
    return self;
}

/* Calls `function`, without the GVL if `release`. Does not handle pending interrupts; Ruby handles them later. */
static void run(operation *w, void *(*function)(void *), bool release) {
    if (!release) {
        function(w);
        return;
    }
    w->c->busy = true;
    w->result = PAUSED;
    rb_nogvl(function, w, NULL, NULL, RB_NOGVL_INTR_FAIL);
    if (w->result == PAUSED)
        function(w);
    w->c->busy = false;
}

NORETURN(static void raise_failure(const operation *w));

static void raise_failure(const operation *w) {
    if (!w->reason)
        rb_syserr_fail(w->c->socket.error, "TLS");
    rb_exc_raise(rb_syserr_new_str(EPROTO, rb_sprintf("TLS: %s", w->reason)));
}

/* Whether the peer has sent nothing yet. Checked first, because libssl allocates 30 KB before it reads. */
static bool is_silent(const connection *c) {
    char byte;
    return c->stage == HANDSHAKE && !c->socket.begun && recv(c->socket.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
}

/* Reads as much as is available. An end or failure after some bytes is reported by the next call. */
static void receive(operation *w) {
    connection *c = w->c;
    c->socket.drained = false;
    c->socket.budget = BUDGET;
    c->more = false;
    w->result = ALL;
    if (c->stage == HANDSHAKE)
        run(w, spate_tls_handshake, c->slow_key);
    if (w->result != ALL)
        return;
    spate_tls_read(w, SPATE_TLS_RECORD);
    if (w->result == PAUSED)
        run(w, spate_tls_read_all, true);
    c->more = w->done && (w->result == END || w->result == FAILED || (w->result == ALL && SSL_has_pending(c->ssl)));
}

/*
 * receive(buffer, offset): performs the handshake, then reads into an ArrayBuffer from `offset` on, without blocking.
 * Returns the number of bytes, 0 at the end, nil when none are available. Raises SystemCallError, IndexError, IOError
 * when closed.
 */
static VALUE connection_receive(VALUE self, VALUE buffer, VALUE offset) {
    connection *c = connection_of(self);
    size_t from = NUM2SIZET(offset), length;
    if (c->stage == CLOSED)
        rb_raise(rb_eIOError, "closed TLSConnection");
    uint8_t *bytes = spate_bytes->pin(buffer, &length, true);
    if (from >= length) {
        spate_bytes->unpin(buffer);
        rb_raise(rb_eIndexError, "offset %zu leaves no room in %zu bytes", from, length);
    }
    operation w = {.c = c, .bytes = bytes + from, .length = length - from, .result = BLOCKED};
    if (c->stage == BROKEN)
        w.result = END;
    else if (!is_silent(c))
        receive(&w);
    spate_bytes->unpin(buffer);
    RB_GC_GUARD(buffer);
    RB_GC_GUARD(self);
    if (w.done)
        return SIZET2NUM(w.done);
    if (w.result == FAILED)
        raise_failure(&w);
    return w.result == END ? INT2FIX(0) : Qnil;
}

/*
 * flush(write_buffer): writes as much as the socket accepts, but nothing before the handshake has finished. Returns
 * true when nothing is left. Raises SystemCallError.
 */
static VALUE connection_flush(VALUE self, VALUE write_buffer) {
    connection *c = connection_of(self);
    size_t offset, length, size;
    VALUE buffer = spate_write_buffer->waiting(write_buffer, &offset, &length);
    if (NIL_P(buffer))
        return Qtrue;
    if (c->stage == HANDSHAKE)
        return Qfalse;
    if (c->stage != OPEN)
        rb_syserr_fail(EPIPE, "TLS");
    operation w = {.c = c, .length = length};
    w.bytes = spate_bytes->pin(buffer, &size, false) + offset;
    run(&w, spate_tls_write, length >= RELEASE_BYTES);
    spate_bytes->unpin(buffer);
    RB_GC_GUARD(buffer);
    RB_GC_GUARD(self);
    if (w.result == FAILED)
        raise_failure(&w);
    if (w.result == END)
        rb_syserr_fail(EPIPE, "TLS");
    spate_write_buffer->written(write_buffer, w.done);
    return RBOOL(w.done == length);
}

static VALUE connection_wanted(VALUE self) {
    return INT2FIX(connection_of(self)->wants);
}

/* pending?: whether `receive` may return something although the socket is not readable. */
static VALUE connection_pending(VALUE self) {
    const connection *c = connection_of(self);
    return RBOOL(c->more || c->wants == WRITE);
}

static VALUE connection_ready(VALUE self) {
    return RBOOL(connection_of(self)->handshake_done);
}

static VALUE connection_clear_text(VALUE self) {
    return RBOOL(connection_of(self)->socket.clear_text);
}

/* protocol: "h2" or "http/1.1", or nil without ALPN. */
static VALUE connection_protocol(VALUE self) {
    const connection *c = connection_of(self);
    const unsigned char *name = NULL;
    unsigned length = 0;
    if (c->ssl)
        SSL_get0_alpn_selected(c->ssl, &name, &length);
    return length ? rb_utf8_str_new((const char *)name, length) : Qnil;
}

/* facts: ["TLSv1.3", "TLS_AES_128_GCM_SHA256", resumed, kTLS], or nil unless the connection is open. */
static VALUE connection_facts(VALUE self) {
    const connection *c = connection_of(self);
    if (c->stage != OPEN)
        return Qnil;
    VALUE kernel = Qfalse;
#if SPATE_TLS_KTLS
    kernel = RBOOL(BIO_get_ktls_send(SSL_get_wbio(c->ssl)));
#endif
    return rb_ary_new_from_args(4, rb_utf8_str_new_cstr(SSL_get_version(c->ssl)),
                                rb_utf8_str_new_cstr(SSL_get_cipher_name(c->ssl)), RBOOL(SSL_session_reused(c->ssl)),
                                kernel);
}

/* close: sends close_notify if the socket accepts it, and frees the TLS state. The socket stays open. */
static VALUE connection_close(VALUE self) {
    connection *c = connection_of(self);
    ERR_clear_error();
    if (c->stage == OPEN)
        SSL_shutdown(c->ssl);
    ERR_clear_error();
    SSL_free(c->ssl);
    c->ssl = NULL;
    c->stage = CLOSED;
    c->wants = 0;
    c->more = false;
    return Qnil;
}

void spate_init_tls_connection(VALUE native) {
    VALUE klass = rb_define_class_under(native, "TLSConnection", rb_cObject);
    rb_define_alloc_func(klass, connection_alloc);
    rb_define_method(klass, "initialize", connection_initialize, 2);
    rb_define_method(klass, "receive", connection_receive, 2);
    rb_define_method(klass, "flush", connection_flush, 1);
    rb_define_method(klass, "wanted", connection_wanted, 0);
    rb_define_method(klass, "pending?", connection_pending, 0);
    rb_define_method(klass, "ready?", connection_ready, 0);
    rb_define_method(klass, "clear_text?", connection_clear_text, 0);
    rb_define_method(klass, "protocol", connection_protocol, 0);
    rb_define_method(klass, "facts", connection_facts, 0);
    rb_define_method(klass, "close", connection_close, 0);
}
