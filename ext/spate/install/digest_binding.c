#include "native.h"

#include "base/file.h"
#include "release.h"

#include <fcntl.h>
#include <unistd.h>

#define READ_STEP ((size_t)256 << 10)

/* Hashing shorter Strings takes less time than reacquiring the GVL. */
#define KEEP_GVL_BELOW ((size_t)64 << 10)

typedef struct hashing {
    char *path;
    spate_digest_kind kind;
    uint8_t out[SPATE_DIGEST_MAX];
    spate_error error;
} hashing;

static spate_status hash_open_file(hashing *h, int descriptor, const spate_cancel *cancel) {
    spate_digest *digest = NULL;
    uint8_t *step = malloc(READ_STEP);
    spate_status status = step ? spate_digest_new(&digest, h->kind) : SPATE_NO_MEMORY;
    if (status != SPATE_OK)
        spate_fail(&h->error, status, h->path, "no memory for a digest");
    for (int64_t got = 1; status == SPATE_OK && got > 0;) {
        got = spate_read_full(descriptor, step, READ_STEP);
        if (cancel->requested)
            status = spate_fail(&h->error, SPATE_CANCELLED, h->path, "cancelled");
        else if (got < 0)
            status = spate_fail_errno(&h->error, h->path, "read");
        else if ((status = spate_digest_update(digest, step, (size_t)got)) != SPATE_OK)
            spate_fail(&h->error, status, h->path, "no digest could be computed");
    }
    if (status == SPATE_OK)
        status = spate_digest_finish(digest, h->out);
    spate_digest_free(digest);
    free(step);
    return status;
}

static spate_status hash_file(void *context, const spate_cancel *cancel) {
    hashing *h = context;
    int descriptor = open(h->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return spate_fail_errno(&h->error, h->path, "open");
    spate_status status = hash_open_file(h, descriptor, cancel);
    close(descriptor);
    return status;
}

static VALUE hash_file_body(VALUE argument) {
    hashing *h = (hashing *)argument;
    if (spate_release(hash_file, h) != SPATE_OK)
        spate_raise(&h->error);
    return spate_hex_string(h->out, spate_digest_bytes(h->kind));
}

static VALUE free_path(VALUE argument) {
    ruby_xfree(((hashing *)argument)->path);
    return Qnil;
}

static VALUE file_digest(VALUE path, spate_digest_kind kind) {
    hashing h = {.path = spate_copy_path(path), .kind = kind};
    return rb_ensure(hash_file_body, (VALUE)&h, free_path, (VALUE)&h);
}

/* Hex digest of a file's bytes. */
static VALUE native_sha256_file(VALUE self, VALUE path) {
    return file_digest(path, SPATE_SHA256);
}

static VALUE native_sha512_file(VALUE self, VALUE path) {
    return file_digest(path, SPATE_SHA512);
}

typedef struct message {
    uint8_t *bytes;
    size_t length;
    uint8_t out[SPATE_DIGEST_MAX];
} message;

static spate_status hash_message(void *context, const spate_cancel *cancel) {
    message *m = context;
    return spate_digest_once(SPATE_SHA256, m->bytes, m->length, m->out);
}

static VALUE hash_message_body(VALUE argument) {
    message *m = (message *)argument;
    if (spate_release(hash_message, m) != SPATE_OK)
        rb_raise(spate_native_error, "no SHA-256 could be computed");
    return spate_hex_string(m->out, SPATE_SHA256_BYTES);
}

static VALUE free_message(VALUE argument) {
    ruby_xfree(((message *)argument)->bytes);
    return Qnil;
}

/* Hex SHA-256 of a String's bytes. */
static VALUE native_sha256(VALUE self, VALUE string) {
    message m = {0};
    StringValue(string);
    m.length = (size_t)RSTRING_LEN(string);
    if (m.length < KEEP_GVL_BELOW) {
        if (spate_digest_once(SPATE_SHA256, RSTRING_PTR(string), m.length, m.out) != SPATE_OK)
            rb_raise(spate_native_error, "no SHA-256 could be computed");
        return spate_hex_string(m.out, SPATE_SHA256_BYTES);
    }
    m.bytes = ruby_xmalloc(m.length);
    memcpy(m.bytes, RSTRING_PTR(string), m.length);
    return rb_ensure(hash_message_body, (VALUE)&m, free_message, (VALUE)&m);
}

void spate_init_digest(void) {
    rb_define_singleton_method(spate_native, "sha256", native_sha256, 1);
    rb_define_singleton_method(spate_native, "sha256_file", native_sha256_file, 1);
    rb_define_singleton_method(spate_native, "sha512_file", native_sha512_file, 1);
}
