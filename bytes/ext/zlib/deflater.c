#include "stream/zstream.h"

#include "oneshot/oneshot.h"

/* zlib's default, which is in zutil.h and not in zlib.h. */
#define DEFAULT_MEMORY_LEVEL 8

VALUE spate_zlib_deflate_class;

static VALUE allocate(VALUE class) {
    return spate_zstream_allocate(class, SPATE_DEFLATES);
}

static VALUE initialize(int argc, VALUE *argv, VALUE self) {
    VALUE level, wbits, memory_level, strategy;
    rb_scan_args(argc, argv, "04", &level, &wbits, &memory_level, &strategy);
    spate_zstream_open_deflate(
        spate_zstream_of(self), spate_zlib_option(level, Z_DEFAULT_COMPRESSION), spate_zlib_option(wbits, MAX_WBITS),
        spate_zlib_option(memory_level, DEFAULT_MEMORY_LEVEL), spate_zlib_option(strategy, Z_DEFAULT_STRATEGY));
    return self;
}

static VALUE initialize_copy(VALUE self, VALUE original) {
    spate_zstream *to = spate_zstream_of(self);
    spate_zstream *from = spate_zstream_of(original);
    if (to == from)
        return self;
    spate_zstream_copy(to, from);
    return self;
}

/* nil finishes the stream. An empty String does nothing; zlib would report an error. */
static VALUE run(VALUE self, VALUE source, int flush, bool output) {
    spate_zstream *z = spate_zstream_of(self);
    if (NIL_P(source)) {
        flush = Z_FINISH;
    } else {
        StringValue(source);
        if (flush == Z_NO_FLUSH && RSTRING_LEN(source) == 0) {
            spate_zstream_claim(z);
            return output ? spate_zstream_take_output(z) : self;
        }
    }
    VALUE answer = spate_zstream_run(z, SPATE_ZSTREAM_CALL(.source = source, .flush = flush, .returns_output = output));
    return output ? answer : self;
}

static VALUE deflate_string(int argc, VALUE *argv, VALUE self) {
    VALUE source, flush;
    spate_zstream_ready(self);
    rb_scan_args(argc, argv, "11", &source, &flush);
    return run(self, source, spate_zlib_option(flush, Z_NO_FLUSH), true);
}

static VALUE append(VALUE self, VALUE source) {
    spate_zstream_ready(self);
    return run(self, source, Z_NO_FLUSH, false);
}

static VALUE flush_stream(int argc, VALUE *argv, VALUE self) {
    spate_zstream *z = spate_zstream_ready(self);
    VALUE given;
    rb_scan_args(argc, argv, "01", &given);
    int flush = spate_zlib_option(given, Z_SYNC_FLUSH);
    if (flush == Z_NO_FLUSH) {
        spate_zstream_claim(z);
        return spate_zstream_take_output(z);
    }
    return spate_zstream_run(z, SPATE_ZSTREAM_CALL(.flush = flush, .returns_output = true));
}

/* zlib first writes the pending input with the old parameters, which may need more memory. */
static VALUE set_parameters(VALUE self, VALUE level, VALUE strategy) {
    spate_zstream *z = spate_zstream_ready(self);
    int new_level = spate_zlib_option(level, Z_DEFAULT_COMPRESSION);
    int new_strategy = spate_zlib_option(strategy, Z_DEFAULT_STRATEGY);
    int answer;
    spate_zstream_claim(z);
    do {
        spate_zstream_reserve(z, 16 * 1024);
        size_t room = z->output.capacity - z->output.length;
        z->zlib.next_in = NULL;
        z->zlib.avail_in = 0;
        z->zlib.next_out = z->output.bytes + z->output.length;
        z->zlib.avail_out = room > UINT_MAX ? UINT_MAX : (uInt)room;
        uInt had = z->zlib.avail_out;
        answer = deflateParams(&z->zlib, new_level, new_strategy);
        z->output.length += had - z->zlib.avail_out;
    } while (answer == Z_BUF_ERROR && z->zlib.avail_out == 0);
    z->zlib.next_out = NULL;
    z->zlib.avail_out = 0;
    if (answer != Z_OK)
        spate_zlib_raise(answer, z->zlib.msg);
    return Qnil;
}

void spate_init_deflater(VALUE zlib) {
    VALUE deflate_class = rb_define_class_under(zlib, "Deflate", spate_zlib_stream_class);
    spate_zlib_deflate_class = deflate_class;
    rb_define_alloc_func(deflate_class, allocate);
    rb_define_method(deflate_class, "initialize", initialize, -1);
    rb_define_method(deflate_class, "initialize_copy", initialize_copy, 1);
    rb_define_method(deflate_class, "deflate", deflate_string, -1);
    rb_define_method(deflate_class, "<<", append, 1);
    rb_define_method(deflate_class, "flush", flush_stream, -1);
    rb_define_method(deflate_class, "params", set_parameters, 2);
    rb_define_method(deflate_class, "set_dictionary", spate_zstream_set_dictionary, 1);
}
