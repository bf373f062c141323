#include "native.h"

#include <errno.h>
#include <ruby/thread.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* Linux's minimum read-ahead in bytes: if the first byte of a piece is cached, the rest is cached or being read. */
#define PIECE ((off_t)128 << 10)

/*
 * content(max): returns the whole content; nil if it has more than `max` bytes or changes during the read. Raises
 * SystemCallError.
 */
static VALUE found_content(VALUE self, VALUE max) {
    const spate_place *place = spate_found_place(self);
    int fd = spate_found_descriptor(self);
    if (place->size > (uint64_t)NUM2SIZET(max))
        return Qnil;
    VALUE content = rb_str_new(NULL, (long)place->size);
    size_t done = 0;
    while (done < place->size) {
        ssize_t count = pread(fd, RSTRING_PTR(content) + done, place->size - done, (off_t)done);
        if (count < 0 && errno != EINTR)
            rb_sys_fail("pread");
        if (count == 0)
            return Qnil;
        done += count > 0 ? (size_t)count : 0;
    }
    return RTEST(spate_found_changed(self)) ? Qnil : rb_str_freeze(content);
}

typedef struct reading {
    VALUE found;
    int fd;
    char *bytes;
    size_t length;
    off_t position;
    ssize_t count;
    int error;
} reading;

static void *read_bytes(void *argument) {
    reading *r = argument;
    r->count = pread(r->fd, r->bytes, r->length, r->position);
    r->error = r->count < 0 ? errno : 0;
    return NULL;
}

static VALUE bytes_to_ruby(VALUE argument) {
    reading *r = (reading *)argument;
    do
        rb_nogvl(read_bytes, r, RUBY_UBF_IO, NULL, 0); /* raises if interrupted */
    while (r->count < 0 && r->error == EINTR);
    if (r->count < 0)
        rb_syserr_fail_str(r->error, spate_found_path(r->found));
    return rb_str_new(r->bytes, (long)r->count);
}

static VALUE free_reading(VALUE argument) {
    free(((reading *)argument)->bytes);
    return Qnil;
}

/* read(position, length): returns a String, empty at the end of the file. Releases the GVL. Raises SystemCallError. */
static VALUE found_read(VALUE self, VALUE position, VALUE length) {
    reading r = {
        .found = self, .fd = spate_found_descriptor(self), .length = NUM2SIZET(length), .position = NUM2OFFT(position)};
    r.bytes = malloc(r.length ? r.length : 1);
    if (!r.bytes)
        rb_raise(rb_eNoMemError, "no memory for %zu bytes of a file", r.length);
    return rb_ensure(bytes_to_ruby, (VALUE)&r, free_reading, (VALUE)&r);
}

/* Whether a byte is in the page cache; true if the system cannot report that. */
static bool is_cached(int fd, off_t position) {
#ifdef RWF_NOWAIT
    char byte;
    struct iovec slice = {&byte, 1};
    return preadv2(fd, &slice, 1, position, RWF_NOWAIT) >= 0 || errno != EAGAIN;
#else
    return true;
#endif
}

/* cached?(position, length): whether these bytes are in the page cache. Checks one byte per 128 KB. */
static VALUE found_cached(VALUE self, VALUE position, VALUE length) {
    int fd = spate_found_descriptor(self);
    off_t from = NUM2OFFT(position), end = from + NUM2OFFT(length);
    for (; from < end; from += PIECE)
        if (!is_cached(fd, from))
            return Qfalse;
    return Qtrue;
}

static void *read_into_cache(void *argument) {
    reading *r = argument;
    off_t end = r->position + (off_t)r->length;
    r->count = 1;
    while (r->count > 0 && r->position < end) {
        r->count = pread(r->fd, r->bytes, (size_t)PIECE, r->position);
        r->error = r->count < 0 ? errno : 0;
        if (r->count > 0)
            r->position += r->count;
    }
    return NULL;
}

static VALUE warm(VALUE argument) {
    reading *r = (reading *)argument;
    rb_nogvl(read_into_cache, r, RUBY_UBF_IO, NULL, 0);
    if (r->error && r->error != EINTR)
        rb_syserr_fail_str(r->error, spate_found_path(r->found));
    return r->found;
}

/* warm(position, length): reads the bytes into the page cache. Releases the GVL. Raises SystemCallError. */
static VALUE found_warm(VALUE self, VALUE position, VALUE length) {
    reading r = {
        .found = self, .fd = spate_found_descriptor(self), .length = NUM2SIZET(length), .position = NUM2OFFT(position)};
    r.bytes = malloc((size_t)PIECE);
    if (!r.bytes)
        rb_raise(rb_eNoMemError, "no memory to read ahead");
    return rb_ensure(warm, (VALUE)&r, free_reading, (VALUE)&r);
}

void spate_init_found_reading(VALUE found) {
    rb_define_method(found, "content", found_content, 1);
    rb_define_method(found, "read", found_read, 2);
    rb_define_method(found, "cached?", found_cached, 2);
    rb_define_method(found, "warm", found_warm, 2);
}
