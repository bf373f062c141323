#include "native.h"

#include <errno.h>
#include <unistd.h>

/*
 * A file or directory that a path led to. Size and times remain available after close. A thread that reads the file
 * holds it: after `close`, the descriptor is closed when the last holder releases it, so no thread reads a reused
 * descriptor.
 */
typedef struct found {
    spate_place place;
    VALUE path;
    unsigned holders;
    bool closing;
} found;

static void found_mark(void *pointer) {
    rb_gc_mark(((found *)pointer)->path);
}

static void found_free(void *pointer) {
    found *f = pointer;
    if (f->place.fd >= 0)
        close(f->place.fd);
    xfree(f);
}

static size_t found_size(const void *pointer) {
    return sizeof(found);
}

static const rb_data_type_t found_type = {
    "Spate::Server::Native::Found", {found_mark, found_free, found_size}, 0, 0, RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE found_class;

static found *found_of(VALUE self) {
    return rb_check_typeddata(self, &found_type);
}

VALUE spate_found_new(const spate_place *place, VALUE path) {
    found *f;
    VALUE self = TypedData_Make_Struct(found_class, found, &found_type, f);
    f->place = *place;
    f->path = path;
    return self;
}

const spate_place *spate_found_place(VALUE self) {
    return &found_of(self)->place;
}

int spate_found_descriptor(VALUE self) {
    int fd = found_of(self)->place.fd;
    if (fd < 0)
        rb_raise(rb_eIOError, "%" PRIsVALUE " is closed", found_of(self)->path);
    return fd;
}

VALUE spate_found_path(VALUE self) {
    return found_of(self)->path;
}

static VALUE found_is_file(VALUE self) {
    return RBOOL(spate_found_place(self)->kind == SPATE_REGULAR);
}

static VALUE found_is_directory(VALUE self) {
    return RBOOL(spate_found_place(self)->kind == SPATE_DIRECTORY);
}

static VALUE found_bytes(VALUE self) {
    return ULL2NUM(spate_found_place(self)->size);
}

static VALUE found_inode(VALUE self) {
    return ULL2NUM(spate_found_place(self)->inode);
}

static VALUE found_atime(VALUE self) {
    return LL2NUM(spate_found_place(self)->atime);
}

static VALUE found_mtime(VALUE self) {
    return LL2NUM(spate_found_place(self)->mtime);
}

static VALUE found_ctime(VALUE self) {
    return LL2NUM(spate_found_place(self)->ctime);
}

static VALUE found_fileno(VALUE self) {
    return INT2NUM(spate_found_descriptor(self));
}

/* fstat of the open file. */
static spate_place found_now(VALUE self) {
    struct stat status;
    spate_place now;
    if (fstat(spate_found_descriptor(self), &status) < 0)
        rb_sys_fail("fstat");
    spate_place_read(&status, &now);
    return now;
}

/* changed?: whether the size or times of the open file have changed since it was opened. Raises SystemCallError. */
VALUE spate_found_changed(VALUE self) {
    spate_place now = found_now(self);
    return RBOOL(!spate_place_same(&now, spate_found_place(self)));
}

/*
 * A write sets the time first and the size last, so `altered?` checks this many times, 1 ms apart, whether the file has
 * grown.
 */
#define GROWTH_CHECKS 10

/*
 * altered?: returns whether the open file was overwritten or truncated. Appending is not reported, because it keeps the
 * original bytes. Raises SystemCallError.
 */
static VALUE found_altered(VALUE self) {
    const spate_place *then = spate_found_place(self);
    spate_place now = found_now(self);
    for (int i = 1; i < GROWTH_CHECKS && now.size == then->size && now.mtime != then->mtime; i++) {
        usleep(1000);
        now = found_now(self);
    }
    return RBOOL(now.size < then->size || (now.size == then->size && now.mtime != then->mtime));
}

/* same?(found): whether both are the same file with the same size and times. */
static VALUE found_same(VALUE self, VALUE other) {
    return RBOOL(spate_place_same(spate_found_place(self), spate_found_place(other)));
}

static void close_unless_held(found *f) {
    if (!f->closing || f->holders > 0)
        return;
    if (f->place.fd >= 0 && close(f->place.fd) < 0 && errno == EBADF)
        rb_bug("spate: the descriptor of a Found was closed elsewhere");
    f->place.fd = -1;
}

static VALUE found_close(VALUE self) {
    found *f = found_of(self);
    f->closing = true;
    close_unless_held(f);
    return Qnil;
}

/* hold: keeps the descriptor open until `release`. After close, returns false and does not hold. */
static VALUE found_hold(VALUE self) {
    found *f = found_of(self);
    if (f->closing)
        return Qfalse;
    f->holders++;
    return Qtrue;
}

/* release: ends a hold. Returns whether the file is still open. Raises IOError when the file is not held. */
static VALUE found_release(VALUE self) {
    found *f = found_of(self);
    if (f->holders == 0)
        rb_raise(rb_eIOError, "%" PRIsVALUE " is not held", f->path);
    f->holders--;
    close_unless_held(f);
    return RBOOL(!f->closing);
}

static VALUE found_is_closed(VALUE self) {
    return RBOOL(found_of(self)->place.fd < 0);
}

VALUE spate_init_found(VALUE native) {
    found_class = rb_define_class_under(native, "Found", rb_cObject);
    rb_gc_register_mark_object(found_class);
    rb_undef_alloc_func(found_class);
    rb_define_method(found_class, "path", spate_found_path, 0);
    rb_define_method(found_class, "file?", found_is_file, 0);
    rb_define_method(found_class, "directory?", found_is_directory, 0);
    rb_define_method(found_class, "size", found_bytes, 0);
    rb_define_method(found_class, "inode", found_inode, 0);
    rb_define_method(found_class, "atime", found_atime, 0);
    rb_define_method(found_class, "mtime", found_mtime, 0);
    rb_define_method(found_class, "ctime", found_ctime, 0);
    rb_define_method(found_class, "fileno", found_fileno, 0);
    rb_define_method(found_class, "changed?", spate_found_changed, 0);
    rb_define_method(found_class, "altered?", found_altered, 0);
    rb_define_method(found_class, "same?", found_same, 1);
    rb_define_method(found_class, "close", found_close, 0);
    rb_define_method(found_class, "hold", found_hold, 0);
    rb_define_method(found_class, "release", found_release, 0);
    rb_define_method(found_class, "closed?", found_is_closed, 0);
    return found_class;
}
