#include "bit/bits.h"
#include "view/view.h"

/* Bytes read from an IO at a time. */
#define STEP ((size_t)64 << 10)

/*
 * Positions are in bits from the start of the source. For an IO, `source` contains the bytes from `base` on. `kept`,
 * the earliest mark, prevents them from being dropped.
 */
typedef struct bit_reader {
    VALUE source;  /* an ArrayBuffer, a view or a frozen String; for an IO, a String of buffered bytes */
    VALUE io;      /* the IO, or Qnil */
    uint64_t base; /* position of the first buffered byte, in bytes */
    uint64_t position;
    uint64_t kept; /* the earliest mark in bits; UINT64_MAX without a mark */
    spate_bit_order order;
} bit_reader;

static void reader_mark(void *pointer) {
    const bit_reader *reader = pointer;
    rb_gc_mark(reader->source);
    rb_gc_mark(reader->io);
}

static size_t reader_size(const void *pointer) {
    return sizeof(bit_reader);
}

static const rb_data_type_t reader_type = {
    .wrap_struct_name = "Spate::BitReader",
    .function = {.dmark = reader_mark, .dfree = RUBY_DEFAULT_FREE, .dsize = reader_size},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static VALUE reader_allocate(VALUE klass) {
    bit_reader *reader;
    VALUE self = TypedData_Make_Struct(klass, bit_reader, &reader_type, reader);
    reader->source = reader->io = Qnil;
    reader->kept = UINT64_MAX;
    return self;
}

static inline bit_reader *reader_of(VALUE self) {
    if (RB_LIKELY(RTYPEDDATA_P(self) && RTYPEDDATA_TYPE(self) == &reader_type))
        return RTYPEDDATA_DATA(self);
    return rb_check_typeddata(self, &reader_type);
}

/* Returns the reader to advance its position. Raises FrozenError if it is frozen. */
static inline bit_reader *moving(VALUE self) {
    bit_reader *reader = reader_of(self);
    rb_check_frozen(self);
    return reader;
}

/*
 * BitReader.new(source, order: :big): reads an ArrayBuffer, a view, a String or an object with readpartial. Raises
 * ArgumentError for another order, TypeError for another source.
 */
static VALUE reader_initialize(int argc, VALUE *argv, VALUE self) {
    VALUE source, options;
    rb_scan_args(argc, argv, "1:", &source, &options);
    spate_bit_order order = spate_take_bit_order(options);
    bit_reader *reader = reader_of(self);
    if (!NIL_P(reader->source))
        rb_raise(rb_eTypeError, "the BitReader is initialized already");
    reader->order = order;
    if (RB_TYPE_P(source, T_STRING)) {
        RB_OBJ_WRITE(self, &reader->source, rb_str_new_frozen(source));
    } else if (rb_typeddata_is_kind_of(source, &spate_array_buffer_type) ||
               rb_typeddata_is_kind_of(source, &spate_view_type)) {
        spate_bytes_of(source);
        RB_OBJ_WRITE(self, &reader->source, source);
    } else if (rb_respond_to(source, rb_intern("readpartial"))) {
        RB_OBJ_WRITE(self, &reader->io, source);
        RB_OBJ_WRITE(self, &reader->source, rb_str_new(NULL, 0));
    } else {
        rb_raise(rb_eTypeError, "expected a String, an ArrayBuffer, a view or an IO to read from, got %s",
                 rb_obj_classname(source));
    }
    return self;
}

static spate_bytes bytes_of(const bit_reader *reader) {
    if (RB_UNLIKELY(NIL_P(reader->source)))
        rb_raise(rb_eTypeError, "the BitReader is not initialized");
    return spate_bytes_of(reader->source);
}

static VALUE read_step(VALUE io) {
    return rb_funcall(io, rb_intern("readpartial"), 1, SIZET2NUM(STEP));
}

static VALUE at_end(VALUE unused, VALUE error) {
    return Qnil;
}

/*
 * Appends a piece read from the IO to the buffered bytes. Drops bytes before both the earliest mark and the position.
 * Returns false at the end.
 */
static bool refill(VALUE self, bit_reader *reader) {
    if (NIL_P(reader->io))
        return false;
    VALUE more = rb_rescue2(read_step, reader->io, at_end, Qnil, rb_eEOFError, (VALUE)0);
    if (NIL_P(more))
        return false;
    StringValue(more);
    uint64_t needed = (reader->kept < reader->position ? reader->kept : reader->position) >> 3;
    VALUE held = reader->source;
    long gone = (long)(needed - reader->base), length = RSTRING_LEN(held);
    /*
     * Moves the bytes only when more than half of them are obsolete, so that a long read does not copy them for each
     * piece. The String is private, so it can be changed in place.
     */
    if (gone > length / 2 || gone == length) {
        memmove(RSTRING_PTR(held), RSTRING_PTR(held) + gone, (size_t)(length - gone));
        rb_str_set_len(held, length - gone);
        reader->base = needed;
    }
    rb_str_cat(held, RSTRING_PTR(more), RSTRING_LEN(more));
    RB_GC_GUARD(more);
    return true;
}

static uint64_t end_of(const bit_reader *reader) {
    return (reader->base + bytes_of(reader).length) << 3;
}

/* Raises EOFError if fewer than `bits` bits are left. */
static void need(VALUE self, bit_reader *reader, uint64_t bits) {
    for (;;) {
        uint64_t end = end_of(reader);
        if (RB_LIKELY(reader->position <= end && bits <= end - reader->position))
            return;
        if (refill(self, reader))
            continue;
        uint64_t left = reader->position <= end ? end - reader->position : 0;
        rb_raise(rb_eEOFError, "expected %llu bits at bit %llu, only %llu are left", (unsigned long long)bits,
                 (unsigned long long)reader->position, (unsigned long long)left);
    }
}

static uint64_t peek_bits(VALUE self, bit_reader *reader, unsigned width) {
    need(self, reader, width);
    spate_bytes bytes = bytes_of(reader);
    return spate_bits_get(bytes.data, bytes.length, reader->position - (reader->base << 3), width, reader->order);
}

static uint64_t take_bits(VALUE self, bit_reader *reader, unsigned width) {
    uint64_t bits = peek_bits(self, reader, width);
    reader->position += width;
    return bits;
}

/*
 * Reads a variable-length integer completely or not at all. The cursor moves ahead, and the reader's position is
 * updated only at the end. After EOFError or RangeError, the position is therefore unchanged.
 */
typedef struct cursor {
    VALUE self;
    bit_reader *reader;
    uint64_t ahead; /* bits */
} cursor;

static uint64_t cursor_take(cursor *c, unsigned width) {
    need(c->self, c->reader, c->ahead + width);
    spate_bytes bytes = bytes_of(c->reader);
    uint64_t at = c->reader->position + c->ahead - (c->reader->base << 3);
    c->ahead += width;
    return spate_bits_get(bytes.data, bytes.length, at, width, c->reader->order);
}

static void cursor_end(cursor *c) {
    c->reader->position += c->ahead;
}

/* read(width): returns the next 1 to 64 bits as an unsigned Integer. */
static VALUE reader_read(VALUE self, VALUE width) {
    return ULL2NUM(take_bits(self, moving(self), spate_to_width(width)));
}

/* read_signed(width): returns the next bits as an Integer in two's complement. */
static VALUE reader_read_signed(VALUE self, VALUE width) {
    unsigned bits = spate_to_width(width);
    return spate_signed_field(take_bits(self, moving(self), bits), bits);
}

/* peek(width): like read, but does not advance the position. */
static VALUE reader_peek(VALUE self, VALUE width) {
    return ULL2NUM(peek_bits(self, reader_of(self), spate_to_width(width)));
}

/* read_bit: returns true for 1, false for 0. */
static VALUE reader_read_bit(VALUE self) {
    return take_bits(self, moving(self), 1) ? Qtrue : Qfalse;
}

/* read_all(width, count): returns an Array of unsigned Integers. */
static VALUE reader_read_all(VALUE self, VALUE width, VALUE count) {
    bit_reader *reader = moving(self);
    unsigned bits = spate_to_width(width);
    size_t fields = spate_to_index(count, "count");
    if (fields > SPATE_LENGTH_LIMIT)
        rb_raise(rb_eEOFError, "expected %zu fields, more than any source has", fields);
    need(self, reader, (uint64_t)fields * bits);
    VALUE array = rb_ary_new_capa((long)fields);
    for (size_t i = 0; i < fields; i++)
        rb_ary_push(array, ULL2NUM(take_bits(self, reader, bits)));
    return array;
}

/* read_bytes(count): returns a binary String. The position need not be at a byte boundary. */
static VALUE reader_read_bytes(VALUE self, VALUE count) {
    bit_reader *reader = moving(self);
    size_t length = spate_to_index(count, "count");
    if (length > SPATE_LENGTH_LIMIT)
        rb_raise(rb_eEOFError, "expected %zu bytes, more than any source has", length);
    need(self, reader, (uint64_t)length << 3);
    VALUE string = rb_str_new(NULL, (long)length);
    spate_bytes bytes = bytes_of(reader);
    uint64_t from = reader->position - (reader->base << 3);
    uint8_t *to = (uint8_t *)RSTRING_PTR(string);
    if (from & 7)
        for (size_t i = 0; i < length; i++)
            to[i] = (uint8_t)spate_bits_get(bytes.data, bytes.length, from + (i << 3), 8, reader->order);
    else if (length) /* `data` may be NULL if there are no bytes */
        memcpy(to, bytes.data + (from >> 3), length);
    reader->position += (uint64_t)length << 3;
    return string;
}

/* skip(bits): advances the position. Skipped bytes of an IO are dropped. */
static VALUE reader_skip(VALUE self, VALUE bits) {
    bit_reader *reader = moving(self);
    size_t count = spate_to_index(bits, "bits");
    for (uint64_t there; !NIL_P(reader->io) && count > (there = end_of(reader) - reader->position); count -= there) {
        reader->position += there;
        if (!refill(self, reader))
            break;
    }
    need(self, reader, count);
    reader->position += count;
    return self;
}

/* align(bits = 8): skips to the next multiple of `bits`. Returns the number of skipped bits. */
static VALUE reader_align(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 0, 1);
    bit_reader *reader = moving(self);
    size_t to = argc ? spate_to_index(argv[0], "bits") : 8;
    if (to == 0)
        rb_raise(rb_eRangeError, "cannot align to 0 bits");
    uint64_t rest = reader->position % to;
    uint64_t skipped = rest ? to - rest : 0;
    need(self, reader, skipped);
    reader->position += skipped;
    return ULL2NUM(skipped);
}

