#include "native.h"
#include "request_fields.h"

#include <string.h>

/* Native::HpackDecoder: decodes and checks a client's header blocks. RFC 7541; RFC 9113, section 8. */

#define COMPRESSION_ERROR 0x9
#define ENHANCE_YOUR_CALM 0xb

typedef struct decoder {
    spate_hpack_decoder hpack;
    spate_hpack_totals totals;
    spate_request_fields check;
    VALUE never_indexed; /* names of never-indexed fields in the last block, or nil */
} decoder;

/* Arguments and result of one decode call, for rb_ensure. */
typedef struct decoding {
    VALUE self;
    decoder *decoder;
    VALUE source;
    size_t offset, length;
    bool pinned;
    bool checked;
    bool apart; /* pseudo-header fields have fixed positions: see decode_request */
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

static const rb_data_type_t decoder_type = {"Spate::Server::Native::HpackDecoder",
                                            {decoder_mark, decoder_free, decoder_size},
                                            0,
                                            0,
                                            RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE decoder_alloc(VALUE klass) {
    decoder *d;
    VALUE self = TypedData_Make_Struct(klass, decoder, &decoder_type, d);
    d->never_indexed = Qnil;
    return self;
}

static decoder *decoder_of(VALUE self) {
    return rb_check_typeddata(self, &decoder_type);
}

/* HpackDecoder.new(table_size, max_string, max_bytes, max_fields): sizes in bytes; max_bytes counts 32 per field. */
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

/* Interns the name, because field names repeat with each request. */
static VALUE name_to_string(const uint8_t *bytes, size_t length) {
    return rb_enc_interned_str((const char *)bytes, (long)length, rb_utf8_encoding());
}

/* The position of a pseudo-header field in the result of decode_request, or -1. */
static int place_of(const spate_hpack_field *field) {
    static const char *const names[] = {":method", ":path", ":scheme", ":authority"};
    for (int i = 0; i < 4; i++)
        if (strlen(names[i]) == field->name_length && memcmp(names[i], field->name, field->name_length) == 0)
            return i;
    return -1;
}

/* Interns methods and schemes, because they repeat. */
static VALUE pseudo_to_string(int place, const spate_hpack_field *field) {
    bool repeats = place == 0 || place == 2;
    return repeats ? name_to_string(field->value, field->value_length)
                   : spate_field_string(field->value, field->value_length);
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
    rb_ary_push(work->fields, spate_field_string(field->value, field->value_length));
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
        rb_raise(rb_eIndexError, "a block of %zu bytes at %zu is outside of %zu bytes", work->length, work->offset,
                 length);
    work->status = spate_hpack_decode(&work->decoder->hpack, bytes + work->offset, work->length, take_field, work,
                                      &work->decoder->totals);
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
    decoding work = {.self = self,
                     .decoder = d,
                     .source = source,
                     .offset = NUM2SIZET(offset),
                     .length = NUM2SIZET(length),
                     .apart = apart,
                     .fields = rb_ary_new_capa(20)};
    d->never_indexed = Qnil;
    for (int i = 0; apart && i < 4; i++)
        rb_ary_push(work.fields, Qnil);
    work.checked = begin_check(&d->check, section);
    rb_ensure(decode_pinned, (VALUE)&work, decode_unpin, (VALUE)&work);
    RB_GC_GUARD(source);
    if (work.status == SPATE_HPACK_MEMORY)
        rb_raise(rb_eNoMemError, "out of memory for a header block");
    if (work.status != SPATE_HPACK_OK)
        spate_raise_connection_error(work.status == SPATE_HPACK_STRING ? ENHANCE_YOUR_CALM : COMPRESSION_ERROR,
                                     spate_hpack_reason(work.status));
    if (work.checked)
        spate_request_fields_end(&d->check);
    return work.fields;
}

/*
 * decode(source, offset, length, section): decodes a block in a String or ArrayBuffer to [name, value, name, value,
 * ...]. section: :request or :trailers to check the fields (see `malformed`), or nil. Raises ConnectionError for an
 * invalid block, IndexError.
 */
static VALUE decoder_decode(VALUE self, VALUE source, VALUE offset, VALUE length, VALUE section) {
    return decode(self, source, offset, length, section, false);
}

/*
 * decode_request(source, offset, length): decodes the block of a request: [method, path, scheme, authority, name,
 * value, ...]. Missing pseudo-header fields are nil.
 */
static VALUE decoder_decode_request(VALUE self, VALUE source, VALUE offset, VALUE length) {
    return decode(self, source, offset, length, ID2SYM(rb_intern("request")), true);
}

/* over?: whether the last block exceeded a limit. */
static VALUE decoder_over(VALUE self) {
    return RBOOL(decoder_of(self)->totals.over);
}

/* malformed: why the fields of the last block are malformed, or nil. */
static VALUE decoder_malformed(VALUE self) {
    const char *reason = decoder_of(self)->check.reason;
    return reason ? rb_utf8_str_new_cstr(reason) : Qnil;
}

static VALUE decoder_content_length(VALUE self) {
    const spate_request_fields *check = &decoder_of(self)->check;
    return check->has_length ? ULL2NUM(check->content_length) : Qnil;
}

/* Returns a priority as a number: twice the urgency, plus 1 if incremental. */
static VALUE priority_to_number(const spate_priority *priority) {
    return INT2FIX(priority->urgency * 2 + priority->incremental);
}

/* priority: the last request's `priority` field as a number (see HTTP2::Stream::DEFAULT_PRIORITY), or nil. */
static VALUE decoder_priority(VALUE self) {
    const spate_priority *priority = &decoder_of(self)->check.priority;
    return priority->known ? priority_to_number(priority) : Qnil;
}

/* Native.priority(string): returns the value of a `priority` field as a number, like `priority`. */
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

static VALUE decoder_table(VALUE self) {
    return spate_table_array(&decoder_of(self)->hpack.table);
}

static VALUE decoder_table_size(VALUE self) {
    return SIZET2NUM(decoder_of(self)->hpack.table.size);
}

void spate_init_hpack_decoder(VALUE native) {
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
}
