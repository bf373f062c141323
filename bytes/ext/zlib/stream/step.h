/*
 * zlib's loop, apart from Ruby: runs deflate or inflate over one input until that is taken, growing the output. It can
 * be stopped between slices and go on.
 */
#ifndef SPATE_ZLIB_STEP_H
#define SPATE_ZLIB_STEP_H

#include <zlib.h>

#include "shared/inflate.h"
#include "interrupt.h"
#include "stream/sum.h"

typedef enum spate_step_outcome {
    SPATE_STEP_RUNS,   /* interrupted: call again */
    SPATE_STEP_DONE,   /* `answer` is zlib's; Z_OK where all input is taken */
    SPATE_STEP_PAUSED, /* output reached `pause`: raise that, or take output out, and call again */
    SPATE_STEP_LIMITED,
    SPATE_STEP_NO_MEMORY,
} spate_step_outcome;

typedef struct spate_step {
    z_stream *zlib;
    spate_stream_sum *sum; /* or NULL */
    bool inflates;
    int flush; /* for the input's end */
    const uint8_t *input;
    size_t length;
    size_t at; /* bytes of input taken */
    spate_buffer *output;
    size_t pause;     /* output->length to pause at; SIZE_MAX: none */
    uint64_t allowed; /* bytes that may come out yet; UINT64_MAX: any number */
    bool progressed;  /* since the first call */
    int answer;
    spate_step_outcome outcome;
} spate_step;

/* A spate_stepwise: false where `interrupt` (may be NULL) was seen. */
bool spate_step_run(void *step, spate_interrupt *interrupt);

#endif
