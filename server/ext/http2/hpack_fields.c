#include "native.h"

#include <stdio.h>
#include <string.h>

/* Conversion of fields between Ruby and HPACK. A response's fields are all checked before the first is encoded. */

#define NAME_BYTES 256

typedef struct block {
    spate_hpack_encoder *encoder;
    spate_hpack_output *output;
} block;

/* RFC 9113, section 8.2.2: these fields are dropped, because handlers written for HTTP/1.1 may set them. */
static bool is_connection_specific(const uint8_t *name, size_t length) {
    static const char *const names[] = {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    return false;
}

static void check_value(VALUE name, VALUE value) {
    Check_Type(value, T_STRING);
    for (long i = 0; i < RSTRING_LEN(value); i++) {
        char c = RSTRING_PTR(value)[i];
        if (c == 0 || c == '\r' || c == '\n')
            rb_raise(rb_eArgError, "the value of %" PRIsVALUE " has a line break or a null byte", name);
    }
}

static int check_pair(VALUE name, VALUE value, VALUE unused) {
    Check_Type(name, T_STRING);
    if (RSTRING_LEN(name) == 0 || RSTRING_LEN(name) > NAME_BYTES)
        rb_raise(rb_eArgError, "a field name has %ld bytes, expected 1 to %d", RSTRING_LEN(name), NAME_BYTES);
    for (long i = 0; i < RSTRING_LEN(name); i++) {
        uint8_t c = (uint8_t)RSTRING_PTR(name)[i];
        if (c <= ' ' || c >= 127 || c == ':')
            rb_raise(rb_eArgError, "invalid character in the field name %+" PRIsVALUE, name);
    }
    if (!RB_TYPE_P(value, T_ARRAY)) {
        check_value(name, value);
        return ST_CONTINUE;
    }
    for (long i = 0; i < RARRAY_LEN(value); i++)
        check_value(name, RARRAY_AREF(value, i));
    return ST_CONTINUE;
}

static void append(const block *b, const uint8_t *name, size_t length, VALUE value) {
    spate_hpack_field field = {name, length, (const uint8_t *)RSTRING_PTR(value), (size_t)RSTRING_LEN(value), false};
    spate_check_encoded(spate_hpack_encode(b->encoder, &field, SPATE_HPACK_AUTO, b->output));
}

static int append_pair(VALUE name, VALUE value, VALUE argument) {
    const block *b = (const block *)argument;
    uint8_t lower[NAME_BYTES];
    size_t length = (size_t)RSTRING_LEN(name);
    for (size_t i = 0; i < length; i++) {
        uint8_t c = (uint8_t)RSTRING_PTR(name)[i];
        lower[i] = c >= 'A' && c <= 'Z' ? c | 0x20 : c;
    }
    if (is_connection_specific(lower, length))
        return ST_CONTINUE;
    if (!RB_TYPE_P(value, T_ARRAY)) {
        append(b, lower, length, value);
        return ST_CONTINUE;
    }
    for (long i = 0; i < RARRAY_LEN(value); i++)
        append(b, lower, length, RARRAY_AREF(value, i));
    return ST_CONTINUE;
}

void spate_encode_response(spate_hpack_encoder *encoder, VALUE status, VALUE fields, spate_hpack_output *output) {
    block b = {encoder, output};
    Check_Type(fields, T_HASH);
    unsigned number = NIL_P(status) ? 100 : NUM2UINT(status);
    if (number < 100 || number > 999)
        rb_raise(rb_eArgError, "status %u is outside of 100 to 999", number);
    if (number == 101) /* RFC 9113, section 8.6 */
        rb_raise(rb_eArgError, "status 101 is not allowed in HTTP/2");
    rb_hash_foreach(fields, check_pair, Qnil);
    spate_check_encoded(spate_hpack_encode_begin(encoder, output));
    if (!NIL_P(status)) {
        char digits[16];
        snprintf(digits, sizeof digits, "%u", number);
        spate_hpack_field field = {(const uint8_t *)":status", 7, (const uint8_t *)digits, 3, false};
        spate_check_encoded(spate_hpack_encode(encoder, &field, SPATE_HPACK_INDEX_IT, output));
    }
    rb_hash_foreach(fields, append_pair, (VALUE)&b);
}

VALUE spate_table_array(const spate_hpack_table *table) {
    VALUE entries = rb_ary_new();
    for (uint32_t i = 1; i <= table->count; i++) {
        spate_hpack_field field;
        if (!spate_hpack_table_at(table, SPATE_HPACK_STATIC_ENTRIES + i, &field))
            break;
        rb_ary_push(entries, rb_assoc_new(spate_field_string(field.name, field.name_length),
                                          spate_field_string(field.value, field.value_length)));
    }
    return entries;
}
