#include "view/view.h"

/* MemoryView, Ruby's interface between extensions. Exports bytes without copying them, and imports a copy. */
#ifdef HAVE_RUBY_MEMORY_VIEW_H
#include <ruby/memory_view.h>

/* Formats of rb_memory_view_parse_item_format, in the order of spate_types. */
static const char *const formats[SPATE_TYPES] = {"c", "C", "s", "S", "l", "L", "C", "q", "Q", NULL, "f", "d"};

static void hold(rb_memory_view_t *out, VALUE object, spate_array_buffer *buffer, uint8_t *data, size_t bytes,
                 bool frozen) {
    rb_memory_view_init_as_byte_array(out, object, data, (ssize_t)bytes, frozen);
    out->private_data = buffer;
    spate_array_buffer_pin(buffer);
}

/* Exported bytes keep their address until they are released. `object` may have been collected before. */
static bool release(VALUE object, rb_memory_view_t *view) {
    spate_array_buffer_unpin(view->private_data);
    return true;
}

static bool get_buffer(VALUE object, rb_memory_view_t *out, int flags) {
    spate_array_buffer *buffer = spate_array_buffer_of(object);
    if (buffer->detached || ((flags & RUBY_MEMORY_VIEW_WRITABLE) && OBJ_FROZEN(object)))
        return false;
    hold(out, object, buffer, buffer->data, buffer->length, OBJ_FROZEN(object));
    return true;
}

static bool get_view(VALUE object, rb_memory_view_t *out, int flags) {
    spate_view *view = spate_view_of(object);
    bool frozen = OBJ_FROZEN(object) || (!NIL_P(view->buffer) && OBJ_FROZEN(view->buffer));
    if (NIL_P(view->buffer) || spate_view_is_out(view) || ((flags & RUBY_MEMORY_VIEW_WRITABLE) && frozen))
        return false;
    hold(out, object, view->target, spate_view_data(view), spate_view_bytes(view), frozen);
    const char *format = view->type ? formats[view->type - spate_types] : NULL;
    if (format) {
        out->format = format;
        out->item_size = (ssize_t)view->type->width;
    }
    return true;
}

static bool get_compat_view(VALUE object, rb_memory_view_t *out, int flags) {
    spate_bytes bytes;
    VALUE buffer = spate_compat_view(object, &bytes);
    bool frozen = OBJ_FROZEN(buffer);
    if (!bytes.length || ((flags & RUBY_MEMORY_VIEW_WRITABLE) && frozen))
        return false;
    hold(out, object, spate_array_buffer_of(buffer), (uint8_t *)bytes.data, bytes.length, frozen);
    return true;
}

static bool buffer_available(VALUE object) {
    return !spate_array_buffer_of(object)->detached;
}

static bool view_available(VALUE object) {
    const spate_view *view = spate_view_of(object);
    return !NIL_P(view->buffer) && !spate_view_is_out(view);
}

static bool compat_view_available(VALUE object) {
    spate_bytes bytes;
    spate_compat_view(object, &bytes);
    return bytes.length > 0;
}

static const rb_memory_view_entry_t buffer_entry = {get_buffer, release, buffer_available};
static const rb_memory_view_entry_t view_entry = {get_view, release, view_available};
static const rb_memory_view_entry_t compat_view_entry = {get_compat_view, release, compat_view_available};

typedef struct taking {
    rb_memory_view_t *view;
    VALUE buffer;
} taking;

static VALUE take_bytes(VALUE argument) {
    taking *t = (taking *)argument;
    t->buffer = spate_array_buffer_copy(t->view->data, (size_t)t->view->byte_size);
    return t->buffer;
}

static VALUE give_back(VALUE argument) {
    rb_memory_view_release(((taking *)argument)->view);
    return Qnil;
}

/*
 * ArrayBuffer.from_memory_view(object): returns a copy of the bytes of an object's contiguous MemoryView. Raises
 * TypeError for other objects.
 */
static VALUE from_memory_view(VALUE klass, VALUE object) {
    rb_memory_view_t view = {0};
    if (!rb_memory_view_available_p(object) || !rb_memory_view_get(object, &view, RUBY_MEMORY_VIEW_ROW_MAJOR))
        rb_raise(rb_eTypeError, "%s has no MemoryView", rb_obj_classname(object));
    taking t = {&view, Qnil};
    return rb_ensure(take_bytes, (VALUE)&t, give_back, (VALUE)&t);
}

void spate_init_memory_view(VALUE spate) {
    rb_memory_view_register(spate_class_array_buffer, &buffer_entry);
    rb_memory_view_register(rb_const_get(spate, rb_intern("DataView")), &view_entry);
    rb_memory_view_register(rb_const_get(spate, rb_intern("TypedArray")), &view_entry);
    rb_memory_view_register(rb_path2class("Spate::Compat::DataView"), &compat_view_entry);
    rb_define_singleton_method(spate_class_array_buffer, "from_memory_view", from_memory_view, 1);
}
#else
void spate_init_memory_view(VALUE spate) {}
#endif
