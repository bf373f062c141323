#include "base/release.h"
#include "base/ruby_string.h"
#include "oneshot/oneshot.h"

/* Inflates whole Strings. */

/*
 * libdeflate cannot be interrupted, so longer input is inflated on a separate thread. Shorter input takes at most about
 * 50 ms, even if it expands a thousandfold.
 */
#define JOB_FROM ((size_t)128 * 1024)
#define MOST_GUESSED ((size_t)1 << 31)

#ifdef SPATE_HAVE_LIBDEFLATE
#define LIBDEFLATE true
#else
#define LIBDEFLATE false
#endif

static void inflate_whole(void *context) {
    spate_oneshot *is = context;
    is->status =
        spate_inflate_attempt(is->container, is->input, is->length, is->max_output, &is->output, &is->consumed);
}

/*
 * Expansion of recent input, in sixteenths. Used to estimate the size of the output. If the estimate is too small, the
 * input is inflated again.
 */
static unsigned last_ratio = 4 * 16;

/*
 * Twice the length of the last output, plus one if the output before it had the same length. Buffers of equal length
 * are common. An estimate that is too large means mapping, trimming and unmapping memory in each call.
 */
static uint64_t last_output;

static void learn(size_t input, size_t output) {
    uint64_t doubled = (uint64_t)output * 2;
    bool again = (__atomic_load_n(&last_output, __ATOMIC_RELAXED) | 1) == (doubled | 1);
    __atomic_store_n(&last_output, doubled | again, __ATOMIC_RELAXED);
    unsigned long ratio = output * 16 / (input + 1) + 1;
    unsigned before = __atomic_load_n(&last_ratio, __ATOMIC_RELAXED);
    unsigned next = ratio >= before ? (unsigned)(ratio > 1040 * 16 ? 1040 * 16 : ratio)
                                    : before - (unsigned)(before - ratio + 7) / 8;
    __atomic_store_n(&last_ratio, next, __ATOMIC_RELAXED);
}

/* Returns the length of the last two outputs if it was the same and is plausible for this input, otherwise 0. */
static size_t repeated(size_t input) {
    uint64_t output = __atomic_load_n(&last_output, __ATOMIC_RELAXED);
    uint64_t length = output / 2;
    return output % 2 == 1 && length >= input && length / 64 <= input ? (size_t)length : 0;
}

static size_t guess(spate_container container, VALUE string, uint64_t max_output) {
    size_t length = (size_t)RSTRING_LEN(string);
    double ratio = __atomic_load_n(&last_ratio, __ATOMIC_RELAXED) * 1.125 / 16;
    size_t expected = repeated(length);
    double guessed = expected > 0 ? (double)expected : (double)length * ratio + 1024;
    if (container == SPATE_GZIP || container == SPATE_GZIP_FIRST) { /* the footer is not trusted beyond 16 times */
        double claimed = (double)spate_gzip_claimed_length((const uint8_t *)RSTRING_PTR(string), length) + 1;
        double most = (double)length * 16;
        guessed = claimed < most ? claimed : most;
    } else if (guessed > (double)length * 64) {
        guessed = (double)length * 64;
    }
    if (guessed > (double)max_output)
        guessed = (double)max_output;
    return guessed > (double)MOST_GUESSED ? MOST_GUESSED : (size_t)guessed;
}

/* Inflates short input with little output while holding the GVL. Otherwise returns Qundef and sets *status. */
static VALUE attempt_held(spate_container container, VALUE string, size_t max_output, size_t *consumed,
                          spate_status *status) {
    size_t taken = 0;
    uint8_t *bytes = spate_scratch();
    *status = SPATE_LIMIT;
    if (bytes == NULL)
        return Qundef;
    spate_buffer output = {.bytes = bytes, .capacity = SPATE_SCRATCH, .borrowed = true};
    *status = spate_inflate_attempt(container, (const uint8_t *)RSTRING_PTR(string), (size_t)RSTRING_LEN(string),
                                    max_output < SPATE_SCRATCH ? max_output : SPATE_SCRATCH, &output, &taken);
    if (*status == SPATE_LIMIT && max_output <= SPATE_SCRATCH)
        spate_zlib_raise_limit(max_output);
    if (consumed != NULL)
        *consumed = taken;
    VALUE answer = *status == SPATE_OK ? rb_str_new((const char *)bytes, (long)output.length) : Qundef;
    spate_buffer_free(&output);
    RB_GC_GUARD(string);
    return answer;
}

/* Inflates with libdeflate. Returns Qundef if that is missing or the stream is invalid: the caller then uses zlib. */
static VALUE attempt(spate_container container, VALUE string, uint64_t max_output, size_t *consumed) {
    if (!LIBDEFLATE)
        return Qundef;
    size_t length = (size_t)RSTRING_LEN(string);
    size_t most = max_output > SIZE_MAX ? SIZE_MAX : (size_t)max_output;
    spate_status status = SPATE_LIMIT;
    VALUE answer = Qundef;
    if (length < SPATE_HOLD_BELOW)
        answer = attempt_held(container, string, most, consumed, &status);
    if (status == SPATE_LIMIT) {
        spate_oneshot is = {.container = container, .max_output = most};
        answer = spate_oneshot_without_gvl(inflate_whole, is, string, guess(container, string, max_output),
                                           length >= JOB_FROM, consumed, &status);
    }
    if (status == SPATE_LIMIT)
        spate_zlib_raise_limit(max_output);
    if (status == SPATE_NO_MEMORY)
        rb_memerror();
    if (status == SPATE_OK && length >= 256)
        learn(length, (size_t)RSTRING_LEN(answer));
    return answer;
}

VALUE spate_oneshot_inflate(spate_container container, VALUE string, uint64_t max_output, size_t *consumed) {
    VALUE answer = attempt(container, string, max_output, consumed);
    return answer != Qundef ? answer : spate_zlib_only_inflate(container, string, max_output, consumed);
}
