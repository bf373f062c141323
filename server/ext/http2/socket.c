#include "native.h"

#include <errno.h>
#include <sys/socket.h>

/*
 * Native.receive(fd, buffer, offset): bytes that a socket has, into the buffer's rest. Answers how many: 0 at the end,
 * nil where there are none now. SystemCallError.
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

void spate_init_socket(VALUE native) {
    rb_define_singleton_method(native, "receive", receive, 3);
}