static VALUE reader_is_aligned(VALUE self) {
    return reader_of(self)->position & 7 ? Qfalse : Qtrue;
}

/* position: the position of the next bit to be read. */
static VALUE reader_position(VALUE self) {
    return ULL2NUM(reader_of(self)->position);
}

/* remaining: the number of bits left; nil for an IO. */
static VALUE reader_remaining(VALUE self) {
    const bit_reader *reader = reader_of(self);
    uint64_t end = end_of(reader);
    if (!NIL_P(reader->io))
        return Qnil;
    return ULL2NUM(end > reader->position ? end - reader->position : 0);
}

static VALUE reader_is_at_end(VALUE self) {
    bit_reader *reader = reader_of(self);
    while (reader->position >= end_of(reader))
        if (!refill(self, reader))
            return Qtrue;
    return Qfalse;
}

/* mark: returns the position, for `reset`. For an IO, all bytes from the earliest mark on are kept in memory. */
static VALUE reader_set_mark(VALUE self) {
    bit_reader *reader = moving(self);
    if (reader->position < reader->kept)
        reader->kept = reader->position;
    return ULL2NUM(reader->position);
}

/* reset(mark): continues at this position. Raises IndexError if the bytes were dropped. */
static VALUE reader_reset(VALUE self, VALUE mark) {
    bit_reader *reader = moving(self);
    uint64_t position = NUM2ULL(mark);
    if (position >> 3 < reader->base || position > end_of(reader))
        rb_raise(rb_eIndexError, "bit %llu is not in the buffer (%llu to %llu)", (unsigned long long)position,
                 (unsigned long long)reader->base << 3, (unsigned long long)end_of(reader));
    reader->position = position;
    return self;
}

