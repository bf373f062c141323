#include "oneshot/oneshot.h"
#include "stream/zstream.h"

VALUE spate_zlib_inflate_class;

static ID id_buffer;
static ID id_max_output;

static VALUE allocate(VALUE class) {
    return spate_zstream_allocate(class, SPATE_INFLATES);
}

static VALUE initialize(int argc, VALUE *argv, VALUE self) {
    VALUE wbits, options, max_output = Qundef;
    rb_scan_args(argc, argv, "01:", &wbits, &options);
    if (!NIL_P(options))
        rb_get_kwargs(options, &id_max_output, 0, 1, &max_output);
    spate_zstream *z = spate_zstream_of(self);
    uint64_t limit = spate_zlib_limit(max_output);
    spate_zstream_open_inflate(z, spate_zlib_option(wbits, MAX_WBITS));
    z->max_output = limit;
    return self;
}

/* Ruby's zlib copies internal state incorrectly here and crashes. */
static VALUE initialize_copy(VALUE self, VALUE original) {
    spate_zstream *to = spate_zstream_of(self);
    spate_zstream *from = spate_zstream_of(original);
    if (to != from)
        spate_zstream_copy(to, from);
    return self;
}

/* After the stream's end the input is passed through unchanged and returned by the next call. */
static VALUE pass(spate_zstream *z, const spate_zstream_call *call) {
    VALUE source = call->source;
    spate_zstream_claim(z);
    if (NIL_P(source))
        return call->returns_output ? spate_zstream_take_output(z) : Qnil;
    spate_zstream_append(z, (const uint8_t *)RSTRING_PTR(source), (size_t)RSTRING_LEN(source));
    RB_GC_GUARD(source);
    return call->returns_output ? rb_str_new(NULL, 0) : Qnil;
}

static VALUE into(VALUE buffer, VALUE answer) {
    return NIL_P(buffer) || NIL_P(answer) ? answer : rb_str_replace(buffer, answer);
}

static VALUE run(spate_zstream *z, VALUE source, VALUE buffer, uint64_t max_output, bool returns_output) {
    if (!NIL_P(buffer)) {
        StringValue(buffer);
        rb_str_modify(buffer);
    }
    if (!NIL_P(source))
        StringValue(source);
    spate_zstream_call *call =
        SPATE_ZSTREAM_CALL(.source = source, .flush = NIL_P(source) ? Z_FINISH : Z_SYNC_FLUSH, .max_output = max_output,
                           .reused = buffer, .returns_output = returns_output, .passes_trailing = true);
    spate_zstream_claim(z);
    if (z->finished)
        return into(buffer, pass(z, call));
    if (call->flush == Z_SYNC_FLUSH && RSTRING_LEN(source) == 0 && spate_zstream_input_length(z) == 0 && !z->exhausted)
        return returns_output ? into(buffer, spate_zstream_take_output(z)) : Qnil;
    return spate_zstream_run(z, call);
}

static VALUE inflate_string(int argc, VALUE *argv, VALUE self) {
    spate_zstream *z = spate_zstream_ready(self);
    VALUE source, options, values[2] = {Qundef, Qundef};
    rb_scan_args(argc, argv, "1:", &source, &options);
    if (!NIL_P(options)) {
        ID names[] = {id_buffer, id_max_output};
        rb_get_kwargs(options, names, 0, 2, values);
    }
    return run(z, source, values[0] == Qundef ? Qnil : values[0], spate_zlib_limit(values[1]), true);
}

/*
 * inflate_some(string, max), for GzipReader: returns at most `max` bytes. The remaining input is kept. Call it with an
 * empty String to continue.
 */
static VALUE inflate_some(VALUE self, VALUE source, VALUE max) {
    spate_zstream *z = spate_zstream_ready(self);
    long pause = NUM2LONG(max);
    StringValue(source);
    if (pause < 1)
        rb_raise(rb_eArgError, "expected at least one byte, got %ld", pause);
    spate_zstream_claim(z);
    if (z->finished || (RSTRING_LEN(source) == 0 && spate_zstream_input_length(z) == 0))
        return rb_str_new(NULL, 0);
    return spate_zstream_run(
        z, SPATE_ZSTREAM_CALL(.source = source, .flush = Z_SYNC_FLUSH, .pause = (size_t)pause, .returns_output = true));
}

