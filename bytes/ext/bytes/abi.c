#include "view/view.h"

#include "spate/bytes.h"

static bool abi_has_bytes(VALUE object) {
    return rb_typeddata_is_kind_of(object, &spate_array_buffer_type) ||
           rb_typeddata_is_kind_of(object, &spate_view_type);
}

static spate_array_buffer *target_of(VALUE object) {
    if (rb_typeddata_is_kind_of(object, &spate_array_buffer_type))
        return spate_array_buffer_of(object);
    return spate_view_of(object)->target;
}

static uint8_t *abi_pin(VALUE object, size_t *length, bool writable) {
    if (rb_typeddata_is_kind_of(object, &spate_view_type)) {
        const spate_view *view = spate_view_of(object);
        spate_view_check(view);
        if (writable)
            spate_view_check_frozen(object, view);
        *length = spate_view_bytes(view);
        spate_array_buffer_pin(view->target);
        return spate_view_data(view);
    }
    spate_array_buffer *buffer = writable ? spate_array_buffer_writable(object) : spate_array_buffer_readable(object);
    *length = buffer->length;
    spate_array_buffer_pin(buffer);
    return buffer->data;
}

static void abi_unpin(VALUE object) {
    spate_array_buffer_unpin(target_of(object));
}

static void abi_resize(VALUE object, size_t length) {
    spate_array_buffer *buffer = spate_array_buffer_writable(object);
    if (!buffer->resizable || length > buffer->max_length)
        rb_raise(rb_eRangeError, "byte_length %zu is larger than max_byte_length %zu", length, buffer->max_length);
    spate_array_buffer_resize(buffer, length);
}

static const spate_bytes_abi table = {
    .version = SPATE_BYTES_ABI_VERSION,
    .size = sizeof(spate_bytes_abi),
    .create = spate_array_buffer_new,
    .has_bytes = abi_has_bytes,
    .pin = abi_pin,
    .unpin = abi_unpin,
    .resize = abi_resize,
};

void spate_init_abi(VALUE spate) {
    VALUE native = rb_define_module_under(spate, "Native");
    rb_define_const(native, "BYTES_ABI", SIZET2NUM((size_t)&table));
}
