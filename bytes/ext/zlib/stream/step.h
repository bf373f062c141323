/*
 * Runs deflate or inflate over one input until it is consumed, growing the output. No Ruby. The loop can be interrupted
 * between slices and continued.
 */
#ifndef SPATE_ZLIB_STEP_H
#define SPATE_ZLIB_STEP_H

#include "base/interrupt.h"
#include "shared/inflate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/*
 * Computes and checks the Adler-32 of an inflated zlib stream (RFC 1950, 2.2) with libdeflate instead of zlib, whose
 * computation takes a twelfth of the time of inflating. zlib checks other streams itself.
 */

typedef struct spate_stream_adler {
    bool active;     /* zlib's own check is switched off */
    bool wrong;      /* the checksum at the stream's end differs: this and all later calls fail */
    uint32_t adler;  /* checksum of the output so far */
    uint8_t tail[4]; /* the last bytes consumed; at the stream's end, the stored checksum */
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

typedef enum spate_step_outcome {
    SPATE_STEP_RUNS,      /* interrupted: call again */
    SPATE_STEP_DONE,      /* `answer` is zlib's code; Z_OK if all input was consumed */
    SPATE_STEP_PAUSED,    /* the output reached `pause`: increase it, or remove output, and call again */
    SPATE_STEP_LIMITED,   /* more output than `allowed` */
    SPATE_STEP_NO_MEMORY, /* out of memory */
} spate_step_outcome;

typedef struct spate_step {
    z_stream *zlib;
    spate_stream_adler *adler; /* or NULL */
    bool inflates;
    int flush; /* zlib's flush mode at the end of the input */
    const uint8_t *input;
    size_t length;
    size_t at; /* bytes of input consumed */
    spate_buffer *output;
    size_t pause;     /* output->length at which to pause; SIZE_MAX: none */
    uint64_t allowed; /* remaining limit of output, in bytes; UINT64_MAX: no limit */
    bool progressed;  /* zlib has consumed or produced something */
    int answer;
    spate_step_outcome outcome;
} spate_step;

/* A spate_stepwise. `step` is a spate_step, `interrupt` may be NULL. */
bool spate_step_run(void *step, spate_interrupt *interrupt);

#endif
