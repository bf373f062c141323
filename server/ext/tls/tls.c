#include "native.h"

RUBY_FUNC_EXPORTED void Init_tls(void) {
    rb_require("spate/server/native/io");
    spate_bytes = spate_bytes_load();
    spate_write_buffer = spate_write_buffer_load();
    if (!spate_tls_init_bio())
        rb_raise(rb_eNoMemError, "no memory for libssl");
    VALUE spate = rb_define_module("Spate");
    VALUE server = rb_define_module_under(spate, "Server");
    VALUE native = rb_define_module_under(server, "Native");
    spate_init_tls_context(native);
    spate_init_tls_connection(native);
}
