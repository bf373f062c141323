#include "native.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/*
 * Native.receive(fd, buffer, offset): reads a socket into an ArrayBuffer from `offset` on, without blocking. Returns
 * the number of bytes, 0 at the end of the stream, or nil if no bytes are available. Raises SystemCallError,
 * IndexError.
 */
static VALUE receive(VALUE self, VALUE descriptor, VALUE buffer, VALUE offset) {
    int fd = NUM2INT(descriptor);
    size_t from = NUM2SIZET(offset), length;
    ssize_t count;
    uint8_t *bytes = spate_bytes->pin(buffer, &length, true);
    if (from >= length) {
        spate_bytes->unpin(buffer);
        rb_raise(rb_eIndexError, "offset %zu leaves no room in %zu bytes", from, length);
    }
    do
        count = recv(fd, bytes + from, length - from, MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    int error = errno;
    spate_bytes->unpin(buffer);
    if (count < 0 && error != EAGAIN && error != EWOULDBLOCK)
        rb_syserr_fail(error, "recv");
    return count < 0 ? Qnil : SSIZET2NUM(count);
}

/*
 * Native.low_water(fd, bytes): sets SO_RCVLOWAT: with fewer bytes, the socket is reported as readable only if the peer
 * has closed or the receive buffer is full. Returns whether the system supports the option.
 */
static VALUE low_water(VALUE self, VALUE descriptor, VALUE bytes) {
    int mark = NUM2INT(bytes);
    return RBOOL(setsockopt(NUM2INT(descriptor), SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark) == 0);
}

/*
 * Native.copy(to, at, source, from, count): replaces the bytes of the String `to` from `at` on with `count` bytes of
 * `source` from `from` on. `to` keeps its capacity for the next call. Raises IndexError, FrozenError.
 */
static VALUE copy(VALUE self, VALUE to, VALUE at, VALUE source, VALUE from, VALUE count) {
    long offset = NUM2LONG(at), first = NUM2LONG(from), length = NUM2LONG(count);
    StringValue(to);
    StringValue(source);
    if (offset < 0 || offset > RSTRING_LEN(to) || first < 0 || length < 0 || length > RSTRING_LEN(source) - first)
        rb_raise(rb_eIndexError, "%ld bytes from %ld to %ld", length, first, offset);
    rb_str_modify(to);
    long more = offset + length - RSTRING_LEN(to);
    if (more > 0)
        rb_str_modify_expand(to, more);
    memmove(RSTRING_PTR(to) + offset, RSTRING_PTR(source) + first, (size_t)length);
    rb_str_set_len(to, offset + length);
    RB_GC_GUARD(source);
    return to;
}

void spate_init_socket(VALUE native) {
    rb_define_singleton_method(native, "receive", receive, 3);
    rb_define_singleton_method(native, "low_water", low_water, 2);
    rb_define_singleton_method(native, "copy", copy, 5);
}
