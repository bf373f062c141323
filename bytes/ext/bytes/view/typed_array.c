#include "view/view.h"

#include <ruby/encoding.h>

#include <stdio.h>
#include <stdlib.h>

static VALUE class_typed_array;
static VALUE classes[SPATE_TYPES];

/* ---- The object -------------------------------------------------------------------------------------------------- */

static VALUE allocate(VALUE klass, int type) {
    VALUE self = spate_view_allocate(klass);
    spate_view_of(self)->type = &spate_types[type];
    return self;
}

#define DEFINE_ALLOCATE(number)                                                                                        \
    static VALUE allocate_##number(VALUE klass) {                                                                      \
        return allocate(klass, number);                                                                                \
    }
DEFINE_ALLOCATE(0)
DEFINE_ALLOCATE(1)
DEFINE_ALLOCATE(2)
DEFINE_ALLOCATE(3)
DEFINE_ALLOCATE(4)
DEFINE_ALLOCATE(5)
DEFINE_ALLOCATE(6)
DEFINE_ALLOCATE(7)
DEFINE_ALLOCATE(8)
DEFINE_ALLOCATE(9)
DEFINE_ALLOCATE(10)
DEFINE_ALLOCATE(11)

static VALUE (*const allocators[SPATE_TYPES])(VALUE) = {
    allocate_0, allocate_1, allocate_2, allocate_3, allocate_4,  allocate_5,
    allocate_6, allocate_7, allocate_8, allocate_9, allocate_10, allocate_11,
};

static bool is_typed_array(VALUE object) {
    return rb_typeddata_is_kind_of(object, &spate_view_type) && spate_view_of(object)->type;
}

/* Number of elements within the buffer. */
static inline size_t count_of(const spate_view *view) {
    return spate_view_bytes(view) / view->type->width;
}

static inline uint8_t *element(const spate_view *view, size_t index) {
    return spate_view_data(view) + index * view->type->width;
}

/* Creates an array of `klass` with a new buffer. */
static VALUE make(VALUE klass, size_t count, const spate_type *type) {
    if (count > SPATE_LENGTH_LIMIT / type->width)
        rb_raise(rb_eRangeError, "length %zu is too large for elements of %zu bytes", count, type->width);
    VALUE buffer = spate_array_buffer_new(count * type->width);
    VALUE self = spate_view_allocate(klass);
    spate_view_of(self)->type = type;
    spate_view_open(self, buffer, 0, count * type->width, false);
    return self;
}

static VALUE class_of_type(const spate_type *type) {
    return classes[type - spate_types];
}

static void check_writable(VALUE self, const spate_view *view) {
    spate_view_check_frozen(self, view);
    spate_view_check(view);
}

/* ---- new --------------------------------------------------------------------------------------------------------- */

/* Initializes an array on an existing buffer. ECMA-262 23.2.5.1.3. */
static void open_on_buffer(VALUE self, VALUE buffer, VALUE offset_given, VALUE length_given) {
    const spate_view *view = spate_view_of(self);
    size_t width = view->type->width;
    size_t offset = NIL_P(offset_given) ? 0 : spate_to_index(offset_given, "byte_offset");
    size_t count = NIL_P(length_given) ? 0 : spate_to_index(length_given, "length");
    if (offset % width)
        rb_raise(rb_eRangeError, "byte_offset %zu is not a multiple of the element's %zu bytes", offset, width);
    const spate_array_buffer *target = spate_array_buffer_readable(buffer);
    if (offset > target->length)
        spate_out_of_bounds("byte_offset", offset, 1, target->length);
    size_t rest = target->length - offset;
    if (!NIL_P(length_given)) {
        if (count > rest / width)
            rb_raise(rb_eIndexError, "byte_offset %zu and length %zu are out of bounds: the byte length is %zu", offset,
                     count, target->length);
        spate_view_open(self, buffer, offset, count * width, false);
    } else if (target->resizable) {
        spate_view_open(self, buffer, offset, rest, true);
    } else {
        if (target->length % width)
            rb_raise(rb_eRangeError, "the ArrayBuffer's length %zu is not a multiple of the element's %zu bytes",
                     target->length, width);
        spate_view_open(self, buffer, offset, rest, false);
    }
}

