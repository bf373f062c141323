#include "native.h"
#include "request_fields.h"

#include <ruby/encoding.h>
#include <string.h>

#define COMPRESSION_ERROR 0x9
#define ENHANCE_YOUR_CALM 0xb

typedef struct decoder {
    spate_hpack_decoder hpack;
    spate_hpack_tally tally;
    spate_request_fields check;
    VALUE never_indexed; /* names of the last block's fields that are never to be indexed */
} decoder;

/* What one call of decode works on, for rb_ensure. */
typedef struct decoding {
    VALUE self;
    decoder *decoder;
    VALUE source;
    size_t offset, length;
    bool pinned;
    bool checked;
    bool apart; /* pseudo-header fields have places of their own: see decode_request */
    VALUE fields;
    spate_hpack_status status;
} decoding;

static void decoder_mark(void *pointer) {
    rb_gc_mark(((decoder *)pointer)->never_indexed);
}

static void decoder_free(void *pointer) {
    spate_hpack_decoder_free(&((decoder *)pointer)->hpack);
    xfree(pointer);
}

static size_t decoder_size(const void *pointer) {
    const spate_hpack_decoder *hpack = &((const decoder *)pointer)->hpack;
    return sizeof(decoder) + hpack->table.capacity + hpack->table.entries_capacity * sizeof(spate_hpack_entry) +
           hpack->name.capacity + hpack->value.capacity;
}

