#include "whole.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "compressor.h"
#include "release.h"
#include "step.h"
#include "stream.h"

/* From here on copying takes long enough to let others run. */
#define COPY_RELEASED_FROM ((size_t)1024 * 1024)
/*
 * libdeflate cannot be stopped. Up to these sizes it takes some 50 ms at the very worst (an input that inflates a
 * thousandfold) and is waited for; from there on it has a thread of its own.
 */
#define INFLATE_PIECE_FROM ((size_t)128 * 1024)
#define DEFLATE_PIECE_FROM ((size_t)512 * 1024)
/* What a small call's output is written to before its length is known. */
#define SCRATCH ((size_t)64 * 1024)
/* A String that is answered has at most this part of its memory unused. */
#define SLACK_PARTS 8
#define MOST_GUESSED ((size_t)1 << 31)

#ifdef SPATE_HAVE_LIBDEFLATE
#define LIBDEFLATE true
#else
#define LIBDEFLATE false
#endif

static bool identical;

bool spate_zlib_identical(void) {
    return identical;
}

/* ---- Strings ------------------------------------------------------------------------------------------------------ */

typedef struct copy {
    uint8_t *to;
    const uint8_t *from;
    size_t length;
} copy;

static void run_copy(void *context) {
    copy *is = context;
    memcpy(is->to, is->from, is->length);
}

static VALUE hidden_string(size_t capacity) {
    if (capacity > LONG_MAX / 2) {
        rb_memerror();
    }
    VALUE string = rb_str_buf_new((long)(capacity < 1024 ? 1024 : capacity)); /* smaller ones might be embedded */
    rb_obj_hide(string);
    return string;
}

VALUE spate_zlib_string(const uint8_t *bytes, size_t length) {
    if (length < COPY_RELEASED_FROM) {
        return rb_str_new((const char *)bytes, (long)length);
    }
    VALUE string = hidden_string(length);
    copy is = {(uint8_t *)RSTRING_PTR(string), bytes, length};
    spate_release_briefly(run_copy, &is);
    rb_str_set_len(string, (long)length);
    return rb_obj_reveal(string, rb_cString);
}

static pthread_key_t scratch_key;

/* This thread's, NULL for want of memory. */
static uint8_t *scratch(void) {
    uint8_t *bytes = pthread_getspecific(scratch_key);
    if (bytes == NULL) {
        bytes = malloc(SCRATCH);
        if (bytes != NULL && pthread_setspecific(scratch_key, bytes) != 0) {
            free(bytes);
            bytes = NULL;
        }
    }
    return bytes;
}

/* ---- One call ----------------------------------------------------------------------------------------------------- */

/* What a thread of its own works on, malloc'd. The output begins in `owner`, a hidden String. */
typedef struct whole {
    spate_container container;
    const uint8_t *input;
    size_t length;
    size_t max_output;
    int level;
    spate_buffer output;
    size_t consumed;
    spate_status status;
} whole;

static void inflate_whole(void *context) {
    whole *is = context;
    is->status =
        spate_inflate_attempt(is->container, is->input, is->length, is->max_output, &is->output, &is->consumed);
}

static void deflate_whole(void *context) {
    whole *is = context;
    bool done = spate_compress(is->container, is->level, is->input, is->length, &is->output);
    is->status = done ? SPATE_OK : SPATE_NO_MEMORY;
}

static void free_whole(void *context) {
    whole *is = context;
    spate_buffer_free(&is->output);
    free(is);
}

static VALUE free_whole_of(VALUE argument) {
    free_whole((whole *)argument);
    return Qnil;
}

static VALUE copy_whole(VALUE argument) {
    whole *is = (whole *)argument;
    return spate_zlib_string(is->output.bytes, is->output.length);
}

/* The String `owner` shown with this length; what it has too much is given back. */
static VALUE reveal(VALUE owner, size_t length) {
    size_t capacity = rb_str_capacity(owner);
    rb_str_set_len(owner, (long)length);
    if (capacity - length > length / SLACK_PARTS) {
        rb_str_resize(owner, (long)length);
    }
    return rb_obj_reveal(owner, rb_cString);
}

/*
 * Runs `work` without the GVL over the string into a String of `capacity`, if that suffices. Answers the String, or
 * Qundef with *status.
 */