static void open_anew(VALUE self, size_t count) {
    size_t width = spate_view_of(self)->type->width;
    if (count > SPATE_LENGTH_LIMIT / width)
        rb_raise(rb_eRangeError, "length %zu is too large for elements of %zu bytes", count, width);
    spate_view_open(self, spate_array_buffer_new(count * width), 0, count * width, false);
}

/* Stores an element. Checks the bounds after the conversion, because the conversion may run Ruby code. */
static void put(VALUE self, size_t index, VALUE value) {
    const spate_view *view = spate_view_of(self);
    uint64_t bits = view->type->convert(value);
    spate_view_check_frozen(self, view);
    if (index >= count_of(view))
        spate_out_of_bounds("index", index, 1, count_of(view));
    view->type->store(element(view, index), bits);
}

static void check_content(const spate_type *a, const spate_type *b) {
    if (a->big != b->big)
        rb_raise(rb_eTypeError, "cannot mix %sArray and %sArray: one holds BigInts", a->name, b->name);
}

/*
 * Copies elements of the same type bytewise, others one by one. Both arrays must have `count` elements from these
 * positions on.
 */
static void copy_elements(VALUE self, size_t to, VALUE source, size_t count) {
    const spate_view *view = spate_view_of(self), *from = spate_view_of(source);
    if (count == 0)
        return;
    if (view->type == from->type) {
        memmove(element(view, to), element(from, 0), count * view->type->width);
        return;
    }
    /*
     * If both arrays share a buffer, writing would overwrite elements that are still to be read, so they are copied
     * first.
     */
    VALUE held = Qnil;
    const uint8_t *bytes = element(from, 0);
    if (from->target == view->target) {
        held = rb_str_new((const char *)bytes, (long)(count * from->type->width));
        bytes = (const uint8_t *)RSTRING_PTR(held);
    }
    for (size_t i = 0; i < count; i++)
        view->type->store(element(view, to + i), view->type->convert(from->type->load(bytes + i * from->type->width)));
    RB_GC_GUARD(held);
}

static void fill_from_array(VALUE self, size_t to, VALUE array) {
    for (long i = 0; i < RARRAY_LEN(array); i++)
        put(self, to + (size_t)i, RARRAY_AREF(array, i));
}

/* Raises TypeError unless `source` can be converted to an Array. */
static VALUE to_array(VALUE source) {
    if (NIL_P(source) || !rb_respond_to(source, rb_intern("to_a")))
        rb_raise(rb_eTypeError, "no implicit conversion of %s into an Array of numbers", rb_obj_classname(source));
    VALUE array = rb_funcall(source, rb_intern("to_a"), 0);
    Check_Type(array, T_ARRAY);
    return array;
}

/*
 * new(length = 0), new(buffer, byte_offset = 0, length = nil), new(typed_array), new(enumerable): ECMA-262 23.2.5.1.
 * Raises IndexError for a range outside of the buffer, RangeError if it is not aligned.
 */
static VALUE array_initialize(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 0, 3);
    VALUE first = argc ? argv[0] : INT2FIX(0);
    if (!spate_view_of(self)->type)
        rb_raise(rb_eTypeError, "a TypedArray is abstract: make a Uint8Array or another");
    if (rb_typeddata_is_kind_of(first, &spate_array_buffer_type)) {
        open_on_buffer(self, first, argc > 1 ? argv[1] : Qnil, argc > 2 ? argv[2] : Qnil);
        return self;
    }
    rb_check_arity(argc, 0, 1);
    if (is_typed_array(first)) {
        const spate_view *from = spate_view_of(first);
        spate_view_check(from);
        check_content(spate_view_of(self)->type, from->type);
        size_t count = count_of(from);
        open_anew(self, count);
        copy_elements(self, 0, first, count);
        return self;
    }
    if (RB_INTEGER_TYPE_P(first) || RB_FLOAT_TYPE_P(first)) {
        open_anew(self, spate_to_index(first, "length"));
        return self;
    }
    VALUE array = rb_check_array_type(first);
    if (NIL_P(array)) {
        if (!rb_respond_to(first, rb_intern("each_entry")))
            rb_raise(rb_eTypeError, "expected a length, an ArrayBuffer, a typed array or an Enumerable, got %s",
                     rb_obj_classname(first));
        array = to_array(first);
    }
    open_anew(self, (size_t)RARRAY_LEN(array));
    fill_from_array(self, 0, array);
    return self;
}

