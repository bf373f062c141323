#include "zstream.h"

#include <stdlib.h>
#include <string.h>

#include "release.h"
#include "step.h"
#include "whole.h"

/* What a block gets at a time, as in Ruby's zlib. */
#define CHUNK ((size_t)16384)
/* What comes out before the chunks of it are yielded: one release makes sixteen. */
#define CHUNKS (16 * CHUNK)
/* A small input that inflates to more than this is no small work. */
#define HELD_OUTPUT ((size_t)64 * 1024)
/* From here on output is written where the String that is answered has its bytes, and not copied. */
#define DIRECT_FROM ((size_t)64 * 1024)
/* And no more than this at first; beyond that it grows as it is written. */
#define MOST_DIRECT ((size_t)1 << 30)
/* What a stream keeps of its output's memory for the next call. */
#define KEPT_CAPACITY ((size_t)64 * 1024)
/* A String that is answered has at most this part of its memory unused. */
#define SLACK_PARTS 8

static const uint8_t nothing[1];

/* ---- Its life ----------------------------------------------------------------------------------------------------- */

void spate_zstream_init(spate_zstream *z, spate_direction direction, VALUE self) {
    memset(z, 0, sizeof *z);
    z->direction = direction;
    z->self = self;
    z->lock = z->input = z->dictionaries = z->owner = z->reused = Qnil;
    z->max_output = UINT64_MAX;
}

void spate_zstream_mark(const spate_zstream *z) {
    rb_gc_mark(z->lock);
    rb_gc_mark(z->input);
    rb_gc_mark(z->dictionaries);
    rb_gc_mark(z->owner);
    rb_gc_mark(z->reused);
}

static void set(spate_zstream *z, VALUE *slot, VALUE value) {
    RB_OBJ_WRITE(z->self, slot, value);
}

static void account(spate_zstream *z, size_t bytes) {
    rb_gc_adjust_memory_usage((ssize_t)bytes - (ssize_t)z->accounted);
    z->accounted = bytes;
}

static int end_zlib(spate_zstream *z) {
    return z->direction == SPATE_INFLATES ? inflateEnd(&z->zlib) : deflateEnd(&z->zlib);
}

static void free_output(spate_zstream *z) {
    spate_buffer_free(&z->output);
    z->output_at = 0;
}

void spate_zstream_free(spate_zstream *z) {
    if (z->ready) {
        (void)end_zlib(z); /* an unfinished deflation is lost, as its owner chose */
        account(z, 0);
    }
    free_output(z);
}

size_t spate_zstream_size(const spate_zstream *z) {
    return z->accounted + (z->output.borrowed ? 0 : z->output.capacity);
}

/* zlib's own documentation of what a stream takes (zconf.h). */
static size_t deflate_memory(int wbits, int memory_level) {
    int bits = abs(wbits) & 15;
    return ((size_t)1 << (bits + 2)) + ((size_t)1 << (memory_level + 9)) + 6 * 1024;
}

static void opened(spate_zstream *z, int answer, size_t memory) {
    if (answer != Z_OK) {
        spate_zlib_raise(answer, z->zlib.msg);
    }
    z->ready = true;
    account(z, memory);
}

void spate_zstream_open_deflate(spate_zstream *z, int level, int wbits, int memory_level, int strategy) {
    if (z->ready) {
        rb_raise(spate_zlib_error, "stream is already initialized");
    }
    int answer = deflateInit2(&z->zlib, level, Z_DEFLATED, wbits, memory_level, strategy);
    opened(z, answer, answer == Z_OK ? deflate_memory(wbits, memory_level) : 0);
}

void spate_zstream_open_inflate(spate_zstream *z, int wbits) {
    if (z->ready) {
        rb_raise(spate_zlib_error, "stream is already initialized");
    }
    opened(z, inflateInit2(&z->zlib, wbits), (size_t)40 * 1024);
}

static void forget_output(spate_zstream *z) {
    set(z, &z->owner, Qnil);
    free_output(z);
}

void spate_zstream_reset(spate_zstream *z) {
    spate_zstream_claim(z);
    int answer = z->direction == SPATE_INFLATES ? inflateReset(&z->zlib) : deflateReset(&z->zlib);
    if (answer != Z_OK) {
        spate_zlib_raise(answer, z->zlib.msg);
    }
    z->in_stream = z->finished = z->spent = false;
    set(z, &z->reused, Qnil);
    forget_output(z);
    spate_zstream_reset_input(z);
}

