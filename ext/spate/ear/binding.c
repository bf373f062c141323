/* Spate::Native::Ear: core/ear/ear.h for Ruby. */
#include "ear/ear.h"
#include "ear/here.h"
#include "ear/supervisor/confine.h"
#include "ear/supervisor/guard.h"

#include <ruby.h>
#include <ruby/encoding.h>
#include <ruby/thread.h>

/* How long a wait may delay Ruby's interrupts. */
#define SLICE_MS 50

static VALUE error_class;

NORETURN(static void fail(const spate_error *error));
static void fail(const spate_error *error) {
    rb_raise(error_class, "%s", error->message);
}

static void ear_free(void *ear) {
    spate_ear_free(ear);
}

static const rb_data_type_t ear_type = {
    "Spate::Native::Ear", {NULL, ear_free, NULL}, NULL, NULL, RUBY_TYPED_FREE_IMMEDIATELY};

static spate_ear *ear_of(VALUE self) {
    spate_ear *ear = rb_check_typeddata(self, &ear_type);
    if (!ear)
        rb_raise(error_class, "closed");
    return ear;
}

static VALUE ear_allocate(VALUE type) {
    return TypedData_Wrap_Struct(type, &ear_type, NULL);
}

/* Ear.new(ignored, slots, bytes, read_only): absolute clean paths; nil for the default sizes. Starts listening. */
static VALUE ear_initialize(VALUE self, VALUE ignored, VALUE slots, VALUE bytes, VALUE read_only) {
    spate_error error = {0};
    spate_ear *ear;
    VALUE buffer;
    spate_ear_size size = {NIL_P(slots) ? 0 : NUM2UINT(slots), NIL_P(bytes) ? 0 : NUM2UINT(bytes)};
    Check_Type(ignored, T_ARRAY);
    if (RTYPEDDATA_DATA(self))
        rb_raise(error_class, "open already");
    long count = RARRAY_LEN(ignored);
    const char **paths = ALLOCV_N(const char *, buffer, count + 1);
    for (long i = 0; i < count; i++) {
        VALUE path = RARRAY_AREF(ignored, i);
        Check_Type(path, T_STRING);
        paths[i] = StringValueCStr(path);
    }
    spate_status status = spate_ear_new(&ear, paths, (size_t)count, size, RTEST(read_only), &error);
    RB_GC_GUARD(ignored);
    ALLOCV_END(buffer);
    if (status != SPATE_OK)
        fail(&error);
    if (spate_ear_start(ear, &error) != SPATE_OK) {
        spate_ear_free(ear);
        fail(&error);
    }
    RTYPEDDATA_DATA(self) = ear;
    return self;
}

static VALUE ear_address(VALUE self) {
    char address[64];
    spate_ear_address(ear_of(self), address);
    return rb_str_new_cstr(address);
}

static VALUE ear_socket(VALUE self) {
    return INT2NUM(spate_ear_socket(ear_of(self)));
}

static VALUE ear_hang_up(VALUE self) {
    spate_ear_hang_up(ear_of(self));
    return Qnil;
}

typedef struct waiting {
    spate_ear *ear;
    int milliseconds;
    bool ended;
} waiting;

static void *wait_released(void *context) {
    waiting *w = context;
    w->ended = spate_ear_wait(w->ear, w->milliseconds);
    return NULL;
}

/* wait(milliseconds) -> whether all processes have ended. */
static VALUE ear_wait(VALUE self, VALUE milliseconds) {
    waiting w = {ear_of(self), 0, false};
    for (int left = NUM2INT(milliseconds); !w.ended && left >= 0; left -= SLICE_MS) {
        w.milliseconds = left < SLICE_MS ? left : SLICE_MS;
        rb_thread_call_without_gvl(wait_released, &w, NULL, NULL);
        rb_thread_check_ints();
    }
    return w.ended ? Qtrue : Qfalse;
}

