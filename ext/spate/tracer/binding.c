/* Spate::Native::Tracer: Ruby bindings of core/tracer/tracer.h. */
#include "tracer/here.h"
#include "tracer/supervisor/guard.h"
#include "tracer/tracer.h"

#include <ruby.h>
#include <ruby/encoding.h>
#include <ruby/thread.h>

/* The maximum delay for handling Ruby's interrupts during a wait. */
#define SLICE_MS 50

static VALUE error_class;

NORETURN(static void fail(const spate_error *error));
static void fail(const spate_error *error) {
    rb_raise(error_class, "%s", error->message);
}

static void tracer_free(void *tracer) {
    spate_tracer_free(tracer);
}

static const rb_data_type_t tracer_type = {
    "Spate::Native::Tracer", {NULL, tracer_free, NULL}, NULL, NULL, RUBY_TYPED_FREE_IMMEDIATELY};

static spate_tracer *tracer_of(VALUE self) {
    spate_tracer *tracer = rb_check_typeddata(self, &tracer_type);
    if (!tracer)
        rb_raise(error_class, "closed");
    return tracer;
}

static VALUE tracer_allocate(VALUE type) {
    return TypedData_Wrap_Struct(type, &tracer_type, NULL);
}

/*
 * Tracer.new(ignored, slots, bytes, read_only): creates a tracer and starts listening. `ignored` are absolute,
 * normalized paths; `slots` and `bytes` are nil for the defaults.
 */
static VALUE tracer_initialize(VALUE self, VALUE ignored, VALUE slots, VALUE bytes, VALUE read_only) {
    spate_error error = {0};
    spate_tracer *tracer;
    VALUE buffer;
    spate_tracer_size size = {NIL_P(slots) ? 0 : NUM2UINT(slots), NIL_P(bytes) ? 0 : NUM2UINT(bytes)};
    Check_Type(ignored, T_ARRAY);
    if (RTYPEDDATA_DATA(self))
        rb_raise(error_class, "already open");
    long count = RARRAY_LEN(ignored);
    const char **paths = ALLOCV_N(const char *, buffer, count + 1);
    for (long i = 0; i < count; i++) {
        VALUE path = RARRAY_AREF(ignored, i);
        Check_Type(path, T_STRING);
        paths[i] = StringValueCStr(path);
    }
    spate_status status = spate_tracer_new(&tracer, paths, (size_t)count, size, RTEST(read_only), &error);
    RB_GC_GUARD(ignored);
    ALLOCV_END(buffer);
    if (status != SPATE_OK)
        fail(&error);
    if (spate_tracer_start(tracer, &error) != SPATE_OK) {
        spate_tracer_free(tracer);
        fail(&error);
    }
    RTYPEDDATA_DATA(self) = tracer;
    return self;
}

static VALUE tracer_address(VALUE self) {
    char address[64];
    spate_tracer_address(tracer_of(self), address);
    return rb_str_new_cstr(address);
}

static VALUE tracer_socket(VALUE self) {
    return INT2NUM(spate_tracer_socket(tracer_of(self)));
}

static VALUE tracer_stop(VALUE self) {
    spate_tracer_stop(tracer_of(self));
    return Qnil;
}

typedef struct waiting {
    spate_tracer *tracer;
    int milliseconds;
    bool ended;
} waiting;

static void *wait_released(void *context) {
    waiting *w = context;
    w->ended = spate_tracer_wait(w->tracer, w->milliseconds);
    return NULL;
}

/* wait(milliseconds) -> whether all processes have ended. */
static VALUE tracer_wait(VALUE self, VALUE milliseconds) {
    waiting w = {tracer_of(self), 0, false};
    for (int left = NUM2INT(milliseconds); !w.ended && left >= 0; left -= SLICE_MS) {
        w.milliseconds = left < SLICE_MS ? left : SLICE_MS;
        rb_thread_call_without_gvl(wait_released, &w, NULL, NULL);
        rb_thread_check_ints();
    }
    return w.ended ? Qtrue : Qfalse;
}

static VALUE kind_symbols(uint64_t kinds) {
    static const char *const names[SPATE_TRACER_KINDS] = {NULL,        "read",  "looked",  "listed",
                                                          "link",      "run",   "absent",  "written",
                                                          "connected", "named", "trouble", "hooked"};
    VALUE symbols = rb_ary_new();
    for (; kinds != 0; kinds >>= 4)
        rb_ary_push(symbols, ID2SYM(rb_intern(names[kinds & 15])));
    return symbols;
}

