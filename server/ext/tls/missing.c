#include <ruby.h>

/* Built instead of TLS when libssl is missing. Spate::Server::TLS then raises an error that says so. */
RUBY_FUNC_EXPORTED void Init_tls(void) {}
