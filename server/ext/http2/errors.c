#include "native.h"

const spate_bytes_abi *spate_bytes;
const spate_write_buffer_abi *spate_write_buffer;

static VALUE error_class(const char *name) {
    return rb_path2class(name);
}

void spate_raise_connection_error(uint32_t code, const char *reason) {
    VALUE error = error_class("Spate::Server::HTTP2::ConnectionError");
    rb_exc_raise(rb_funcall(error, rb_intern("new"), 2, rb_utf8_str_new_cstr(reason), UINT2NUM(code)));
}

void spate_raise_stream_error(uint32_t code, uint32_t stream, const char *reason) {
    VALUE error = error_class("Spate::Server::HTTP2::StreamError");
    rb_exc_raise(
        rb_funcall(error, rb_intern("new"), 3, rb_utf8_str_new_cstr(reason), UINT2NUM(code), UINT2NUM(stream)));
}
