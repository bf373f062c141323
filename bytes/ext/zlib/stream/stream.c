#include "stream/zstream.h"

/* Class ZStream. */

VALUE spate_zlib_stream_class;

static void mark(void *data) {
    spate_zstream_mark(data);
}

static void release(void *data) {
    spate_zstream_free(data);
    xfree(data);
}

static size_t size(const void *data) {
    return sizeof(spate_zstream) + spate_zstream_size(data);
}

static const rb_data_type_t stream_type = {
    .wrap_struct_name = "Spate::Zlib::ZStream",
    .function = {.dmark = mark, .dfree = release, .dsize = size},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

VALUE spate_zstream_allocate(VALUE class, spate_direction direction) {
    spate_zstream *z;
    VALUE self = TypedData_Make_Struct(class, spate_zstream, &stream_type, z);
    spate_zstream_init(z, direction, self);
    return self;
}

spate_zstream *spate_zstream_of(VALUE self) {
    return rb_check_typeddata(self, &stream_type);
}

spate_zstream *spate_zstream_ready(VALUE self) {
    spate_zstream *z = spate_zstream_of(self);
    if (!z->ready)
        rb_raise(spate_zlib_error, "stream is not ready");
    return z;
}

static VALUE avail_out(VALUE self) {
    const spate_zstream *z = spate_zstream_of(self);
    return SIZET2NUM(z->output.capacity - z->output.length);
}

static VALUE set_avail_out(VALUE self, VALUE room) {
    spate_zstream *z = spate_zstream_ready(self);
    int bytes = FIX2INT(room);
    if (bytes < 0)
        rb_raise(rb_eArgError, "negative string size (or size too big)");
    spate_zstream_claim(z);
    spate_zstream_reserve(z, (size_t)bytes);
    return room;
}

static VALUE avail_in(VALUE self) {
    return SIZET2NUM(spate_zstream_input_length(spate_zstream_of(self)));
}

static VALUE total_in(VALUE self) {
    return ULONG2NUM(spate_zstream_ready(self)->zlib.total_in);
}

static VALUE total_out(VALUE self) {
    return ULONG2NUM(spate_zstream_ready(self)->zlib.total_out);
}

static VALUE data_type(VALUE self) {
    return INT2FIX(spate_zstream_ready(self)->zlib.data_type);
}

static VALUE adler(VALUE self) {
    return ULONG2NUM(spate_zstream_ready(self)->zlib.adler);
}

static VALUE is_finished(VALUE self) {
    return spate_zstream_ready(self)->finished ? Qtrue : Qfalse;
}

static VALUE is_closed(VALUE self) {
    return spate_zstream_of(self)->ready ? Qfalse : Qtrue;
}

static VALUE close_stream(VALUE self) {
    spate_zstream_end(spate_zstream_ready(self));
    return Qnil;
}

static VALUE reset(VALUE self) {
    spate_zstream_reset(spate_zstream_ready(self));
    return Qnil;
}

static VALUE finish(VALUE self) {
    spate_zstream *z = spate_zstream_ready(self);
    spate_zstream_claim(z);
    return spate_zstream_run(z, SPATE_ZSTREAM_CALL(.flush = Z_FINISH, .returns_output = true));
}

static VALUE flush_next_in(VALUE self) {
    spate_zstream *z = spate_zstream_of(self);
    if (z->ready)
        spate_zstream_claim(z);
    return spate_zstream_detach_input(z);
}

static VALUE flush_next_out(VALUE self) {
    spate_zstream *z = spate_zstream_of(self);
    if (z->ready)
        spate_zstream_claim(z);
    return spate_zstream_take_output(z);
}

/* Defined for Deflate and Inflate, but not for ZStream, as in Ruby's zlib library. */
VALUE spate_zstream_set_dictionary(VALUE self, VALUE dictionary) {
    spate_zstream *z = spate_zstream_ready(self);
    VALUE bytes = dictionary;
    StringValue(bytes);
    spate_zstream_claim(z);
    const Bytef *from = (const Bytef *)RSTRING_PTR(bytes);
    uInt length = (uInt)RSTRING_LENINT(bytes);
    int answer = z->direction == SPATE_INFLATES ? inflateSetDictionary(&z->zlib, from, length)
                                                : deflateSetDictionary(&z->zlib, from, length);
    RB_GC_GUARD(bytes);
    if (answer != Z_OK)
        spate_zlib_raise(answer, z->zlib.msg);
    return dictionary;
}

void spate_init_stream(VALUE zlib) {
    VALUE stream = rb_define_class_under(zlib, "ZStream", rb_cObject);
    spate_zlib_stream_class = stream;
    rb_undef_alloc_func(stream);
    rb_define_method(stream, "avail_out", avail_out, 0);
    rb_define_method(stream, "avail_out=", set_avail_out, 1);
    rb_define_method(stream, "avail_in", avail_in, 0);
    rb_define_method(stream, "total_in", total_in, 0);
    rb_define_method(stream, "total_out", total_out, 0);
    rb_define_method(stream, "data_type", data_type, 0);
    rb_define_method(stream, "adler", adler, 0);
    rb_define_method(stream, "finished?", is_finished, 0);
    rb_define_method(stream, "stream_end?", is_finished, 0);
    rb_define_method(stream, "closed?", is_closed, 0);
    rb_define_method(stream, "ended?", is_closed, 0);
    rb_define_method(stream, "close", close_stream, 0);
    rb_define_method(stream, "end", close_stream, 0);
    rb_define_method(stream, "reset", reset, 0);
    rb_define_method(stream, "finish", finish, 0);
    rb_define_method(stream, "flush_next_in", flush_next_in, 0);
    rb_define_method(stream, "flush_next_out", flush_next_out, 0);
}
