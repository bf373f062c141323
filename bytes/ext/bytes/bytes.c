#include "bit/bits.h"
#include "buffer/array_buffer.h"
#include "number/type.h"

/* `require "spate/native/bytes"` loads buffers, views and bit fields, and no other part of Spate. */
RUBY_FUNC_EXPORTED void Init_bytes(void);

void Init_bytes(void) {
#ifdef HAVE_RB_EXT_RACTOR_SAFE
    rb_ext_ractor_safe(true);
#endif
    VALUE spate = rb_define_module("Spate");
    spate_init_flonum();
    spate_init_array_buffer(spate);
    spate_init_typed_array(spate);
    spate_init_data_view(spate);
    spate_init_text(spate);
    spate_init_transfer(spate);
    spate_init_abi(spate);
    spate_init_bit_reader(spate);
    spate_init_bit_writer(spate);
    spate_init_wire(spate);
    spate_init_compat(spate);
    spate_init_memory_view(spate);
}
