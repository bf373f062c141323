#ifndef SPATE_BYTES_TYPED_ARRAY_H
#define SPATE_BYTES_TYPED_ARRAY_H

/* Elements of a typed array of any type, by the slow path: element.c has the fast one. */
#include "view/view.h"

VALUE spate_array_at(VALUE self, VALUE index);
VALUE spate_array_aref(int argc, VALUE *argv, VALUE self);
VALUE spate_array_aset(VALUE self, VALUE index, VALUE value);

/* classes: SPATE_TYPES of them, in the order of spate_types. */
void spate_init_elements(const VALUE *classes);

#endif