/* forget_marks: removes all marks, so that bytes before the position can be dropped. */
static VALUE reader_forget_marks(VALUE self) {
    moving(self)->kept = UINT64_MAX;
    return self;
}

/* ---- Integers of variable length --------------------------------------------------------------------------------- */

NORETURN(static void too_long(const char *kind));
static void too_long(const char *kind) {
    rb_raise(rb_eRangeError, "%s does not fit 64 bits", kind);
}

/*
 * read_uleb128: reads seven bits per byte, the lowest first (DWARF 5, section 7.6). Raises RangeError beyond 64 bits.
 */
static VALUE reader_read_uleb128(VALUE self) {
    cursor c = {.self = self, .reader = moving(self)};
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = cursor_take(&c, 8);
        uint64_t piece = byte & 0x7f;
        if (shift > 63 ? piece != 0 || shift > 70 : shift == 63 && piece > 1)
            too_long("the LEB128");
        if (shift < 64)
            value |= piece << shift;
        if (byte & 0x80)
            continue;
        cursor_end(&c);
        return ULL2NUM(value);
    }
}

/* read_sleb128: like read_uleb128, in two's complement. */
static VALUE reader_read_sleb128(VALUE self) {
    cursor c = {.self = self, .reader = moving(self)};
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = cursor_take(&c, 8);
        if (shift > 63 || (shift == 63 && (byte & 0x7f) != 0 && (byte & 0x7f) != 0x7f))
            too_long("the LEB128");
        value |= (byte & 0x7f) << shift;
        if (byte & 0x80)
            continue;
        if (shift < 57 && byte & 0x40)
            value |= ~(uint64_t)0 << (shift + 7);
        cursor_end(&c);
        return LL2NUM((int64_t)value);
    }
}

