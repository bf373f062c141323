/*
 * Computes and checks the Adler-32 of an inflated zlib stream (RFC 1950, 2.2) with libdeflate instead of zlib, whose
 * computation takes a twelfth of the time of inflating. For other streams zlib does it.
 */
#ifndef SPATE_ZLIB_STREAM_ADLER_H
#define SPATE_ZLIB_STREAM_ADLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

typedef struct spate_stream_adler {
    bool active;     /* zlib's own check is switched off */
    bool wrong;      /* the checksum at the stream's end differs: this and all later calls fail */
    uint32_t adler;  /* of the output so far */
    uint8_t tail[4]; /* the last bytes consumed: at the stream's end its checksum */
} spate_stream_adler;

/* Call it after inflateInit2 with these `wbits`. */
void spate_stream_adler_open(spate_stream_adler *state, z_stream *zlib, int wbits);

/* Call it after inflateReset. */
void spate_stream_adler_reset(spate_stream_adler *state);

/* Call it after inflateSync has found a flush point: the checksum cannot be checked any more. */
void spate_stream_adler_close(spate_stream_adler *state);

/*
 * Call it after inflate, which returned `answer`, consumed `took` bytes and produced `produced` bytes. Returns the code
 * that inflate would return with its own check, and sets zlib->adler and zlib->msg accordingly.
 */
int spate_stream_adler_add(spate_stream_adler *state, z_stream *zlib, int answer, const uint8_t *taken, size_t took,
                           const uint8_t *made, size_t produced);

#endif
