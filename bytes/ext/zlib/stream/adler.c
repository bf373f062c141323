#include "stream/adler.h"

#include <string.h>

#include "shared/container.h"

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
    /* With Z_NEED_DICT zlib->adler identifies the dictionary; a stream that seeks a flush point consumed nothing. */
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
