#include "records.h"

#include <errno.h>
#include <openssl/err.h>
#include <ruby/thread.h>
#include <sys/socket.h>

/*
 * TLSConnection: TLS over one socket, in ticks that never block. The socket belongs to its Ruby object, which
 * outlives this.
 *
 * A WriteBuffer's bytes are encrypted out of its buffer, record after record, until all are written or the socket is
 * full. What comes in is decrypted into an ArrayBuffer. Both are pinned while libssl works on them, so that Ruby's
 * lock may be let go: from WITHOUT_LOCK bytes on. Below, coming back to the lock may take longer than the work. One
 * thread at a time.
 *
 * Every failure is the connection's end: SystemCallError, EPROTO with libssl's reason where the peer broke TLS.
 */
#define WITHOUT_LOCK ((size_t)64 << 10)
/* Raw bytes that one tick reads at most. */
#define BUDGET ((size_t)256 << 10)

static void connection_free(void *pointer) {
    connection *c = pointer;
    SSL_free(c->ssl);
    xfree(c);
}

/* About what libssl takes for a connection that is idle. */
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
        rb_raise(rb_eThreadError, "another thread works on this TLSConnection");
    return c;
}

/* TLSConnection.new(context, fd) */
static VALUE connection_initialize(VALUE self, VALUE context, VALUE descriptor) {
    connection *c = connection_of(self);
    int fd = NUM2INT(descriptor);
    if (c->ssl)
        rb_raise(rb_eArgError, "this TLSConnection is initialized");
    ERR_clear_error();
    c->ssl = spate_tls_new_ssl(context, &c->slow_key);
    c->socket.fd = fd;
    BIO *bio = spate_tls_new_bio(&c->socket);
    if (!bio)
        rb_raise(rb_eNoMemError, "no memory for a connection");
    SSL_set_bio(c->ssl, bio, bio);
    SSL_set_msg_callback_arg(c->ssl, &c->socket);
    SSL_set_accept_state(c->ssl);
    c->stage = SHAKING;
    c->wants = READ;
    return self;
}

/* Without Ruby's lock where it pays. Where an interrupt waits, it is left to a later call of Ruby's own. */
static void run(work *w, void *(*function)(void *), bool release) {
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

NORETURN(static void raise_failure(const work *w));

static void raise_failure(const work *w) {
    if (!w->reason)
        rb_syserr_fail(w->c->socket.error, "TLS");
    rb_exc_raise(rb_syserr_new_str(EPROTO, rb_sprintf("TLS: %s", w->reason)));
}

/* Whether a peer said nothing at all so far: libssl would take 30 KB to find that out. */
static bool is_silent(const connection *c) {
    char byte;
    return c->stage == SHAKING && !c->socket.begun && recv(c->socket.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
}

/* Takes as much as there is, bytes before their end or failure, which the next call finds again. */
static void take(work *w) {
    connection *c = w->c;
    c->socket.dry = false;
    c->socket.budget = BUDGET;
    c->more = false;
    w->result = ALL;
    if (c->stage == SHAKING)
        run(w, spate_tls_shake, c->slow_key);
    if (w->result != ALL)
        return;
    spate_tls_read(w, SPATE_TLS_RECORD);
    if (w->result == PAUSED)
        run(w, spate_tls_read_all, true);
    c->more = w->done && (w->result == END || w->result == FAILED || (w->result == ALL && SSL_has_pending(c->ssl)));
}

/*
 * receive(buffer, offset): the handshake first, then bytes into the ArrayBuffer's rest. Answers how many: 0 at the
 * end, nil where there are none now. SystemCallError.
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
    work w = {.c = c, .bytes = bytes + from, .length = length - from, .result = BLOCKED};
    if (c->stage == BROKEN)
        w.result = END;
    else if (!is_silent(c))
        take(&w);
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
 * flush(write_buffer): writes what the socket takes. True when nothing is left; before the handshake is through nothing
 * is written.
 */
static VALUE connection_flush(VALUE self, VALUE write_buffer) {
    connection *c = connection_of(self);
    size_t offset, length, size;
    VALUE buffer = spate_write_buffer->waiting(write_buffer, &offset, &length);
    if (NIL_P(buffer))
        return Qtrue;
    if (c->stage == SHAKING)
        return Qfalse;
    if (c->stage != OPEN)
        rb_syserr_fail(EPIPE, "TLS");
    work w = {.c = c, .length = length};
    w.bytes = spate_bytes->pin(buffer, &size, false) + offset;
    run(&w, spate_tls_write, length >= WITHOUT_LOCK);
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

/* Whether `receive` is worth a call though no poller says that the socket has bytes. */
static VALUE connection_pending(VALUE self) {
    const connection *c = connection_of(self);
    return RBOOL(c->more || c->wants == WRITE);
}

static VALUE connection_ready(VALUE self) {
    return RBOOL(connection_of(self)->shaken);
}

static VALUE connection_clear_text(VALUE self) {
    return RBOOL(connection_of(self)->socket.clear_text);
}

/* "h2", "http/1.1", or nil where the peer did not say. */
static VALUE connection_protocol(VALUE self) {
    const connection *c = connection_of(self);
    const unsigned char *name = NULL;
    unsigned length = 0;
    if (c->ssl)
        SSL_get0_alpn_selected(c->ssl, &name, &length);
    return length ? rb_utf8_str_new((const char *)name, length) : Qnil;
}

/* ["TLSv1.3", "TLS_AES_128_GCM_SHA256", resumed, by the kernel]; nil before the handshake is through. */
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

/* Says farewell, where that is still possible at once, and lets go of everything. The socket stays open. */
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