static const rb_data_type_t decoder_type = {
    "Spate::Server::Native::HpackDecoder", {decoder_mark, decoder_free, decoder_size}, 0, 0, RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE decoder_alloc(VALUE klass) {
    decoder *d;
    VALUE self = TypedData_Make_Struct(klass, decoder, &decoder_type, d);
    d->never_indexed = Qnil;
    return self;
}

static decoder *decoder_of(VALUE self) {
    return rb_check_typeddata(self, &decoder_type);
}

/* HpackDecoder.new(table_size, max_string, max_bytes, max_fields): bytes, with 32 a field in max_bytes. */
static VALUE decoder_initialize(VALUE self, VALUE table_size, VALUE max_string, VALUE max_bytes, VALUE max_fields) {
    decoder *d = decoder_of(self);
    spate_hpack_decoder_free(&d->hpack);
    spate_hpack_decoder_init(&d->hpack, NUM2UINT(table_size));
    d->hpack.max_string = NUM2SIZET(max_string);
    d->hpack.max_bytes = NUM2SIZET(max_bytes);
    d->hpack.max_fields = NUM2SIZET(max_fields);
    return self;
}

static VALUE decoder_settings(VALUE self, VALUE table_size) {
    spate_hpack_decoder_settings(&decoder_of(self)->hpack, NUM2UINT(table_size));
    return Qnil;
}

static VALUE bytes_to_string(const uint8_t *bytes, size_t length) {
    return rb_enc_str_new((const char *)bytes, (long)length, rb_utf8_encoding());
}

/* Names come again with each request: Ruby's table of frozen Strings has them already. */
static VALUE name_to_string(const uint8_t *bytes, size_t length) {
    return rb_enc_interned_str((const char *)bytes, (long)length, rb_utf8_encoding());
}

/* Where a pseudo-header field's value goes, or -1. */
static int place_of(const spate_hpack_field *field) {
    static const char *const names[] = {":method", ":path", ":scheme", ":authority"};
    for (int i = 0; i < 4; i++)
        if (strlen(names[i]) == field->name_length && memcmp(names[i], field->name, field->name_length) == 0)
            return i;
    return -1;
}

/* Methods and schemes are few, and never changed by anybody. */
static VALUE pseudo_to_string(int place, const spate_hpack_field *field) {
    bool few = place == 0 || place == 2;
    return few ? name_to_string(field->value, field->value_length) : bytes_to_string(field->value, field->value_length);
}

static bool take_field(void *context, const spate_hpack_field *field) {
    decoding *work = context;
    if (work->checked)
        spate_request_fields_take(&work->decoder->check, field);
    int place = work->apart && field->name_length && field->name[0] == ':' ? place_of(field) : -1;
    if (place >= 0) {
        rb_ary_store(work->fields, place, pseudo_to_string(place, field));
        return true;
    }
    VALUE name = name_to_string(field->name, field->name_length);
    rb_ary_push(work->fields, name);
    rb_ary_push(work->fields, bytes_to_string(field->value, field->value_length));
    if (field->never_indexed) {
        decoder *d = work->decoder;
        if (NIL_P(d->never_indexed))
            RB_OBJ_WRITE(work->self, &d->never_indexed, rb_ary_new());
        rb_ary_push(d->never_indexed, name);
    }
    return true;
}

static VALUE decode_pinned(VALUE argument) {
    decoding *work = (decoding *)argument;
    const uint8_t *bytes;
    size_t length;
    if (RB_TYPE_P(work->source, T_STRING)) {
        bytes = (const uint8_t *)RSTRING_PTR(work->source);
        length = (size_t)RSTRING_LEN(work->source);
    } else {
        bytes = spate_bytes->pin(work->source, &length, false);
        work->pinned = true;
    }
    if (work->offset > length || work->length > length - work->offset)
        rb_raise(rb_eIndexError, "a block of %zu bytes at %zu is outside of %zu bytes", work->length, work->offset, length);
    work->status = spate_hpack_decode(&work->decoder->hpack, bytes + work->offset, work->length, take_field, work,
                                      &work->decoder->tally);
    return Qnil;
}

static VALUE decode_unpin(VALUE argument) {
    decoding *work = (decoding *)argument;
    if (work->pinned)
        spate_bytes->unpin(work->source);
    return Qnil;
}

static bool begin_check(spate_request_fields *check, VALUE section) {
    memset(check, 0, sizeof *check);
    if (NIL_P(section))
        return false;
    check->section = SYM2ID(section) == rb_intern("trailers") ? SPATE_TRAILERS : SPATE_REQUEST;
    return true;
}

static VALUE decode(VALUE self, VALUE source, VALUE offset, VALUE length, VALUE section, bool apart) {
    decoder *d = decoder_of(self);
    decoding work = {.self = self, .decoder = d, .source = source, .offset = NUM2SIZET(offset),
                     .length = NUM2SIZET(length), .apart = apart, .fields = rb_ary_new_capa(20)};
    d->never_indexed = Qnil;
    for (int i = 0; apart && i < 4; i++)
        rb_ary_push(work.fields, Qnil);
    work.checked = begin_check(&d->check, section);
    rb_ensure(decode_pinned, (VALUE)&work, decode_unpin, (VALUE)&work);
    RB_GC_GUARD(source);
    if (work.status == SPATE_HPACK_MEMORY)
        rb_raise(rb_eNoMemError, "no memory for a header block");
    if (work.status != SPATE_HPACK_OK)
        spate_raise_connection_error(work.status == SPATE_HPACK_STRING ? ENHANCE_YOUR_CALM : COMPRESSION_ERROR,
                                     spate_hpack_reason(work.status));
    if (work.checked)
        spate_request_fields_end(&d->check);
    return work.fields;
}

/*
 * decode(source, offset, length, section): the block's fields as [name, value, name, value, ...]. `section` is :request,
 * :trailers or nil; with one of them `malformed` says afterwards what was wrong. ConnectionError where the block is.
 */
static VALUE decoder_decode(VALUE self, VALUE source, VALUE offset, VALUE length, VALUE section) {
    return decode(self, source, offset, length, section, false);
}

/*
 * decode_request(source, offset, length): the same for a request, as [method, path, scheme, authority, name, value, ...];
 * nil for each of the four that is not there.
 */
static VALUE decoder_decode_request(VALUE self, VALUE source, VALUE offset, VALUE length) {
    return decode(self, source, offset, length, ID2SYM(rb_intern("request")), true);
}

static VALUE decoder_over(VALUE self) {
    return RBOOL(decoder_of(self)->tally.over);
}

static VALUE decoder_malformed(VALUE self) {
    const char *reason = decoder_of(self)->check.reason;
    return reason ? rb_utf8_str_new_cstr(reason) : Qnil;
}

static VALUE decoder_content_length(VALUE self) {
    const spate_request_fields *check = &decoder_of(self)->check;
    return check->has_length ? ULL2NUM(check->content_length) : Qnil;
}

/* Twice the urgency, and 1 where the response is incremental. */
static VALUE priority_to_number(const spate_priority *priority) {
    return INT2FIX(priority->urgency * 2 + priority->incremental);
}

/* The last request's `priority` field as a number (see HTTP2::Priority), or nil. */
static VALUE decoder_priority(VALUE self) {
    const spate_priority *priority = &decoder_of(self)->check.priority;
    return priority->known ? priority_to_number(priority) : Qnil;
}

/* Native.priority(string): the same of a field's value. */
static VALUE read_priority(VALUE self, VALUE value) {
    spate_priority priority = {false, 0, false};
    Check_Type(value, T_STRING);
    spate_priority_read(&priority, (const uint8_t *)RSTRING_PTR(value), (size_t)RSTRING_LEN(value));
    return priority_to_number(&priority);
}

static VALUE decoder_never_indexed(VALUE self) {
    VALUE names = decoder_of(self)->never_indexed;
    return NIL_P(names) ? rb_ary_new() : names;
}

static VALUE table_to_array(const spate_hpack_table *table) {
    VALUE entries = rb_ary_new();
    for (uint32_t i = 1; i <= table->count; i++) {
        spate_hpack_field field;
        if (!spate_hpack_table_at(table, SPATE_HPACK_STATIC_ENTRIES + i, &field))
            break;
        rb_ary_push(entries, rb_assoc_new(bytes_to_string(field.name, field.name_length),
                                          bytes_to_string(field.value, field.value_length)));
    }
    return entries;
}

static VALUE decoder_table(VALUE self) {
    return table_to_array(&decoder_of(self)->hpack.table);
}

static VALUE decoder_table_size(VALUE self) {
    return SIZET2NUM(decoder_of(self)->hpack.table.size);
}

typedef struct encoder {
    spate_hpack_encoder hpack;
    spate_hpack_output output;
} encoder;

static void encoder_free(void *pointer) {
    encoder *e = pointer;
    spate_hpack_encoder_free(&e->hpack);
    free(e->output.bytes);
    xfree(e);
}

static size_t encoder_size(const void *pointer) {
    const encoder *e = pointer;
    return sizeof *e + e->hpack.table.capacity + e->output.capacity +
           e->hpack.table.entries_capacity * sizeof(spate_hpack_entry);
}

static const rb_data_type_t encoder_type = {
    "Spate::Server::Native::HpackEncoder", {NULL, encoder_free, encoder_size}, 0, 0, RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE encoder_alloc(VALUE klass) {
    encoder *e;
    return TypedData_Make_Struct(klass, encoder, &encoder_type, e);
}

static encoder *encoder_struct(VALUE self) {
    return rb_check_typeddata(self, &encoder_type);
}

spate_hpack_encoder *spate_encoder_of(VALUE self) {
    return &encoder_struct(self)->hpack;
}

static VALUE encoder_initialize(VALUE self, VALUE own_size) {
    encoder *e = encoder_struct(self);
    spate_hpack_encoder_free(&e->hpack);
    spate_hpack_encoder_init(&e->hpack, NUM2UINT(own_size));
    return self;
}

static VALUE encoder_settings(VALUE self, VALUE table_size) {
    spate_hpack_encoder_settings(spate_encoder_of(self), NUM2UINT(table_size));
    return Qnil;
}

static void check(spate_hpack_status status) {
    if (status != SPATE_HPACK_OK)
        rb_raise(rb_eNoMemError, "no memory for a header block");
}

static spate_hpack_policy policy_of(VALUE policy) {
    if (NIL_P(policy))
        return SPATE_HPACK_AUTO;
    ID id = rb_sym2id(policy);
    if (id == rb_intern("index"))
        return SPATE_HPACK_INDEX_IT;
    if (id == rb_intern("plain"))
        return SPATE_HPACK_PLAIN;
    if (id == rb_intern("never"))
        return SPATE_HPACK_NEVER;
    rb_raise(rb_eArgError, "policy %" PRIsVALUE " is none of index, plain, never", policy);
}

/* encode(fields, policy = nil): a block of [name, value, name, value, ...], in this order. */
static VALUE encoder_encode(int argc, VALUE *argv, VALUE self) {
    VALUE fields, policy;
    rb_scan_args(argc, argv, "11", &fields, &policy);
    encoder *e = encoder_struct(self);
    spate_hpack_policy how = policy_of(policy);
    Check_Type(fields, T_ARRAY);
    for (long i = 0; i < RARRAY_LEN(fields); i++)
        Check_Type(RARRAY_AREF(fields, i), T_STRING);
    e->output.length = 0;
    check(spate_hpack_encode_begin(&e->hpack, &e->output));
    for (long i = 0; i + 1 < RARRAY_LEN(fields); i += 2) {
        VALUE name = RARRAY_AREF(fields, i), value = RARRAY_AREF(fields, i + 1);
        spate_hpack_field field = {(const uint8_t *)RSTRING_PTR(name), (size_t)RSTRING_LEN(name),
                                   (const uint8_t *)RSTRING_PTR(value), (size_t)RSTRING_LEN(value), false};
        check(spate_hpack_encode(&e->hpack, &field, how, &e->output));
    }
    return rb_str_new((const char *)e->output.bytes, (long)e->output.length);
}

static VALUE encoder_table(VALUE self) {
    return table_to_array(&spate_encoder_of(self)->table);
}

static VALUE encoder_table_size(VALUE self) {
    return SIZET2NUM(spate_encoder_of(self)->table.size);
}

#define NAME_BYTES 256

typedef struct block {
    spate_hpack_encoder *encoder;
    spate_hpack_output *output;
} block;

/* RFC 9113, section 8.2.2: what a handler made for HTTP/1.1 may set. */
static bool about_the_connection(const uint8_t *name, size_t length) {
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
            rb_raise(rb_eArgError, "the value of %" PRIsVALUE " has a line break or a zero byte", name);
    }
}

static int check_pair(VALUE name, VALUE value, VALUE unused) {
    Check_Type(name, T_STRING);
    if (RSTRING_LEN(name) == 0 || RSTRING_LEN(name) > NAME_BYTES)
        rb_raise(rb_eArgError, "a field's name of %ld bytes: 1 to %d are possible", RSTRING_LEN(name), NAME_BYTES);
    for (long i = 0; i < RSTRING_LEN(name); i++) {
        uint8_t c = (uint8_t)RSTRING_PTR(name)[i];
        if (c <= ' ' || c >= 127 || c == ':')
            rb_raise(rb_eArgError, "the field's name %+" PRIsVALUE " has a character that no name has", name);
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
    check(spate_hpack_encode(b->encoder, &field, SPATE_HPACK_AUTO, b->output));
}

static int append_pair(VALUE name, VALUE value, VALUE argument) {
    const block *b = (const block *)argument;
    uint8_t lower[NAME_BYTES];
    size_t length = (size_t)RSTRING_LEN(name);
    for (size_t i = 0; i < length; i++) {
        uint8_t c = (uint8_t)RSTRING_PTR(name)[i];
        lower[i] = c >= 'A' && c <= 'Z' ? c | 0x20 : c;
    }
    if (about_the_connection(lower, length))
        return ST_CONTINUE;
    if (!RB_TYPE_P(value, T_ARRAY)) {
        append(b, lower, length, value);
        return ST_CONTINUE;
    }
    for (long i = 0; i < RARRAY_LEN(value); i++)
        append(b, lower, length, RARRAY_AREF(value, i));
    return ST_CONTINUE;
}

void spate_encode_block(spate_hpack_encoder *encoder, VALUE status, VALUE fields, spate_hpack_output *output) {
    block b = {encoder, output};
    Check_Type(fields, T_HASH);
    unsigned number = NIL_P(status) ? 100 : NUM2UINT(status);
    if (number < 100 || number > 999)
        rb_raise(rb_eArgError, "status %u is outside of 100 to 999", number);
    if (number == 101) /* RFC 9113, section 8.6 */
        rb_raise(rb_eArgError, "status 101 is of HTTP/1.1");
    rb_hash_foreach(fields, check_pair, Qnil);
    check(spate_hpack_encode_begin(encoder, output));
    if (!NIL_P(status)) {
        char digits[16];
        snprintf(digits, sizeof digits, "%u", number);
        spate_hpack_field field = {(const uint8_t *)":status", 7, (const uint8_t *)digits, 3, false};
        check(spate_hpack_encode(encoder, &field, SPATE_HPACK_INDEX_IT, output));
    }
    rb_hash_foreach(fields, append_pair, (VALUE)&b);
}

void spate_init_hpack(VALUE native) {
    VALUE d = rb_define_class_under(native, "HpackDecoder", rb_cObject);
    rb_define_alloc_func(d, decoder_alloc);
    rb_define_method(d, "initialize", decoder_initialize, 4);
    rb_define_method(d, "settings", decoder_settings, 1);
    rb_define_method(d, "decode", decoder_decode, 4);
    rb_define_method(d, "decode_request", decoder_decode_request, 3);
    rb_define_method(d, "over?", decoder_over, 0);
    rb_define_method(d, "malformed", decoder_malformed, 0);
    rb_define_method(d, "content_length", decoder_content_length, 0);
    rb_define_method(d, "priority", decoder_priority, 0);
    rb_define_method(d, "never_indexed", decoder_never_indexed, 0);
    rb_define_singleton_method(native, "priority", read_priority, 1);
    rb_define_method(d, "table", decoder_table, 0);
    rb_define_method(d, "table_size", decoder_table_size, 0);
    VALUE e = rb_define_class_under(native, "HpackEncoder", rb_cObject);
    rb_define_alloc_func(e, encoder_alloc);
    rb_define_method(e, "initialize", encoder_initialize, 1);
    rb_define_method(e, "settings", encoder_settings, 1);
    rb_define_method(e, "encode", encoder_encode, -1);
    rb_define_method(e, "table", encoder_table, 0);
    rb_define_method(e, "table_size", encoder_table_size, 0);
}