void spate_zstream_end(spate_zstream *z) {
    spate_zstream_claim(z);
    if (z->in_stream) {
        rb_warning("attempt to close unfinished zstream; reset forced.");
        spate_zstream_reset(z);
    }
    spate_zstream_reset_input(z);
    int answer = end_zlib(z);
    z->ready = z->in_stream = z->finished = false;
    account(z, 0);
    set(z, &z->reused, Qnil);
    if (answer != Z_OK) {
        spate_zlib_raise(answer, z->zlib.msg);
    }
}

void spate_zstream_copy(spate_zstream *to, spate_zstream *from) {
    spate_zstream_claim(from);
    if (to->ready || to->direction != from->direction) {
        rb_raise(spate_zlib_error, "stream is already initialized");
    }
    spate_buffer output = {0};
    size_t length = spate_zstream_output_length(from);
    if (length > 0 && spate_buffer_reserve(&output, length) != SPATE_OK) {
        rb_memerror();
    }
    bool inflates = from->direction == SPATE_INFLATES;
    int answer = inflates ? inflateCopy(&to->zlib, &from->zlib) : deflateCopy(&to->zlib, &from->zlib);
    if (answer != Z_OK) {
        spate_buffer_free(&output);
        spate_zlib_raise(answer, NULL);
    }
    if (length > 0) {
        memcpy(output.bytes, spate_zstream_output(from), length);
    }
    output.length = length;
    to->output = output;
    to->input_at = from->input_at;
    to->max_output = from->max_output;
    to->ready = true;
    to->in_stream = from->in_stream;
    to->finished = from->finished;
    to->spent = from->spent;
    account(to, from->accounted);
    set(to, &to->input, from->input);
    set(to, &to->dictionaries, NIL_P(from->dictionaries) ? Qnil : rb_hash_dup(from->dictionaries));
}

/* ---- One at a time ------------------------------------------------------------------------------------------------ */

static VALUE lock_of(spate_zstream *z) {
    if (NIL_P(z->lock)) {
        set(z, &z->lock, rb_mutex_new());
    }
    return z->lock;
}

/* A call is running: another thread's is waited for by its lock, but within its own block nothing can be done. */
static void refuse_recursion(spate_zstream *z) {
    if (z->in_progress && RTEST(rb_funcall(lock_of(z), rb_intern("owned?"), 0))) {
        rb_raise(spate_zlib_in_progress_error, "zlib stream is in progress");
    }
}

static void must_be_ready(const spate_zstream *z) {
    if (!z->ready) {
        rb_raise(spate_zlib_error, "stream is not ready");
    }
}

void spate_zstream_claim(spate_zstream *z) {
    while (z->in_progress) {
        refuse_recursion(z);
        rb_mutex_lock(z->lock);
        rb_mutex_unlock(z->lock);
    }
    must_be_ready(z);
}

/* ---- Input that waits --------------------------------------------------------------------------------------------- */

size_t spate_zstream_input_length(const spate_zstream *z) {
    return NIL_P(z->input) ? 0 : (size_t)RSTRING_LEN(z->input) - z->input_at;
}

const uint8_t *spate_zstream_input(const spate_zstream *z) {
    return NIL_P(z->input) ? nothing : (const uint8_t *)RSTRING_PTR(z->input) + z->input_at;
}

void spate_zstream_reset_input(spate_zstream *z) {
    set(z, &z->input, Qnil);
    z->input_at = 0;
}

static void set_input(spate_zstream *z, VALUE string, size_t at) {
    if (at >= (size_t)RSTRING_LEN(string)) {
        spate_zstream_reset_input(z);
        return;
    }
    set(z, &z->input, string);
    z->input_at = at;
}

void spate_zstream_feed(spate_zstream *z, VALUE string) {
    size_t waiting = spate_zstream_input_length(z);
    if (RSTRING_LEN(string) == 0) {
        return;
    }
    if (waiting == 0) {
        set_input(z, rb_str_new_frozen(string), 0);
        return;
    }
    VALUE both = rb_str_buf_new((long)waiting + RSTRING_LEN(string));
    rb_str_cat(both, (const char *)spate_zstream_input(z), (long)waiting);
    rb_str_buf_append(both, string);
    set_input(z, rb_str_freeze(both), 0);
}

void spate_zstream_discard_input(spate_zstream *z, size_t length) {
    if (length >= spate_zstream_input_length(z)) {
        spate_zstream_reset_input(z);
    } else {
        z->input_at += length;
    }
}

