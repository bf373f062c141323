#include "stream/sum.h"

#include <string.h>

#include "shared/container.h"

void spate_stream_sum_open(spate_stream_sum *sum, z_stream *zlib, int wbits) {
    memset(sum, 0, sizeof *sum);
    sum->adler = 1;
#if defined(SPATE_HAVE_LIBDEFLATE) && defined(HAVE_INFLATEVALIDATE)
    bool is_zlib = wbits >= 8 && wbits <= MAX_WBITS;
    sum->ours = is_zlib && inflateValidate(zlib, 0) == Z_OK;
#endif
}

void spate_stream_sum_reset(spate_stream_sum *sum) {
    sum->wrong = false;
    sum->adler = 1;
}

void spate_stream_sum_close(spate_stream_sum *sum) {
    sum->wrong = sum->ours = false;
}

static void remember(uint8_t *tail, const uint8_t *taken, size_t took) {
    if (took >= 4) {
        memcpy(tail, taken + took - 4, 4);
        return;
    }
    memmove(tail, tail + took, 4 - took);
    memcpy(tail + 4 - took, taken, took);
}

static uint32_t told(const uint8_t *tail) {
    return (uint32_t)tail[0] << 24 | (uint32_t)tail[1] << 16 | (uint32_t)tail[2] << 8 | (uint32_t)tail[3];
}

int spate_stream_sum_add(spate_stream_sum *sum, z_stream *zlib, int answer, const uint8_t *taken, size_t took,
                         const uint8_t *made, size_t produced) {
    if (!sum->ours)
        return answer;
    remember(sum->tail, taken, took);
    /* If a dictionary is needed zlib->adler tells which; a stream that seeks a flush point consumed nothing. */
    if (answer == Z_NEED_DICT || answer == Z_STREAM_ERROR)
        return answer;
    sum->adler = spate_adler32(sum->adler, made, produced);
    zlib->adler = sum->adler;
    if (answer == Z_STREAM_END)
        sum->wrong = told(sum->tail) != sum->adler;
    if (!sum->wrong)
        return answer;
    zlib->msg = (char *)(uintptr_t) "incorrect data check";
    return Z_DATA_ERROR;
}
