/* A range of an ArrayBuffer, the base of DataView and the typed arrays. ECMA-262 23.2 and 25.3. */
#ifndef SPATE_BYTES_VIEW_H
#define SPATE_BYTES_VIEW_H

#include "buffer/array_buffer.h"
#include "number/type.h"

typedef struct spate_view {
    VALUE buffer;               /* the ArrayBuffer, or Qnil before initialize */
    spate_array_buffer *target; /* the buffer's struct, or an empty one before initialize; never NULL */
    size_t offset;              /* bytes */
    size_t byte_length;         /* the initial length if the view is length-tracking */
    size_t end;                 /* offset + byte_length; SIZE_MAX before initialize */
    bool tracking;              /* length-tracking: follows the length of a resizable buffer */
    const spate_type *type;     /* NULL for a DataView */
} spate_view;

extern const rb_data_type_t spate_view_type;

VALUE spate_view_allocate(VALUE klass);

/* Initializes a view. `offset` and `byte_length` in bytes. Raises TypeError if it is already initialized. */
void spate_view_open(VALUE self, VALUE buffer, size_t offset, size_t byte_length, bool tracking);

/* Returns the struct of a view. Raises TypeError for other objects. Inline, because each access calls it. */
static inline spate_view *spate_view_of(VALUE self) {
    if (RB_LIKELY(!RB_SPECIAL_CONST_P(self) && RTYPEDDATA_P(self) && RTYPEDDATA_TYPE(self) == &spate_view_type))
        return RTYPEDDATA_DATA(self);
    return rb_check_typeddata(self, &spate_view_type);
}

/* Whether the buffer is detached or has become too short for the view. */
static inline bool spate_view_is_out(const spate_view *view) {
    const spate_array_buffer *target = view->target;
    if (view->tracking)
        return target->detached || view->offset > target->length;
    return target->detached || view->offset > target->length || view->byte_length > target->length - view->offset;
}

/* The length of the view in bytes; 0 if it is out of bounds. */
static inline size_t spate_view_bytes(const spate_view *view) {
    if (spate_view_is_out(view))
        return 0;
    return view->tracking ? view->target->length - view->offset : view->byte_length;
}

static inline uint8_t *spate_view_data(const spate_view *view) {
    return view->target->data + view->offset;
}

/*
 * Fast path to `width` bytes at an offset; only for `self` of a method. Returns NULL if the offset is not a Fixnum or
 * out of bounds, or if the buffer is detached or was resized: the caller then uses the slow path. It neither runs Ruby
 * code nor raises, so the order of checks does not matter. A negative offset becomes a large one and is out of bounds.
 */
static inline uint8_t *spate_view_at(VALUE self, VALUE offset, size_t width) {
    if (RB_UNLIKELY(RTYPEDDATA_TYPE(self) != &spate_view_type || !FIXNUM_P(offset)))
        return NULL;
    const spate_view *view = RTYPEDDATA_DATA(self);
    const spate_array_buffer *target = view->target;
    size_t index = (size_t)offset >> 1;
    if (RB_UNLIKELY(view->end > target->length || index + width > view->byte_length))
        return NULL;
    return target->data + view->offset + index;
}

/* Fast path to an element of a typed array, like spate_view_at. */
static inline uint8_t *spate_view_element(VALUE self, VALUE number, size_t width) {
    if (RB_UNLIKELY(RTYPEDDATA_TYPE(self) != &spate_view_type || !FIXNUM_P(number)))
        return NULL;
    const spate_view *view = RTYPEDDATA_DATA(self);
    const spate_array_buffer *target = view->target;
    size_t index = (size_t)number >> 1;
    if (RB_UNLIKELY(view->end > target->length || index >= view->byte_length / width))
        return NULL;
    return target->data + view->offset + index * width;
}

/* Whether neither an initialized view nor its buffer is frozen. */
static inline bool spate_view_is_writable(VALUE self) {
    const spate_view *view = RTYPEDDATA_DATA(self);
    return !(RB_OBJ_FROZEN_RAW(self) | RB_OBJ_FROZEN_RAW(view->buffer));
}

/* Raises FrozenError if view or buffer is frozen. */
static inline void spate_view_check_frozen(VALUE self, const spate_view *view) {
    if (RB_UNLIKELY(RB_OBJ_FROZEN_RAW(self)))
        rb_error_frozen_object(self);
    if (RB_UNLIKELY(!NIL_P(view->buffer) && RB_OBJ_FROZEN_RAW(view->buffer)))
        rb_error_frozen_object(view->buffer);
}

/* Raises TypeError if the view is outside its buffer or was never initialized. */
void spate_view_check(const spate_view *view);

/* The bytes of a String, an ArrayBuffer or a view. Valid until other Ruby code runs. */
typedef struct spate_bytes {
    const uint8_t *data;
    size_t length;
} spate_bytes;

/* Raises TypeError if `object` is none of these, or is detached or out of bounds. */
spate_bytes spate_bytes_of(VALUE object);

/*
 * Returns the buffer of a Spate::Compat::DataView and sets `out` to the view's bytes, which are empty if it is
 * detached.
 */
VALUE spate_compat_view(VALUE self, spate_bytes *out);

/* Element access for typed arrays of any type. The fast paths are in element.c. */

VALUE spate_array_at(VALUE self, VALUE index);
VALUE spate_array_aref(int argc, VALUE *argv, VALUE self);
VALUE spate_array_aset(VALUE self, VALUE index, VALUE value);

/* Defines the fast paths. `classes`: SPATE_TYPES classes in the order of spate_types. */
void spate_init_elements(const VALUE *classes);

#endif