VALUE spate_zstream_detach_input(spate_zstream *z) {
    VALUE rest = rb_str_new((const char *)spate_zstream_input(z), (long)spate_zstream_input_length(z));
    spate_zstream_reset_input(z);
    return rest;
}

/* ---- Output that waits -------------------------------------------------------------------------------------------- */

size_t spate_zstream_output_length(const spate_zstream *z) {
    return z->output.length - z->output_at;
}

const uint8_t *spate_zstream_output(const spate_zstream *z) {
    return z->output.bytes == NULL ? nothing : z->output.bytes + z->output_at;
}

/* All of it is out: what it was in may serve again, within reason. */
static void emptied(spate_zstream *z) {
    z->output.length = z->output_at = 0;
    if (z->output.borrowed || z->output.capacity > KEPT_CAPACITY) {
        forget_output(z);
    }
}

static void compact(spate_zstream *z) {
    if (z->output_at == 0) {
        return;
    }
    size_t length = spate_zstream_output_length(z);
    memmove(z->output.bytes, z->output.bytes + z->output_at, length);
    z->output.length = length;
    z->output_at = 0;
}

/* The output has moved out of its String. */
static void disown(spate_zstream *z) {
    if (!z->output.borrowed) {
        set(z, &z->owner, Qnil);
    }
}

void spate_zstream_reserve(spate_zstream *z, size_t length) {
    if (z->output.capacity - z->output.length >= length) {
        return;
    }
    if (z->output_at >= length && z->output_at >= z->output.length / 2) {
        compact(z);
        return;
    }
    if (length > SIZE_MAX / 2 - z->output.capacity ||
        spate_buffer_reserve(&z->output, z->output.length + length + z->output.capacity / 2) != SPATE_OK) {
        rb_memerror();
    }
    disown(z);
}

void spate_zstream_append(spate_zstream *z, const uint8_t *bytes, size_t length) {
    if (length == 0) {
        return;
    }
    spate_zstream_reserve(z, length);
    memcpy(z->output.bytes + z->output.length, bytes, length);
    z->output.length += length;
}

void spate_zstream_discard_output(spate_zstream *z, size_t length) {
    if (length >= spate_zstream_output_length(z)) {
        emptied(z);
    } else {
        z->output_at += length;
    }
}

VALUE spate_zstream_shift(spate_zstream *z, size_t length) {
    size_t waiting = spate_zstream_output_length(z);
    if (length >= waiting) {
        return spate_zstream_detach(z);
    }
    VALUE shifted = spate_zlib_string(spate_zstream_output(z), length);
    spate_zstream_discard_output(z, length);
    return shifted;
}

/* The hidden String itself, shown. */
static VALUE reveal_owner(spate_zstream *z) {
    VALUE string = z->owner;
    size_t length = z->output.length;
    rb_str_set_len(string, (long)length);
    if (z->output.capacity - length > length / SLACK_PARTS) {
        rb_str_resize(string, (long)length);
    }
    rb_obj_reveal(string, rb_cString);
    z->output.length = 0;
    forget_output(z);
    return string;
}

/* Into the String given as buffer:. */
static VALUE fill_reused(spate_zstream *z, size_t length) {
    VALUE string = z->reused;
    rb_str_modify(string);
    rb_str_resize(string, (long)length);
    memcpy(RSTRING_PTR(string), spate_zstream_output(z), length);
    spate_zstream_discard_output(z, length);
    return string;
}

VALUE spate_zstream_detach(spate_zstream *z) {
    if (!NIL_P(z->reused)) {
        return fill_reused(z, spate_zstream_output_length(z));
    }
    if (z->output.borrowed && z->output_at == 0) {
        return reveal_owner(z);
    }
    VALUE string = spate_zlib_string(spate_zstream_output(z), spate_zstream_output_length(z));
    emptied(z);
    return string;
}

VALUE spate_zstream_answer(spate_zstream *z) {
    if (!z->keeps_output && rb_block_given_p()) {
        if (z->finished) {
            rb_yield(spate_zstream_detach(z));
        }
        return Qnil;
    }
    return spate_zstream_detach(z);
}

void spate_zstream_passthrough(spate_zstream *z) {
    spate_zstream_append(z, spate_zstream_input(z), spate_zstream_input_length(z));
    spate_zstream_reset_input(z);
}

/* ---- Work --------------------------------------------------------------------------------------------------------- */