static VALUE append(VALUE self, VALUE source) {
    run(spate_zstream_ready(self), source, Qnil, UINT64_MAX, false);
    return self;
}

static VALUE add_dictionary(VALUE self, VALUE dictionary) {
    spate_zstream *z = spate_zstream_of(self);
    VALUE bytes = dictionary;
    StringValue(bytes);
    if (NIL_P(z->dictionaries))
        RB_OBJ_WRITE(self, &z->dictionaries, rb_hash_new());
    uint32_t sum = spate_adler32(1, (const uint8_t *)RSTRING_PTR(bytes), (size_t)RSTRING_LEN(bytes));
    rb_hash_aset(z->dictionaries, UINT2NUM(sum), rb_str_new_frozen(bytes));
    RB_GC_GUARD(bytes);
    return self;
}

/* Searches for a flush point and sets *taken to the consumed bytes. Returns whether one was found. */
static bool search(spate_zstream *z, const uint8_t *bytes, size_t length, size_t *taken) {
    *taken = 0;
    while (*taken < length) {
        size_t left = length - *taken;
        uInt given = left > UINT_MAX ? UINT_MAX : (uInt)left;
        z->zlib.next_in = (Bytef *)(uintptr_t)(bytes + *taken);
        z->zlib.avail_in = given;
        int answer = inflateSync(&z->zlib);
        *taken += given - z->zlib.avail_in;
        z->zlib.next_in = NULL;
        z->zlib.avail_in = 0;
        if (answer == Z_OK) {
            spate_stream_adler_close(&z->adler);
            return true;
        }
        if (answer != Z_DATA_ERROR)
            spate_zlib_raise(answer, z->zlib.msg);
    }
    return false;
}

static VALUE synchronize(VALUE self, VALUE source) {
    spate_zstream *z = spate_zstream_ready(self);
    size_t taken;
    StringValue(source);
    spate_zstream_claim(z);
    if (spate_zstream_input_length(z) > 0) {
        if (search(z, spate_zstream_input(z), spate_zstream_input_length(z), &taken)) {
            spate_zstream_discard_input(z, taken);
            spate_zstream_feed(z, source);
            return Qtrue;
        }
        spate_zstream_reset_input(z);
    }
    VALUE frozen = rb_str_new_frozen(source);
    if (!search(z, (const uint8_t *)RSTRING_PTR(frozen), (size_t)RSTRING_LEN(frozen), &taken))
        return Qfalse;
    spate_zstream_feed(z, frozen);
    spate_zstream_discard_input(z, taken);
    return Qtrue;
}

static VALUE is_sync_point(VALUE self) {
    spate_zstream *z = spate_zstream_ready(self);
    spate_zstream_claim(z);
    int answer = inflateSyncPoint(&z->zlib);
    if (answer == 1)
        return Qtrue;
    if (answer != Z_OK)
        spate_zlib_raise(answer, z->zlib.msg);
    return Qfalse;
}

void spate_init_inflater(VALUE zlib) {
    id_buffer = rb_intern("buffer");
    id_max_output = rb_intern("max_output");
    VALUE inflate_class = rb_define_class_under(zlib, "Inflate", spate_zlib_stream_class);
    spate_zlib_inflate_class = inflate_class;
    rb_define_alloc_func(inflate_class, allocate);
    rb_define_method(inflate_class, "initialize", initialize, -1);
    rb_define_method(inflate_class, "initialize_copy", initialize_copy, 1);
    rb_define_method(inflate_class, "inflate", inflate_string, -1);
    rb_define_private_method(inflate_class, "inflate_some", inflate_some, 2);
    rb_define_method(inflate_class, "<<", append, 1);
    rb_define_method(inflate_class, "add_dictionary", add_dictionary, 1);
    rb_define_method(inflate_class, "set_dictionary", spate_zstream_set_dictionary, 1);
    rb_define_method(inflate_class, "sync", synchronize, 1);
    rb_define_method(inflate_class, "sync_point?", is_sync_point, 0);
}