static bool take(void *context, const char *text, size_t length, uint64_t kinds) {
    VALUE string = rb_external_str_new(text, (long)length);
    rb_ary_push((VALUE)context, rb_assoc_new(string, kind_symbols(kinds)));
    return true;
}

/* trace -> [[text, [kind, ...]], ...] in the form of core/tracer/table.h, in the order in which they were first
 * recorded. */
static VALUE tracer_recorded(VALUE self) {
    VALUE all = rb_ary_new();
    if (spate_tracer_each(tracer_of(self), take, (void *)all) != SPATE_OK)
        rb_raise(rb_eNoMemError, "no memory for the recorded entries");
    RB_GC_GUARD(all);
    return all;
}

/* texts -> the descriptor of an open file, which the tracer closes: see spate_tracer_texts. */
static VALUE tracer_texts(VALUE self) {
    return INT2NUM(spate_tracer_texts(tracer_of(self)));
}

static VALUE tracer_asked(VALUE self) {
    return ULL2NUM(spate_tracer_asked(tracer_of(self)));
}

/* Stops tracing. Processes that are still running get responses: see spate_tracer_free. */
static VALUE tracer_close(VALUE self) {
    spate_tracer *tracer = tracer_of(self);
    RTYPEDDATA_DATA(self) = NULL;
    spate_tracer_free(tracer);
    return Qnil;
}

/*
 * enter(socket): irreversibly subjects this process and its descendants to the tracer at the other end of the socket.
 */
static VALUE tracer_enter(VALUE type, VALUE socket) {
    spate_error error = {0};
    if (spate_tracer_enter(NUM2INT(socket), &error) != SPATE_OK)
        fail(&error);
    return Qnil;
}

/* confine -> whether this thread and its descendants can no longer write files: see spate_confine. */
static VALUE tracer_confine(VALUE type) {
    spate_error error = {0};
    return spate_confine(&error) == SPATE_OK ? Qtrue : Qfalse;
}

/* forbid_changes(removals) -> whether the kernel rejects changes from now on: see spate_tracer_forbid_changes. */
static VALUE tracer_forbid_changes(VALUE type, VALUE removals) {
    spate_error error = {0};
    return spate_tracer_forbid_changes(RTEST(removals), &error) == SPATE_OK ? Qtrue : Qfalse;
}

/* obstacle -> why this machine does not allow tracing, or nil if it does. */
static VALUE tracer_obstacle(VALUE type) {
    spate_error error = {0};
    return spate_tracer_try(&error) == SPATE_OK ? Qnil : rb_utf8_str_new_cstr(error.message);
}

/* here? -> whether the tracer supports this platform, even if the machine does not allow it. */
static VALUE tracer_here(VALUE type) {
#ifdef SPATE_TRACER_HERE
    return Qtrue;
#else
    return Qfalse;
#endif
}

RUBY_FUNC_EXPORTED void Init_tracer(void) {
    VALUE native = rb_define_module_under(rb_define_module("Spate"), "Native");
    VALUE type = rb_define_class_under(native, "Tracer", rb_cObject);
    error_class = rb_define_class_under(type, "Error", rb_eStandardError);
    rb_define_alloc_func(type, tracer_allocate);
    rb_define_method(type, "initialize", tracer_initialize, 4);
    rb_define_method(type, "address", tracer_address, 0);
    rb_define_method(type, "socket", tracer_socket, 0);
    rb_define_method(type, "hang_up", tracer_stop, 0);
    rb_define_method(type, "wait", tracer_wait, 1);
    rb_define_method(type, "trace", tracer_recorded, 0);
    rb_define_method(type, "texts", tracer_texts, 0);
    rb_define_method(type, "asked", tracer_asked, 0);
    rb_define_method(type, "close", tracer_close, 0);
    rb_define_singleton_method(type, "enter", tracer_enter, 1);
    rb_define_singleton_method(type, "confine", tracer_confine, 0);
    rb_define_singleton_method(type, "forbid_changes", tracer_forbid_changes, 1);
    rb_define_singleton_method(type, "obstacle", tracer_obstacle, 0);
    rb_define_singleton_method(type, "here?", tracer_here, 0);
}