/* A copy has a separate buffer, so its elements are independent, as in a copy of an Array. */
static VALUE array_initialize_copy(VALUE self, VALUE other) {
    if (self == other)
        return self;
    if (!is_typed_array(other) || spate_view_of(other)->type != spate_view_of(self)->type)
        rb_raise(rb_eTypeError, "expected a %s", rb_obj_classname(self));
    spate_view_check(spate_view_of(other));
    size_t count = count_of(spate_view_of(other));
    open_anew(self, count);
    copy_elements(self, 0, other, count);
    return self;
}

/* ---- Properties -------------------------------------------------------------------------------------------------- */

static VALUE array_buffer(VALUE self) {
    return spate_view_of(self)->buffer;
}

static inline const spate_view *array_of(VALUE self) {
    const spate_view *view = spate_view_of(self);
    if (RB_UNLIKELY(!view->type))
        rb_raise(rb_eTypeError, "expected a TypedArray");
    return view;
}

/* length: the number of elements; 0 if the array is outside its buffer. ECMA-262 23.2.3.21. */
static VALUE array_length(VALUE self) {
    return SIZET2NUM(count_of(array_of(self)));
}

static VALUE array_byte_length(VALUE self) {
    const spate_view *view = array_of(self);
    return SIZET2NUM(count_of(view) * view->type->width);
}

static VALUE array_byte_offset(VALUE self) {
    const spate_view *view = array_of(self);
    return SIZET2NUM(spate_view_is_out(view) ? 0 : view->offset);
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

/* Converts an index to an Integer. Must be called before the buffer is checked, because it may run Ruby code. */
static inline VALUE to_integer(VALUE index) {
    return RB_LIKELY(FIXNUM_P(index)) || RB_TYPE_P(index, T_BIGNUM) ? index : LONG2NUM(NUM2LONG(index));
}

/*
 * Converts an Integer to an element's position. Negative indexes count from the end. Returns SIZE_MAX for an index
 * outside of the array.
 */
static inline size_t locate(VALUE index, size_t count) {
    if (!RB_LIKELY(FIXNUM_P(index)))
        return SIZE_MAX;
    long position = FIX2LONG(index);
    if (position < 0)
        position += (long)count;
    return position < 0 ? SIZE_MAX : (size_t)position;
}

static VALUE slice_of(VALUE self, size_t from, size_t count) {
    const spate_view *view = array_of(self);
    VALUE result = make(class_of_type(view->type), count, view->type);
    view = array_of(self);
    size_t there = count_of(view) > from ? count_of(view) - from : 0;
    if (there > count)
        there = count;
    if (there)
        memcpy(element(spate_view_of(result), 0), element(view, from), there * view->type->width);
    return result;
}

static VALUE load_at(const spate_view *view, VALUE index) {
    index = to_integer(index);
    size_t count = count_of(view);
    size_t at = locate(index, count);
    if (at >= count)
        return Qnil;
    return view->type->load(element(view, at));
}

/* at(index): returns the element, or nil if there is none. */
VALUE spate_array_at(VALUE self, VALUE index) {
    return load_at(array_of(self), index);
}

/* array[index], array[start, length], array[range]: like Array#[]. The last two return copies. */
VALUE spate_array_aref(int argc, VALUE *argv, VALUE self) {
    const spate_view *view = array_of(self);
    if (RB_LIKELY(argc == 1 && FIXNUM_P(argv[0])))
        return load_at(view, argv[0]);
    rb_check_arity(argc, 1, 2);
    long start, size;
    if (argc == 1) {
        VALUE inside = rb_range_beg_len(argv[0], &start, &size, (long)count_of(view), 0);
        if (inside == Qfalse)
            return load_at(view, argv[0]);
        return NIL_P(inside) ? Qnil : slice_of(self, (size_t)start, (size_t)size);
    }
    start = NUM2LONG(argv[0]);
    size = NUM2LONG(argv[1]);
    long count = (long)count_of(array_of(self));
    if (start < 0)
        start += count;
    if (start < 0 || start > count || size < 0)
        return Qnil;
    return slice_of(self, (size_t)start, (size_t)(size < count - start ? size : count - start));
}

/* array[index] = number: raises IndexError outside of the array, because a typed array does not grow. */
VALUE spate_array_aset(VALUE self, VALUE index, VALUE value) {
    const spate_view *view = array_of(self);
    index = to_integer(index);
    uint64_t bits = view->type->convert(value);
    spate_view_check_frozen(self, view);
    size_t count = count_of(view);
    size_t at = locate(index, count);
    if (RB_UNLIKELY(at >= count)) {
        spate_view_check(view);
        rb_raise(rb_eIndexError, "index %" PRIsVALUE " is out of bounds: the length is %zu", index, count);
    }
    view->type->store(element(view, at), bits);
    return value;
}

static VALUE array_to_a(VALUE self) {
    size_t count = count_of(array_of(self));
    VALUE array = rb_ary_new_capa((long)count);
    for (size_t i = 0; i < count; i++) {
        const spate_view *view = array_of(self);
        rb_ary_push(array, i < count_of(view) ? view->type->load(element(view, i)) : Qnil);
    }
    return array;
}

static VALUE enumerator_size(VALUE self, VALUE arguments, VALUE object) {
    return array_length(self);
}

/* each { |number| }: checks the length before each element, because the block may change it. */
static VALUE array_each(VALUE self) {
    RETURN_SIZED_ENUMERATOR(self, 0, 0, enumerator_size);
    for (size_t i = 0;; i++) {
        const spate_view *view = array_of(self);
        if (i >= count_of(view))
            return self;
        rb_yield(view->type->load(element(view, i)));
    }
}

/* ---- Ranges ------------------------------------------------------------------------------------------------------ */

/*
 * Converts start and end as in JavaScript: negative values count from the end, and both are clamped. nil means the
 * start or the end of the array.
 */
static void take_range(VALUE start, VALUE end, size_t count, size_t *from, size_t *to) {
    *from = NIL_P(start) ? 0 : spate_to_position(start, count);
    *to = NIL_P(end) ? count : spate_to_position(end, count);
    if (*to < *from)
        *to = *from;
}

/* fill(number, start = 0, end = length). ECMA-262 23.2.3.9. */
static VALUE array_fill(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 1, 3);
    const spate_view *view = array_of(self);
    check_writable(self, view);
    size_t before = count_of(view), from, to;
    uint64_t bits = view->type->convert(argv[0]);
    take_range(argc > 1 ? argv[1] : Qnil, argc > 2 ? argv[2] : Qnil, before, &from, &to);
    check_writable(self, view);
    if (to > count_of(view))
        to = count_of(view);
    if (view->type->width == 1 && from < to)
        memset(element(view, from), (int)(bits & 0xff), to - from);
    else
        for (size_t i = from; i < to; i++)
            view->type->store(element(view, i), bits);
    return self;
}

