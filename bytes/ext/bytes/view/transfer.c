#include "view/view.h"

#include <ruby/io.h>
#include <ruby/thread.h>

#include <errno.h>
#include <unistd.h>

/*
 * Reads from an IO into a buffer and writes to an IO without a String. read(2) and write(2) access the buffer's memory
 * directly. The buffer is pinned, so that its memory is not moved while the GVL is released.
 */
typedef struct transfer {
    VALUE self;
    VALUE io;
    spate_array_buffer *buffer;
    uint8_t *at;
    size_t left;
    size_t done;
    bool writing;
    bool once;      /* read only the available bytes, not `left` bytes */
    int descriptor; /* a duplicate, or -1; another thread may close the IO's descriptor, and its number may be reused */
    ssize_t got;
    int failed;
} transfer;

static int descriptor_of(VALUE io) {
#ifdef HAVE_RB_IO_DESCRIPTOR
    return rb_io_descriptor(io);
#else
    rb_io_t *file;
    GetOpenFile(io, file);
    return file->fd;
#endif
}

static void own_descriptor(transfer *t) {
    int shared = descriptor_of(t->io); /* raises IOError */
    if (t->descriptor >= 0)
        return;
    t->descriptor = rb_cloexec_dup(shared);
    if (t->descriptor < 0)
        rb_sys_fail("dup");
    rb_update_max_fd(t->descriptor);
}

static void *call(void *argument) {
    transfer *t = argument;
    t->got = t->writing ? write(t->descriptor, t->at, t->left) : read(t->descriptor, t->at, t->left);
    t->failed = t->got < 0 ? errno : 0;
    return NULL;
}

/* Raises IO::TimeoutError if the IO has a timeout (Ruby 3.2 and later). */
static void wait_for(const transfer *t) {
    (void)descriptor_of(t->io); /* raises IOError for a closed IO, for which Ruby 3.1 would wait forever */
    VALUE events = INT2FIX(t->writing ? RUBY_IO_WRITABLE : RUBY_IO_READABLE);
    VALUE ready = rb_io_wait(t->io, events, Qnil);
#ifdef HAVE_RB_EIOTIMEOUTERROR
    if (!RTEST(ready))
        rb_raise(rb_eIOTimeoutError, "the IO was not ready in time");
#else
    (void)ready;
#endif
}

static VALUE step(VALUE argument) {
    transfer *t = (transfer *)argument;
    while (t->left) {
        wait_for(t);
        own_descriptor(t);
        rb_nogvl(call, t, RUBY_UBF_IO, NULL, 0);
        if (t->failed == EINTR || t->failed == EAGAIN || t->failed == EWOULDBLOCK) {
            rb_thread_check_ints();
            continue;
        }
        if (t->failed)
            rb_syserr_fail(t->failed, t->writing ? "write" : "read");
        if (t->got == 0)
            break;
        t->at += t->got;
        t->left -= (size_t)t->got;
        t->done += (size_t)t->got;
        if (t->once)
            break;
    }
    return SIZET2NUM(t->done);
}

static VALUE ended(VALUE argument) {
    const transfer *t = (const transfer *)argument;
    if (!t->writing)
        t->buffer->writers--;
    spate_array_buffer_unpin(t->buffer);
    if (t->descriptor >= 0)
        close(t->descriptor);
    return Qnil;
}

/* Sets the range given by offset and length. Raises IndexError if it is not within the buffer or view. */
static void take_window(transfer *t, VALUE offset_given, VALUE length_given) {
    size_t offset = NIL_P(offset_given) ? 0 : spate_to_index(offset_given, "offset");
    bool all = NIL_P(length_given);
    size_t wanted = all ? 0 : spate_to_index(length_given, "length");
    size_t length;
    if (rb_typeddata_is_kind_of(t->self, &spate_array_buffer_type)) {
        t->buffer = t->writing ? spate_array_buffer_readable(t->self) : spate_array_buffer_writable(t->self);
        t->at = t->buffer->data;
        length = t->buffer->length;
    } else {
        spate_view *view = spate_view_of(t->self);
        if (!t->writing)
            spate_view_check_frozen(t->self, view);
        spate_view_check(view);
        t->buffer = view->target;
        t->at = spate_view_data(view);
        length = spate_view_bytes(view);
    }
    if (offset > length)
        spate_out_of_bounds("offset", offset, 1, length);
    if (all)
        wanted = length - offset;
    if (wanted > length - offset)
        rb_raise(rb_eIndexError, "offset %zu and length %zu are out of bounds: the length is %zu", offset, wanted,
                 length);
    t->at += offset;
    t->left = wanted;
}

