#include "view/view.h"

static spate_array_buffer nothing = {.owner = Qnil, .detached = false};

static void view_mark(void *pointer) {
    rb_gc_mark_movable(((spate_view *)pointer)->buffer);
}

static void view_compact(void *pointer) {
    spate_view *view = pointer;
    view->buffer = rb_gc_location(view->buffer);
}

static size_t view_size(const void *pointer) {
    return sizeof(spate_view);
}

const rb_data_type_t spate_view_type = {
    .wrap_struct_name = "Spate view",
    .function = {.dmark = view_mark, .dfree = RUBY_DEFAULT_FREE, .dsize = view_size, .dcompact = view_compact},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED | RUBY_TYPED_FROZEN_SHAREABLE,
};

VALUE spate_view_allocate(VALUE klass) {
    spate_view *view;
    VALUE self = TypedData_Make_Struct(klass, spate_view, &spate_view_type, view);
    view->buffer = Qnil;
    view->target = &nothing;
    view->end = SIZE_MAX;
    return self;
}

void spate_view_open(VALUE self, VALUE buffer, size_t offset, size_t byte_length, bool tracking) {
    spate_view *view = spate_view_of(self);
    if (!NIL_P(view->buffer))
        rb_raise(rb_eTypeError, "the %s is initialized already", rb_obj_classname(self));
    rb_check_frozen(self);
    RB_OBJ_WRITE(self, &view->buffer, buffer);
    view->target = spate_array_buffer_of(buffer);
    view->offset = offset;
    view->byte_length = byte_length;
    view->tracking = tracking;
    view->end = offset + byte_length;
}

void spate_view_check(const spate_view *view) {
    if (NIL_P(view->buffer))
        rb_raise(rb_eTypeError, "the view is not initialized");
    if (view->target->detached)
        rb_raise(rb_eTypeError, "the ArrayBuffer is detached");
    if (spate_view_is_out(view))
        rb_raise(rb_eTypeError, "the view begins at %zu with %zu bytes, but its ArrayBuffer has %zu", view->offset,
                 view->tracking ? (size_t)0 : view->byte_length, view->target->length);
}

spate_bytes spate_bytes_of(VALUE object) {
    if (RB_TYPE_P(object, T_STRING))
        return (spate_bytes){(const uint8_t *)RSTRING_PTR(object), (size_t)RSTRING_LEN(object)};
    /* rb_typeddata_is_kind_of is inlined, because this code runs for each frame. */
    if (RB_TYPE_P(object, T_DATA) && RTYPEDDATA_P(object) && RTYPEDDATA_TYPE(object) == &spate_array_buffer_type) {
        const spate_array_buffer *buffer = RTYPEDDATA_DATA(object);
        if (RB_UNLIKELY(buffer->detached))
            spate_array_buffer_readable(object); /* raises */
        return (spate_bytes){buffer->data, buffer->length};
    }
    if (rb_typeddata_is_kind_of(object, &spate_view_type)) {
        const spate_view *view = spate_view_of(object);
        spate_view_check(view);
        return (spate_bytes){spate_view_data(view), spate_view_bytes(view)};
    }
    rb_raise(rb_eTypeError, "%s has no bytes: expected a String, an ArrayBuffer, a DataView or a typed array",
             rb_obj_classname(object));
}
