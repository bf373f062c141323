#include "base/release.h"
#include "oneshot/oneshot.h"

/* Inputs of at least this length (25 µs at 10 GB/s) are processed without the GVL. */
#define RELEASED_FROM ((size_t)256 * 1024)
#define READ_LENGTH (64 * 1024)

typedef uint32_t checksum(uint32_t sum, const uint8_t *bytes, size_t length);

typedef struct summing {
    checksum *function;
    uint32_t sum;
    const uint8_t *bytes;
    size_t length;
} summing;

static void add(void *context) {
    summing *is = context;
    is->sum = is->function(is->sum, is->bytes, is->length);
}

static uint32_t sum_string(checksum *function, uint32_t sum, VALUE string) {
    StringValue(string);
    bool released = (size_t)RSTRING_LEN(string) >= RELEASED_FROM;
    VALUE source = released ? rb_str_new_frozen(string) : string;
    summing is = {function, sum, (const uint8_t *)RSTRING_PTR(source), (size_t)RSTRING_LEN(source)};
    if (released)
        spate_release_briefly(add, &is);
    else
        add(&is);
    RB_GC_GUARD(source);
    return is.sum;
}

static uint32_t sum_io(checksum *function, uint32_t sum, VALUE io) {
    ID read = rb_intern("read");
    for (;;) {
        VALUE bytes = rb_funcall(io, read, 1, INT2FIX(READ_LENGTH));
        if (NIL_P(bytes))
            return sum;
        sum = sum_string(function, sum, bytes);
    }
}

static VALUE sum_any(int argc, VALUE *argv, checksum *function, uint32_t start) {
    VALUE source, given;
    rb_scan_args(argc, argv, "02", &source, &given);
    uint32_t sum = NIL_P(given) ? start : (uint32_t)NUM2ULONG(given);
    if (NIL_P(source))
        return UINT2NUM(start);
    bool io = RTEST(rb_obj_is_kind_of(source, rb_cIO));
    return UINT2NUM(io ? sum_io(function, sum, source) : sum_string(function, sum, source));
}

static VALUE crc32_of(int argc, VALUE *argv, VALUE self) {
    return sum_any(argc, argv, spate_crc32, 0);
}

static VALUE adler32_of(int argc, VALUE *argv, VALUE self) {
    return sum_any(argc, argv, spate_adler32, 1);
}

/* Rejects negative lengths, with which zlib before 1.3 loops endlessly. */
static long combined_length(VALUE length) {
    long bytes = NUM2LONG(length);
    if (bytes < 0)
        rb_raise(rb_eArgError, "negative length: %ld", bytes);
    return bytes;
}

static VALUE combine_crc32(VALUE self, VALUE first, VALUE second, VALUE length) {
    return ULONG2NUM(crc32_combine(NUM2ULONG(first), NUM2ULONG(second), combined_length(length)));
}

static VALUE combine_adler32(VALUE self, VALUE first, VALUE second, VALUE length) {
    return ULONG2NUM(adler32_combine(NUM2ULONG(first), NUM2ULONG(second), combined_length(length)));
}

static VALUE crc_table(VALUE self) {
    const z_crc_t *table = get_crc_table();
    VALUE answer = rb_ary_new_capa(256);
    for (int i = 0; i < 256; i++)
        rb_ary_push(answer, ULONG2NUM(table[i]));
    return answer;
}

static VALUE version(VALUE self) {
    return rb_str_new_cstr(zlibVersion());
}

void spate_init_checksum(VALUE zlib) {
    rb_define_module_function(zlib, "zlib_version", version, 0);
    rb_define_module_function(zlib, "crc32", crc32_of, -1);
    rb_define_module_function(zlib, "adler32", adler32_of, -1);
    rb_define_module_function(zlib, "crc32_combine", combine_crc32, 3);
    rb_define_module_function(zlib, "adler32_combine", combine_adler32, 3);
    rb_define_module_function(zlib, "crc_table", crc_table, 0);
}
