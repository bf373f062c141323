#include "oneshot/oneshot.h"

#include "base/ruby_string.h"
#include "stream/zstream.h"

/* Zlib.inflate, Zlib.deflate, and their settings. */

static VALUE finish_stream(VALUE stream) {
    return rb_funcall(stream, rb_intern("close"), 0);
}

static VALUE deflate_chunks(VALUE arguments) {
    const VALUE *values = (const VALUE *)arguments;
    return spate_zstream_run(spate_zstream_ready(values[0]),
                             SPATE_ZSTREAM_CALL(.source = values[1], .flush = Z_FINISH, .returns_output = true));
}

static VALUE inflate_chunks(VALUE arguments) {
    const VALUE *values = (const VALUE *)arguments;
    spate_zstream *z = spate_zstream_ready(values[0]);
    spate_zstream_run(z, SPATE_ZSTREAM_CALL(.source = values[1], .flush = Z_SYNC_FLUSH));
    return spate_zstream_run(z, SPATE_ZSTREAM_CALL(.flush = Z_FINISH, .returns_output = true));
}

static VALUE s_deflate(int argc, VALUE *argv, VALUE self) {
    static ID names[1];
    VALUE source, level, options, as_zlib = Qundef;
    rb_scan_args(argc, argv, "11:", &source, &level, &options);
    if (!NIL_P(options)) {
        names[0] = rb_intern("identical");
        rb_get_kwargs(options, names, 0, 1, &as_zlib);
    }
    int number = spate_zlib_option(level, Z_DEFAULT_COMPRESSION);
    StringValue(source);
    if (rb_block_given_p()) {
        VALUE values[] = {rb_class_new_instance(1, (VALUE[]){INT2FIX(number)}, spate_zlib_deflate_class), source};
        return rb_ensure(deflate_chunks, (VALUE)values, finish_stream, values[0]);
    }
    return spate_oneshot_deflate_as(SPATE_ZLIB, source, number,
                                    as_zlib == Qundef ? spate_zlib_identical() : RTEST(as_zlib));
}

static VALUE s_inflate(int argc, VALUE *argv, VALUE self) {
    static ID names[1];
    VALUE source, options, max_output = Qundef;
    rb_scan_args(argc, argv, "1:", &source, &options);
    if (!NIL_P(options)) {
        names[0] = rb_intern("max_output");
        rb_get_kwargs(options, names, 0, 1, &max_output);
    }
    uint64_t limit = spate_zlib_limit(max_output);
    StringValue(source);
    if (rb_block_given_p()) {
        VALUE values[] = {rb_class_new_instance(0, NULL, spate_zlib_inflate_class), source};
        spate_zstream_of(values[0])->max_output = limit;
        return rb_ensure(inflate_chunks, (VALUE)values, finish_stream, values[0]);
    }
    return spate_oneshot_inflate(SPATE_ZLIB, source, limit, NULL);
}

static VALUE get_identical(VALUE self) {
    return spate_zlib_identical() ? Qtrue : Qfalse;
}

static VALUE set_identical(VALUE self, VALUE value) {
    spate_zlib_set_identical(RTEST(value));
    return value;
}

static VALUE backend(VALUE self) {
    return rb_usascii_str_new_cstr(spate_inflate_backend());
}

void spate_init_oneshot(VALUE zlib) {
    spate_init_ruby_string();
    rb_define_singleton_method(zlib, "deflate", s_deflate, -1);
    rb_define_singleton_method(zlib, "inflate", s_inflate, -1);
    rb_define_singleton_method(spate_zlib_deflate_class, "deflate", s_deflate, -1);
    rb_define_singleton_method(spate_zlib_inflate_class, "inflate", s_inflate, -1);
    rb_define_singleton_method(zlib, "identical", get_identical, 0);
    rb_define_singleton_method(zlib, "identical?", get_identical, 0);
    rb_define_singleton_method(zlib, "identical=", set_identical, 1);
    rb_define_singleton_method(zlib, "backend", backend, 0);
}
