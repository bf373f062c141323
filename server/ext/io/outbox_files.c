#include "native.h"
#include "outbox_call.h"
#include "outbox_struct.h"

#include <fcntl.h>

/* Files into the buffer, or behind what waits in it. */

/* Bytes of files that may wait: each time that more are asked for, Ruby's lock must be waited for. */
#define FILE_BYTES ((size_t)16 << 20)

/* files?: whether files wait. */
static VALUE outbox_has_files(VALUE self) {
    return RBOOL(spate_outbox_of(self)->file_count > 0);
}

/* Bytes of files that may be put behind what waits. */
static size_t file_room(const outbox *box) {
    if (!box->direct || box->file_count == SPATE_OUTBOX_FILES)
        return spate_outbox_room(box);
    return FILE_BYTES - spate_outbox_file_bytes(box);
}

/* file_room: bytes of a file that raw_file takes. */
static VALUE outbox_file_room(VALUE self) {
    return SIZET2NUM(file_room(spate_outbox_of(self)));
}

/* Puts a file behind all that waits. False where that cannot be: its bytes must come into the buffer. */
static bool put_file(outbox *box, int fd, off_t position, size_t length) {
#ifdef __linux__
    if (!box->direct || box->file_count == SPATE_OUTBOX_FILES)
        return false;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return false;
    box->files[box->file_count++] = (waiting_file){own, position, length, box->end};
    return true;
#else
    return false;
#endif
}

/*
 * raw_file(fd, position, length): a file's bytes as they are, no more than file_room. Answers how many; they are read now,
 * or where flush can have the system send them, then. SystemCallError.
 */
static VALUE outbox_raw_file(VALUE self, VALUE descriptor, VALUE position, VALUE length) {
    outbox *box = spate_outbox_of(self);
    size_t asked = NUM2SIZET(length), fits = file_room(box), wanted = asked < fits ? asked : fits;
    int fd = NUM2INT(descriptor);
    off_t from = NUM2OFFT(position);
    if (wanted == 0)
        return INT2FIX(0);
    if (put_file(box, fd, from, wanted))
        return SIZET2NUM(wanted);
    if (wanted > spate_outbox_room(box))
        wanted = spate_outbox_room(box);
    if (wanted == 0)
        return INT2FIX(0);
    struct iovec slice = {spate_outbox_place(box, wanted), wanted};
    size_t done = spate_outbox_read(fd, &slice, 1, from, wanted);
    box->end += done;
    return SIZET2NUM(done);
}

void spate_init_outbox_files(VALUE box) {
    rb_define_method(box, "files?", outbox_has_files, 0);
    rb_define_method(box, "raw_file", outbox_raw_file, 3);
    rb_define_method(box, "file_room", outbox_file_room, 0);
}
