#include "native.h"

#ifdef HAVE_SYS_EPOLL_H
#include <errno.h>
#include <ruby/thread.h>
#include <sys/epoll.h>
#include <unistd.h>

#define EVENTS 128
#define READABLE 1
#define WRITABLE 2
/* With `add` only: of several processes that wait for this descriptor, one is woken. */
#define EXCLUSIVE 4
#ifndef EPOLLEXCLUSIVE
#define EPOLLEXCLUSIVE 0u
#endif

/* Which descriptors have something to do: epoll(7), level-triggered. The work of a turn does not grow with the idle ones. */
typedef struct poller {
    int fd;
} poller;

static void poller_free(void *pointer) {
    poller *p = pointer;
    if (p->fd >= 0)
        close(p->fd);
    xfree(p);
}

static const rb_data_type_t poller_type = {
    "Spate::Server::Native::Poller", {NULL, poller_free, NULL}, 0, 0, RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE poller_alloc(VALUE klass) {
    poller *p;
    VALUE self = TypedData_Make_Struct(klass, poller, &poller_type, p);
    p->fd = -1;
    return self;
}

static poller *poller_of(VALUE self) {
    return rb_check_typeddata(self, &poller_type);
}

static VALUE poller_initialize(VALUE self) {
    poller *p = poller_of(self);
    p->fd = epoll_create1(EPOLL_CLOEXEC);
    if (p->fd < 0)
        rb_sys_fail("epoll_create1");
    return self;
}

static void control(VALUE self, int operation, VALUE descriptor, VALUE interest) {
    unsigned wanted = NUM2UINT(interest);
    int fd = NUM2INT(descriptor);
    struct epoll_event event = {.events = (wanted & READABLE ? EPOLLIN : 0u) | (wanted & WRITABLE ? EPOLLOUT : 0u) |
                                          (wanted & EXCLUSIVE ? EPOLLEXCLUSIVE : 0u),
                                .data.fd = fd};
    if (epoll_ctl(poller_of(self)->fd, operation, fd, &event) < 0)
        rb_sys_fail("epoll_ctl");
}

static VALUE poller_add(VALUE self, VALUE descriptor, VALUE interest) {
    control(self, EPOLL_CTL_ADD, descriptor, interest);
    return self;
}

static VALUE poller_change(VALUE self, VALUE descriptor, VALUE interest) {
    control(self, EPOLL_CTL_MOD, descriptor, interest);
    return self;
}

static VALUE poller_remove(VALUE self, VALUE descriptor) {
    control(self, EPOLL_CTL_DEL, descriptor, INT2FIX(0));
    return self;
}

typedef struct waiting {
    int fd;
    int timeout;
    struct epoll_event events[EVENTS];
    int count;
    int error;
} waiting;

static void *wait_for_events(void *argument) {
    waiting *w = argument;
    w->count = epoll_wait(w->fd, w->events, EVENTS, w->timeout);
    w->error = w->count < 0 ? errno : 0;
    return NULL;
}

/* An error or an end is for the reader to find out. */
static int state_of(uint32_t events) {
    int state = 0;
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR | EPOLLRDHUP))
        state |= READABLE;
    if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
        state |= WRITABLE;
    return state;
}

/* wait(milliseconds, ready): fills `ready` with descriptor, state, descriptor, state, ...; -1 waits for ever. */
static VALUE poller_wait(VALUE self, VALUE milliseconds, VALUE ready) {
    waiting w = {.fd = poller_of(self)->fd, .timeout = NUM2INT(milliseconds)};
    Check_Type(ready, T_ARRAY);
    if (w.timeout == 0)
        wait_for_events(&w);
    else
        rb_nogvl(wait_for_events, &w, RUBY_UBF_IO, NULL, 0);
    rb_ary_clear(ready);
    if (w.count < 0) {
        if (w.error != EINTR)
            rb_syserr_fail(w.error, "epoll_wait");
        w.count = 0;
    }
    for (int i = 0; i < w.count; i++) {
        rb_ary_push(ready, INT2FIX(w.events[i].data.fd));
        rb_ary_push(ready, INT2FIX(state_of(w.events[i].events)));
    }
    return ready;
}

/* descriptor: readable while any of those that were added has something to do. */
static VALUE poller_descriptor(VALUE self) {
    return INT2NUM(poller_of(self)->fd);
}

static VALUE poller_close(VALUE self) {
    poller *p = poller_of(self);
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
    return Qnil;
}

void spate_init_poller(VALUE native) {
    VALUE p = rb_define_class_under(native, "Poller", rb_cObject);
    rb_define_alloc_func(p, poller_alloc);
    rb_define_method(p, "initialize", poller_initialize, 0);
    rb_define_method(p, "add", poller_add, 2);
    rb_define_method(p, "change", poller_change, 2);
    rb_define_method(p, "remove", poller_remove, 1);
    rb_define_method(p, "wait", poller_wait, 2);
    rb_define_method(p, "descriptor", poller_descriptor, 0);
    rb_define_method(p, "close", poller_close, 0);
}
#else
/* Without epoll: Spate::Server::SelectPoller, in Ruby. */
void spate_init_poller(VALUE native) {}
#endif