/*
 * set(numbers, offset = 0): copies from a typed array or an object with to_a. ECMA-262 23.2.3.26. Raises IndexError if
 * there are too many numbers.
 */
static VALUE array_set(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 1, 2);
    size_t to = argc > 1 ? spate_to_index(argv[1], "offset") : 0;
    const spate_view *view = array_of(self);
    VALUE source = argv[0];
    if (!is_typed_array(source))
        source = to_array(source);
    check_writable(self, view);
    size_t count = RB_TYPE_P(source, T_ARRAY) ? (size_t)RARRAY_LEN(source) : count_of(array_of(source));
    size_t room = count_of(view);
    if (to > room || count > room - to)
        rb_raise(rb_eIndexError, "%zu elements at %zu are out of bounds: the length is %zu", count, to, room);
    if (RB_TYPE_P(source, T_ARRAY)) {
        fill_from_array(self, to, source);
    } else {
        spate_view_check(spate_view_of(source));
        check_content(view->type, spate_view_of(source)->type);
        copy_elements(self, to, source, count);
    }
    return Qnil;
}

/* slice(start = 0, end = length), slice(range): returns a copy. ECMA-262 23.2.3.27. */
static VALUE array_slice(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 0, 2);
    const spate_view *view = array_of(self);
    spate_view_check(view);
    size_t from, to;
    if (argc == 1 && rb_obj_is_kind_of(argv[0], rb_cRange))
        return spate_array_aref(argc, argv, self);
    take_range(argc > 0 ? argv[0] : Qnil, argc > 1 ? argv[1] : Qnil, count_of(view), &from, &to);
    if (from < to)
        spate_view_check(view);
    return slice_of(self, from, to - from);
}

