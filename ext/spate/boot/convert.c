#include "native.h"

#include <stdlib.h>

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

void spate_take_key(VALUE text, uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES]) {
    StringValue(text);
    if (RSTRING_LEN(text) == SPATE_COMPILE_CACHE_KEY_BYTES)
        memcpy(key, RSTRING_PTR(text), SPATE_COMPILE_CACHE_KEY_BYTES);
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
