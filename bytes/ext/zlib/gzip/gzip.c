#include <ruby/io.h>
#include <string.h>
#include <time.h>

#include "base/release.h"
#include "gzip/gzip.h"
#include "oneshot/oneshot.h"

/*
 * Compresses and decompresses gzip files (RFC 1952) in one call. Also defines the IO methods based on `write`.
 * GzipReader and GzipWriter are in lib/spate/zlib/gzip_*.rb and reader.c.
 */

#define FLAG_HEADER_CHECKSUM 0x02
#define FLAG_EXTRA 0x04
#define FLAG_ORIG_NAME 0x08
#define FLAG_COMMENT 0x10
#define FLAG_ENCRYPTED 0x20
#define FLAG_UNKNOWN 0xc0
#define XFL_FASTEST 0x04
#define XFL_SLOWEST 0x02

/* At least this many bytes are copied without the GVL. */
#define COPY_RELEASED_FROM ((size_t)1024 * 1024)

static VALUE gzip_error;
static VALUE no_footer;
static VALUE crc_error;
static VALUE length_error;
static ID id_crc32;

static uint32_t read32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void write32(uint8_t *at, uint32_t number) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> (8 * i));
}

/* Returns the header's length, or 0 if it is truncated or invalid and sets *wrong to the reason. */
static size_t header_length(const uint8_t *bytes, size_t length, const char **wrong) {
    *wrong = "unexpected end of string";
    if (length < SPATE_GZIP_HEADER)
        return 0;
    uint8_t flags = bytes[3];
    *wrong = bytes[0] != 0x1f || bytes[1] != 0x8b ? "not in gzip format"
             : bytes[2] != 8                      ? "unsupported compression method %d"
             : flags & FLAG_HEADER_CHECKSUM       ? "multi-part gzip file is not supported"
             : flags & FLAG_ENCRYPTED             ? "encrypted gzip file is not supported"
             : flags & FLAG_UNKNOWN               ? "unknown flags 0x%02x"
                                                  : NULL;
    if (*wrong)
        return 0;
    size_t at = SPATE_GZIP_HEADER;
    *wrong = "unexpected end of string";
    if (flags & FLAG_EXTRA) {
        if (length - at < 2)
            return 0;
        size_t extra = 2 + ((size_t)bytes[at] | (size_t)bytes[at + 1] << 8);
        if (length - at < extra)
            return 0;
        at += extra;
    }
    for (uint8_t text = flags & (FLAG_ORIG_NAME | FLAG_COMMENT); text; text &= text - 1) {
        const uint8_t *zero = at < length ? memchr(bytes + at, 0, length - at) : NULL;
        if (!zero) {
            *wrong = at < length ? "unexpected end of file" : "unexpected end of string";
            return 0;
        }
        at = (size_t)(zero - bytes) + 1;
    }
    return at;
}

size_t spate_gzip_header_length(const uint8_t *bytes, size_t length) {
    const char *wrong;
    return header_length(bytes, length, &wrong);
}

NORETURN(static void raise_header(const char *wrong, VALUE string));

static void raise_header(const char *wrong, VALUE string) {
    const uint8_t *bytes = (const uint8_t *)RSTRING_PTR(string);
    if (strstr(wrong, "method"))
        rb_raise(gzip_error, "unsupported compression method %d", bytes[2]);
    if (strstr(wrong, "0x"))
        rb_raise(gzip_error, "unknown flags 0x%02x", bytes[3]);
    VALUE arguments[2] = {rb_str_new_cstr(wrong), rb_str_dup(string)};
    rb_exc_raise(rb_class_new_instance(strstr(wrong, "not in") ? 2 : 1, arguments, gzip_error));
}

static uint32_t sum_of(VALUE string) {
    return NUM2UINT(rb_funcall(spate_zlib_module, id_crc32, 1, string)); /* releases the GVL for a long String */
}

static VALUE tail_of(VALUE string, size_t from) {
    return rb_str_subseq(string, (long)from, RSTRING_LEN(string) - (long)from);
}

typedef struct member {
    VALUE tail; /* the deflate stream and all bytes after it */
    uint64_t max_output;
    size_t consumed;
} member;

static VALUE inflate_body(VALUE argument) {
    member *m = (member *)argument;
    return spate_oneshot_inflate(SPATE_RAW, m->tail, m->max_output, &m->consumed);
}

static VALUE cut_off(VALUE argument, VALUE error) {
    if (rb_obj_class(error) != spate_zlib_buf_error)
        rb_exc_raise(error);
    rb_raise(gzip_error, "unexpected end of file");
}

