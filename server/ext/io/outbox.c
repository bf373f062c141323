#include "outbox.h"
#include "native.h"
#include "outbox_call.h"
#include "outbox_struct.h"

#include <string.h>
#include <unistd.h>

const spate_bytes_abi *spate_bytes;

static void outbox_mark(void *pointer) {
    const outbox *box = pointer;
    rb_gc_mark(box->pool);
    rb_gc_mark(box->buffer);
}

void spate_outbox_drop_files(outbox *box, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        close(box->files[i].fd);
    box->file_count -= count;
    memmove(box->files, box->files + count, box->file_count * sizeof box->files[0]);
}

static void outbox_free(void *pointer) {
    outbox *box = pointer;
    spate_outbox_drop_files(box, box->file_count);
    xfree(box);
}

static const rb_data_type_t outbox_type = {
    "Spate::Server::Native::Outbox", {outbox_mark, outbox_free, NULL}, 0, 0, RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE outbox_alloc(VALUE klass) {
    outbox *box;
    VALUE self = TypedData_Make_Struct(klass, outbox, &outbox_type, box);
    box->pool = box->buffer = Qnil;
    return self;
}

outbox *spate_outbox_of(VALUE self) {
    return rb_check_typeddata(self, &outbox_type);
}

/* Outbox.new(pool): an Array that connections share. */
static VALUE outbox_initialize(VALUE self, VALUE pool) {
    Check_Type(pool, T_ARRAY);
    spate_outbox_of(self)->pool = pool;
    return self;
}

static void take_buffer(outbox *box) {
    size_t length;
    VALUE buffer = rb_ary_pop(box->pool);
    if (NIL_P(buffer))
        buffer = spate_bytes->create(SPATE_OUTBOX_BYTES);
    uint8_t *bytes = spate_bytes->pin(buffer, &length, true);
    if (length < SPATE_OUTBOX_BYTES) {
        spate_bytes->unpin(buffer);
        rb_raise(rb_eArgError, "a pooled buffer has %zu bytes instead of %zu", length, SPATE_OUTBOX_BYTES);
    }
    box->bytes = bytes;
    box->buffer = buffer;
    box->start = box->end = 0;
}

void spate_outbox_give_back(outbox *box) {
    VALUE buffer = box->buffer;
    box->buffer = Qnil;
    box->bytes = NULL;
    box->start = box->end = 0;
    if (NIL_P(buffer))
        return;
    spate_bytes->unpin(buffer);
    rb_ary_push(box->pool, buffer);
}

/* Where `length` more bytes go. A peer that makes us answer and does not read the answers comes to the end of the room. */
uint8_t *spate_outbox_place(outbox *box, size_t length) {
    if (NIL_P(box->buffer))
        take_buffer(box);
    if (SPATE_OUTBOX_BYTES - box->end < length && box->start > 0) {
        memmove(box->bytes, box->bytes + box->start, box->end - box->start);
        for (unsigned i = 0; i < box->file_count; i++)
            box->files[i].at -= box->start;
        box->end -= box->start;
        box->start = 0;
    }
    if (SPATE_OUTBOX_BYTES - box->end < length)
        rb_raise(rb_path2class("Spate::Server::ConnectionError"), "the peer does not read what it asked for");
    return box->bytes + box->end;
}

size_t spate_outbox_room(const outbox *box) {
    if (NIL_P(box->buffer))
        return SPATE_OUTBOX_DATA_BYTES;
    return box->end < SPATE_OUTBOX_DATA_BYTES ? SPATE_OUTBOX_DATA_BYTES - box->end : 0;
}

static VALUE outbox_room(VALUE self) {
    return SIZET2NUM(spate_outbox_room(spate_outbox_of(self)));
}

/* raw(bytes): a String as it is, as HTTP/1.1 has it. */
static VALUE outbox_raw(VALUE self, VALUE bytes) {
    outbox *box = spate_outbox_of(self);
    Check_Type(bytes, T_STRING);
    size_t length = (size_t)RSTRING_LEN(bytes);
    uint8_t *at = spate_outbox_place(box, length);
    memcpy(at, RSTRING_PTR(bytes), length);
    box->end += length;
    return self;
}

size_t spate_outbox_file_bytes(const outbox *box) {
    size_t bytes = 0;
    for (unsigned i = 0; i < box->file_count; i++)
        bytes += box->files[i].left;
    return bytes;
}

bool spate_outbox_is_empty(const outbox *box) {
    return box->start == box->end && box->file_count == 0;
}

static VALUE outbox_pending(VALUE self) {
    const outbox *box = spate_outbox_of(self);
    return SIZET2NUM(box->end - box->start + spate_outbox_file_bytes(box));
}

static VALUE outbox_empty(VALUE self) {
    return RBOOL(spate_outbox_is_empty(spate_outbox_of(self)));
}

static VALUE outbox_clear(VALUE self) {
    outbox *box = spate_outbox_of(self);
    spate_outbox_drop_files(box, box->file_count);
    spate_outbox_give_back(box);
    return self;
}

/* The bytes that wait, as a String, to look at; of files only those that are in the buffer. */
static VALUE outbox_to_s(VALUE self) {
    const outbox *box = spate_outbox_of(self);
    return rb_str_new((const char *)box->bytes + (box->bytes ? box->start : 0), (long)(box->end - box->start));
}

static void written(outbox *box, size_t count) {
    if (count > box->end - box->start)
        rb_raise(rb_eRangeError, "%zu bytes were written of %zu", count, box->end - box->start);
    box->start += count;
    if (spate_outbox_is_empty(box))
        spate_outbox_give_back(box);
}

/* written(count): the first `count` waiting bytes went another way than by flush. */
static VALUE outbox_written(VALUE self, VALUE count) {
    written(spate_outbox_of(self), NUM2SIZET(count));
    return self;
}

/* What outbox.h tells other extensions. */
static VALUE abi_waiting(VALUE self, size_t *offset, size_t *length) {
    const outbox *box = spate_outbox_of(self);
    *offset = box->start;
    *length = box->end - box->start;
    return *length ? box->buffer : Qnil;
}

static void abi_written(VALUE self, size_t count) {
    written(spate_outbox_of(self), count);
}

static size_t abi_room(VALUE self) {
    return spate_outbox_room(spate_outbox_of(self));
}

static uint8_t *abi_place(VALUE self, size_t length) {
    return spate_outbox_place(spate_outbox_of(self), length);
}

static void abi_filled(VALUE self, size_t count) {
    spate_outbox_of(self)->end += count;
}

static const spate_outbox_abi table = {
    .version = SPATE_OUTBOX_ABI_VERSION,
    .size = sizeof(spate_outbox_abi),
    .waiting = abi_waiting,
    .written = abi_written,
    .room = abi_room,
    .place = abi_place,
    .filled = abi_filled,
    .read_file = spate_outbox_read,
};

VALUE spate_init_outbox(VALUE native) {
    VALUE box = rb_define_class_under(native, "Outbox", rb_cObject);
    rb_define_const(native, "OUTBOX_ABI", SIZET2NUM((size_t)&table));
    rb_define_const(box, "BYTES", SIZET2NUM(SPATE_OUTBOX_BYTES));
    rb_define_alloc_func(box, outbox_alloc);
    rb_define_method(box, "initialize", outbox_initialize, 1);
    rb_define_method(box, "room", outbox_room, 0);
    rb_define_method(box, "raw", outbox_raw, 1);
    rb_define_method(box, "pending", outbox_pending, 0);
    rb_define_method(box, "empty?", outbox_empty, 0);
    rb_define_method(box, "clear", outbox_clear, 0);
    rb_define_method(box, "to_s", outbox_to_s, 0);
    rb_define_method(box, "written", outbox_written, 1);
    return box;
}
