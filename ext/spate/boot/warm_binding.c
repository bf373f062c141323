/*
 * Spate::Native::Warm: the listening side of a warm parent, for Spate::Boot::WarmParent. A process is at most one
 * parent. It handles requests in its main thread.
 */
#include "native.h"

#include "front/warm/kind.h"
#include "front/warm/state.h"
#include "warm/parent.h"

#ifdef __linux__

#include <errno.h>
#include <ruby/thread.h>

typedef struct waiting {
    int milliseconds;
    bool found;
} waiting;

static spate_warm_parent parent;
static spate_warm_request request;

/* listen(path): starts listening. Raises SystemCallError. */
static VALUE warm_listen(VALUE self, VALUE path) {
    if (!spate_warm_listen(&parent, StringValueCStr(path)))
        rb_sys_fail_str(path);
    RB_GC_GUARD(path);
    return Qnil;
}

static void *wait_without_gvl(void *argument) {
    waiting *call = argument;
    call->found = spate_warm_wait(&parent, call->milliseconds, &request);
    return NULL;
}

/* wait(milliseconds) -> the texts of a request as a String, or nil after the timeout or a signal. */
static VALUE warm_wait(VALUE self, VALUE milliseconds) {
    waiting call = {.milliseconds = NUM2INT(milliseconds)};
    rb_thread_call_without_gvl(wait_without_gvl, &call, RUBY_UBF_IO, NULL);
    if (!call.found)
        return Qnil;
    VALUE texts = rb_str_new(request.texts, (long)request.length);
    return texts;
}

/* started(pid): reports to the client that its child runs. Returns false if the client is gone; the child has been
 * killed then. */
static VALUE warm_started(VALUE self, VALUE pid) {
    spate_warm_started(&parent, &request, NUM2PIDT(pid));
    bool watched = request.connection < 0;
    spate_warm_forget(&request);
    return watched ? Qtrue : Qfalse;
}

static VALUE warm_refuse(VALUE self) {
    spate_warm_refuse(&request);
    spate_warm_forget(&request);
    return Qnil;
}

/* Converts the numbers of descriptors. Returns how many there are, which may exceed the size of `taken`. */
static size_t take_numbers(VALUE numbers, int taken[SPATE_WARM_DESCRIPTORS]) {
    Check_Type(numbers, T_ARRAY);
    size_t count = (size_t)RARRAY_LEN(numbers);
    for (size_t at = 0; at < count && at < SPATE_WARM_DESCRIPTORS; at++)
        taken[at] = NUM2INT(RARRAY_AREF(numbers, (long)at));
    return count;
}

/* fits?(numbers) -> whether a child can have the client's other descriptors under these numbers. */
static VALUE warm_fits(VALUE self, VALUE numbers) {
    int taken[SPATE_WARM_DESCRIPTORS];
    size_t count = take_numbers(numbers, taken);
    return count <= SPATE_WARM_DESCRIPTORS && spate_warm_fits(&parent, &request, taken, count) ? Qtrue : Qfalse;
}

/* become(blocked, numbers): called in the child. `blocked` is a signal mask, and `numbers` must have passed fits?.
 * Raises SystemCallError. */
static VALUE warm_become(VALUE self, VALUE blocked, VALUE numbers) {
    int taken[SPATE_WARM_DESCRIPTORS];
    (void)take_numbers(numbers, taken);
    bool done = spate_warm_become(&parent, &request, NUM2ULL(blocked), taken);
    int reason = errno;
    spate_warm_forget(&request);
    if (!done)
        rb_syserr_fail(reason, "taking the client's streams");
    return Qnil;
}

/* Returns the number of children. */
static VALUE warm_children(VALUE self) {
    return SIZET2NUM(parent.count);
}

/*
 * place(words, environment, folder) -> [kind, streams, state] to identify the parent that can run the command; nil if
 * the command must boot. `environment` is ["NAME=value", ...].
 */
