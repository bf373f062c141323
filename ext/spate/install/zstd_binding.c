#include "native.h"

#include "archive/zstd.h"

#include <ruby/io.h>
#include <unistd.h>

/* Uses duplicates of the descriptors, because another thread may close the files meanwhile. */
typedef struct piping {
    VALUE files[2];
    int from;
    int to;
    int level; /* 0 to decompress */
    uint64_t max;
    spate_error error;
} piping;

static spate_status pipe_work(void *context, const spate_cancel *cancel) {
    piping *p = context;
    if (lseek(p->from, 0, SEEK_SET) < 0 || lseek(p->to, 0, SEEK_SET) < 0 || ftruncate(p->to, 0) != 0)
        return spate_fail_errno(&p->error, "", "lseek"); /* starts from the beginning, because the work may be
                                                          * restarted */
    return p->level > 0 ? spate_zstd_compress(p->from, p->to, p->level, cancel, &p->error)
                        : spate_zstd_expand(p->from, p->to, p->max, cancel, &p->error);
}

static int descriptor_of(VALUE file) {
    int copy = rb_cloexec_dup(NUM2INT(rb_funcall(file, rb_intern("fileno"), 0)));
    if (copy < 0)
        rb_sys_fail("dup");
    rb_update_max_fd(copy);
    return copy;
}

static VALUE pipe_body(VALUE argument) {
    piping *p = (piping *)argument;
    p->from = descriptor_of(p->files[0]);
    p->to = descriptor_of(p->files[1]);
    if (spate_release(pipe_work, p) != SPATE_OK)
        spate_raise(&p->error);
    return Qnil;
}

static VALUE pipe_end(VALUE argument) {
    piping *p = (piping *)argument;
    if (p->from >= 0)
        close(p->from);
    if (p->to >= 0)
        close(p->to);
    return Qnil;
}

static VALUE run(piping *p) {
    p->from = p->to = -1;
    return rb_ensure(pipe_body, (VALUE)p, pipe_end, (VALUE)p);
}

/* compress(from, to, level): compresses a whole open file into another one. Raises Error. */
static VALUE zstd_compress(VALUE self, VALUE from, VALUE to, VALUE level) {
    piping p = {.files = {from, to}, .level = NUM2INT(level)};
    if (p.level < 1 || p.level > 19)
        rb_raise(rb_eArgError, "level is %d; expected 1 to 19", p.level);
    return run(&p);
}

/* expand(from, to, max): decompresses up to `max` bytes. Raises Error with the status :limit, :truncated, :corrupt or
 * :system. */
static VALUE zstd_expand(VALUE self, VALUE from, VALUE to, VALUE max) {
    piping p = {.files = {from, to}, .max = NUM2ULL(max)};
    return run(&p);
}

/* missing -> why zstd is not available, or nil if it is. */
static VALUE zstd_missing(VALUE self) {
    const char *reason = spate_zstd_missing();
    return reason ? spate_utf8(reason, strlen(reason)) : Qnil;
}

void spate_init_zstd(void) {
    VALUE zstd = rb_define_module_under(spate_native, "Zstd");
    rb_define_singleton_method(zstd, "compress", zstd_compress, 3);
    rb_define_singleton_method(zstd, "expand", zstd_expand, 3);
    rb_define_singleton_method(zstd, "missing", zstd_missing, 0);
}
