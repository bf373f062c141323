#include "native.h"

RUBY_FUNC_EXPORTED void Init_io(void) {
    /* Ruby's own `require`, unlike rb_require, finds files of other gems. */
    rb_funcall(rb_cObject, rb_intern("require"), 1, rb_str_new_cstr("spate/bytes"));
    spate_bytes = spate_bytes_load();
    VALUE spate = rb_define_module("Spate");
    VALUE server = rb_define_module_under(spate, "Server");
    VALUE native = rb_define_module_under(server, "Native");
    VALUE klass = spate_init_write_buffer(native);
    spate_init_write_buffer_files(klass);
    spate_init_write_buffer_flush(klass);
    spate_init_socket(native);
    spate_init_poller(native);
}