/* read_quic: reads a length of two bits, then an integer of 6, 14, 30 or 62 bits (RFC 9000, section 16). */
static VALUE reader_read_quic(VALUE self) {
    bit_reader *reader = moving(self);
    if (reader->order == SPATE_LITTLE)
        rb_raise(rb_eTypeError, "QUIC's integers are big-endian, this BitReader is not");
    unsigned length = 1u << (peek_bits(self, reader, 8) >> 6);
    return ULL2NUM(spate_low_bits(take_bits(self, reader, length * 8), length * 8 - 2));
}

/* read_hpack(prefix): reads an integer with a prefix of 1 to 8 bits in its first byte (RFC 7541, section 5.1). */
static VALUE reader_read_hpack(VALUE self, VALUE prefix) {
    cursor c = {.self = self, .reader = moving(self)};
    unsigned bits = spate_to_width(prefix);
    if (bits > 8)
        rb_raise(rb_eRangeError, "a prefix has 1 to 8 bits, not %u", bits);
    uint64_t value = cursor_take(&c, bits);
    bool whole = value < ((uint64_t)1 << bits) - 1;
    for (unsigned shift = 0; !whole; shift += 7) {
        uint64_t byte = cursor_take(&c, 8), piece = byte & 0x7f;
        if (shift > 63 || (shift == 63 && piece > 1) || value + (piece << shift) < value)
            too_long("the integer");
        value += piece << shift;
        whole = !(byte & 0x80);
    }
    cursor_end(&c);
    return ULL2NUM(value);
}

void spate_init_bit_reader(VALUE spate) {
    VALUE klass = rb_define_class_under(spate, "BitReader", rb_cObject);
    rb_define_alloc_func(klass, reader_allocate);
    rb_undef_method(klass, "initialize_copy");
    rb_define_method(klass, "initialize", reader_initialize, -1);
    rb_define_method(klass, "read", reader_read, 1);
    rb_define_method(klass, "read_signed", reader_read_signed, 1);
    rb_define_method(klass, "peek", reader_peek, 1);
    rb_define_method(klass, "read_bit", reader_read_bit, 0);
    rb_define_method(klass, "read_all", reader_read_all, 2);
    rb_define_method(klass, "read_bytes", reader_read_bytes, 1);
    rb_define_method(klass, "skip", reader_skip, 1);
    rb_define_method(klass, "align", reader_align, -1);
    rb_define_method(klass, "aligned?", reader_is_aligned, 0);
    rb_define_method(klass, "position", reader_position, 0);
    rb_define_method(klass, "remaining", reader_remaining, 0);
    rb_define_method(klass, "eof?", reader_is_at_end, 0);
    rb_define_method(klass, "mark", reader_set_mark, 0);
    rb_define_method(klass, "reset", reader_reset, 1);
    rb_define_method(klass, "forget_marks", reader_forget_marks, 0);
    rb_define_method(klass, "read_uleb128", reader_read_uleb128, 0);
    rb_define_method(klass, "read_sleb128", reader_read_sleb128, 0);
    rb_define_method(klass, "read_quic", reader_read_quic, 0);
    rb_define_method(klass, "read_hpack", reader_read_hpack, 1);
}