static VALUE kind_symbols(uint64_t kinds) {
    static const char *const names[SPATE_EAR_KINDS] = {
        NULL,      "read",      "looked", "listed",  "link",  "run", "absent",
        "written", "connected", "named",  "trouble", "hooked"};
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

/* heard -> [[text, [kinds]]] as core/ear/table.h has them, in the order of the first occurrence. */
static VALUE ear_heard(VALUE self) {
    VALUE all = rb_ary_new();
    if (spate_ear_each(ear_of(self), take, (void *)all) != SPATE_OK)
        rb_raise(rb_eNoMemError, "no memory for the recorded entries");
    RB_GC_GUARD(all);
    return all;
}

/* texts -> the number of an open file, which the ear closes; see spate_ear_texts. */
static VALUE ear_texts(VALUE self) {
    return INT2NUM(spate_ear_texts(ear_of(self)));
}

static VALUE ear_asked(VALUE self) {
    return ULL2NUM(spate_ear_asked(ear_of(self)));
}

/* Processes that still run are answered, but no longer traced. */
static VALUE ear_close(VALUE self) {
    spate_ear *ear = ear_of(self);
    RTYPEDDATA_DATA(self) = NULL;
    spate_ear_free(ear);
    return Qnil;
}

/*
 * enter(number): puts this process and everything that it starts under the ear at the other end of the socket,
 * permanently.
 */
static VALUE ear_enter(VALUE type, VALUE socket) {
    spate_error error = {0};
    if (spate_ear_enter(NUM2INT(socket), &error) != SPATE_OK)
        fail(&error);
    return Qnil;
}

/* confine -> whether this thread and all that it starts can no longer write files; see spate_confine. */
static VALUE ear_confine(VALUE type) {
    spate_error error = {0};
    return spate_confine(&error) == SPATE_OK ? Qtrue : Qfalse;
}

/* forbid_changes(removals) -> whether the kernel refuses them from here on; see spate_ear_forbid_changes. */
static VALUE ear_forbid_changes(VALUE type, VALUE removals) {
    spate_error error = {0};
    return spate_ear_forbid_changes(RTEST(removals), &error) == SPATE_OK ? Qtrue : Qfalse;
}

/* obstacle -> why this machine does not allow tracing, nil if it does. */
static VALUE ear_obstacle(VALUE type) {
    spate_error error = {0};
    return spate_ear_try(&error) == SPATE_OK ? Qnil : rb_utf8_str_new_cstr(error.message);
}

/* here? -> whether hooks exist for this kind of machine, even if it does not allow them. */
static VALUE ear_here(VALUE type) {
#ifdef SPATE_EAR_HERE
    return Qtrue;
#else
    return Qfalse;
#endif
}

RUBY_FUNC_EXPORTED void Init_ear(void) {
    VALUE native = rb_define_module_under(rb_define_module("Spate"), "Native");
    VALUE type = rb_define_class_under(native, "Ear", rb_cObject);
    error_class = rb_define_class_under(type, "Error", rb_eStandardError);
    rb_define_alloc_func(type, ear_allocate);
    rb_define_method(type, "initialize", ear_initialize, 4);
    rb_define_method(type, "address", ear_address, 0);
    rb_define_method(type, "socket", ear_socket, 0);
    rb_define_method(type, "hang_up", ear_hang_up, 0);
    rb_define_method(type, "wait", ear_wait, 1);
    rb_define_method(type, "heard", ear_heard, 0);
    rb_define_method(type, "texts", ear_texts, 0);
    rb_define_method(type, "asked", ear_asked, 0);
    rb_define_method(type, "close", ear_close, 0);
    rb_define_singleton_method(type, "enter", ear_enter, 1);
    rb_define_singleton_method(type, "confine", ear_confine, 0);
    rb_define_singleton_method(type, "forbid_changes", ear_forbid_changes, 1);
    rb_define_singleton_method(type, "obstacle", ear_obstacle, 0);
    rb_define_singleton_method(type, "here?", ear_here, 0);
}