/* subarray(start = 0, end = length): returns a view of the same bytes. ECMA-262 23.2.3.30. */
static VALUE array_subarray(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 0, 2);
    const spate_view *view = array_of(self);
    size_t from, to, width = view->type->width;
    take_range(argc > 0 ? argv[0] : Qnil, argc > 1 ? argv[1] : Qnil, count_of(view), &from, &to);
    spate_view_check(view);
    bool tracking = view->tracking && (argc < 2 || NIL_P(argv[1]));
    VALUE result = spate_view_allocate(class_of_type(view->type));
    spate_view_of(result)->type = view->type;
    spate_view_open(result, view->buffer, view->offset + from * width, (to - from) * width, tracking);
    return result;
}

/* copy_within(target, start = 0, end = length): copies elements to another position in the array. ECMA-262 23.2.3.6. */
static VALUE array_copy_within(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 1, 3);
    const spate_view *view = array_of(self);
    check_writable(self, view);
    size_t count = count_of(view), from, end;
    size_t to = spate_to_position(argv[0], count);
    take_range(argc > 1 ? argv[1] : Qnil, argc > 2 ? argv[2] : Qnil, count, &from, &end);
    check_writable(self, view);
    size_t now = count_of(view);
    size_t moved = end - from;
    if (to >= now || from >= now)
        return self;
    if (moved > now - from)
        moved = now - from;
    if (moved > now - to)
        moved = now - to;
    memmove(element(view, to), element(view, from), moved * view->type->width);
    return self;
}

/* reverse!, JavaScript's reverse. ECMA-262 23.2.3.25. */
static VALUE array_reverse(VALUE self) {
    const spate_view *view = array_of(self);
    check_writable(self, view);
    size_t count = count_of(view), width = view->type->width;
    uint8_t held[8];
    for (size_t low = 0, high = count ? count - 1 : 0; low < high; low++, high--) {
        memcpy(held, element(view, low), width);
        memcpy(element(view, low), element(view, high), width);
        memcpy(element(view, high), held, width);
    }
    return self;
}

/* Sorts by value: -0 before 0, NaN last. ECMA-262 23.2.3.29 without a comparator. */
static VALUE array_sort(VALUE self) {
    const spate_view *view = array_of(self);
    check_writable(self, view);
    if (count_of(view) > 1)
        qsort(element(view, 0), count_of(view), view->type->width, view->type->compare);
    return self;
}

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

static VALUE array_equal(VALUE self, VALUE other) {
    if (self == other)
        return Qtrue;
    if (!is_typed_array(other))
        return Qfalse;
    const spate_view *a = array_of(self), *b = array_of(other);
    if (a->type != b->type || count_of(a) != count_of(b))
        return Qfalse;
    size_t count = count_of(a);
    if (!a->type->floating)
        return count == 0 || memcmp(element(a, 0), element(b, 0), count * a->type->width) == 0 ? Qtrue : Qfalse;
    for (size_t i = 0; i < count; i++)
        if (RFLOAT_VALUE(a->type->load(element(a, i))) != RFLOAT_VALUE(b->type->load(element(b, i))))
            return Qfalse;
    return Qtrue;
}

/* eql?: whether element type and bytes are the same, consistent with `hash`. */
static VALUE array_eql(VALUE self, VALUE other) {
    if (!is_typed_array(other))
        return Qfalse;
    const spate_view *a = array_of(self), *b = array_of(other);
    size_t count = count_of(a);
    if (a->type != b->type || count != count_of(b))
        return Qfalse;
    return count == 0 || memcmp(element(a, 0), element(b, 0), count * a->type->width) == 0 ? Qtrue : Qfalse;
}

/* Compares the numbers, then the lengths. Returns nil for another element type. */
static VALUE array_compare(VALUE self, VALUE other) {
    if (!is_typed_array(other) || array_of(self)->type != array_of(other)->type)
        return Qnil;
    const spate_view *a = array_of(self), *b = array_of(other);
    size_t shorter = count_of(a) < count_of(b) ? count_of(a) : count_of(b);
    for (size_t i = 0; i < shorter; i++) {
        int order = a->type->compare(element(a, i), element(b, i));
        if (order)
            return INT2FIX(order);
    }
    return INT2FIX(count_of(a) < count_of(b) ? -1 : count_of(a) > count_of(b));
}

