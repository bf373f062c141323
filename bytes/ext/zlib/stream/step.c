#include "stream/step.h"

#include <string.h>

/*
 * A slice takes at most 10 ms, because level 9 deflates only some MB/s. For inflate, the output of a slice is limited
 * as well. Slicing deflate's input does not change its output, except at level 0.
 */
#define DEFLATE_SLICE ((size_t)64 * 1024)
#define INFLATE_SLICE ((size_t)256 * 1024)
#define SMALLEST_OUTPUT ((size_t)4 * 1024)

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static bool end(spate_step *step, spate_step_outcome outcome, int answer) {
    step->outcome = outcome;
    step->answer = answer;
    return true;
}

/* Doubles the capacity, so that appending takes linear time. */
static bool grow(spate_step *step) {
    spate_buffer *output = step->output;
    size_t more = output->capacity < SMALLEST_OUTPUT ? SMALLEST_OUTPUT : output->capacity;
    if (more > SIZE_MAX - output->capacity)
        return false;
    return spate_buffer_reserve(output, output->capacity + more) == SPATE_OK;
}

bool spate_step_run(void *context, spate_interrupt *interrupt) {
    spate_step *step = context;
    spate_buffer *output = step->output;
    z_stream *zlib = step->zlib;
    size_t slice = step->inflates ? INFLATE_SLICE : DEFLATE_SLICE;

    step->outcome = SPATE_STEP_RUNS;
    for (;;) {
        uint8_t beyond; /* filled if there is more output than `allowed` */
        if (interrupt != NULL && interrupt->requested)
            return false;
        if (output->length >= step->pause)
            return end(step, SPATE_STEP_PAUSED, Z_OK);
        if (output->length == output->capacity && step->allowed > 0 && !grow(step))
            return end(step, SPATE_STEP_NO_MEMORY, Z_MEM_ERROR);
        size_t left = step->length - step->at;
        size_t room = smaller(smaller(output->capacity, step->pause) - output->length, INFLATE_SLICE);
        if (step->allowed < room)
            room = (size_t)step->allowed;
        bool last = left <= slice;
        uInt had_in = (uInt)smaller(left, slice);
        uInt had_out = room == 0 ? 1 : (uInt)room;
        zlib->next_in = (Bytef *)(uintptr_t)(step->input + step->at);
        zlib->avail_in = had_in;
        zlib->next_out = room == 0 ? &beyond : output->bytes + output->length;
        zlib->avail_out = had_out;

        int flush = last ? step->flush : Z_NO_FLUSH;
        int answer = step->inflates ? inflate(zlib, flush) : deflate(zlib, flush);
        size_t took = had_in - zlib->avail_in;
        size_t produced = had_out - zlib->avail_out;
        if (step->adler != NULL) {
            answer = spate_stream_adler_add(step->adler, zlib, answer, step->input + step->at, took,
                                            output->bytes + output->length, room == 0 ? 0 : produced);
        }
        bool full = zlib->avail_out == 0;
        step->at += took;
        zlib->next_in = NULL;
        zlib->next_out = NULL;
        zlib->avail_in = 0;
        zlib->avail_out = 0;
        if (room == 0 && produced > 0)
            return end(step, SPATE_STEP_LIMITED, Z_BUF_ERROR);
        output->length += produced;
        if (step->allowed != UINT64_MAX)
            step->allowed -= produced;
        step->progressed |= took > 0 || produced > 0;
        if (answer != Z_OK && answer != Z_BUF_ERROR)
            return end(step, SPATE_STEP_DONE, answer);
        if (took == 0 && produced == 0) {
            bool fails = !step->progressed || (step->flush == Z_FINISH && last);
            return end(step, SPATE_STEP_DONE, fails ? Z_BUF_ERROR : Z_OK);
        }
        if (took < had_in || !last || full)
            continue;
        return end(step, SPATE_STEP_DONE, answer == Z_BUF_ERROR && step->flush != Z_FINISH ? Z_OK : answer);
    }
}

void spate_stream_adler_open(spate_stream_adler *state, z_stream *zlib, int wbits) {
    memset(state, 0, sizeof *state);
    state->adler = 1;
#if defined(SPATE_HAVE_LIBDEFLATE) && defined(HAVE_INFLATEVALIDATE)
    bool is_zlib = wbits >= 8 && wbits <= MAX_WBITS;
    state->active = is_zlib && inflateValidate(zlib, 0) == Z_OK;
#endif
}

void spate_stream_adler_reset(spate_stream_adler *state) {
    state->wrong = false;
    state->adler = 1;
}

void spate_stream_adler_close(spate_stream_adler *state) {
    state->wrong = state->active = false;
}

static void remember(uint8_t *tail, const uint8_t *taken, size_t took) {
    if (took >= 4) {
        memcpy(tail, taken + took - 4, 4);
        return;
    }
    memmove(tail, tail + took, 4 - took);
    memcpy(tail + 4 - took, taken, took);
}

static uint32_t stored_adler(const uint8_t *tail) {
    return (uint32_t)tail[0] << 24 | (uint32_t)tail[1] << 16 | (uint32_t)tail[2] << 8 | (uint32_t)tail[3];
}

int spate_stream_adler_add(spate_stream_adler *state, z_stream *zlib, int answer, const uint8_t *taken, size_t took,
                           const uint8_t *made, size_t produced) {
    if (!state->active)
        return answer;
    remember(state->tail, taken, took);
    /*
     * With Z_NEED_DICT, zlib->adler identifies the dictionary. With Z_STREAM_ERROR, the stream is searching for a flush
     * point and has consumed nothing.
     */
    if (answer == Z_NEED_DICT || answer == Z_STREAM_ERROR)
        return answer;
    state->adler = spate_adler32(state->adler, made, produced);
    zlib->adler = state->adler;
    if (answer == Z_STREAM_END)
        state->wrong = stored_adler(state->tail) != state->adler;
    if (!state->wrong)
        return answer;
    zlib->msg = (char *)(uintptr_t) "incorrect data check";
    return Z_DATA_ERROR;
}