static VALUE warm_place(VALUE self, VALUE words, VALUE environment, VALUE folder) {
    VALUE word_buffer, environment_buffer;
    char kind[SPATE_WARM_KIND_MAX], streams[4], state[SPATE_WARM_STATE_MAX];
    const char *place = StringValueCStr(folder);
    Check_Type(words, T_ARRAY);
    Check_Type(environment, T_ARRAY);
    char **program = ALLOCV_N(char *, word_buffer, RARRAY_LEN(words) + 1);
    char **variables = ALLOCV_N(char *, environment_buffer, RARRAY_LEN(environment) + 1);
    spate_take_texts(words, program);
    spate_take_texts(environment, variables);
    bool found = program[0] && spate_warm_program_of(program[0], place) &&
                 spate_warm_kind(program, variables, kind) && spate_warm_state(state);
    ALLOCV_END(environment_buffer);
    ALLOCV_END(word_buffer);
    RB_GC_GUARD(words);
    RB_GC_GUARD(environment);
    RB_GC_GUARD(folder);
    if (!found)
        return Qnil;
    spate_warm_streams(streams);
    return rb_ary_new_from_args(3, rb_str_new_cstr(kind), rb_str_new_cstr(streams), rb_str_new_cstr(state));
}

/* reserved?(descriptor): whether Ruby itself uses it, for its timer thread. Ruby replaces it in a forked process. */
static VALUE warm_reserved(VALUE self, VALUE descriptor) {
    return rb_reserved_fd_p(NUM2INT(descriptor)) ? Qtrue : Qfalse;
}

/* ---- reads of the program's name ---- */

static VALUE program_watcher = Qnil;

static VALUE program_name(ID name, VALUE *data) {
    (void)name;
    (void)data;
    VALUE watcher = program_watcher;
    if (!NIL_P(watcher))
        (void)rb_funcall(watcher, rb_intern("call"), 0);
    return rb_gv_get("$spate_program_name");
}

static void set_program_name(VALUE value, ID name, VALUE *data) {
    (void)name;
    (void)data;
    (void)rb_gv_set("$spate_program_name", value);
}

/* watch_program { ... }: calls the block for each read of $0 and $PROGRAM_NAME, until unwatch_program. Once per process. */
static VALUE warm_watch_program(VALUE self) {
    program_watcher = rb_block_proc();
    rb_alias_variable(rb_intern("$spate_program_name"), rb_intern("$0"));
    rb_define_virtual_variable("$spate_watched_name", program_name, set_program_name);
    rb_alias_variable(rb_intern("$0"), rb_intern("$spate_watched_name"));
    rb_alias_variable(rb_intern("$PROGRAM_NAME"), rb_intern("$spate_watched_name"));
    return Qnil;
}

static VALUE warm_unwatch_program(VALUE self) {
    program_watcher = Qnil;
    return Qnil;
}

void spate_init_warm(VALUE native) {
    VALUE warm = rb_define_module_under(native, "Warm");
    rb_define_singleton_method(warm, "listen", warm_listen, 1);
    rb_define_singleton_method(warm, "place", warm_place, 3);
    rb_define_singleton_method(warm, "wait", warm_wait, 1);
    rb_define_singleton_method(warm, "started", warm_started, 1);
    rb_define_singleton_method(warm, "refuse", warm_refuse, 0);
    rb_define_singleton_method(warm, "become", warm_become, 2);
    rb_define_singleton_method(warm, "fits?", warm_fits, 1);
    rb_define_singleton_method(warm, "children", warm_children, 0);
    rb_define_singleton_method(warm, "reserved?", warm_reserved, 1);
    rb_define_singleton_method(warm, "watch_program", warm_watch_program, 0);
    rb_define_singleton_method(warm, "unwatch_program", warm_unwatch_program, 0);
    rb_gc_register_address(&program_watcher);
}

#else

void spate_init_warm(VALUE native) {
    (void)native;
}

#endif