typedef struct run {
    spate_zstream *z;
    VALUE source; /* String or Qnil */
    uint64_t max_output;
    uint64_t came_out;
    bool yields;
    bool answers;
    bool released;
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
 * Input that waits goes first. While other Ruby code may run, the source's bytes stay what and where they are, whatever
 * that does to the String.
 */
static void take_input(run *r) {
    spate_zstream *z = r->z;
    bool given = !NIL_P(r->source) && RSTRING_LEN(r->source) > 0;
    if (spate_zstream_input_length(z) > 0) {
        if (given) {
            spate_zstream_feed(z, r->source);
        }
        read_from(r, z->input, z->input_at);
    } else if (given && (r->released || r->yields)) {
        read_from(r, rb_str_new_frozen(r->source), 0);
    } else {
        read_from(r, given ? r->source : Qnil, 0);
    }
}

/* What was not taken waits. */
static void keep_rest(run *r) {
    spate_zstream *z = r->z;
    size_t rest = r->step.length - r->step.at;
    if (rest == 0) {
        spate_zstream_reset_input(z);
    } else if (z->input == r->source) {
        z->input_at = r->step.at;
    } else if (r->released || r->yields) {
        set_input(z, r->source, r->step.at);
    } else {
        VALUE copy = rb_str_new((const char *)r->step.input + r->step.at, (long)rest);
        set_input(z, rb_str_freeze(copy), 0);
    }
    read_from(r, z->input, z->input_at);
}

/* What this much input becomes, going by what came before. */
static size_t expected_output(const run *r) {
    const z_stream *zlib = &r->z->zlib;
    double input = (double)(r->step.length - r->step.at);
    double ratio = r->z->direction == SPATE_INFLATES ? 4.0 : 0.5;
    if (zlib->total_in >= 16 * 1024) {
        ratio = (double)zlib->total_out / (double)zlib->total_in;
    }
    double expected = input * ratio * 1.125 + 4096;
    return expected > (double)MOST_DIRECT ? MOST_DIRECT : (size_t)expected;
}

/* Where much is expected, it is written where a String of its own has its bytes. */
static void make_room(run *r) {
    spate_zstream *z = r->z;
    size_t expected = expected_output(r);
    if (r->step.allowed < expected) {
        expected = (size_t)r->step.allowed;
    }
    if (!r->answers || r->yields || !NIL_P(z->reused) || expected < DIRECT_FROM || spate_zstream_output_length(z) > 0) {
        return;
    }
    VALUE owner = rb_str_buf_new((long)expected);
    rb_obj_hide(owner);
    forget_output(z);
    set(z, &z->owner, owner);
    z->output = (spate_buffer){.bytes = (uint8_t *)RSTRING_PTR(owner), .capacity = expected, .borrowed = true};
}

static void yield_chunks(run *r) {
    spate_zstream *z = r->z;
    while (spate_zstream_output_length(z) >= CHUNK) {
        rb_yield(NIL_P(z->reused) ? spate_zstream_shift(z, CHUNK) : fill_reused(z, CHUNK));
    }
}

/* True where a dictionary was added that the stream asks for. */
static bool supply_dictionary(run *r) {
    spate_zstream *z = r->z;
    if (NIL_P(z->dictionaries)) {
        return false;
    }
    VALUE dictionary = rb_hash_aref(z->dictionaries, ULONG2NUM(z->zlib.adler));
    if (NIL_P(dictionary)) {
        return false;
    }
    StringValue(dictionary);
    int answer = inflateSetDictionary(&z->zlib, (const Bytef *)RSTRING_PTR(dictionary), RSTRING_LENINT(dictionary));
    RB_GC_GUARD(dictionary);
    if (answer != Z_OK) {
        spate_zlib_raise(answer, z->zlib.msg);
    }
    return true;
}

static void work(run *r) {
    spate_zstream *z = r->z;
    spate_step *step = &r->step;
    size_t start = z->output.length;
    size_t pause = r->yields ? CHUNKS : SIZE_MAX;
    step->pause = r->released || pause - start < HELD_OUTPUT ? pause : start + HELD_OUTPUT;
    if (r->released) {
        spate_release_stepwise(spate_step_run, step);
    } else {
        spate_step_run(step, NULL);
    }
    disown(z);
    r->came_out += z->output.length - start;
}

/* Nothing of it is kept: what came out has a hole now. */
static void limited(run *r) {
    r->z->spent = true;
    forget_output(r->z);
    r->step.at = r->step.length;
    spate_zlib_raise_limit(r->max_output < r->z->max_output ? r->max_output : r->z->max_output);
}

/* What came of the work. True where there is more to do. */
static bool settle(run *r) {
    spate_zstream *z = r->z;
    spate_step *step = &r->step;
    switch (step->outcome) {
    case SPATE_STEP_LIMITED: limited(r); break;
    case SPATE_STEP_NO_MEMORY: rb_memerror(); break;
    case SPATE_STEP_PAUSED:
    case SPATE_STEP_RUNS: return true;
    case SPATE_STEP_DONE: break;
    }
    if (step->answer == Z_NEED_DICT && supply_dictionary(r)) {
        return true;
    }
    if (step->answer == Z_STREAM_END) {
        z->in_stream = false;
        z->finished = true;
    } else if (step->answer == Z_OK || (step->answer == Z_BUF_ERROR && step->flush != Z_FINISH)) {
        z->in_stream = true;
    }
    return false;
}

static void must_have_succeeded(const run *r) {
    if (r->step.answer != Z_OK && r->step.answer != Z_STREAM_END) {
        spate_zlib_raise(r->step.answer, r->z->zlib.msg);
    }
}

static void begin(run *r) {
    spate_zstream *z = r->z;
    uint64_t left = UINT64_MAX;
    must_be_ready(z); /* it may have been closed while we waited */
    if (z->spent) {
        spate_zlib_raise_limit(z->max_output < r->max_output ? z->max_output : r->max_output);
    }
    if (z->max_output != UINT64_MAX) {
        left = z->max_output > z->zlib.total_out ? z->max_output - z->zlib.total_out : 0;
    }
    if (r->max_output != UINT64_MAX && r->max_output - r->came_out < left) {
        left = r->max_output - r->came_out;
    }
    r->step.allowed = left;
    compact(z);
    take_input(r);
}

static VALUE run_body(VALUE argument) {
    run *r = (run *)argument;
    bool more;
    do {
        work(r);
        more = settle(r);
        if (r->yields) {
            yield_chunks(r);
            compact(r->z);
        }
    } while (more);
    keep_rest(r);
    must_have_succeeded(r);
    if (r->answers && r->z->finished && r->yields) {
        spate_zstream_answer(r->z);
    } else if (r->answers && !r->yields) {
        r->answer = spate_zstream_detach(r->z);
    }
    return Qnil;
}

static VALUE run_ended(VALUE argument) {
    run *r = (run *)argument;
    r->z->in_progress = false;
    disown(r->z);
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
 * A small input of which little comes: no lock, no release, nobody else in between. False where it turned out to be
 * more, which goes on without the GVL.
 */
static bool run_held(run *r) {
    begin(r);
    do {
        work(r);
        if (r->step.outcome == SPATE_STEP_PAUSED) {
            keep_rest(r);
            r->source = Qnil;
            r->released = true;
            return false;
        }
    } while (settle(r));
    keep_rest(r);
    must_have_succeeded(r);
    if (r->answers) {
        r->answer = spate_zstream_detach(r->z);
    }
    return true;
}

static VALUE run_stream(spate_zstream *z, VALUE source, int flush, uint64_t max_output, bool answers) {
    size_t length = (NIL_P(source) ? 0 : (size_t)RSTRING_LEN(source)) + spate_zstream_input_length(z);
    run r = {.z = z, .source = source, .max_output = max_output, .answers = answers, .answer = Qnil};
    r.step = (spate_step){
        .zlib = &z->zlib, .inflates = z->direction == SPATE_INFLATES, .flush = flush, .output = &z->output};
    r.yields = !z->keeps_output && rb_block_given_p();
    r.released = length >= SPATE_HOLD_BELOW;
    refuse_recursion(z);
    if (r.released || r.yields || z->in_progress || !run_held(&r)) {
        rb_mutex_synchronize(lock_of(z), run_locked, (VALUE)&r);
    }
    RB_GC_GUARD(source);
    RB_GC_GUARD(r.source);
    return r.answer;
}

void spate_zstream_run(spate_zstream *z, VALUE source, int flush) {
    run_stream(z, source, flush, UINT64_MAX, false);
}

void spate_zstream_run_limited(spate_zstream *z, VALUE source, int flush, uint64_t max_output) {
    run_stream(z, source, flush, max_output, false);
}

VALUE spate_zstream_run_answer(spate_zstream *z, VALUE source, int flush, uint64_t max_output) {
    return run_stream(z, source, flush, max_output, true);
}
