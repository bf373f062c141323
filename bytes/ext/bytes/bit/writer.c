#include "bit/bits.h"
#include "view/view.h"

/* Bytes buffered for an IO before they are written. */
#define STEP ((size_t)64 << 10)
#define LONGEST ((size_t)1 << 46)

/*
 * Positions are in bits from the start. For a sink, `buffer` contains the bytes from `base` on, which were not sent
 * yet.
 */
typedef struct bit_writer {
    VALUE buffer; /* the ArrayBuffer that is written to */
    VALUE sink;   /* an IO or a String that receives the bytes, or Qnil */
    uint64_t base;
    uint64_t position;
    spate_bit_order order;
    bool draining; /* the sink is receiving bytes; its Ruby code may call this writer */
} bit_writer;

static void writer_mark(void *pointer) {
    const bit_writer *writer = pointer;
    rb_gc_mark(writer->buffer);
    rb_gc_mark(writer->sink);
}

static size_t writer_size(const void *pointer) {
    return sizeof(bit_writer);
}

static const rb_data_type_t writer_type = {
    .wrap_struct_name = "Spate::BitWriter",
    .function = {.dmark = writer_mark, .dfree = RUBY_DEFAULT_FREE, .dsize = writer_size},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static VALUE writer_allocate(VALUE klass) {
    bit_writer *writer;
    VALUE self = TypedData_Make_Struct(klass, bit_writer, &writer_type, writer);
    writer->buffer = writer->sink = Qnil;
    return self;
}

static inline bit_writer *writer_of(VALUE self) {
    bit_writer *writer = RB_LIKELY(RTYPEDDATA_P(self) && RTYPEDDATA_TYPE(self) == &writer_type)
                             ? RTYPEDDATA_DATA(self)
                             : rb_check_typeddata(self, &writer_type);
    return writer;
}

/*
 * Raises FrozenError for a frozen writer, and IOError if the sink or another thread uses the writer while the sink
 * receives bytes.
 */
static inline bit_writer *writable(VALUE self) {
    bit_writer *writer = writer_of(self);
    rb_check_frozen(self);
    if (RB_UNLIKELY(writer->draining))
        rb_raise(rb_eIOError, "the BitWriter is sending its bytes to the sink");
    return writer;
}

static VALUE own_buffer(void) {
    VALUE options = rb_hash_new(), arguments[2] = {INT2FIX(0), options};
    rb_hash_aset(options, ID2SYM(rb_intern("max_byte_length")), SIZET2NUM(LONGEST));
    return rb_class_new_instance_kw(2, arguments, spate_class_array_buffer, RB_PASS_KEYWORDS);
}

/*
 * BitWriter.new(target = nil, order: :big): writes to a new buffer, or to a given ArrayBuffer (a resizable one grows).
 * A String or an IO as the target receives the bytes at flush.
 */
static VALUE writer_initialize(int argc, VALUE *argv, VALUE self) {
    VALUE target, options;
    rb_scan_args(argc, argv, "01:", &target, &options);
    spate_bit_order order = spate_take_bit_order(options);
    bit_writer *writer = writer_of(self);
    if (!NIL_P(writer->buffer))
        rb_raise(rb_eTypeError, "the BitWriter is initialized already");
    writer->order = order;
    if (rb_typeddata_is_kind_of(target, &spate_array_buffer_type)) {
        spate_array_buffer_writable(target);
        RB_OBJ_WRITE(self, &writer->buffer, target);
        return self;
    }
    if (!NIL_P(target) && !RB_TYPE_P(target, T_STRING) && !rb_respond_to(target, rb_intern("write")))
        rb_raise(rb_eTypeError, "expected an ArrayBuffer, a String or an IO to write to, got %s",
                 rb_obj_classname(target));
    RB_OBJ_WRITE(self, &writer->buffer, own_buffer());
    RB_OBJ_WRITE(self, &writer->sink, target);
    return self;
}

static VALUE buffer_of(const bit_writer *writer) {
    if (RB_UNLIKELY(NIL_P(writer->buffer)))
        rb_raise(rb_eTypeError, "the BitWriter is not initialized");
    return writer->buffer;
}

static spate_array_buffer *target_of(const bit_writer *writer) {
    return spate_array_buffer_writable(buffer_of(writer));
}

static size_t held(const bit_writer *writer) {
    return (size_t)(((writer->position + 7) >> 3) - writer->base);
}

/* Raises IndexError if a given ArrayBuffer has become shorter than the written bytes. */
static spate_array_buffer *held_in(const bit_writer *writer, spate_array_buffer *buffer) {
    if (held(writer) > buffer->length)
        rb_raise(rb_eIndexError, "%zu bytes were written, but the ArrayBuffer has %zu", held(writer), buffer->length);
    return buffer;
}

static void deliver(const bit_writer *writer, VALUE bytes) {
    if (RB_TYPE_P(writer->sink, T_STRING)) {
        rb_str_cat(writer->sink, RSTRING_PTR(bytes), RSTRING_LEN(bytes));
        return;
    }
    while (RSTRING_LEN(bytes)) {
        long written = NUM2LONG(rb_funcall(writer->sink, rb_intern("write"), 1, bytes));
        if (written <= 0 || written > RSTRING_LEN(bytes))
            rb_raise(rb_eIOError, "%ld of %ld bytes were written", written, RSTRING_LEN(bytes));
        bytes = rb_str_substr(bytes, written, RSTRING_LEN(bytes) - written);
    }
}

typedef struct delivery {
    bit_writer *writer;
    VALUE bytes;
} delivery;

static VALUE deliver_all(VALUE argument) {
    const delivery *d = (const delivery *)argument;
    deliver(d->writer, d->bytes);
    return Qnil;
}

static VALUE delivered(VALUE argument) {
    ((delivery *)argument)->writer->draining = false;
    return Qnil;
}

/* Sends all whole bytes to the sink. The bits of a partial byte stay in the buffer. */
static void drain(bit_writer *writer) {
    spate_array_buffer *buffer = target_of(writer);
    size_t whole = (size_t)((writer->position >> 3) - writer->base);
    if (whole == 0)
        return;
    VALUE bytes = rb_str_new((const char *)buffer->data, (long)whole);
    uint8_t begun = writer->position & 7 ? buffer->data[whole] : 0;
    delivery d = {writer, bytes};
    writer->draining = true;
    rb_ensure(deliver_all, (VALUE)&d, delivered, (VALUE)&d);
    RB_GC_GUARD(bytes);
    buffer = target_of(writer);
    memset(buffer->data, 0, buffer->length);
    if (buffer->length)
        buffer->data[0] = begun;
    writer->base += whole;
}

/* Ensures space for `bits` more bits. A resizable buffer grows; for a fixed one, raises IndexError. */
static spate_array_buffer *room(bit_writer *writer, uint64_t bits) {
    spate_array_buffer *buffer = target_of(writer);
    if (bits >> 50)
        rb_raise(rb_eRangeError, "too many bits");
    uint64_t end = ((writer->position + bits + 7) >> 3) - writer->base;
    if (RB_LIKELY(end <= buffer->length))
        return buffer;
    if (!NIL_P(writer->sink) && (writer->position >> 3) - writer->base >= STEP && !RB_TYPE_P(writer->sink, T_STRING)) {
        drain(writer);
        return room(writer, bits);
    }
    if (!buffer->resizable || end > buffer->max_length)
        rb_raise(rb_eIndexError, "%llu bits at bit %llu are out of bounds: the ArrayBuffer has %zu bytes",
                 (unsigned long long)bits, (unsigned long long)writer->position,
                 buffer->resizable ? buffer->max_length : buffer->length);
    /*
     * The writer's own buffer may be longer than the written bytes. An ArrayBuffer of the caller grows to exactly that
     * length.
     */
    bool own = buffer->max_length == LONGEST;
    size_t wanted = own && end < 64 ? 64 : own ? (size_t)end + (size_t)end / 2 : (size_t)end;
    spate_array_buffer_resize(buffer, wanted < buffer->max_length ? wanted : buffer->max_length);
    return buffer;
}

static void write_bits(bit_writer *writer, uint64_t bits, unsigned width) {
    spate_array_buffer *buffer = room(writer, width);
    spate_bits_put(buffer->data, writer->position - (writer->base << 3), bits, width, writer->order);
    writer->position += width;
}

/* write(number, width): writes 1 to 64 bits. Raises RangeError if the number does not fit. */
static VALUE writer_write(VALUE self, VALUE number, VALUE width) {
    unsigned bits = spate_to_width(width);
    write_bits(writable(self), spate_to_field(number, bits), bits);
    return self;
}

/* write_signed(number, width): writes a number in two's complement. */
static VALUE writer_write_signed(VALUE self, VALUE number, VALUE width) {
    unsigned bits = spate_to_width(width);
    write_bits(writable(self), spate_to_signed_field(number, bits), bits);
    return self;
}

static VALUE writer_write_bit(VALUE self, VALUE bit) {
    write_bits(writable(self), RTEST(bit) && bit != INT2FIX(0), 1);
    return self;
}

/* A field of this width plus seven pending bits fits into a word. */
#define FAST_WIDTH 57

/* Checks that all numbers fit before the first one is written. */
static void check_fields(VALUE numbers, unsigned width) {
    for (long i = 0; i < RARRAY_LEN(numbers); i++)
        spate_to_field(RARRAY_AREF(numbers, i), width);
}

/*
 * Collects fields in a word and writes whole bytes. Does not write the last field, whose last byte may contain other
 * bits. Returns the number of written fields.
 */
static long write_fast(bit_writer *writer, spate_array_buffer *buffer, VALUE numbers, unsigned width) {
    uint64_t at = writer->position - (writer->base << 3);
    unsigned waiting = (unsigned)(at & 7);
    uint8_t *to = buffer->data + (at >> 3);
    long count = RARRAY_LEN(numbers) - 1, i = 0;
    uint64_t word = 0;
    if (waiting)
        word = writer->order == SPATE_BIG ? (uint64_t)*to >> (8 - waiting) : spate_low_bits(*to, waiting);
    for (; i < count; i++) {
        uint64_t field = spate_to_field(RARRAY_AREF(numbers, i), width);
        word = writer->order == SPATE_BIG ? word << width | field : word | field << waiting;
        waiting += width;
        while (waiting >= 8) {
            waiting -= 8;
            *to++ = (uint8_t)(writer->order == SPATE_BIG ? word >> waiting : word);
            if (writer->order == SPATE_LITTLE)
                word >>= 8;
        }
        if (writer->order == SPATE_BIG)
            word = spate_low_bits(word, waiting);
    }
    writer->position += (uint64_t)i * width;
    uint64_t begun = writer->position - waiting - (writer->base << 3);
    if (waiting)
        spate_bits_put(buffer->data, begun, word, waiting, writer->order);
    return i;
}

/* write_all(numbers, width): writes an Array or a typed array. The space is checked once. */
static VALUE writer_write_all(VALUE self, VALUE numbers, VALUE width) {
    bit_writer *writer = writable(self);
    unsigned bits = spate_to_width(width);
    if (!RB_TYPE_P(numbers, T_ARRAY))
        numbers = rb_funcall(numbers, rb_intern("to_a"), 0);
    Check_Type(numbers, T_ARRAY);
    numbers = rb_ary_dup(numbers); /* `room` may call the sink, whose code may change the Array */
    check_fields(numbers, bits);
    spate_array_buffer *buffer = room(writer, (uint64_t)RARRAY_LEN(numbers) * bits);
    long first = 0;
    if (bits <= FAST_WIDTH)
        first = write_fast(writer, buffer, numbers, bits);
    for (long i = first; i < RARRAY_LEN(numbers); i++)
        write_bits(writer, spate_to_field(RARRAY_AREF(numbers, i), bits), bits);
    RB_GC_GUARD(numbers);
    return self;
}

/* write_bytes(bytes): writes a String, an ArrayBuffer or a view at any bit position. */
static VALUE writer_write_bytes(VALUE self, VALUE source) {
    bit_writer *writer = writable(self);
    if (!RB_TYPE_P(source, T_DATA))
        StringValue(source);
    size_t length = spate_bytes_of(source).length;
    room(writer, (uint64_t)length << 3);
    spate_bytes bytes = spate_bytes_of(source);
    if (bytes.length > length)
        bytes.length = length; /* a length-tracking view of the same buffer has grown with it */
    spate_array_buffer *buffer = target_of(writer);
    uint64_t at = writer->position - (writer->base << 3);
    if ((at & 7) == 0 && bytes.length)
        memmove(buffer->data + (at >> 3), bytes.data, bytes.length);
    else
        for (size_t i = 0; i < bytes.length; i++)
            spate_bits_put(buffer->data, at + (i << 3), bytes.data[i], 8, writer->order);
    writer->position += (uint64_t)bytes.length << 3;
    RB_GC_GUARD(source);
    return self;
}

/* align(bits = 8): writes zero bits up to the next multiple of `bits`. Returns their number. */
static VALUE writer_align(int argc, VALUE *argv, VALUE self) {
    rb_check_arity(argc, 0, 1);
    bit_writer *writer = writable(self);
    size_t to = argc ? spate_to_index(argv[0], "bits") : 8;
    if (to == 0 || to > 1 << 20)
        rb_raise(rb_eRangeError, "cannot align to %zu bits", to);
    uint64_t rest = writer->position % to;
    uint64_t missing = rest ? to - rest : 0;
    for (uint64_t left = missing; left;) {
        unsigned now = left < 64 ? (unsigned)left : 64;
        write_bits(writer, 0, now);
        left -= now;
    }
    return ULL2NUM(missing);
}

static VALUE writer_is_aligned(VALUE self) {
    return writer_of(self)->position & 7 ? Qfalse : Qtrue;
}

/* position: the position of the next bit to be written. */
static VALUE writer_position(VALUE self) {
    return ULL2NUM(writer_of(self)->position);
}

/* rewind(position): removes all bits from `position` on. Raises IndexError if they were sent to the sink. */
static VALUE writer_rewind(VALUE self, VALUE mark) {
    bit_writer *writer = writable(self);
    uint64_t position = NUM2ULL(mark);
    if (position > writer->position || position >> 3 < writer->base)
        rb_raise(rb_eIndexError, "bit %llu is not in the buffer (%llu to %llu)", (unsigned long long)position,
                 (unsigned long long)writer->base << 3, (unsigned long long)writer->position);
    spate_array_buffer *buffer = held_in(writer, target_of(writer));
    uint64_t from = position - (writer->base << 3);
    size_t whole = (size_t)((from + 7) >> 3);
    if (from & 7 && position < writer->position)
        spate_bits_put(buffer->data, from, 0, 8 - (unsigned)(from & 7), writer->order);
    if (whole < held(writer))
        memset(buffer->data + whole, 0, held(writer) - whole);
    writer->position = position;
    return self;
}

/* patch(position, number, width): overwrites a field, for example a length that was unknown before. */
static VALUE writer_patch(VALUE self, VALUE mark, VALUE number, VALUE width) {
    bit_writer *writer = writable(self);
    uint64_t position = NUM2ULL(mark);
    unsigned bits = spate_to_width(width);
    uint64_t field = spate_to_field(number, bits);
    if (position >> 3 < writer->base || position > writer->position || bits > writer->position - position)
        rb_raise(rb_eIndexError, "%u bits at bit %llu are not in the buffer (%llu to %llu)", bits,
                 (unsigned long long)position, (unsigned long long)writer->base << 3,
                 (unsigned long long)writer->position);
    spate_array_buffer *buffer = held_in(writer, target_of(writer));
    spate_bits_put(buffer->data, position - (writer->base << 3), field, bits, writer->order);
    return self;
}

/* ---- Integers of variable length --------------------------------------------------------------------------------- */

/* The bytes of one integer. Either all of them are written or, without space, none. */
typedef struct pieces {
    uint8_t bytes[11];
    unsigned count;
} pieces;

static void add_piece(pieces *p, uint64_t byte) {
    p->bytes[p->count++] = (uint8_t)byte;
}

static void write_pieces(bit_writer *writer, const pieces *p) {
    room(writer, 8 * p->count);
    for (unsigned i = 0; i < p->count; i++)
        write_bits(writer, p->bytes[i], 8);
}

/* write_uleb128(number): writes seven bits per byte, the lowest first (DWARF 5, section 7.6). */
static VALUE writer_write_uleb128(VALUE self, VALUE number) {
    bit_writer *writer = writable(self);
    uint64_t value = spate_to_field(number, 64);
    pieces p = {0};
    do {
        uint8_t byte = value & 0x7f;
        value >>= 7;
        add_piece(&p, byte | (value ? 0x80 : 0));
    } while (value);
    write_pieces(writer, &p);
    return self;
}

/* write_sleb128(number): like write_uleb128, in two's complement. */
static VALUE writer_write_sleb128(VALUE self, VALUE number) {
    bit_writer *writer = writable(self);
    pieces p = {0};
    int64_t value = (int64_t)spate_to_signed_field(number, 64);
    for (;;) {
        uint64_t byte = (uint64_t)value & 0x7f;
        value >>= 7;
        bool last = (value == 0 && !(byte & 0x40)) || (value == -1 && (byte & 0x40));
        add_piece(&p, byte | (last ? 0 : 0x80));
        if (last)
            break;
    }
    write_pieces(writer, &p);
    return self;
}

/* write_quic(number): writes 1, 2, 4 or 8 bytes (RFC 9000, section 16). Raises RangeError beyond 62 bits. */
static VALUE writer_write_quic(VALUE self, VALUE number) {
    bit_writer *writer = writable(self);
    uint64_t value = spate_to_field(number, 62);
    if (writer->order == SPATE_LITTLE)
        rb_raise(rb_eTypeError, "QUIC's integers are big-endian, this BitWriter is not");
    unsigned size = value < 1 << 6 ? 0 : value < 1 << 14 ? 1 : value < 1 << 30 ? 2 : 3;
    unsigned width = 8u << size;
    write_bits(writer, (uint64_t)size << (width - 2) | value, width);
    return self;
}

/*
 * write_hpack(number, prefix): writes a prefix of 1 to 8 bits, and further bytes if the number does not fit into it
 * (RFC 7541, section 5.1).
 */
static VALUE writer_write_hpack(VALUE self, VALUE number, VALUE prefix) {
    bit_writer *writer = writable(self);
    uint64_t value = spate_to_field(number, 64);
    unsigned bits = spate_to_width(prefix);
    if (bits > 8)
        rb_raise(rb_eRangeError, "a prefix has 1 to 8 bits, not %u", bits);
    uint64_t most = ((uint64_t)1 << bits) - 1;
    if (value < most) {
        write_bits(writer, value, bits);
        return self;
    }
    pieces p = {0};
    for (value -= most; value >= 0x80; value >>= 7)
        add_piece(&p, (value & 0x7f) | 0x80);
    add_piece(&p, value);
    room(writer, bits + 8 * p.count);
    write_bits(writer, most, bits);
    write_pieces(writer, &p);
    return self;
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

/* flush: sends whole bytes to the String or the IO. The bits of a partial byte stay in the buffer. */
static VALUE writer_flush(VALUE self) {
    bit_writer *writer = writable(self);
    if (!NIL_P(writer->sink))
        drain(writer);
    return self;
}

/* finish: aligns to a byte and flushes. */
static VALUE writer_finish(VALUE self) {
    writer_align(0, NULL, self);
    return writer_flush(self);
}

/*
 * to_s: returns the bytes that were not sent to the sink as a new binary String. The last byte is padded with zero
 * bits.
 */
static VALUE writer_to_s(VALUE self) {
    const bit_writer *writer = writer_of(self);
    VALUE string = rb_str_new(NULL, (long)held(writer));
    const spate_array_buffer *buffer = held_in(writer, spate_array_buffer_readable(buffer_of(writer)));
    if (held(writer))
        memcpy(RSTRING_PTR(string), buffer->data, held(writer));
    return string;
}

/* to_buffer: like to_s, but returns an ArrayBuffer. */
static VALUE writer_to_buffer(VALUE self) {
    const bit_writer *writer = writer_of(self);
    VALUE result = spate_array_buffer_new(held(writer));
    const spate_array_buffer *buffer = held_in(writer, spate_array_buffer_readable(buffer_of(writer)));
    if (held(writer))
        memcpy(spate_array_buffer_of(result)->data, buffer->data, held(writer));
    return result;
}

void spate_init_bit_writer(VALUE spate) {
    VALUE klass = rb_define_class_under(spate, "BitWriter", rb_cObject);
    rb_define_alloc_func(klass, writer_allocate);
    rb_undef_method(klass, "initialize_copy");
    rb_define_method(klass, "initialize", writer_initialize, -1);
    rb_define_method(klass, "write", writer_write, 2);
    rb_define_method(klass, "write_signed", writer_write_signed, 2);
    rb_define_method(klass, "write_bit", writer_write_bit, 1);
    rb_define_method(klass, "write_all", writer_write_all, 2);
    rb_define_method(klass, "write_bytes", writer_write_bytes, 1);
    rb_define_method(klass, "align", writer_align, -1);
    rb_define_method(klass, "aligned?", writer_is_aligned, 0);
    rb_define_method(klass, "position", writer_position, 0);
    rb_define_method(klass, "mark", writer_position, 0);
    rb_define_method(klass, "rewind", writer_rewind, 1);
    rb_define_method(klass, "patch", writer_patch, 3);
    rb_define_method(klass, "write_uleb128", writer_write_uleb128, 1);
    rb_define_method(klass, "write_sleb128", writer_write_sleb128, 1);
    rb_define_method(klass, "write_quic", writer_write_quic, 1);
    rb_define_method(klass, "write_hpack", writer_write_hpack, 2);
    rb_define_method(klass, "flush", writer_flush, 0);
    rb_define_method(klass, "finish", writer_finish, 0);
    rb_define_method(klass, "to_s", writer_to_s, 0);
    rb_define_method(klass, "to_buffer", writer_to_buffer, 0);
}
