#include "base/release.h"
#include "base/ruby_string.h"
#include "oneshot/bytes.h"
#include "oneshot/oneshot.h"

/* Deflates whole Strings. */

/* libdeflate cannot be interrupted, so longer input (about 50 ms) is deflated on a separate thread. */
#define JOB_FROM ((size_t)512 * 1024)

static bool identical;

bool spate_zlib_identical(void) {
    return identical;
}

void spate_zlib_set_identical(bool value) {
    identical = value;
}

static void deflate_whole(void *context) {
    spate_oneshot *is = context;
    bool done = spate_compress(is->container, is->level, is->input, is->length, &is->output);
    is->status = done ? SPATE_OK : SPATE_NO_MEMORY;
}

static VALUE deflate_held(spate_container container, VALUE string, int level) {
    uint8_t *bytes = spate_scratch();
    if (bytes == NULL)
        rb_memerror();
    spate_buffer output = {.bytes = bytes, .capacity = SPATE_SCRATCH, .borrowed = true};
    bool done =
        spate_compress(container, level, (const uint8_t *)RSTRING_PTR(string), (size_t)RSTRING_LEN(string), &output);
    RB_GC_GUARD(string);
    return done ? rb_str_new((const char *)bytes, (long)output.length) : Qundef;
}

VALUE spate_oneshot_deflate_as(spate_container container, VALUE string, int level, bool as_zlib) {
    size_t length = (size_t)RSTRING_LEN(string);
    VALUE answer = Qundef;
    spate_status status;
    if (level < Z_DEFAULT_COMPRESSION || level > Z_BEST_COMPRESSION)
        spate_zlib_raise(Z_STREAM_ERROR, NULL);
    size_t bound = spate_compress_bound(length);
    if (bound > 0 && !as_zlib) {
        spate_oneshot is = {.container = container, .level = level};
        answer = length < SPATE_HOLD_BELOW
                     ? deflate_held(container, string, level)
                     : spate_oneshot_without_gvl(deflate_whole, is, string, bound, length >= JOB_FROM, NULL, &status);
    }
    return answer != Qundef ? answer : spate_zlib_only_deflate(container, string, level);
}

VALUE spate_oneshot_deflate(spate_container container, VALUE string, int level) {
    return spate_oneshot_deflate_as(container, string, level, identical);
}
