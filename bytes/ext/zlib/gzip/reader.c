#include <ruby/encoding.h>
#include <string.h>

#include "gzip/gzip.h"

/*
 * Fast paths of GzipReader for buffered content: lines with the default separator and without conversion. The methods
 * in lib/spate/zlib/gzip_reader/ handle all other cases. `$_` can only be set from C.
 */

/* Maximum bytes of a character in any encoding: if this many bytes are buffered, the next character is complete. */
#define WIDEST 8

static ID id_open;
static ID id_buffer;
static ID id_position;
static ID id_encodings;
static ID id_encoding;
static ID id_lineno;
static ID id_next_line;
static ID id_next_character;
static ID id_next_byte;

typedef struct unread {
    const char *bytes;
    long length;
    long position;
    VALUE buffer;
} unread;

static bool look(VALUE self, unread *u) {
    VALUE buffer = rb_ivar_get(self, id_buffer);
    VALUE position = rb_ivar_get(self, id_position);
    if (!RTEST(rb_ivar_get(self, id_open)) || !RB_TYPE_P(buffer, T_STRING) || !FIXNUM_P(position))
        return false;
    u->buffer = buffer;
    u->position = FIX2LONG(position);
    if (u->position < 0)
        return false; /* the instance variable was set by other code */
    u->length = RSTRING_LEN(buffer) - u->position;
    u->bytes = RSTRING_PTR(buffer) + u->position;
    return u->length > 0;
}

static VALUE take(VALUE self, const unread *u, long length, rb_encoding *encoding) {
    VALUE text = rb_enc_str_new(u->bytes, length, encoding);
    rb_ivar_set(self, id_position, LONG2FIX(u->position + length));
    RB_GC_GUARD(((unread *)u)->buffer);
    return text;
}

static bool converts(VALUE self) {
    return !NIL_P(rb_ivar_get(self, id_encodings));
}

static rb_encoding *encoding_of(VALUE self) {
    return rb_to_encoding(rb_ivar_get(self, id_encoding));
}

/* Passes both separator and limit, because Ruby code cannot read `$/` in every Ractor. */
static VALUE next_line_slowly(int argc, const VALUE *argv, VALUE self) {
    VALUE both[] = {argc > 0 ? argv[0] : rb_rs, argc > 1 ? argv[1] : Qnil};
    if (argc == 1 && !NIL_P(argv[0]) && NIL_P(rb_check_string_type(argv[0]))) {
        both[0] = rb_rs;
        both[1] = argv[0];
    }
    return rb_funcallv(self, id_next_line, 2, both);
}

static VALUE next_line(int argc, const VALUE *argv, VALUE self) {
    unread u;
    if (argc == 0 && rb_rs == rb_default_rs && !converts(self) && look(self, &u)) {
        const char *end = memchr(u.bytes, '\n', (size_t)u.length);
        VALUE lineno = rb_ivar_get(self, id_lineno);
        if (end && FIXNUM_P(lineno)) {
            rb_ivar_set(self, id_lineno, LONG2NUM(FIX2LONG(lineno) + 1));
            return take(self, &u, end + 1 - u.bytes, encoding_of(self));
        }
    }
    return next_line_slowly(argc, argv, self);
}

static VALUE gets(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 0, 2);
    VALUE line = next_line(argc, argv, self);
    if (!NIL_P(line))
        rb_lastline_set(line);
    return line;
}

NORETURN(static void end_of_file(void));

static void end_of_file(void) {
    rb_raise(rb_eEOFError, "end of file reached");
}

static VALUE read_line(int argc, VALUE *argv, VALUE self) {
    VALUE line = gets(argc, argv, self);
    if (NIL_P(line))
        end_of_file();
    return line;
}

/* Without a block, the enumerator ignores separator, limit and keywords, as in Ruby's zlib. */
static VALUE each_line(int argc, VALUE *argv, VALUE self) {
    RETURN_ENUMERATOR(self, 0, NULL);
    rb_check_arity(argc, 0, 2);
    for (VALUE line; !NIL_P(line = next_line(argc, argv, self));)
        rb_yield(line);
    return self;
}

static VALUE read_lines(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 0, 2);
    VALUE lines = rb_ary_new();
    for (VALUE line; !NIL_P(line = next_line(argc, argv, self));)
        rb_ary_push(lines, line);
    return lines;
}

static VALUE get_character(VALUE self) {
    unread u;
    if (!converts(self) && look(self, &u) && u.length >= WIDEST) {
        rb_encoding *encoding = encoding_of(self);
        return take(self, &u, rb_enc_mbclen(u.bytes, u.bytes + u.length, encoding), encoding);
    }
    return rb_funcallv(self, id_next_character, 0, NULL);
}

static VALUE read_character(VALUE self) {
    VALUE character = get_character(self);
    if (NIL_P(character))
        end_of_file();
    return character;
}

static VALUE each_character(VALUE self) {
    RETURN_ENUMERATOR(self, 0, NULL);
    for (VALUE character; !NIL_P(character = get_character(self));)
        rb_yield(character);
    return Qnil;
}

static VALUE get_byte(VALUE self) {
    unread u;
    if (!look(self, &u))
        return rb_funcallv(self, id_next_byte, 0, NULL);
    rb_ivar_set(self, id_position, LONG2FIX(u.position + 1));
    return INT2FIX((unsigned char)*u.bytes);
}

static VALUE read_byte(VALUE self) {
    VALUE byte = get_byte(self);
    if (NIL_P(byte))
        end_of_file();
    return byte;
}

static VALUE each_byte(VALUE self) {
    RETURN_ENUMERATOR(self, 0, NULL);
    for (VALUE byte; !NIL_P(byte = get_byte(self));)
        rb_yield(byte);
    return Qnil;
}

void spate_init_gzip_reader(VALUE reader) {
    id_open = rb_intern("@open");
    id_buffer = rb_intern("@buffer");
    id_position = rb_intern("@position");
    id_encodings = rb_intern("@encodings");
    id_encoding = rb_intern("@encoding");
    id_lineno = rb_intern("@lineno");
    id_next_line = rb_intern("next_line");
    id_next_character = rb_intern("next_character");
    id_next_byte = rb_intern("next_byte");
    rb_define_method(reader, "gets", gets, -1);
    rb_define_method(reader, "readline", read_line, -1);
    rb_define_method(reader, "each", each_line, -1);
    rb_define_method(reader, "each_line", each_line, -1);
    rb_define_method(reader, "readlines", read_lines, -1);
    rb_define_method(reader, "getc", get_character, 0);
    rb_define_method(reader, "readchar", read_character, 0);
    rb_define_method(reader, "each_char", each_character, 0);
    rb_define_method(reader, "getbyte", get_byte, 0);
    rb_define_method(reader, "readbyte", read_byte, 0);
    rb_define_method(reader, "each_byte", each_byte, 0);
}
