#include "native.h"

/* Native::HpackEncoder: encodes the header blocks of one connection. RFC 7541. */

typedef struct encoder {
    spate_hpack_encoder hpack;
    spate_hpack_output output; /* result of encode */
    spate_hpack_output block;  /* result of spate_encoder_block; if it is reusable, the members below describe it */
    VALUE fields, status;
    uint32_t inserted, count;
} encoder;

static void encoder_mark(void *pointer) {
    rb_gc_mark(((encoder *)pointer)->fields);
}

static void encoder_free(void *pointer) {
    encoder *e = pointer;
    spate_hpack_encoder_free(&e->hpack);
    free(e->output.bytes);
    free(e->block.bytes);
    xfree(e);
}

static size_t encoder_size(const void *pointer) {
    const encoder *e = pointer;
    return sizeof *e + e->hpack.table.capacity + e->output.capacity + e->block.capacity +
           e->hpack.table.entries_capacity * sizeof(spate_hpack_entry);
}

static const rb_data_type_t encoder_type = {"Spate::Server::Native::HpackEncoder",
                                            {encoder_mark, encoder_free, encoder_size},
                                            0,
                                            0,
                                            RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE encoder_alloc(VALUE klass) {
    encoder *e;
    VALUE self = TypedData_Make_Struct(klass, encoder, &encoder_type, e);
    e->fields = e->status = Qnil;
    return self;
}

static encoder *encoder_struct(VALUE self) {
    return rb_check_typeddata(self, &encoder_type);
}

static spate_hpack_encoder *encoder_of(VALUE self) {
    return &encoder_struct(self)->hpack;
}

static VALUE encoder_initialize(VALUE self, VALUE own_size) {
    encoder *e = encoder_struct(self);
    spate_hpack_encoder_free(&e->hpack);
    spate_hpack_encoder_init(&e->hpack, NUM2UINT(own_size));
    e->fields = Qnil;
    return self;
}

static VALUE encoder_settings(VALUE self, VALUE table_size) {
    spate_hpack_encoder_settings(encoder_of(self), NUM2UINT(table_size));
    return Qnil;
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
    rb_raise(rb_eArgError, "unknown policy %" PRIsVALUE ", expected index, plain or never", policy);
}

/*
 * encode(fields, policy = nil): returns the block of [name, value, name, value, ...]. policy: :index, :plain, :never or
 * nil.
 */
static VALUE encoder_encode(int argc, VALUE *argv, VALUE self) {
    VALUE fields, policy;
    rb_scan_args(argc, argv, "11", &fields, &policy);
    encoder *e = encoder_struct(self);
    spate_hpack_policy how = policy_of(policy);
    Check_Type(fields, T_ARRAY);
    for (long i = 0; i < RARRAY_LEN(fields); i++)
        Check_Type(RARRAY_AREF(fields, i), T_STRING);
    e->output.length = 0;
    spate_check_encoded(spate_hpack_encode_begin(&e->hpack, &e->output));
    for (long i = 0; i + 1 < RARRAY_LEN(fields); i += 2) {
        VALUE name = RARRAY_AREF(fields, i), value = RARRAY_AREF(fields, i + 1);
        spate_hpack_field field = {(const uint8_t *)RSTRING_PTR(name), (size_t)RSTRING_LEN(name),
                                   (const uint8_t *)RSTRING_PTR(value), (size_t)RSTRING_LEN(value), false};
        spate_check_encoded(spate_hpack_encode(&e->hpack, &field, how, &e->output));
    }
    return rb_str_new((const char *)e->output.bytes, (long)e->output.length);
}

static int count_unfrozen(VALUE name, VALUE value, VALUE argument) {
    if (!OBJ_FROZEN(name) || !RB_TYPE_P(value, T_STRING) || !OBJ_FROZEN(value))
        *(unsigned *)argument += 1;
    return ST_CONTINUE;
}

/*
 * Whether the previous block can be reused: it inserted nothing into the table, the table has not changed since, and
 * the frozen fields are the same. A frequently requested file's block is therefore encoded only once.
 */
static bool is_same_block(const encoder *e, VALUE status, VALUE fields) {
    return fields == e->fields && status == e->status && e->hpack.table.inserted == e->inserted &&
           e->hpack.table.count == e->count && !e->hpack.update_due;
}

const spate_hpack_output *spate_encoder_block(VALUE self, VALUE status, VALUE fields) {
    encoder *e = encoder_struct(self);
    if (is_same_block(e, status, fields))
        return &e->block;
    uint32_t inserted = e->hpack.table.inserted;
    bool update = e->hpack.update_due;
    unsigned unfrozen = 0;
    e->fields = Qnil;
    e->block.length = 0;
    spate_encode_response(&e->hpack, status, fields, &e->block);
    if (update || e->hpack.table.inserted != inserted || !OBJ_FROZEN(fields))
        return &e->block;
    rb_hash_foreach(fields, count_unfrozen, (VALUE)&unfrozen);
    if (unfrozen)
        return &e->block;
    e->fields = fields;
    e->status = status;
    e->inserted = e->hpack.table.inserted;
    e->count = e->hpack.table.count;
    return &e->block;
}

static VALUE encoder_table(VALUE self) {
    return spate_table_array(&encoder_of(self)->table);
}

static VALUE encoder_table_size(VALUE self) {
    return SIZET2NUM(encoder_of(self)->table.size);
}

void spate_init_hpack_encoder(VALUE native) {
    VALUE e = rb_define_class_under(native, "HpackEncoder", rb_cObject);
    rb_define_alloc_func(e, encoder_alloc);
    rb_define_method(e, "initialize", encoder_initialize, 1);
    rb_define_method(e, "settings", encoder_settings, 1);
    rb_define_method(e, "encode", encoder_encode, -1);
    rb_define_method(e, "table", encoder_table, 0);
    rb_define_method(e, "table_size", encoder_table_size, 0);
}
