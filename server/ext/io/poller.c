#include "poller.h"

#include "native.h"

#include <errno.h>
#include <ruby/thread.h>

static void poller_free(void *pointer) {
    if (pointer)
        spate_poller_free(pointer);
}

static const rb_data_type_t poller_type = {
    "Spate::Server::Native::Poller", {NULL, poller_free, NULL}, 0, 0, RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE poller_alloc(VALUE klass) {
    VALUE self = TypedData_Wrap_Struct(klass, &poller_type, NULL);
    RTYPEDDATA_DATA(self) = spate_poller_new();
    if (!RTYPEDDATA_DATA(self))
        rb_sys_fail("poller");
    return self;
}

static spate_poller *poller_of(VALUE self) {
    return rb_check_typeddata(self, &poller_type);
}

static VALUE set(VALUE self, spate_poller_operation operation, VALUE descriptor, unsigned interest) {
    if (spate_poller_set(poller_of(self), operation, NUM2INT(descriptor), interest) != 0)
        rb_sys_fail("poller");
    return self;
}

static VALUE poller_add(VALUE self, VALUE descriptor, VALUE interest) {
    return set(self, SPATE_POLLER_ADD, descriptor, NUM2UINT(interest));
}

static VALUE poller_change(VALUE self, VALUE descriptor, VALUE interest) {
    return set(self, SPATE_POLLER_CHANGE, descriptor, NUM2UINT(interest));
}

static VALUE poller_remove(VALUE self, VALUE descriptor) {
    return set(self, SPATE_POLLER_REMOVE, descriptor, 0);
}

typedef struct waiting {
    spate_poller *poller;
    int timeout;
    spate_poller_ready ready[SPATE_POLLER_READY];
    int count;
    int error;
} waiting;

static void *wait_for_events(void *argument) {
    waiting *w = argument;
    w->count = spate_poller_wait(w->poller, w->timeout, w->ready);
    w->error = w->count < 0 ? errno : 0;
    return NULL;
}

/*
 * wait(milliseconds, ready): replaces the Array `ready` with descriptor, state, descriptor, state, ... and
 * returns it. The Array is empty after a timeout or a signal. -1 milliseconds: no timeout. Raises SystemCallError.
 */
static VALUE poller_wait(VALUE self, VALUE milliseconds, VALUE ready) {
    waiting w = {.poller = poller_of(self), .timeout = NUM2INT(milliseconds)};
    Check_Type(ready, T_ARRAY);
    if (w.timeout == 0)
        wait_for_events(&w);
    else
        rb_nogvl(wait_for_events, &w, RUBY_UBF_IO, NULL, 0);
    rb_ary_clear(ready);
    if (w.count < 0) {
        if (w.error != EINTR)
            rb_syserr_fail(w.error, "poller");
        w.count = 0;
    }
    for (int i = 0; i < w.count; i++) {
        rb_ary_push(ready, INT2FIX(w.ready[i].fd));
        rb_ary_push(ready, INT2FIX(w.ready[i].state));
    }
    RB_GC_GUARD(self);
    return ready;
}

/* descriptor: readable while any watched descriptor is ready; nil if the system has no such descriptor (poll). */
static VALUE poller_descriptor(VALUE self) {
    int descriptor = spate_poller_descriptor(poller_of(self));
    return descriptor < 0 ? Qnil : INT2NUM(descriptor);
}

static VALUE poller_close(VALUE self) {
    spate_poller_close(poller_of(self));
    return Qnil;
}

void spate_init_poller(VALUE native) {
    VALUE p = rb_define_class_under(native, "Poller", rb_cObject);
    rb_define_alloc_func(p, poller_alloc);
    rb_define_method(p, "add", poller_add, 2);
    rb_define_method(p, "change", poller_change, 2);
    rb_define_method(p, "remove", poller_remove, 1);
    rb_define_method(p, "wait", poller_wait, 2);
    rb_define_method(p, "descriptor", poller_descriptor, 0);
    rb_define_method(p, "close", poller_close, 0);
}
