#include "tls.h"

#include <openssl/err.h>

const spate_bytes_abi *spate_bytes;
const spate_outbox_abi *spate_outbox;

const char *spate_tls_reason(void) {
    unsigned long code = ERR_peek_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    ERR_clear_error();
    return reason ? reason : "failed without a reason";
}

RUBY_FUNC_EXPORTED void Init_tls(void) {
    rb_require("spate/server/native/io");
    spate_bytes = spate_bytes_load();
    spate_outbox = spate_outbox_load();
    if (!spate_tls_init_bio())
        rb_raise(rb_eNoMemError, "no memory for libssl");
    VALUE spate = rb_define_module("Spate");
    VALUE server = rb_define_module_under(spate, "Server");
    VALUE native = rb_define_module_under(server, "Native");
    spate_init_tls_context(native);
    spate_init_tls_connection(native);
}
