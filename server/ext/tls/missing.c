#include <ruby.h>

/* Built instead of the other sources when libssl is missing. Connection::TLS.load then raises an error. */
RUBY_FUNC_EXPORTED void Init_tls(void) {}
