#include "oneshot/zlib_only.h"

#include "base/release.h"
#include "base/ruby_string.h"
#include "stream/step.h"
#include "stream/zstream.h"

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
