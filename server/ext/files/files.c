#include "native.h"

RUBY_FUNC_EXPORTED void Init_files(void) {
    VALUE spate = rb_define_module("Spate");
    VALUE server = rb_define_module_under(spate, "Server");
    VALUE native = rb_define_module_under(server, "Native");
    VALUE found = spate_init_found(native);
    spate_init_found_listing(found);
    spate_init_found_reading(found);
    spate_init_folder(native);
}