static VALUE inflate_member(member *m) {
    return rb_rescue2(inflate_body, (VALUE)m, cut_off, Qnil, spate_zlib_buf_error, (VALUE)0);
}

/* Zlib.gunzip(string, max_output: nil): returns the content of the first member as a binary String. */
static VALUE gunzip(int argc, VALUE *argv, VALUE self) {
    VALUE string;
    VALUE options;
    VALUE limit = Qundef;
    rb_scan_args(argc, argv, "1:", &string, &options);
    if (!NIL_P(options)) {
        ID keyword = rb_intern("max_output");
        rb_get_kwargs(options, &keyword, 0, 1, &limit);
    }
    member m = {.max_output = spate_zlib_limit(limit)};
    StringValue(string);
    string = rb_str_new_frozen(string);
    const char *wrong;
    size_t header = header_length((const uint8_t *)RSTRING_PTR(string), (size_t)RSTRING_LEN(string), &wrong);
    if (!header)
        raise_header(wrong, string);
    m.tail = tail_of(string, header);
    VALUE output = inflate_member(&m);

    const uint8_t *end = (const uint8_t *)RSTRING_PTR(m.tail) + m.consumed;
    size_t left = (size_t)RSTRING_LEN(m.tail) - m.consumed;
    if (left == 0)
        rb_raise(no_footer, "footer is not found");
    if (left < SPATE_GZIP_FOOTER)
        rb_raise(gzip_error, "unexpected end of string");
    if (read32(end) != sum_of(output))
        rb_raise(crc_error, "invalid compressed data -- crc error");
    if (read32(end + 4) != (uint32_t)RSTRING_LEN(output))
        rb_raise(length_error, "invalid compressed data -- length error");
    RB_GC_GUARD(m.tail);
    return output;
}

void spate_gzip_write_header(uint8_t *header, int level, uint32_t mtime) {
    static const uint8_t start[] = {0x1f, 0x8b, 8, 0};
    memcpy(header, start, sizeof start);
    write32(header + 4, mtime);
    header[8] = level == Z_BEST_SPEED ? XFL_FASTEST : level == Z_BEST_COMPRESSION ? XFL_SLOWEST : 0;
    header[9] = SPATE_GZIP_OS;
}

typedef struct join {
    uint8_t *file;
    const uint8_t *body;
    size_t length;
    uint8_t header[SPATE_GZIP_HEADER];
    uint8_t footer[SPATE_GZIP_FOOTER];
} join;

static void run_join(void *context) {
    join *j = context;
    memcpy(j->file, j->header, sizeof j->header);
    memcpy(j->file + sizeof j->header, j->body, j->length);
    memcpy(j->file + sizeof j->header + j->length, j->footer, sizeof j->footer);
}

/* Copies a long body without the GVL; no other code has a reference to it or to the target String. */
static VALUE joined(VALUE body, VALUE string, int level) {
    join j = {.length = (size_t)RSTRING_LEN(body)};
    spate_gzip_write_header(j.header, level, (uint32_t)time(NULL));
    write32(j.footer, sum_of(string));
    write32(j.footer + 4, (uint32_t)RSTRING_LEN(string));
    long total = (long)(j.length + sizeof j.header + sizeof j.footer);
    VALUE file = rb_str_buf_new(total);
    rb_obj_hide(file);
    j.file = (uint8_t *)RSTRING_PTR(file);
    j.body = (const uint8_t *)RSTRING_PTR(body);
    if (j.length < COPY_RELEASED_FROM)
        run_join(&j);
    else
        spate_release_briefly(run_join, &j);
    rb_str_set_len(file, total);
    RB_GC_GUARD(body);
    return rb_obj_reveal(file, rb_cString);
}

static VALUE deflate_with_strategy(VALUE string, int level, int strategy) {
    VALUE arguments[] = {INT2FIX(level), INT2FIX(-MAX_WBITS), INT2FIX(8), INT2FIX(strategy)};
    VALUE stream = rb_class_new_instance(4, arguments, spate_zlib_deflate_class);
    VALUE body = rb_funcall(stream, rb_intern("deflate"), 2, string, INT2FIX(Z_FINISH));
    rb_funcall(stream, rb_intern("close"), 0);
    return body;
}

