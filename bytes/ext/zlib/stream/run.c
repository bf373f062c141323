#include "stream/internal.h"

#include <string.h>

#include "base/release.h"
#include "stream/step.h"

/*
 * Size of the chunks passed to a block. As in Ruby's zlib, each is yielded before the next one is produced, so that
 * total_in, total_out and finished? are correct in the block and after a `break`.
 */
#define CHUNK ((size_t)16384)
/* A small input that inflates to more than this is continued without the GVL. */
#define HELD_OUTPUT ((size_t)64 * 1024)
/* Output of at least this length is written directly to the returned String instead of being copied. */
#define DIRECT_FROM ((size_t)64 * 1024)
/* Maximum initial capacity of that String. It grows with the output. */
#define MOST_DIRECT ((size_t)1 << 30)

static const uint8_t nothing[1];

typedef struct run {
    spate_zstream *z;
    spate_zstream_call call;
    VALUE source; /* the String with the input, or Qnil */
    uint64_t came_out;
    bool yields;
    bool released;
    bool kept; /* unconsumed input has been stored in the stream again */
    VALUE answer;
    spate_step step;
} run;

static void read_from(run *r, VALUE string, size_t at) {
    r->source = string;
    r->step.input = NIL_P(string) ? nothing : (const uint8_t *)RSTRING_PTR(string);
    r->step.length = NIL_P(string) ? 0 : (size_t)RSTRING_LEN(string);
    r->step.at = at;
}

/*
 * Waiting input is processed before the source. If other Ruby code may run meanwhile, the source is frozen, so that its
 * bytes cannot change.
 */
static void take_input(run *r) {
    spate_zstream *z = r->z;
    bool given = !NIL_P(r->source) && RSTRING_LEN(r->source) > 0;
    if (spate_zstream_input_length(z) > 0) {
        if (given)
            spate_zstream_feed(z, r->source);
        read_from(r, z->input, z->input_at);
    } else if (given && (r->released || r->yields)) {
        read_from(r, rb_str_new_frozen(r->source), 0);
    } else {
        read_from(r, given ? r->source : Qnil, 0);
    }
}

/* Keeps the input that zlib did not consume. */
static void keep_rest(run *r) {
    spate_zstream *z = r->z;
    size_t rest = r->step.length - r->step.at;
    if (rest == 0) {
        spate_zstream_reset_input(z);
    } else if (z->input == r->source) {
        z->input_at = r->step.at;
    } else if (r->released || r->yields) {
        spate_zstream_set_input(z, r->source, r->step.at);
    } else {
        VALUE copy = rb_str_new((const char *)r->step.input + r->step.at, (long)rest);
        spate_zstream_set_input(z, rb_str_freeze(copy), 0);
    }
    read_from(r, z->input, z->input_at);
    r->kept = true;
}

/* Estimates the length of the output for the remaining input from the expansion so far. */
static size_t expected_output(const run *r) {
    const z_stream *zlib = &r->z->zlib;
    double input = (double)(r->step.length - r->step.at);
    double ratio = r->z->direction == SPATE_INFLATES ? 4.0 : 0.5;
    if (zlib->total_in >= 16 * 1024)
        ratio = (double)zlib->total_out / (double)zlib->total_in;
    double expected = input * ratio * 1.125 + 4096;
    return expected > (double)MOST_DIRECT ? MOST_DIRECT : (size_t)expected;
}

/* If much output is expected, provides a hidden String that the output is written to. */
static void make_room(run *r) {
    spate_zstream *z = r->z;
    size_t expected = expected_output(r);
    if (r->step.allowed < expected)
        expected = (size_t)r->step.allowed;
    if (!r->call.returns_output || r->yields || !NIL_P(z->reused) || expected < DIRECT_FROM ||
        spate_zstream_output_length(z) > 0)
        return;
    VALUE owner = rb_str_buf_new((long)expected);
    rb_obj_hide(owner);
    spate_zstream_forget_output(z);
    spate_zstream_set(z, &z->owner, owner);
    z->output = (spate_buffer){.bytes = (uint8_t *)RSTRING_PTR(owner), .capacity = expected, .borrowed = true};
}

