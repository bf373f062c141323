#include "profile.h"

#include <ruby/debug.h>

/*
 * There is one timer in a process, so there is one recording at a time: `current`, an object that holds the tree and
 * keeps the frames of both ring and tree alive. Not write-barrier protected: the handler adds to the ring at any time,
 * so the collector looks at it again at the end of every marking.
 */
static VALUE current = Qnil;

static void recording_mark(void *data) {
    spate_ticks_mark();
    if (data != NULL) spate_tree_mark(data);
}

static void recording_free(void *data) {
    spate_tree_free(data);
}

static size_t recording_size(const void *data) {
    return data == NULL ? 0 : spate_tree_size(data);
}

static const rb_data_type_t recording_type = {
    .wrap_struct_name = "Spate::Server::Profile::Native",
    .function = {.dmark = recording_mark, .dfree = recording_free, .dsize = recording_size},
};

static spate_tree *current_tree(void) {
    return NIL_P(current) ? NULL : rb_check_typeddata(current, &recording_type);
}

/*
 * Native.start(microseconds, limit): a tick for so much CPU time; at most `limit` of them are kept. ArgumentError,
 * RuntimeError where one runs already, NoMemoryError, SystemCallError.
 */
static VALUE native_start(VALUE self, VALUE interval, VALUE limit) {
    long microseconds = NUM2LONG(interval);
    size_t samples = NUM2SIZET(limit);
    if (microseconds < 100 || microseconds > 1000000) rb_raise(rb_eArgError, "an interval is 100 to 1,000,000 us");
    if (current_tree() != NULL) rb_raise(rb_eRuntimeError, "a recording is running");
    VALUE recording = rb_data_typed_object_wrap(rb_cObject, NULL, &recording_type);
    spate_tree *tree = spate_tree_new(samples);
    if (tree == NULL) rb_memerror();
    RTYPEDDATA_DATA(recording) = tree;
    current = recording;
    int error = spate_ticks_start(microseconds);
    if (error != 0) {
        current = Qnil;
        rb_syserr_fail(error, "setitimer");
    }
    return Qtrue;
}

static void drain(spate_tree *tree) {
    const spate_tick *tick;
    while ((tick = spate_ticks_first()) != NULL) {
        spate_tree_add(tree, tick);
        spate_ticks_done();
    }
}

/* Native.drain: takes the ring's ticks into the tree; several times a second. Samples so far, nil where none runs. */
static VALUE native_drain(VALUE self) {
    spate_tree *tree = current_tree();
    size_t count;
    if (tree == NULL) return Qnil;
    drain(tree);
    spate_tree_samples(tree, &count);
    return SIZET2NUM(count);
}

static VALUE text(VALUE value) {
    return RB_TYPE_P(value, T_STRING) ? value : Qnil;
}

/* [name or nil, path or nil, line where it begins or nil] */
static VALUE describe(VALUE frame) {
    VALUE path = text(rb_profile_frame_absolute_path(frame));
    if (NIL_P(path)) path = text(rb_profile_frame_path(frame));
    VALUE line = rb_profile_frame_first_lineno(frame);
    return rb_ary_new_from_args(3, text(rb_profile_frame_full_label(frame)), path, FIXNUM_P(line) ? line : Qnil);
}

static VALUE all_frames(const spate_tree *tree) {
    size_t count;
    const VALUE *frames = spate_tree_frames(tree, &count);
    VALUE list = rb_ary_new_capa((long)count);
    for (size_t index = 0; index < count; index++) rb_ary_push(list, describe(frames[index]));
    return list;
}

static VALUE all_nodes(const spate_tree *tree) {
    size_t count;
    const spate_tree_node *nodes = spate_tree_nodes(tree, &count);
    VALUE list = rb_ary_new_capa((long)count * 3);
    for (size_t index = 0; index < count; index++) {
        rb_ary_push(list, UINT2NUM(nodes[index].parent));
        rb_ary_push(list, UINT2NUM(nodes[index].frame));
        rb_ary_push(list, UINT2NUM(nodes[index].line));
    }
    return list;
}

static VALUE all_samples(const spate_tree *tree) {
    size_t count;
    const spate_tree_sample *samples = spate_tree_samples(tree, &count);
    VALUE list = rb_ary_new_capa((long)count * 5);
    for (size_t index = 0; index < count; index++) {
        rb_ary_push(list, ULL2NUM(samples[index].at / 1000));
        rb_ary_push(list, UINT2NUM(samples[index].cpu));
        rb_ary_push(list, UINT2NUM(samples[index].node));
        rb_ary_push(list, ULL2NUM(samples[index].thread));
        rb_ary_push(list, INT2FIX(samples[index].kind));
    }
    return list;
}

static void set(VALUE hash, const char *name, VALUE value) {
    rb_hash_aset(hash, ID2SYM(rb_intern(name)), value);
}

/*
 * Native.stop: nil where none runs, else a Hash.
 *   frames:  [[name, path, line], ...]; the first has number OWN_FRAMES
 *   nodes:   [parent, frame, line, ...] of the tree; the first is the root
 *   samples: [microseconds (monotonic), microseconds of CPU time, node, thread, kind, ...] in the order of time
 *   missed, dropped: ticks that were not noted; that were not kept
 */
static VALUE native_stop(VALUE self) {
    spate_tree *tree = current_tree();
    if (tree == NULL) return Qnil;
    VALUE recording = current;
    int error = spate_ticks_stop();
    drain(tree);
    VALUE result = rb_hash_new();
    set(result, "frames", all_frames(tree));
    set(result, "nodes", all_nodes(tree));
    set(result, "samples", all_samples(tree));
    set(result, "missed", ULL2NUM(spate_ticks_missed()));
    set(result, "dropped", ULL2NUM(spate_tree_dropped(tree)));
    current = Qnil;
    RB_GC_GUARD(recording);
    if (error != 0) rb_syserr_fail(error, "setitimer");
    return result;
}

/* Native.forget: in a forked child, whose timer the kernel did not take along. What was recorded is the parent's. */
static VALUE native_forget(VALUE self) {
    spate_ticks_forget();
    current = Qnil;
    return Qnil;
}

/* Ruby is about to end: its stacks are no longer to be read. */
static void at_end(VALUE unused) {
    if (!NIL_P(current)) (void)spate_ticks_stop();
}

RUBY_FUNC_EXPORTED void Init_profile(void) {
    VALUE spate = rb_define_module("Spate");
    VALUE server = rb_define_module_under(spate, "Server");
    VALUE profile = rb_define_module_under(server, "Profile");
    VALUE native = rb_define_module_under(profile, "Native");
    rb_gc_register_address(&current);
    rb_define_const(native, "OWN_FRAMES", INT2FIX(SPATE_FRAME_OWN_COUNT));
    rb_define_singleton_method(native, "start", native_start, 2);
    rb_define_singleton_method(native, "drain", native_drain, 0);
    rb_define_singleton_method(native, "stop", native_stop, 0);
    rb_define_singleton_method(native, "forget", native_forget, 0);
    rb_set_end_proc(at_end, Qnil);
}
