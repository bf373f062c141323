/*
 * Runs deflate or inflate over one input until it is consumed, growing the output. No Ruby. The loop can be interrupted
 * between slices and continued.
 */
#ifndef SPATE_ZLIB_STEP_H
#define SPATE_ZLIB_STEP_H

#include <zlib.h>

#include "base/interrupt.h"
#include "shared/inflate.h"
#include "stream/adler.h"

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
