#include "native.h"

#include "digest/digest.h"
#include "digest/sha256.h"

/* Hashing shorter Strings takes less time than reacquiring the GVL or loading libcrypto. */
#define KEEP_GVL_BELOW ((size_t)64 << 10)

typedef struct hashing {
    char *path;
    uint8_t out[SPATE_SHA256_BYTES];
    spate_error error;
} hashing;

static spate_status hash_file(void *context, const spate_cancel *cancel) {
    hashing *h = context;
    return spate_digest_file(h->path, cancel, h->out, &h->error);
}

static VALUE hash_file_body(VALUE argument) {
    hashing *h = (hashing *)argument;
    if (spate_release(hash_file, h) != SPATE_OK)
        spate_raise(&h->error);
    return spate_hex_string(h->out, sizeof(h->out));
}

static VALUE free_path(VALUE argument) {
    ruby_xfree(((hashing *)argument)->path);
    return Qnil;
}

/* sha256_file(path) -> hex SHA-256 of a file. */
static VALUE native_sha256_file(VALUE self, VALUE path) {
    hashing h = {.path = spate_copy_path(path)};
    return rb_ensure(hash_file_body, (VALUE)&h, free_path, (VALUE)&h);
}

typedef struct message {
    uint8_t *bytes;
    size_t length;
    uint8_t out[SPATE_SHA256_BYTES];
} message;

static spate_status hash_message(void *context, const spate_cancel *cancel) {
    message *m = context;
    return spate_digest_once(SPATE_SHA256, m->bytes, m->length, m->out);
}

static VALUE hash_message_body(VALUE argument) {
    message *m = (message *)argument;
    if (spate_release(hash_message, m) != SPATE_OK)
        rb_raise(spate_native_error, "cannot compute SHA-256");
    return spate_hex_string(m->out, SPATE_SHA256_BYTES);
}

static VALUE free_message(VALUE argument) {
    ruby_xfree(((message *)argument)->bytes);
    return Qnil;
}

/* sha256(string) -> hex SHA-256 of a String's bytes. */
static VALUE native_sha256(VALUE self, VALUE string) {
    message m = {0};
    StringValue(string);
    m.length = (size_t)RSTRING_LEN(string);
    if (m.length < KEEP_GVL_BELOW) {
        spate_sha256_of(RSTRING_PTR(string), m.length, m.out);
        return spate_hex_string(m.out, SPATE_SHA256_BYTES);
    }
    m.bytes = ruby_xmalloc(m.length);
    memcpy(m.bytes, RSTRING_PTR(string), m.length);
    return rb_ensure(hash_message_body, (VALUE)&m, free_message, (VALUE)&m);
}

void spate_init_digest(void) {
    rb_define_singleton_method(spate_native, "sha256", native_sha256, 1);
    rb_define_singleton_method(spate_native, "sha256_file", native_sha256_file, 1);
}