static VALUE run(transfer *t) {
    if (t->left == 0)
        return INT2FIX(0);
    spate_array_buffer_pin(t->buffer);
    return rb_ensure(step, (VALUE)t, ended, (VALUE)t);
}

/*
 * Copies the bytes of a String: bytes that Ruby has already read ahead, or bytes from an object that is not an IO
 * (StringIO, SSL socket).
 */
static VALUE take_string(transfer *t, VALUE string) {
    if (NIL_P(string))
        return INT2FIX(0);
    StringValue(string);
    size_t length = (size_t)RSTRING_LEN(string);
    if (length > t->left)
        rb_raise(rb_eIOError, "%zu bytes were read instead of %zu", length, t->left);
    memcpy(t->at, RSTRING_PTR(string), length);
    RB_GC_GUARD(string);
    t->at += length;
    t->left -= length;
    t->done += length;
    return string;
}

static VALUE ask_for_string(VALUE argument) {
    const transfer *t = (const transfer *)argument;
    return rb_funcall(t->io, rb_intern(t->once ? "readpartial" : "read"), 1, SIZET2NUM(t->left));
}

static VALUE no_string(VALUE unused, VALUE error) {
    return Qnil;
}

static VALUE read_through_string(VALUE argument) {
    take_string((transfer *)argument, rb_rescue2(ask_for_string, argument, no_string, Qnil, rb_eEOFError, (VALUE)0));
    return SIZET2NUM(((transfer *)argument)->done);
}

static VALUE read_ahead(VALUE argument) {
    transfer *t = (transfer *)argument;
    rb_io_t *file;
    GetOpenFile(t->io, file);
    rb_io_check_byte_readable(file);
    if (rb_io_read_pending(file))
        take_string(t, rb_funcall(t->io, rb_intern("readpartial"), 1, SIZET2NUM(t->left)));
    return Qnil;
}

static VALUE read_whole(VALUE argument) {
    read_ahead(argument);
    transfer *t = (transfer *)argument;
    return t->once && t->done ? SIZET2NUM(t->done) : step(argument);
}

static VALUE read_into(int argc, VALUE *argv, VALUE self, bool once) {
    VALUE io, offset, length;
    rb_scan_args(argc, argv, "12", &io, &offset, &length);
    transfer t = {.self = self, .io = io, .once = once, .descriptor = -1};
    take_window(&t, offset, length);
    if (t.left == 0)
        return INT2FIX(0);
    bool plain = RB_TYPE_P(io, T_FILE);
    spate_array_buffer_pin(t.buffer);
    t.buffer->writers++;
    VALUE result = rb_ensure(plain ? read_whole : read_through_string, (VALUE)&t, ended, (VALUE)&t);
    RB_GC_GUARD(self);
    return result;
}

/*
 * read_from(io, offset = 0, length = the rest): returns the number of bytes read, fewer than `length` only at the end
 * of the file.
 */
static VALUE read_from(int argc, VALUE *argv, VALUE self) {
    return read_into(argc, argv, self, false);
}

/*
 * read_partial_from(io, offset = 0, length = the rest): waits until bytes are available and reads these. Returns their
 * number, 0 at the end.
 */
static VALUE read_partial_from(int argc, VALUE *argv, VALUE self) {
    return read_into(argc, argv, self, true);
}

/* write_to(io, offset = 0, length = the rest): writes all bytes. Returns their number. */
static VALUE write_to(int argc, VALUE *argv, VALUE self) {
    VALUE io, offset, length;
    rb_scan_args(argc, argv, "12", &io, &offset, &length);
    transfer t = {.self = self, .io = io, .writing = true, .descriptor = -1};
    take_window(&t, offset, length);
    if (RB_TYPE_P(io, T_FILE)) {
        io = t.io = rb_io_get_write_io(io);
        rb_io_t *file;
        GetOpenFile(io, file);
        rb_io_check_writable(file);
        rb_io_flush(io); /* sends earlier writes first; may run other threads */
        take_window(&t, offset, length);
        VALUE result = run(&t);
        RB_GC_GUARD(self);
        return result;
    }
    VALUE string = rb_str_new((const char *)t.at, (long)t.left);
    return rb_funcall(io, rb_intern("write"), 1, string);
}

static void define(VALUE klass) {
    rb_define_method(klass, "read_from", read_from, -1);
    rb_define_method(klass, "read_partial_from", read_partial_from, -1);
    rb_define_method(klass, "write_to", write_to, -1);
    rb_define_alias(klass, "readFrom", "read_from");
    rb_define_alias(klass, "writeTo", "write_to");
}

void spate_init_transfer(VALUE spate) {
    define(spate_class_array_buffer);
    define(rb_const_get(spate, rb_intern("DataView")));
    define(rb_const_get(spate, rb_intern("TypedArray")));
}
