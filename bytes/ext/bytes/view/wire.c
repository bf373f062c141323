#include "view/view.h"

/*
 * A frame of HTTP/2 (RFC 9113, section 4.1): nine bytes, followed by the payload.
 *
 *   +-----------------------------------------------+
 *   |                 Length (24)                   |
 *   +---------------+---------------+---------------+
 *   |   Type (8)    |   Flags (8)   |
 *   +-+-------------+---------------+-------------------------------+
 *   |R|                 Stream Identifier (31)                      |
 *   +=+=============================================================+
 *   |                   Payload (0…)                              ...
 *   +---------------------------------------------------------------+
 */
#define HEADER 9
#define LONGEST 0xffffff

typedef struct header {
    uint8_t type;
    uint8_t flags;
    uint32_t stream;
} header;

static long within(VALUE number, const char *what, long most) {
    long value = NUM2LONG(number);
    if (value < 0 || value > most)
        rb_raise(rb_eRangeError, "%s %ld is outside of 0 to %ld", what, value, most);
    return value;
}

static header take_header(VALUE type, VALUE flags, VALUE stream) {
    return (header){(uint8_t)within(type, "type", 0xff), (uint8_t)within(flags, "flags", 0xff),
                    (uint32_t)within(stream, "stream", 0x7fffffff)};
}

static void write_header(uint8_t *at, size_t length, header h) {
    at[0] = (uint8_t)(length >> 16);
    at[1] = (uint8_t)(length >> 8);
    at[2] = (uint8_t)length;
    at[3] = h.type;
    at[4] = h.flags;
    spate_store_uint32_t(at + 5, h.stream, false);
}

static void check_payload(size_t length) {
    if (length > LONGEST)
        rb_raise(rb_eRangeError, "a payload of %zu bytes is too long: at most %d", length, LONGEST);
}

/* Returns the address of `width` writable bytes at `offset` of an ArrayBuffer or a view. Raises IndexError. */
static uint8_t *place(VALUE target, size_t offset, size_t width) {
    uint8_t *data;
    size_t length;
    if (rb_typeddata_is_kind_of(target, &spate_array_buffer_type)) {
        const spate_array_buffer *buffer = spate_array_buffer_writable(target);
        data = buffer->data;
        length = buffer->length;
    } else {
        const spate_view *view = spate_view_of(target);
        spate_view_check_frozen(target, view);
        spate_view_check(view);
        data = spate_view_data(view);
        length = spate_view_bytes(view);
    }
    if (offset > length || width > length - offset)
        spate_out_of_bounds("offset", offset, width, length);
    return data + offset;
}

/*
 * Wire.write_frame(target, offset, type, flags, stream, payload): writes header and payload into an ArrayBuffer or a
 * view. Returns the offset after the frame. payload: a String, an ArrayBuffer, a view or nil. Raises IndexError if the
 * frame does not fit, RangeError if a number does not fit into its field.
 */
static VALUE wire_write_frame(VALUE self, VALUE target, VALUE offset, VALUE type, VALUE flags, VALUE stream,
                              VALUE payload) {
    size_t from = spate_to_index(offset, "offset");
    header h = take_header(type, flags, stream);
    spate_bytes bytes = NIL_P(payload) ? (spate_bytes){NULL, 0} : spate_bytes_of(payload);
    check_payload(bytes.length);
    uint8_t *at = place(target, from, HEADER + bytes.length);
    if (bytes.length)
        memmove(at + HEADER, bytes.data, bytes.length);
    write_header(at, bytes.length, h);
    return SIZET2NUM(from + HEADER + bytes.length);
}

/*
 * Wire.write_frame_header(target, offset, length, type, flags, stream): writes only the header, for a payload that is
 * written separately.
 */
static VALUE wire_write_frame_header(VALUE self, VALUE target, VALUE offset, VALUE length, VALUE type, VALUE flags,
                                     VALUE stream) {
    size_t from = spate_to_index(offset, "offset");
    header h = take_header(type, flags, stream);
    size_t bytes = (size_t)within(length, "length", LONGEST);
    write_header(place(target, from, HEADER), bytes, h);
    return SIZET2NUM(from + HEADER);
}

/* Wire.frame(type, flags, stream, payload): returns a frame as a new binary String. */
static VALUE wire_frame(VALUE self, VALUE type, VALUE flags, VALUE stream, VALUE payload) {
    header h = take_header(type, flags, stream);
    size_t length = NIL_P(payload) ? 0 : spate_bytes_of(payload).length;
    check_payload(length);
    VALUE string = rb_str_new(NULL, (long)(HEADER + length));
    uint8_t *at = (uint8_t *)RSTRING_PTR(string);
    write_header(at, length, h);
    if (length)
        memcpy(at + HEADER, spate_bytes_of(payload).data, length);
    return string;
}

/*
 * Wire.read_frame_header(source, offset, fields): stores [length, type, flags, stream] in the reused Array `fields` and
 * returns it. Raises IndexError if fewer than nine bytes are left. The reserved bit is ignored.
 */
static VALUE wire_read_frame_header(VALUE self, VALUE source, VALUE offset, VALUE fields) {
    size_t from = spate_to_index(offset, "offset");
    Check_Type(fields, T_ARRAY);
    rb_ary_modify(fields); /* raises FrozenError; also unshares the elements from other Arrays */
    spate_bytes bytes = spate_bytes_of(source);
    if (from > bytes.length || bytes.length - from < HEADER)
        spate_out_of_bounds("offset", from, HEADER, bytes.length);
    const uint8_t *at = bytes.data + from;
    long length = at[0] << 16 | at[1] << 8 | at[2];
    long type = at[3], flags = at[4], stream = spate_load_uint32_t(at + 5, false) & 0x7fffffff;
    if (RB_LIKELY(RARRAY_LEN(fields) == 4)) {
        RARRAY_ASET(fields, 0, LONG2FIX(length));
        RARRAY_ASET(fields, 1, LONG2FIX(type));
        RARRAY_ASET(fields, 2, LONG2FIX(flags));
        RARRAY_ASET(fields, 3, LONG2NUM(stream));
        return fields;
    }
    rb_ary_clear(fields);
    long values[4] = {length, type, flags, stream};
    for (int i = 0; i < 4; i++)
        rb_ary_push(fields, LONG2NUM(values[i]));
    return fields;
}

void spate_init_wire(VALUE spate) {
    VALUE wire = rb_define_module_under(spate, "Wire");
    rb_define_const(wire, "FRAME_HEADER_BYTES", INT2FIX(HEADER));
    rb_define_const(wire, "FRAME_PAYLOAD_LIMIT", INT2FIX(LONGEST));
    rb_define_singleton_method(wire, "write_frame", wire_write_frame, 6);
    rb_define_singleton_method(wire, "write_frame_header", wire_write_frame_header, 6);
    rb_define_singleton_method(wire, "frame", wire_frame, 4);
    rb_define_singleton_method(wire, "read_frame_header", wire_read_frame_header, 3);
}