static VALUE run_released(void (*work)(void *), whole given, VALUE string, size_t capacity, bool piece,
                          size_t *consumed, spate_status *status) {
    VALUE source = rb_str_new_frozen(string);
    VALUE owner = hidden_string(capacity);
    whole *is = malloc(sizeof *is);
    if (is == NULL) {
        rb_memerror();
    }
    *is = given;
    is->input = (const uint8_t *)RSTRING_PTR(source);
    is->length = (size_t)RSTRING_LEN(source);
    is->output =
        (spate_buffer){.bytes = (uint8_t *)RSTRING_PTR(owner), .capacity = rb_str_capacity(owner), .borrowed = true};
    spate_piece whole_piece = {.work = work, .finish = free_whole, .context = is, .keep = {source, owner}};
    if (piece) {
        spate_release_piece(&whole_piece);
    } else {
        spate_release_moment(&whole_piece);
    }
    RB_GC_GUARD(source);
    *status = is->status;
    if (consumed != NULL) {
        *consumed = is->consumed;
    }
    VALUE answer = Qundef;
    if (is->status == SPATE_OK && is->output.borrowed) {
        answer = reveal(owner, is->output.length);
    } else if (is->status == SPATE_OK) {
        return rb_ensure(copy_whole, (VALUE)is, free_whole_of, (VALUE)is);
    }
    RB_GC_GUARD(owner);
    free_whole(is);
    return answer;
}

/* ---- Inflating ---------------------------------------------------------------------------------------------------- */

/*
 * Out of so many sixteenths of its length an input was inflated last: a first guess that is too small costs a second run.
 */
static unsigned last_ratio = 4 * 16;

static void learn(size_t input, size_t output) {
    unsigned long ratio = output * 16 / (input + 1) + 1;
    unsigned before = __atomic_load_n(&last_ratio, __ATOMIC_RELAXED);
    unsigned next = ratio >= before ? (unsigned)(ratio > 1040 * 16 ? 1040 * 16 : ratio)
                                    : before - (unsigned)(before - ratio + 7) / 8;
    __atomic_store_n(&last_ratio, next, __ATOMIC_RELAXED);
}

static size_t guess(spate_container container, VALUE string, uint64_t max_output) {
    size_t length = (size_t)RSTRING_LEN(string);
    double ratio = __atomic_load_n(&last_ratio, __ATOMIC_RELAXED) * 1.125 / 16;
    double guessed = (double)length * ratio + 1024;
    if (container == SPATE_GZIP || container == SPATE_GZIP_FIRST) { /* untrusted: within what is plausible */
        double claimed = (double)spate_gzip_claimed_length((const uint8_t *)RSTRING_PTR(string), length) + 1;
        double most = (double)length * 16;
        guessed = claimed < most ? claimed : most;
    } else if (guessed > (double)length * 64) {
        guessed = (double)length * 64;
    }
    if (guessed > (double)max_output) {
        guessed = (double)max_output;
    }
    return guessed > (double)MOST_GUESSED ? MOST_GUESSED : (size_t)guessed;
}

/* Where little goes in and little comes out the GVL is kept. Answers Qundef with *status for anything else. */
static VALUE attempt_held(spate_container container, VALUE string, size_t max_output, size_t *consumed,
                          spate_status *status) {
    size_t taken = 0;
    uint8_t *bytes = scratch();
    *status = SPATE_LIMIT;
    if (bytes == NULL) {
        return Qundef;
    }
    spate_buffer output = {.bytes = bytes, .capacity = SCRATCH, .borrowed = true};
    *status = spate_inflate_attempt(container, (const uint8_t *)RSTRING_PTR(string), (size_t)RSTRING_LEN(string),
                                    max_output < SCRATCH ? max_output : SCRATCH, &output, &taken);
    if (*status == SPATE_LIMIT && max_output <= SCRATCH) {
        spate_zlib_raise_limit(max_output);
    }
    if (consumed != NULL) {
        *consumed = taken;
    }
    VALUE answer = *status == SPATE_OK ? rb_str_new((const char *)bytes, (long)output.length) : Qundef;
    spate_buffer_free(&output);
    RB_GC_GUARD(string);
    return answer;
}

