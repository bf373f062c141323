#include "native.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <time.h>

/*
 * TLSContext: a certificate, its key and the settings of new connections. Existing connections keep their settings.
 *
 * RFC 9113, section 9.2: TLS 1.2 or later, no compression, no renegotiation; for TLS 1.2 only suites with ephemeral
 * keys and authenticated encryption, none of which appendix A prohibits.
 */
#define SUITES_12 "ECDHE+AESGCM:ECDHE+CHACHA20"
/* AES-128 first: it is secure and costs 20 % less than AES-256. Clients without AES in hardware get ChaCha20. */
#define SUITES_13 "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
#define GROUPS "X25519:P-256:P-384"
/* Bytes of libssl's ticket keys: a name, an HMAC key and an AES key. */
#define TICKET_KEYS 80

static const unsigned char offered[] = "\x02h2\x08http/1.1";

static VALUE bad_certificate, bad_key, mismatch;

typedef struct context {
    SSL_CTX *ssl;
    bool slow_key; /* an RSA key, whose signatures take hundreds of microseconds */
} context;

static void context_free(void *pointer) {
    context *c = pointer;
    SSL_CTX_free(c->ssl);
    xfree(c);
}

static const rb_data_type_t context_type = {
    "Spate::Server::Native::TLSContext", {NULL, context_free, NULL}, 0, 0, RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE context_alloc(VALUE klass) {
    context *c;
    return TypedData_Make_Struct(klass, context, &context_type, c);
}

static context *context_of(VALUE self) {
    context *c = rb_check_typeddata(self, &context_type);
    if (!c->ssl)
        rb_raise(rb_eArgError, "this TLSContext was never initialized");
    return c;
}

/* ALPN, RFC 7301, in the server's order of preference. A peer that offers neither protocol gets a fatal alert. */
static int choose_protocol(SSL *ssl, const unsigned char **chosen, unsigned char *length, const unsigned char *wanted,
                           unsigned wanted_length, void *unused) {
    unsigned char *found;
    if (SSL_select_next_proto(&found, length, offered, sizeof offered - 1, wanted, wanted_length) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

static void count_key_updates(int ours, int version, int type, const void *bytes, size_t length, SSL *ssl,
                              void *socket) {
    if (socket && !ours && type == SSL3_RT_HANDSHAKE && length && *(const uint8_t *)bytes == SSL3_MT_KEY_UPDATE)
        ((spate_tls_socket *)socket)->key_updates++;
}

static bool configure(SSL_CTX *ssl, bool ktls) {
    static const unsigned char id[] = "spate";
    SSL_CTX_set_options(ssl, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                 SSL_OP_PRIORITIZE_CHACHA);
#if SPATE_TLS_KTLS
    if (ktls)
        SSL_CTX_set_options(ssl, SSL_OP_ENABLE_KTLS);
#endif
    SSL_CTX_set_mode(ssl,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_read_ahead(ssl, 1);
    SSL_CTX_set_alpn_select_cb(ssl, choose_protocol, NULL);
    SSL_CTX_set_msg_callback(ssl, count_key_updates);
    /* Clients store their sessions in tickets, so no cache is needed here. One ticket per connection is enough. */
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
    return SSL_CTX_set_num_tickets(ssl, 1) && SSL_CTX_set_session_id_context(ssl, id, sizeof id - 1) &&
           SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION) && SSL_CTX_set_cipher_list(ssl, SUITES_12) &&
           SSL_CTX_set_ciphersuites(ssl, SUITES_13) && SSL_CTX_set1_groups_list(ssl, GROUPS);
}

/* The result of a step: an exception class and a reason, or class 0 on success. */
typedef struct outcome {
    VALUE error;
    const char *reason;
} outcome;

static outcome failed(VALUE error) {
    return (outcome){error, spate_tls_reason()};
}

/* Replaces libssl's prompt for a passphrase on the terminal. */
static int no_passphrase(char *buffer, int size, int writing, void *asked) {
    *(bool *)asked = true;
    return -1;
}

static bool at_end_of_pem(void) {
    unsigned long code = ERR_peek_last_error();
    return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

/* The PEM text contains the server's certificate first, followed by the intermediate certificates. */
static outcome use_chain(SSL_CTX *ssl, BIO *pem) {
    bool asked = false;
    X509 *certificate = PEM_read_bio_X509_AUX(pem, NULL, no_passphrase, &asked);
    if (!certificate)
        return failed(bad_certificate);
    int used = SSL_CTX_use_certificate(ssl, certificate);
    X509_free(certificate);
    if (used != 1)
        return failed(bad_certificate);
    while ((certificate = PEM_read_bio_X509(pem, NULL, no_passphrase, &asked)))
        if (SSL_CTX_add0_chain_cert(ssl, certificate) != 1) {
            X509_free(certificate);
            return failed(bad_certificate);
        }
    if (!at_end_of_pem())
        return failed(bad_certificate);
    ERR_clear_error();
    return (outcome){0, NULL};
}

static outcome use_key(SSL_CTX *ssl, BIO *pem, bool *slow) {
    bool asked = false;
    EVP_PKEY *key = PEM_read_bio_PrivateKey(pem, NULL, no_passphrase, &asked);
    outcome result = {0, NULL};
    if (!key) {
        result = failed(bad_key);
        if (asked)
            result.reason = "a passphrase protects it";
        return result;
    }
    *slow = EVP_PKEY_base_id(key) == EVP_PKEY_RSA || EVP_PKEY_base_id(key) == EVP_PKEY_RSA_PSS;
    if (X509_check_private_key(SSL_CTX_get0_certificate(ssl), key) != 1)
        result = failed(mismatch);
    else if (SSL_CTX_use_PrivateKey(ssl, key) != 1)
        result = failed(bad_key);
    EVP_PKEY_free(key);
    return result;
}

static outcome use_pair(context *c, VALUE chain, VALUE key) {
    BIO *chain_pem = BIO_new_mem_buf(RSTRING_PTR(chain), RSTRING_LENINT(chain));
    BIO *key_pem = BIO_new_mem_buf(RSTRING_PTR(key), RSTRING_LENINT(key));
    outcome result = {rb_eNoMemError, "no memory for libssl"};
    if (chain_pem && key_pem) {
        result = use_chain(c->ssl, chain_pem);
        if (!result.error)
            result = use_key(c->ssl, key_pem, &c->slow_key);
    }
    BIO_free(chain_pem);
    BIO_free(key_pem);
    return result;
}

/*
 * TLSContext.new(chain, key, ktls, ticket_keys). chain, key: PEM Strings, which may be the same text. ktls: use kTLS if
 * the kernel supports it. ticket_keys: TICKET_KEYS random bytes. Raises BadCertificate, BadKey or Mismatch with
 * libssl's reason.
 */
static VALUE context_initialize(VALUE self, VALUE chain, VALUE key, VALUE ktls, VALUE ticket_keys) {
    context *c = rb_check_typeddata(self, &context_type);
    Check_Type(chain, T_STRING);
    Check_Type(key, T_STRING);
    Check_Type(ticket_keys, T_STRING);
    if (RSTRING_LEN(ticket_keys) != TICKET_KEYS)
        rb_raise(rb_eArgError, "%ld bytes of ticket keys instead of %d", RSTRING_LEN(ticket_keys), TICKET_KEYS);
    (void)RSTRING_LENINT(chain); /* raises RangeError now, while there is nothing to free */
    (void)RSTRING_LENINT(key);
    if (c->ssl)
        rb_raise(rb_eArgError, "this TLSContext is already initialized");
    ERR_clear_error();
    c->ssl = SSL_CTX_new(TLS_server_method());
    if (!c->ssl || !configure(c->ssl, RTEST(ktls) && spate_tls_has_ktls()) ||
        SSL_CTX_set_tlsext_ticket_keys(c->ssl, RSTRING_PTR(ticket_keys), TICKET_KEYS) != 1)
        rb_raise(rb_eRuntimeError, "libssl: %s", spate_tls_reason());
    outcome result = use_pair(c, chain, key);
    if (result.error)
        rb_raise(result.error, "%s", result.reason);
    RB_GC_GUARD(chain);
    RB_GC_GUARD(key);
    RB_GC_GUARD(ticket_keys);
    return self;
}

static VALUE seconds_of(const ASN1_TIME *time) {
    struct tm parts;
    if (!time || ASN1_TIME_to_tm(time, &parts) != 1)
        return Qnil;
    return LL2NUM((long long)timegm(&parts));
}

/* not_before, not_after: the certificate's validity in seconds since 1970. */
static VALUE context_not_before(VALUE self) {
    return seconds_of(X509_get0_notBefore(SSL_CTX_get0_certificate(context_of(self)->ssl)));
}

static VALUE context_not_after(VALUE self) {
    return seconds_of(X509_get0_notAfter(SSL_CTX_get0_certificate(context_of(self)->ssl)));
}

static VALUE context_ktls(VALUE self) {
#if SPATE_TLS_KTLS
    return RBOOL(SSL_CTX_get_options(context_of(self)->ssl) & SSL_OP_ENABLE_KTLS);
#else
    return Qfalse;
#endif
}

SSL *spate_tls_new_ssl(VALUE object, bool *slow_key) {
    context *c = context_of(object);
    SSL *ssl = SSL_new(c->ssl);
    if (!ssl)
        rb_raise(rb_eNoMemError, "no memory for a connection: %s", spate_tls_reason());
    *slow_key = c->slow_key;
    return ssl;
}

void spate_init_tls_context(VALUE native) {
    VALUE klass = rb_define_class_under(native, "TLSContext", rb_cObject);
    VALUE unusable = rb_define_class_under(klass, "Unusable", rb_eStandardError);
    bad_certificate = rb_define_class_under(klass, "BadCertificate", unusable);
    bad_key = rb_define_class_under(klass, "BadKey", unusable);
    mismatch = rb_define_class_under(klass, "Mismatch", unusable);
    rb_gc_register_mark_object(bad_certificate);
    rb_gc_register_mark_object(bad_key);
    rb_gc_register_mark_object(mismatch);
    rb_define_const(klass, "LIBRARY", rb_obj_freeze(rb_str_new_cstr(OpenSSL_version(OPENSSL_VERSION))));
    rb_define_const(klass, "TICKET_KEYS", INT2FIX(TICKET_KEYS));
    rb_define_alloc_func(klass, context_alloc);
    rb_define_method(klass, "initialize", context_initialize, 4);
    rb_define_method(klass, "not_before", context_not_before, 0);
    rb_define_method(klass, "not_after", context_not_after, 0);
    rb_define_method(klass, "ktls?", context_ktls, 0);
}
