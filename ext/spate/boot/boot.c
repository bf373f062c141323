#include "native.h"

#include <stdlib.h>

VALUE spate_native;

VALUE spate_utf8(const char *text, size_t length) {
    return rb_utf8_str_new(text, (long)length);
}

VALUE spate_hex_string(const uint8_t *bytes, size_t length) {
    static const char digits[] = "0123456789abcdef";
    VALUE hex = rb_usascii_str_new(NULL, 2 * (long)length);
    char *out = RSTRING_PTR(hex);
    for (size_t i = 0; i < length; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    return hex;
}

static int digit_of(char text) {
    if (text >= '0' && text <= '9')
        return text - '0';
    return text >= 'a' && text <= 'f' ? text - 'a' + 10 : -1;
}

void spate_take_hex16(VALUE hex, uint8_t bytes[16]) {
    bool right = RB_TYPE_P(hex, T_STRING) && RSTRING_LEN(hex) == 32;
    for (int i = 0; right && i < 16; i++) {
        int high = digit_of(RSTRING_PTR(hex)[2 * i]);
        int low = digit_of(RSTRING_PTR(hex)[2 * i + 1]);
        right = high >= 0 && low >= 0;
        bytes[i] = right ? (uint8_t)(high << 4 | low) : 0;
    }
    if (!right)
        rb_raise(rb_eArgError, "not 32 hex digits: %" PRIsVALUE, rb_inspect(hex));
}

void spate_take_key(VALUE text, uint8_t key[SPATE_IMAGE_KEY_BYTES]) {
    StringValue(text);
    if (RSTRING_LEN(text) == SPATE_IMAGE_KEY_BYTES)
        memcpy(key, RSTRING_PTR(text), SPATE_IMAGE_KEY_BYTES);
    else
        spate_take_hex16(text, key);
}

void spate_raise(const spate_error *error) {
    VALUE message = rb_enc_sprintf(rb_utf8_encoding(), "%s", error->message);
    if (error->status == SPATE_NO_MEMORY)
        rb_memerror();
    if (error->status == SPATE_SYSTEM)
        rb_syserr_fail(error->system_errno, error->member);
    rb_exc_raise(rb_exc_new_str(rb_eArgError, message));
}

bool spate_trusts_owners(void) {
    const char *value = getenv("SPATE_TRUST_STORE");
    return value && strcmp(value, "1") == 0;
}

/*
 * content_hash(path) or content_hash(nil, bytes): 32 hex digits, SipHash-2-4-128 of the content under a fixed key; nil
 * for a file that cannot be read.
 */
static VALUE native_content_hash(int argc, VALUE *argv, VALUE self) {
    VALUE path;
    VALUE bytes;
    uint8_t hash[SPATE_SIPHASH_BYTES];
    rb_scan_args(argc, argv, "11", &path, &bytes);
    if (NIL_P(path)) {
        StringValue(bytes);
        spate_siphash_of(RSTRING_PTR(bytes), (size_t)RSTRING_LEN(bytes), hash);
        RB_GC_GUARD(bytes);
    } else {
        path = rb_get_path(path);
        if (!spate_source_hash(StringValueCStr(path), hash))
            return Qnil;
    }
    return spate_hex_string(hash, sizeof(hash));
}

/* [size, mtime_ns, ctime_ns, device, inode] of what the path leads to (file or folder), nil where there is nothing. */
static VALUE native_stat(VALUE self, VALUE path) {
    spate_source source;
    path = rb_get_path(path);
    if (!spate_source_stat(StringValueCStr(path), &source))
        return Qnil;
    return rb_ary_new_from_args(5, ULL2NUM(source.size), LL2NUM(source.mtime_ns), LL2NUM(source.ctime_ns),
                                ULL2NUM(source.device), ULL2NUM(source.inode));
}

RUBY_FUNC_EXPORTED void Init_boot(void) {
    VALUE spate = rb_define_module("Spate");
    spate_native = rb_define_module_under(spate, "Native");
    rb_define_singleton_method(spate_native, "content_hash", native_content_hash, -1);
    rb_define_singleton_method(spate_native, "stat", native_stat, 1);
    spate_init_image(spate_native);
    spate_init_loader(spate_native);
#ifdef SPATE_HAVE_INDEX
    spate_init_index(spate_native);
#endif
}