static void yield_chunks(run *r) {
    spate_zstream *z = r->z;
    while (spate_zstream_output_length(z) >= CHUNK)
        rb_yield(NIL_P(z->reused) ? spate_zstream_shift(z, CHUNK) : spate_zstream_fill_reused(z, CHUNK));
}

/* Sets the dictionary that the stream needs. Returns false if it is unknown. */
static bool supply_dictionary(run *r) {
    spate_zstream *z = r->z;
    if (NIL_P(z->dictionaries))
        return false;
    VALUE dictionary = rb_hash_aref(z->dictionaries, ULONG2NUM(z->zlib.adler));
    if (NIL_P(dictionary))
        return false;
    StringValue(dictionary);
    int answer = inflateSetDictionary(&z->zlib, (const Bytef *)RSTRING_PTR(dictionary), RSTRING_LENINT(dictionary));
    RB_GC_GUARD(dictionary);
    if (answer != Z_OK)
        spate_zlib_raise(answer, z->zlib.msg);
    return true;
}

/* If the process is forked during the run, `busy` stays set in the child, because the thread does not exist there. */
static bool run_busy(void *context, spate_interrupt *interrupt) {
    run *r = context;
    r->z->busy = true;
    bool done = spate_step_run(&r->step, interrupt);
    r->z->busy = false;
    return done;
}

/* Returns the length of output at which to pause. */
static size_t next_pause(const run *r, size_t start) {
    if (r->yields)
        return CHUNK;
    size_t left = r->call.pause == SIZE_MAX ? SIZE_MAX - start : r->call.pause - (size_t)r->came_out;
    return start + (r->released || left < HELD_OUTPUT ? left : HELD_OUTPUT);
}

/* Whether the output has reached the caller's pause. */
static bool has_enough(const run *r) {
    return r->step.outcome == SPATE_STEP_PAUSED && r->came_out >= r->call.pause;
}

static void work(run *r) {
    spate_zstream *z = r->z;
    spate_step *step = &r->step;
    size_t start = z->output.length;
    step->pause = next_pause(r, start);
    if (r->released)
        spate_release_stepwise(run_busy, r);
    else
        spate_step_run(step, NULL);
    spate_zstream_disown(z);
    r->came_out += z->output.length - start;
}

/* Discards the output, which is incomplete. */
static void limited(run *r) {
    r->z->exhausted = true;
    spate_zstream_forget_output(r->z);
    r->step.at = r->step.length;
    spate_zlib_raise_limit(r->call.max_output < r->z->max_output ? r->call.max_output : r->z->max_output);
}

/* Updates the stream after a step. Returns true if there is more to do. */
static bool settle(run *r) {
    spate_zstream *z = r->z;
    spate_step *step = &r->step;
    switch (step->outcome) {
    case SPATE_STEP_LIMITED: limited(r); break;
    case SPATE_STEP_NO_MEMORY: keep_rest(r); rb_memerror();
    case SPATE_STEP_PAUSED: return !has_enough(r);
    case SPATE_STEP_RUNS: return true;
    case SPATE_STEP_DONE: break;
    }
    if (step->answer == Z_NEED_DICT && supply_dictionary(r))
        return true;
    if (step->answer == Z_STREAM_END) {
        z->in_stream = false;
        z->finished = true;
    } else if (step->answer == Z_OK || (step->answer == Z_BUF_ERROR && step->flush != Z_FINISH)) {
        z->in_stream = true;
    }
    return false;
}

static void must_have_succeeded(const run *r) {
    if (r->step.answer != Z_OK && r->step.answer != Z_STREAM_END)
        spate_zlib_raise(r->step.answer, r->z->zlib.msg);
}