/* Zlib.gzip(string, level: nil, strategy: nil) */
static VALUE gzip(int argc, VALUE *argv, VALUE self) {
    VALUE string;
    VALUE options;
    VALUE values[2] = {Qundef, Qundef};
    rb_scan_args(argc, argv, "1:", &string, &options);
    if (!NIL_P(options)) {
        ID keywords[2] = {rb_intern("level"), rb_intern("strategy")};
        rb_get_kwargs(options, keywords, 0, 2, values);
    }
    int level = spate_zlib_option(values[0] == Qundef ? Qnil : values[0], Z_DEFAULT_COMPRESSION);
    int strategy = spate_zlib_option(values[1] == Qundef ? Qnil : values[1], Z_DEFAULT_STRATEGY);
    StringValue(string);
    string = rb_str_new_frozen(string);
    bool usual = strategy == Z_DEFAULT_STRATEGY && level >= Z_DEFAULT_COMPRESSION && level <= Z_BEST_COMPRESSION;
    VALUE body =
        usual ? spate_oneshot_deflate(SPATE_RAW, string, level) : deflate_with_strategy(string, level, strategy);
    return joined(body, string, level);
}

/*
 * Fast path of GzipReader. Returns [content, length of the deflate stream, CRC-32] if the bytes begin with a complete
 * deflate stream and its footer, otherwise nil.
 */
static VALUE try_inflate(VALUE argument) {
    member *m = (member *)argument;
    VALUE output = inflate_body(argument);
    if ((size_t)RSTRING_LEN(m->tail) - m->consumed < SPATE_GZIP_FOOTER)
        return Qnil;
    uint32_t sum = sum_of(output);
    const uint8_t *footer = (const uint8_t *)RSTRING_PTR(m->tail) + m->consumed;
    if (read32(footer) != sum || read32(footer + 4) != (uint32_t)RSTRING_LEN(output))
        return Qnil;
    VALUE found[] = {output, SIZET2NUM(m->consumed), UINT2NUM(sum)};
    return rb_ary_new_from_values(3, found);
}

static VALUE leave_it(VALUE argument, VALUE error) {
    return Qnil;
}

static VALUE inflate_member_if_whole(VALUE self, VALUE string, VALUE max_output) {
    member m = {.max_output = spate_zlib_limit(max_output)};
    StringValue(string);
    m.tail = rb_str_new_frozen(string);
    return rb_rescue2(try_inflate, (VALUE)&m, leave_it, Qnil, spate_zlib_error, (VALUE)0);
}

/* Fast path of GzipWriter. Returns the deflate stream of the whole content. */
static VALUE deflate_member(VALUE self, VALUE string, VALUE level) {
    return spate_oneshot_deflate(SPATE_RAW, string, NUM2INT(level));
}

/* Converts lengths, limits and levels as Ruby's zlib does. Raises TypeError for a Hash or a String. */
static VALUE integer(VALUE self, VALUE object) {
    (void)self;
    return LONG2NUM(NUM2LONG(object));
}

void spate_init_gzip(VALUE zlib) {
    id_crc32 = rb_intern("crc32");
    VALUE file = rb_define_class_under(zlib, "GzipFile", rb_cObject);
    gzip_error = rb_define_class_under(file, "Error", spate_zlib_error);
    no_footer = rb_define_class_under(file, "NoFooter", gzip_error);
    crc_error = rb_define_class_under(file, "CRCError", gzip_error);
    length_error = rb_define_class_under(file, "LengthError", gzip_error);
    rb_gc_register_mark_object(gzip_error);
    rb_gc_register_mark_object(no_footer);
    rb_gc_register_mark_object(crc_error);
    rb_gc_register_mark_object(length_error);
    rb_define_private_method(file, "integer", integer, 1);
    VALUE reader = rb_define_class_under(zlib, "GzipReader", file);
    VALUE writer = rb_define_class_under(zlib, "GzipWriter", file);

    rb_define_singleton_method(zlib, "gzip", gzip, -1);
    rb_define_singleton_method(zlib, "gunzip", gunzip, -1);
    VALUE singleton = rb_singleton_class(zlib);
    rb_define_private_method(singleton, "inflate_member", inflate_member_if_whole, 2);
    rb_define_private_method(singleton, "deflate_member", deflate_member, 2);
    spate_init_gzip_reader(reader);
    rb_define_method(writer, "print", rb_io_print, -1);
    rb_define_method(writer, "puts", rb_io_puts, -1);
    rb_define_method(writer, "printf", rb_io_printf, -1);
    rb_define_method(writer, "<<", rb_io_addstr, 1);
}
