#include "native.h"

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
