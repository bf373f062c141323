#include "native.h"

const spate_bytes_abi *spate_bytes;
const spate_write_buffer_abi *spate_write_buffer;

void spate_raise_connection_error(uint32_t code, const char *reason) {
    VALUE error = rb_path2class("Spate::Server::HTTP2::ConnectionError");
    rb_exc_raise(rb_funcall(error, rb_intern("new"), 2, rb_utf8_str_new_cstr(reason), UINT2NUM(code)));
}

void spate_raise_stream_error(uint32_t code, uint32_t stream, const char *reason) {
    VALUE error = rb_path2class("Spate::Server::HTTP2::StreamError");
    rb_exc_raise(
        rb_funcall(error, rb_intern("new"), 3, rb_utf8_str_new_cstr(reason), UINT2NUM(code), UINT2NUM(stream)));
}

RUBY_FUNC_EXPORTED void Init_http2(void) {
    rb_require("spate/server/native/io");
    spate_bytes = spate_bytes_load();
    spate_write_buffer = spate_write_buffer_load();
    spate_hpack_init();
    VALUE spate = rb_define_module("Spate");
    VALUE server = rb_define_module_under(spate, "Server");
    VALUE native = rb_define_module_under(server, "Native");
    spate_init_hpack_decoder(native);
    spate_init_hpack_encoder(native);
    spate_init_frame_reader(native);
    spate_init_frames(native);
}
