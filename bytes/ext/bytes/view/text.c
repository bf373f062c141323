#include "view/view.h"

/* Conversions between bytes and hex or base64, as for Uint8Array in ECMA-262 (23.2.6 in the 2026 edition). */

static ID id_alphabet, id_omit_padding, id_omitPadding, id_last_chunk_handling, id_lastChunkHandling;

/* ---- The codecs: bytes to bytes ---------------------------------------------------------------------------------- */

typedef enum last_chunk { LOOSE, STRICT, STOP_BEFORE_PARTIAL } last_chunk;

typedef struct decoding {
    const char *text;
    size_t length;
    uint8_t *out;
    size_t room;
    size_t read;       /* characters reported as read */
    size_t written;    /* bytes */
    const char *error; /* the error message, or NULL */
    size_t error_at;   /* the index of the invalid character */
} decoding;

static int hex_digit(char digit) {
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    char lower = digit | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static void fail(decoding *d, const char *error, size_t at) {
    d->error = error;
    d->error_at = at;
}

static void decode_hex(decoding *d) {
    if (d->length % 2) {
        fail(d, "an odd number of hex digits", d->length);
        return;
    }
    while (d->read < d->length && d->written < d->room) {
        int high = hex_digit(d->text[d->read]), low = hex_digit(d->text[d->read + 1]);
        if (high < 0 || low < 0) {
            fail(d, "not a hex digit", d->read + (high >= 0));
            return;
        }
        d->out[d->written++] = (uint8_t)(high << 4 | low);
        d->read += 2;
    }
}

static int base64_digit(char digit, bool url) {
    if (digit >= 'A' && digit <= 'Z')
        return digit - 'A';
    if (digit >= 'a' && digit <= 'z')
        return digit - 'a' + 26;
    if (digit >= '0' && digit <= '9')
        return digit - '0' + 52;
    if (digit == (url ? '-' : '+'))
        return 62;
    return digit == (url ? '_' : '/') ? 63 : -1;
}

static size_t skip_space(const decoding *d, size_t at) {
    while (at < d->length && memchr(" \t\n\f\r", d->text[at], 5))
        at++;
    return at;
}

/* Decodes a chunk of two or three digits. Returns false if `strict` and bits after the last byte are set. */
static bool put_partial(decoding *d, uint32_t bits, int digits, bool strict) {
    uint32_t extra = digits == 2 ? bits & 0x0f : bits & 0x03;
    if (strict && extra)
        return false;
    d->out[d->written++] = (uint8_t)(digits == 2 ? bits >> 4 : bits >> 10);
    if (digits == 3)
        d->out[d->written++] = (uint8_t)(bits >> 2);
    return true;
}

static void end_of_text(decoding *d, uint32_t bits, int digits, last_chunk last) {
    if (digits && last == STOP_BEFORE_PARTIAL)
        return;
    if (digits && (last == STRICT || digits == 1))
        fail(d, "the last chunk is incomplete", d->length);
    else if (digits)
        put_partial(d, bits, digits, false);
    if (!d->error)
        d->read = d->length;
}

/* Called after the first '=' of the padding. */
static void end_of_padding(decoding *d, size_t at, uint32_t bits, int digits, last_chunk last) {
    if (digits < 2) {
        fail(d, "unexpected padding", at - 1);
        return;
    }
    at = skip_space(d, at);
    if (digits == 2) {
        if (at == d->length) {
            if (last != STOP_BEFORE_PARTIAL)
                fail(d, "the padding is incomplete", at);
            return;
        }
        if (d->text[at] == '=')
            at = skip_space(d, at + 1);
    }
    if (at < d->length)
        fail(d, "text after the padding", at);
    else if (!put_partial(d, bits, digits, last == STRICT))
        fail(d, "bits after the last byte are set", d->length);
    else
        d->read = d->length;
}

static void decode_base64(decoding *d, bool url, last_chunk last) {
    uint32_t bits = 0;
    int digits = 0;
    if (d->room == 0)
        return;
    for (size_t at = 0;;) {
        at = skip_space(d, at);
        if (at == d->length) {
            end_of_text(d, bits, digits, last);
            return;
        }
        char character = d->text[at++];
        if (character == '=') {
            end_of_padding(d, at, bits, digits, last);
            return;
        }
        int digit = base64_digit(character, url);
        if (digit < 0) {
            fail(d, "not a base64 digit", at - 1);
            return;
        }
        size_t room = d->room - d->written;
        if ((room == 1 && digits == 2) || (room == 2 && digits == 3))
            return;
        bits = bits << 6 | (uint32_t)digit;
        if (++digits < 4)
            continue;
        for (int shift = 16; shift >= 0; shift -= 8)
            d->out[d->written++] = (uint8_t)(bits >> shift);
        bits = 0;
        digits = 0;
        d->read = at;
        if (d->written == d->room)
            return;
    }
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* Returns an option by its Ruby or JavaScript name. */
static VALUE option(VALUE options, ID name, ID javascript) {
    if (NIL_P(options))
        return Qnil;
    VALUE value = rb_hash_lookup(options, ID2SYM(name));
    return NIL_P(value) ? rb_hash_lookup(options, ID2SYM(javascript)) : value;
}

static void check_options(VALUE options, const ID *known, int count) {
    if (!NIL_P(options))
        rb_get_kwargs(options, known, 0, count, NULL);
}

/* Returns the index of a Symbol or String in `names`, or 0 for nil. */
static int choose(VALUE given, const char *what, const char *const *names, int count) {
    if (NIL_P(given))
        return 0;
    VALUE text = rb_obj_as_string(given);
    for (int i = 0; i < count; i++)
        if (strcmp(StringValueCStr(text), names[i]) == 0)
            return i;
    rb_raise(rb_eArgError, "unknown %s: %" PRIsVALUE, what, rb_inspect(given));
}

static bool take_alphabet(VALUE options) {
    static const char *const names[] = {"base64", "base64url"};
    return choose(option(options, id_alphabet, id_alphabet), "alphabet", names, 2) == 1;
}

static last_chunk take_last_chunk(VALUE options) {
    static const char *const names[] = {"loose", "strict", "stop-before-partial", "stop_before_partial"};
    int chosen = choose(option(options, id_last_chunk_handling, id_lastChunkHandling), "last_chunk_handling", names, 4);
    return chosen > 2 ? STOP_BEFORE_PARTIAL : (last_chunk)chosen;
}

/* ---- Methods ----------------------------------------------------------------------------------------------------- */

/* to_hex: returns two lowercase digits per byte. */
static VALUE array_to_hex(VALUE self) {
    static const char digits[] = "0123456789abcdef";
    spate_bytes bytes = spate_bytes_of(self);
    VALUE text = rb_usascii_str_new(NULL, (long)bytes.length * 2);
    char *to = RSTRING_PTR(text);
    bytes = spate_bytes_of(self);
    for (size_t i = 0; i < bytes.length; i++) {
        *to++ = digits[bytes.data[i] >> 4];
        *to++ = digits[bytes.data[i] & 15];
    }
    return text;
}

/* to_base64(alphabet: "base64", omit_padding: false). RFC 4648 sections 4 and 5. */
static VALUE array_to_base64(int argc, VALUE *argv, VALUE self) {
    static const char standard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char url_safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    VALUE options;
    ID known[3] = {id_alphabet, id_omit_padding, id_omitPadding};
    rb_scan_args(argc, argv, "0:", &options);
    const char *digits = take_alphabet(options) ? url_safe : standard;
    bool padded = !RTEST(option(options, id_omit_padding, id_omitPadding));
    check_options(options, known, 3);
    spate_bytes bytes = spate_bytes_of(self);
    VALUE text = rb_usascii_str_new(NULL, (long)((bytes.length + 2) / 3 * 4));
    bytes = spate_bytes_of(self);
    char *to = RSTRING_PTR(text);
    size_t i = 0;
    for (; i + 2 < bytes.length; i += 3) {
        uint32_t bits = (uint32_t)(bytes.data[i] << 16 | bytes.data[i + 1] << 8 | bytes.data[i + 2]);
        for (int shift = 18; shift >= 0; shift -= 6)
            *to++ = digits[bits >> shift & 63];
    }
    size_t rest = bytes.length - i;
    if (rest) {
        uint32_t bits = (uint32_t)(bytes.data[i] << 16 | (rest == 2 ? bytes.data[i + 1] << 8 : 0));
        *to++ = digits[bits >> 18];
        *to++ = digits[bits >> 12 & 63];
        if (rest == 2)
            *to++ = digits[bits >> 6 & 63];
        for (size_t missing = 3 - rest; padded && missing; missing--)
            *to++ = '=';
    }
    rb_str_set_len(text, to - RSTRING_PTR(text));
    return text;
}

/* The format of the text. */
typedef struct codec {
    bool hex;
    bool url;
    last_chunk last;
} codec;

static codec take_codec(VALUE options, bool hex) {
    ID known[3] = {id_alphabet, id_last_chunk_handling, id_lastChunkHandling};
    codec taken = {.hex = hex, .url = !hex && take_alphabet(options)};
    taken.last = hex ? LOOSE : take_last_chunk(options);
    check_options(options, known, hex ? 0 : 3);
    return taken;
}

static decoding decode(VALUE text, codec as, uint8_t *out, size_t room) {
    decoding d = {.text = RSTRING_PTR(text), .length = (size_t)RSTRING_LEN(text), .out = out, .room = room};
    if (as.hex)
        decode_hex(&d);
    else
        decode_base64(&d, as.url, as.last);
    if (d.error)
        rb_raise(rb_eArgError, "%s at character %zu of %zu", d.error, d.error_at, d.length);
    return d;
}

/* Decodes into a new array. */
static VALUE decode_new(VALUE klass, VALUE text, VALUE options, bool hex) {
    StringValue(text);
    codec as = take_codec(options, hex);
    size_t length = (size_t)RSTRING_LEN(text);
    VALUE room = rb_str_new(NULL, (long)(length / 4 * 3 + 3 + (hex ? length / 2 : 0)));
    decoding d = decode(text, as, (uint8_t *)RSTRING_PTR(room), (size_t)RSTRING_LEN(room));
    VALUE buffer = spate_array_buffer_new(d.written);
    if (d.written)
        memcpy(spate_array_buffer_of(buffer)->data, RSTRING_PTR(room), d.written);
    RB_GC_GUARD(text);
    RB_GC_GUARD(room);
    return rb_class_new_instance(1, &buffer, klass);
}

static VALUE array_s_from_hex(VALUE klass, VALUE text) {
    return decode_new(klass, text, Qnil, true);
}

/* Uint8Array.from_base64(text, alphabet: "base64", last_chunk_handling: "loose"). */
static VALUE array_s_from_base64(int argc, VALUE *argv, VALUE klass) {
    VALUE text, options;
    rb_scan_args(argc, argv, "1:", &text, &options);
    return decode_new(klass, text, options, false);
}

/*
 * Decodes into this array as much as fits. Returns {read: characters, written: bytes}. Bytes before an error are
 * written.
 */
static VALUE decode_into(VALUE self, VALUE text, VALUE options, bool hex) {
    StringValue(text);
    codec as = take_codec(options, hex);
    const spate_view *view = spate_view_of(self);
    spate_view_check_frozen(self, view);
    spate_view_check(view);
    decoding d = decode(text, as, spate_view_data(view), spate_view_bytes(view));
    VALUE result = rb_hash_new();
    rb_hash_aset(result, ID2SYM(rb_intern("read")), SIZET2NUM(d.read));
    rb_hash_aset(result, ID2SYM(rb_intern("written")), SIZET2NUM(d.written));
    RB_GC_GUARD(text);
    return result;
}

static VALUE array_set_from_hex(VALUE self, VALUE text) {
    return decode_into(self, text, Qnil, true);
}

static VALUE array_set_from_base64(int argc, VALUE *argv, VALUE self) {
    VALUE text, options;
    rb_scan_args(argc, argv, "1:", &text, &options);
    return decode_into(self, text, options, false);
}

void spate_init_text(VALUE spate) {
    VALUE klass = rb_const_get(spate, rb_intern("Uint8Array"));
    VALUE meta = rb_singleton_class(klass);
    id_alphabet = rb_intern("alphabet");
    id_omit_padding = rb_intern("omit_padding");
    id_omitPadding = rb_intern("omitPadding");
    id_last_chunk_handling = rb_intern("last_chunk_handling");
    id_lastChunkHandling = rb_intern("lastChunkHandling");
    rb_define_method(klass, "to_hex", array_to_hex, 0);
    rb_define_method(klass, "to_base64", array_to_base64, -1);
    rb_define_method(klass, "set_from_hex", array_set_from_hex, 1);
    rb_define_method(klass, "set_from_base64", array_set_from_base64, -1);
    rb_define_singleton_method(klass, "from_hex", array_s_from_hex, 1);
    rb_define_singleton_method(klass, "from_base64", array_s_from_base64, -1);
    rb_define_alias(klass, "toHex", "to_hex");
    rb_define_alias(klass, "toBase64", "to_base64");
    rb_define_alias(klass, "setFromHex", "set_from_hex");
    rb_define_alias(klass, "setFromBase64", "set_from_base64");
    rb_define_alias(meta, "fromHex", "from_hex");
    rb_define_alias(meta, "fromBase64", "from_base64");
}
