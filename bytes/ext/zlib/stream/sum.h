/*
 * The Adler-32 of what a zlib stream inflates to (RFC 1950, 2.2), computed beside zlib: zlib's own sum takes a twelfth
 * of the time of inflating, libdeflate's next to none. Streams that were not opened for it are left to zlib.
 */
#ifndef SPATE_ZLIB_STREAM_SUM_H
#define SPATE_ZLIB_STREAM_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

typedef struct spate_stream_sum {
    bool ours;       /* zlib was told not to sum */
    bool wrong;      /* the stream's end had another sum: an error now and at each later call */
    uint32_t adler;  /* of what came out */
    uint8_t tail[4]; /* the last bytes consumed: at the stream's end its sum */
} spate_stream_sum;

/* For a stream that inflateInit2 made with these wbits. */
void spate_stream_sum_open(spate_stream_sum *sum, z_stream *zlib, int wbits);

/* Of one that starts again. */
void spate_stream_sum_reset(spate_stream_sum *sum);

/* For one in which a flush point was searched and found, after which zlib checks no sum. */
void spate_stream_sum_close(spate_stream_sum *sum);

/*
 * What inflate should have returned after consuming and producing so many bytes. Sets zlib->adler and zlib->msg as it
 * does.
 */
int spate_stream_sum_add(spate_stream_sum *sum, z_stream *zlib, int answer, const uint8_t *taken, size_t took,
                         const uint8_t *made, size_t produced);

#endif