VALUE spate_whole_attempt(spate_container container, VALUE string, uint64_t max_output, size_t *consumed) {
    if (!LIBDEFLATE) {
        return Qundef;
    }
    size_t length = (size_t)RSTRING_LEN(string);
    size_t most = max_output > SIZE_MAX ? SIZE_MAX : (size_t)max_output;
    spate_status status = SPATE_LIMIT;
    VALUE answer = Qundef;
    if (length < SPATE_HOLD_BELOW) {
        answer = attempt_held(container, string, most, consumed, &status);
    }
    if (status == SPATE_LIMIT) {
        whole is = {.container = container, .max_output = most};
        answer = run_released(inflate_whole, is, string, guess(container, string, max_output),
                              length >= INFLATE_PIECE_FROM, consumed, &status);
    }
    if (status == SPATE_LIMIT) {
        spate_zlib_raise_limit(max_output);
    }
    if (status == SPATE_NO_MEMORY) {
        rb_memerror();
    }
    if (status == SPATE_OK && length >= 256) {
        learn(length, (size_t)RSTRING_LEN(answer));
    }
    return answer;
}

/* ---- zlib alone: for its errors, its bytes, or where there is no libdeflate ------------------------------------------ */

typedef struct alone {
    z_stream zlib;
    spate_buffer output;
    spate_step step;
    uint64_t max_output;
    VALUE source;
} alone;

static VALUE run_alone(VALUE argument) {
    alone *is = (alone *)argument;
    spate_step *step = &is->step;
    if (step->length < SPATE_HOLD_BELOW) {
        step->pause = SCRATCH;
        spate_step_run(step, NULL);
    }
    if (step->outcome == SPATE_STEP_RUNS || step->outcome == SPATE_STEP_PAUSED) {
        step->pause = SIZE_MAX;
        spate_release_stepwise(spate_step_run, step);
    }
    if (step->outcome == SPATE_STEP_LIMITED) {
        spate_zlib_raise_limit(is->max_output);
    }
    if (step->outcome == SPATE_STEP_NO_MEMORY) {
        rb_memerror();
    }
    if (step->answer != Z_STREAM_END) {
        spate_zlib_raise(step->answer, is->zlib.msg);
    }
    return spate_zlib_string(is->output.bytes, is->output.length);
}

static VALUE end_alone(VALUE argument) {
    alone *is = (alone *)argument;
    if (is->step.inflates) {
        (void)inflateEnd(&is->zlib);
    } else {
        (void)deflateEnd(&is->zlib);
    }
    spate_buffer_free(&is->output);
    return Qnil;
}

static VALUE zlib_alone(alone *is, VALUE string, int opened, size_t *consumed) {
    if (opened != Z_OK) {
        spate_zlib_raise(opened, is->zlib.msg);
    }
    VALUE source = rb_str_new_frozen(string);
    is->step.zlib = &is->zlib;
    is->step.flush = Z_FINISH;
    is->step.input = (const uint8_t *)RSTRING_PTR(source);
    is->step.length = (size_t)RSTRING_LEN(source);
    is->step.output = &is->output;
    is->step.allowed = is->max_output;
    VALUE answer = rb_ensure(run_alone, (VALUE)is, end_alone, (VALUE)is);
    if (consumed != NULL) {
        *consumed = is->step.at;
    }
    RB_GC_GUARD(source);
    return answer;
}

VALUE spate_whole_inflate(spate_container container, VALUE string, uint64_t max_output, size_t *consumed) {
    VALUE answer = spate_whole_attempt(container, string, max_output, consumed);
    if (answer != Qundef) {
        return answer;
    }
    alone is = {.step = {.inflates = true}, .max_output = max_output};
    int opened = spate_whole_open_inflate(&is.zlib, container);
    return zlib_alone(&is, string, opened, consumed);
}

/* ---- Deflating ---------------------------------------------------------------------------------------------------- */

static VALUE deflate_held(spate_container container, VALUE string, int level) {
    uint8_t *bytes = scratch();
    if (bytes == NULL) {
        rb_memerror();
    }
    spate_buffer output = {.bytes = bytes, .capacity = SCRATCH, .borrowed = true};
    bool done =
        spate_compress(container, level, (const uint8_t *)RSTRING_PTR(string), (size_t)RSTRING_LEN(string), &output);
    RB_GC_GUARD(string);
    return done ? rb_str_new((const char *)bytes, (long)output.length) : Qundef;
}

