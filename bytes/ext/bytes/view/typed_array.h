#ifndef SPATE_BYTES_TYPED_ARRAY_H
#define SPATE_BYTES_TYPED_ARRAY_H

/* Element access for typed arrays of any type. element.c has the fast paths. */
#include "view/view.h"

VALUE spate_array_at(VALUE self, VALUE index);
VALUE spate_array_aref(int argc, VALUE *argv, VALUE self);
VALUE spate_array_aset(VALUE self, VALUE index, VALUE value);

/* Defines the fast paths. `classes`: SPATE_TYPES classes in the order of spate_types. */
void spate_init_elements(const VALUE *classes);

#endif