static VALUE array_hash(VALUE self) {
    const spate_view *view = array_of(self);
    size_t bytes = count_of(view) * view->type->width;
    st_index_t hash = rb_memhash(bytes ? element(view, 0) : (const uint8_t *)"", (long)bytes);
    return ST2FIX(rb_hash_end(rb_hash_uint(hash, (st_index_t)(view->type - spate_types))));
}

#define INSPECTED 10

static VALUE array_inspect(VALUE self) {
    const spate_view *view = array_of(self);
    VALUE text = rb_enc_sprintf(rb_utf8_encoding(), "#<%" PRIsVALUE " ", rb_obj_class(self));
    if (NIL_P(view->buffer) || spate_view_is_out(view))
        return rb_str_cat_cstr(text, view->target->detached ? "detached>" : "out of bounds>");
    size_t count = count_of(view);
    rb_str_catf(text, "length=%zu [", count);
    for (size_t i = 0; i < count_of(view) && i < INSPECTED; i++) {
        if (i)
            rb_str_cat_cstr(text, ", ");
        rb_str_append(text, rb_obj_as_string(view->type->load(element(view, i))));
    }
    return rb_str_cat_cstr(text, count > INSPECTED ? ", …]>" : "]>");
}

/* ---- Method definitions ------------------------------------------------------------------------------------------ */

static void define_class(VALUE spate, int number) {
    const spate_type *type = &spate_types[number];
    char name[32];
    snprintf(name, sizeof name, "%sArray", type->name);
    VALUE klass = classes[number] = rb_define_class_under(spate, name, class_typed_array);
    rb_gc_register_mark_object(klass);
    rb_define_alloc_func(klass, allocators[number]);
    rb_define_const(klass, "BYTES_PER_ELEMENT", SIZET2NUM(type->width));
}

void spate_init_typed_array(VALUE spate) {
    VALUE klass = class_typed_array = rb_define_class_under(spate, "TypedArray", rb_cObject);
    rb_gc_register_mark_object(klass);
    rb_include_module(klass, rb_mComparable);
    rb_include_module(klass, rb_mEnumerable);
    rb_define_alloc_func(klass, spate_view_allocate);
    rb_define_method(klass, "initialize", array_initialize, -1);
    rb_define_method(klass, "initialize_copy", array_initialize_copy, 1);
    rb_define_method(klass, "buffer", array_buffer, 0);
    rb_define_method(klass, "length", array_length, 0);
    rb_define_method(klass, "byte_length", array_byte_length, 0);
    rb_define_method(klass, "byte_offset", array_byte_offset, 0);
    rb_define_method(klass, "at", spate_array_at, 1);
    rb_define_method(klass, "[]", spate_array_aref, -1);
    rb_define_method(klass, "[]=", spate_array_aset, 2);
    rb_define_method(klass, "to_a", array_to_a, 0);
    rb_define_method(klass, "each", array_each, 0);
    rb_define_method(klass, "fill", array_fill, -1);
    rb_define_method(klass, "set", array_set, -1);
    rb_define_method(klass, "slice", array_slice, -1);
    rb_define_method(klass, "subarray", array_subarray, -1);
    rb_define_method(klass, "copy_within", array_copy_within, -1);
    rb_define_method(klass, "reverse!", array_reverse, 0);
    rb_define_private_method(klass, "sort_numbers", array_sort, 0);
    rb_define_method(klass, "==", array_equal, 1);
    rb_define_method(klass, "eql?", array_eql, 1);
    rb_define_method(klass, "<=>", array_compare, 1);
    rb_define_method(klass, "hash", array_hash, 0);
    rb_define_method(klass, "inspect", array_inspect, 0);
    for (int number = 0; number < SPATE_TYPES; number++)
        define_class(spate, number);
    spate_init_elements(classes);
    rb_define_alias(klass, "size", "length");
    rb_define_alias(klass, "byteLength", "byte_length");
    rb_define_alias(klass, "byteOffset", "byte_offset");
    rb_define_alias(klass, "bytesize", "byte_length");
    rb_define_alias(klass, "copyWithin", "copy_within");
}