/* Clears the reused String, which may also be the source. */
static void take_reused(run *r) {
    VALUE reused = r->call.reused;
    if (!NIL_P(reused)) {
        if (reused == r->source)
            r->source = rb_str_new_frozen(reused);
        rb_str_modify(reused);
        rb_str_set_len(reused, 0);
    }
    spate_zstream_set(r->z, &r->z->reused, reused);
}

static void begin(run *r) {
    spate_zstream *z = r->z;
    uint64_t left = UINT64_MAX;
    spate_zstream_must_be_ready(z); /* it may have been closed while waiting for the lock */
    if (z->exhausted)
        spate_zlib_raise_limit(z->max_output < r->call.max_output ? z->max_output : r->call.max_output);
    if (z->max_output != UINT64_MAX)
        left = z->max_output > z->zlib.total_out ? z->max_output - z->zlib.total_out : 0;
    if (r->call.max_output != UINT64_MAX && r->call.max_output - r->came_out < left)
        left = r->call.max_output - r->came_out;
    r->step.allowed = left;
    spate_zstream_compact(z);
    take_reused(r);
    take_input(r);
    r->kept = false;
}

/* With a block, yields the rest at the stream's end. Input after the end becomes output of the next call. */
static void answer(run *r) {
    spate_zstream *z = r->z;
    if (r->call.returns_output && r->yields && z->finished)
        rb_yield(spate_zstream_detach(z));
    else if (r->call.returns_output && !r->yields)
        r->answer = spate_zstream_detach(z);
    if (z->finished && r->call.passes_trailing)
        spate_zstream_passthrough(z);
}

static VALUE run_body(VALUE argument) {
    run *r = (run *)argument;
    bool more;
    do {
        work(r);
        more = settle(r);
        if (r->yields) {
            yield_chunks(r);
            spate_zstream_compact(r->z);
        }
    } while (more);
    keep_rest(r);
    must_have_succeeded(r);
    answer(r);
    return Qnil;
}

static VALUE run_ended(VALUE argument) {
    run *r = (run *)argument;
    r->z->in_progress = false;
    r->z->reused = Qnil;
    spate_zstream_disown(r->z);
    if (!r->kept)
        keep_rest(r);
    return Qnil;
}

static VALUE run_locked(VALUE argument) {
    run *r = (run *)argument;
    begin(r);
    make_room(r);
    r->z->in_progress = true;
    return rb_ensure(run_body, argument, run_ended, argument);
}

/*
 * Processes a small input while holding the GVL, without the lock. Returns false if there is too much output: the run
 * then continues without the GVL.
 */
static bool run_held(run *r) {
    begin(r);
    do {
        work(r);
        if (r->step.outcome == SPATE_STEP_PAUSED && !has_enough(r)) {
            keep_rest(r);
            r->source = Qnil;
            r->call.reused = Qnil;
            r->released = true;
            return false;
        }
    } while (settle(r));
    keep_rest(r);
    must_have_succeeded(r);
    answer(r);
    return true;
}

VALUE spate_zstream_run(spate_zstream *z, const spate_zstream_call *call) {
    run r = {.z = z, .call = *call, .source = call->source, .answer = Qnil};
    size_t length = (NIL_P(r.source) ? 0 : (size_t)RSTRING_LEN(r.source)) + spate_zstream_input_length(z);
    r.step = (spate_step){
        .zlib = &z->zlib, .inflates = z->direction == SPATE_INFLATES, .flush = call->flush, .output = &z->output};
    r.step.adler = r.step.inflates ? &z->adler : NULL;
    r.yields = rb_block_given_p();
    r.released = length >= SPATE_HOLD_BELOW;
    spate_zstream_refuse_recursion(z);
    bool alone = r.released || r.yields || z->in_progress || !NIL_P(call->reused);
    if (alone || !run_held(&r))
        rb_mutex_synchronize(spate_zstream_lock(z), run_locked, (VALUE)&r);
    RB_GC_GUARD(r.call.source);
    RB_GC_GUARD(r.source);
    return r.answer;
}
