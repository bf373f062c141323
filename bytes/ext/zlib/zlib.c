#include "base/release.h"
#include "stream/zstream.h"

/* `require "spate/native/zlib"` loads Spate::Zlib, and no other part of Spate. */
RUBY_FUNC_EXPORTED void Init_zlib(void);

static void define_constants(VALUE zlib) {
    static const struct {
        const char *name;
        int value;
    } constants[] = {
        {"BINARY", Z_BINARY},
        {"ASCII", Z_ASCII},
        {"TEXT", Z_TEXT},
        {"UNKNOWN", Z_UNKNOWN},
        {"NO_COMPRESSION", Z_NO_COMPRESSION},
        {"BEST_SPEED", Z_BEST_SPEED},
        {"BEST_COMPRESSION", Z_BEST_COMPRESSION},
        {"DEFAULT_COMPRESSION", Z_DEFAULT_COMPRESSION},
        {"DEFAULT_STRATEGY", Z_DEFAULT_STRATEGY},
        {"FILTERED", Z_FILTERED},
        {"HUFFMAN_ONLY", Z_HUFFMAN_ONLY},
        {"RLE", Z_RLE},
        {"FIXED", Z_FIXED},
        {"MAX_WBITS", MAX_WBITS},
        {"DEF_MEM_LEVEL", 8}, /* zlib's own default, which zlib.h does not define */
        {"MAX_MEM_LEVEL", MAX_MEM_LEVEL},
        {"NO_FLUSH", Z_NO_FLUSH},
        {"SYNC_FLUSH", Z_SYNC_FLUSH},
        {"FULL_FLUSH", Z_FULL_FLUSH},
        {"FINISH", Z_FINISH},
        /* The OS byte of the header, RFC 1952. */
        {"OS_CODE", 3},
        {"OS_MSDOS", 0},
        {"OS_AMIGA", 1},
        {"OS_VMS", 2},
        {"OS_UNIX", 3},
        {"OS_VMCMS", 4},
        {"OS_ATARI", 5},
        {"OS_OS2", 6},
        {"OS_MACOS", 7},
        {"OS_ZSYSTEM", 8},
        {"OS_CPM", 9},
        {"OS_TOPS20", 10},
        {"OS_WIN32", 11},
        {"OS_QDOS", 12},
        {"OS_RISCOS", 13},
        {"OS_UNKNOWN", 255},
    };
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++)
        rb_define_const(zlib, constants[i].name, INT2FIX(constants[i].value));
    rb_define_const(zlib, "ZLIB_VERSION", rb_obj_freeze(rb_str_new_cstr(ZLIB_VERSION)));
}

void Init_zlib(void) {
#ifdef HAVE_RB_EXT_RACTOR_SAFE
    rb_ext_ractor_safe(true);
#endif
    VALUE spate = rb_define_module("Spate");
    VALUE zlib = rb_define_module_under(spate, "Zlib");
    define_constants(zlib);
    spate_init_release(zlib);
    spate_init_zlib_errors(zlib);
    spate_init_checksum(zlib);
    spate_init_stream(zlib);
    spate_init_deflater(zlib);
    spate_init_inflater(zlib);
    spate_init_oneshot(zlib);
    spate_init_gzip(zlib);
    spate_init_batch(zlib);
}
