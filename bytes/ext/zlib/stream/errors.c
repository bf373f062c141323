#include "stream/zstream.h"

#include <errno.h>

VALUE spate_zlib_module;
VALUE spate_zlib_error;
VALUE spate_zlib_buf_error;
VALUE spate_zlib_data_error;
VALUE spate_zlib_stream_error;
VALUE spate_zlib_output_limit_error;
VALUE spate_zlib_in_progress_error;
static VALUE stream_end;
static VALUE need_dict;
static VALUE mem_error;
static VALUE version_error;

void spate_zlib_raise(int answer, const char *message) {
    const char *text = message != NULL ? message : zError(answer);
    switch (answer) {
    case Z_STREAM_END: rb_raise(stream_end, "%s", text);
    case Z_NEED_DICT: rb_raise(need_dict, "%s", text);
    case Z_STREAM_ERROR: rb_raise(spate_zlib_stream_error, "%s", text);
    case Z_DATA_ERROR: rb_raise(spate_zlib_data_error, "%s", text);
    case Z_BUF_ERROR: rb_raise(spate_zlib_buf_error, "%s", text);
    case Z_VERSION_ERROR: rb_raise(version_error, "%s", text);
    case Z_MEM_ERROR: rb_raise(mem_error, "%s", text);
    case Z_ERRNO: rb_syserr_fail(errno, text);
    default: rb_raise(spate_zlib_error, "unknown zlib error %d: %s", answer, text);
    }
}

void spate_zlib_raise_limit(uint64_t max_output) {
    rb_raise(spate_zlib_output_limit_error, "more than %llu bytes when inflated (max_output)",
             (unsigned long long)max_output);
}

int spate_zlib_option(VALUE value, int otherwise) {
    return NIL_P(value) ? otherwise : FIX2INT(value);
}

uint64_t spate_zlib_limit(VALUE value) {
    if (NIL_P(value) || value == Qundef)
        return UINT64_MAX;
    VALUE number = rb_to_int(value);
    if (FIXNUM_P(number) ? FIX2LONG(number) < 0 : rb_big_cmp(number, INT2FIX(0)) == INT2FIX(-1))
        rb_raise(rb_eArgError, "negative max_output: %" PRIsVALUE, number);
    if (!FIXNUM_P(number) && rb_absint_size(number, NULL) > sizeof(uint64_t))
        return UINT64_MAX;
    return (uint64_t)NUM2ULL(number);
}

void spate_init_zlib_errors(VALUE zlib) {
    spate_zlib_module = zlib;
    spate_zlib_error = rb_define_class_under(zlib, "Error", rb_eStandardError);
    stream_end = rb_define_class_under(zlib, "StreamEnd", spate_zlib_error);
    need_dict = rb_define_class_under(zlib, "NeedDict", spate_zlib_error);
    spate_zlib_data_error = rb_define_class_under(zlib, "DataError", spate_zlib_error);
    spate_zlib_stream_error = rb_define_class_under(zlib, "StreamError", spate_zlib_error);
    mem_error = rb_define_class_under(zlib, "MemError", spate_zlib_error);
    spate_zlib_buf_error = rb_define_class_under(zlib, "BufError", spate_zlib_error);
    version_error = rb_define_class_under(zlib, "VersionError", spate_zlib_error);
    spate_zlib_in_progress_error = rb_define_class_under(zlib, "InProgressError", spate_zlib_error);
    spate_zlib_output_limit_error = rb_define_class_under(zlib, "OutputLimitError", spate_zlib_buf_error);
}