VALUE spate_whole_deflate_as(spate_container container, VALUE string, int level, bool as_zlib) {
    size_t length = (size_t)RSTRING_LEN(string);
    VALUE answer = Qundef;
    spate_status status;
    if (level < Z_DEFAULT_COMPRESSION || level > Z_BEST_COMPRESSION) {
        spate_zlib_raise(Z_STREAM_ERROR, NULL);
    }
    if (LIBDEFLATE && !as_zlib) {
        size_t bound = spate_compress_bound(length);
        whole is = {.container = container, .level = level};
        answer = length < SPATE_HOLD_BELOW
                     ? deflate_held(container, string, level)
                     : run_released(deflate_whole, is, string, bound, length >= DEFLATE_PIECE_FROM, NULL, &status);
    }
    if (answer != Qundef) {
        return answer;
    }
    alone is = {.max_output = UINT64_MAX};
    int opened = spate_whole_open_deflate(&is.zlib, container, level);
    return zlib_alone(&is, string, opened, NULL);
}

VALUE spate_whole_deflate(spate_container container, VALUE string, int level) {
    return spate_whole_deflate_as(container, string, level, identical);
}

/* ---- Ruby --------------------------------------------------------------------------------------------------------- */

static VALUE finish_stream(VALUE stream) {
    return rb_funcall(stream, rb_intern("close"), 0);
}

static VALUE deflate_chunks(VALUE arguments) {
    const VALUE *values = (const VALUE *)arguments;
    return spate_zstream_run_answer(spate_zstream_ready(values[0]), values[1], Z_FINISH, UINT64_MAX);
}

static VALUE inflate_chunks(VALUE arguments) {
    const VALUE *values = (const VALUE *)arguments;
    spate_zstream *z = spate_zstream_ready(values[0]);
    spate_zstream_run(z, values[1], Z_SYNC_FLUSH);
    return spate_zstream_run_answer(z, Qnil, Z_FINISH, UINT64_MAX);
}

static VALUE s_deflate(int argc, VALUE *argv, VALUE self) {
    static ID names[1];
    VALUE source, level, options, as_zlib = Qundef;
    rb_scan_args(argc, argv, "11:", &source, &level, &options);
    if (!NIL_P(options)) {
        names[0] = rb_intern("identical");
        rb_get_kwargs(options, names, 0, 1, &as_zlib);
    }
    int number = spate_zlib_option(level, Z_DEFAULT_COMPRESSION);
    StringValue(source);
    if (rb_block_given_p()) {
        VALUE values[] = {rb_class_new_instance(1, (VALUE[]){INT2FIX(number)}, spate_zlib_deflate_class), source};
        return rb_ensure(deflate_chunks, (VALUE)values, finish_stream, values[0]);
    }
    return spate_whole_deflate_as(SPATE_ZLIB, source, number, as_zlib == Qundef ? identical : RTEST(as_zlib));
}

static VALUE s_inflate(int argc, VALUE *argv, VALUE self) {
    static ID names[1];
    VALUE source, options, max_output = Qundef;
    rb_scan_args(argc, argv, "1:", &source, &options);
    if (!NIL_P(options)) {
        names[0] = rb_intern("max_output");
        rb_get_kwargs(options, names, 0, 1, &max_output);
    }
    uint64_t limit = spate_zlib_limit(max_output);
    StringValue(source);
    if (rb_block_given_p()) {
        VALUE values[] = {rb_class_new_instance(0, NULL, spate_zlib_inflate_class), source};
        spate_zstream_of(values[0])->max_output = limit;
        return rb_ensure(inflate_chunks, (VALUE)values, finish_stream, values[0]);
    }
    return spate_whole_inflate(SPATE_ZLIB, source, limit, NULL);
}

static VALUE get_identical(VALUE self) {
    return identical ? Qtrue : Qfalse;
}

static VALUE set_identical(VALUE self, VALUE value) {
    identical = RTEST(value);
    return value;
}

static VALUE backend(VALUE self) {
    return rb_usascii_str_new_cstr(spate_inflate_backend());
}

void spate_init_whole(VALUE zlib) {
    if (pthread_key_create(&scratch_key, free) != 0) {
        rb_raise(rb_eRuntimeError, "no thread-specific key is left");
    }
    rb_define_singleton_method(zlib, "deflate", s_deflate, -1);
    rb_define_singleton_method(zlib, "inflate", s_inflate, -1);
    rb_define_singleton_method(spate_zlib_deflate_class, "deflate", s_deflate, -1);
    rb_define_singleton_method(spate_zlib_inflate_class, "inflate", s_inflate, -1);
    rb_define_singleton_method(zlib, "identical", get_identical, 0);
    rb_define_singleton_method(zlib, "identical?", get_identical, 0);
    rb_define_singleton_method(zlib, "identical=", set_identical, 1);
    rb_define_singleton_method(zlib, "backend", backend, 0);
}
