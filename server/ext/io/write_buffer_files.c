#include "io_call.h"
#include "native.h"
#include "write_buffer_struct.h"

#include <fcntl.h>

/* Adds files: reads them into the buffer, or queues them after the buffered bytes. */

/* Maximum bytes of queued files. The limit is large because each refill waits for the GVL. */
#define FILE_BYTES ((size_t)16 << 20)

/* files?: whether files are queued. */
static VALUE write_buffer_has_files(VALUE self) {
    return RBOOL(spate_write_buffer_of(self)->file_count > 0);
}

static size_t file_room(const write_buffer *out) {
    if (!out->direct || out->file_count == SPATE_WRITE_BUFFER_FILES)
        return spate_write_buffer_room(out);
    return FILE_BYTES - spate_write_buffer_file_bytes(out);
}

/* file_room: bytes of a file that raw_file accepts. */
static VALUE write_buffer_file_room(VALUE self) {
    return SIZET2NUM(file_room(spate_write_buffer_of(self)));
}

/* Queues a file. Returns false when its bytes must be read into the buffer instead. */
static bool queue_file(write_buffer *out, int fd, off_t position, size_t length) {
#ifdef __linux__
    if (!out->direct || out->file_count == SPATE_WRITE_BUFFER_FILES)
        return false;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return false;
    out->files[out->file_count++] = (queued_file){own, position, length, out->end};
    return true;
#else
    return false;
#endif
}

/*
 * raw_file(fd, position, length): appends a file's bytes unframed, at most file_room of them. Returns their number. The
 * bytes are read now, or queued if `flush` can use sendfile. Raises SystemCallError.
 */
static VALUE write_buffer_raw_file(VALUE self, VALUE descriptor, VALUE position, VALUE length) {
    write_buffer *out = spate_write_buffer_of(self);
    size_t asked = NUM2SIZET(length), fits = file_room(out), wanted = asked < fits ? asked : fits;
    int fd = NUM2INT(descriptor);
    off_t from = NUM2OFFT(position);
    if (wanted == 0)
        return INT2FIX(0);
    if (queue_file(out, fd, from, wanted))
        return SIZET2NUM(wanted);
    if (wanted > spate_write_buffer_room(out))
        wanted = spate_write_buffer_room(out);
    if (wanted == 0)
        return INT2FIX(0);
    struct iovec slice = {spate_write_buffer_place(out, wanted), wanted};
    size_t done = spate_io_read_file(fd, &slice, 1, from, wanted);
    out->end += done;
    return SIZET2NUM(done);
}

void spate_init_write_buffer_files(VALUE klass) {
    rb_define_method(klass, "files?", write_buffer_has_files, 0);
    rb_define_method(klass, "raw_file", write_buffer_raw_file, 3);
    rb_define_method(klass, "file_room", write_buffer_file_room, 0);
}
