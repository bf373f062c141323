#include "zstream.h"

/* `require "spate/native/zlib"`: Spate::Zlib. Reads nothing else of Spate. */
RUBY_FUNC_EXPORTED void Init_zlib(void);

void Init_zlib(void) {
    VALUE spate = rb_define_module("Spate");
    VALUE zlib = rb_define_module_under(spate, "Zlib");
    (void)zlib;
#ifdef SPATE_HAVE_GZIP
    spate_init_gzip(zlib);
#endif
#ifdef SPATE_HAVE_BATCH
    spate_init_batch(zlib);
#endif
}
