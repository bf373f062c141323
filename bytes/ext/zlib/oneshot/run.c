#include "oneshot/oneshot.h"

#include "base/release.h"
#include "base/ruby_string.h"
#include "stream/step.h"
#include "stream/zstream.h"

#include <stdlib.h>

/* Processes a whole String: with zlib in slices, or with libdeflate as a job (spate_oneshot_without_gvl). */

typedef struct oneshot {
    z_stream zlib;
    spate_buffer output;
    spate_step step;
    uint64_t max_output;
} oneshot;

static VALUE run_oneshot(VALUE argument) {
    oneshot *is = (oneshot *)argument;
    spate_step *step = &is->step;
    if (step->length < SPATE_HOLD_BELOW) {
        step->pause = SPATE_SCRATCH;
        spate_step_run(step, NULL);
    }
    if (step->outcome == SPATE_STEP_RUNS || step->outcome == SPATE_STEP_PAUSED) {
        step->pause = SIZE_MAX;
        spate_release_stepwise(spate_step_run, step);
    }
    if (step->outcome == SPATE_STEP_LIMITED)
        spate_zlib_raise_limit(is->max_output);
    if (step->outcome == SPATE_STEP_NO_MEMORY)
        rb_memerror();
    if (step->answer != Z_STREAM_END)
        spate_zlib_raise(step->answer, is->zlib.msg);
    return spate_string_of(is->output.bytes, is->output.length);
}

static VALUE end_oneshot(VALUE argument) {
    oneshot *is = (oneshot *)argument;
    if (is->step.inflates)
        (void)inflateEnd(&is->zlib);
    else
        (void)deflateEnd(&is->zlib);
    spate_buffer_free(&is->output);
    return Qnil;
}

/* `opened`: zlib's code from initializing is->zlib. */
static VALUE run(oneshot *is, VALUE source, int opened, size_t *consumed) {
    if (opened != Z_OK)
        spate_zlib_raise(opened, is->zlib.msg);
    is->step.zlib = &is->zlib;
    is->step.flush = Z_FINISH;
    is->step.input = (const uint8_t *)RSTRING_PTR(source);
    is->step.length = (size_t)RSTRING_LEN(source);
    is->step.output = &is->output;
    is->step.allowed = is->max_output;
    VALUE answer = rb_ensure(run_oneshot, (VALUE)is, end_oneshot, (VALUE)is);
    if (consumed != NULL)
        *consumed = is->step.at;
    RB_GC_GUARD(source);
    return answer;
}

VALUE spate_zlib_only_inflate(spate_container container, VALUE string, uint64_t max_output, size_t *consumed) {
    oneshot is = {.step = {.inflates = true}, .max_output = max_output};
    VALUE source = rb_str_new_frozen(string);
    return run(&is, source, spate_oneshot_open_inflate(&is.zlib, container), consumed);
}

VALUE spate_zlib_only_deflate(spate_container container, VALUE string, int level) {
    oneshot is = {.max_output = UINT64_MAX};
    VALUE source = rb_str_new_frozen(string);
    return run(&is, source, spate_oneshot_open_deflate(&is.zlib, container, level), NULL);
}

static void free_whole(void *context) {
    spate_oneshot *is = context;
    spate_buffer_free(&is->output);
    free(is);
}

static VALUE free_whole_of(VALUE argument) {
    free_whole((spate_oneshot *)argument);
    return Qnil;
}

static VALUE copy_whole(VALUE argument) {
    spate_oneshot *is = (spate_oneshot *)argument;
    return spate_string_of(is->output.bytes, is->output.length);
}

VALUE spate_oneshot_without_gvl(void (*work)(void *), spate_oneshot given, VALUE string, size_t capacity, bool as_job,
                                size_t *consumed, spate_status *status) {
    VALUE source = rb_str_new_frozen(string);
    VALUE owner = spate_string_hidden(capacity);
    spate_oneshot *is = malloc(sizeof *is);
    if (is == NULL)
        rb_memerror();
    *is = given;
    is->input = (const uint8_t *)RSTRING_PTR(source);
    is->length = (size_t)RSTRING_LEN(source);
    is->output =
        (spate_buffer){.bytes = (uint8_t *)RSTRING_PTR(owner), .capacity = rb_str_capacity(owner), .borrowed = true};
    spate_job job = {.work = work, .finish = free_whole, .context = is, .keep = {source, owner}};
    if (!as_job)
        spate_release_job_in_place(&job);
    else if (!spate_release_job(&job))
        return spate_oneshot_without_gvl(work, given, string, capacity, as_job, consumed, status);
    RB_GC_GUARD(source);
    *status = is->status;
    if (consumed != NULL)
        *consumed = is->consumed;
    VALUE answer = Qundef;
    if (is->status == SPATE_OK && is->output.borrowed)
        answer = spate_string_reveal(owner, is->output.length);
    else if (is->status == SPATE_OK)
        return rb_ensure(copy_whole, (VALUE)is, free_whole_of, (VALUE)is);
    RB_GC_GUARD(owner);
    free_whole(is);
    return answer;
}
