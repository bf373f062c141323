/*
 * zlib's loop, without Ruby: runs deflate or inflate over one input until it is consumed, growing the output. It can be
 * stopped between slices and continued.
 */
#ifndef SPATE_ZLIB_STEP_H
#define SPATE_ZLIB_STEP_H

#include <zlib.h>

#include "shared/inflate.h"
#include "base/interrupt.h"
#include "stream/sum.h"

typedef enum spate_step_outcome {
    SPATE_STEP_RUNS,   /* interrupted: call again */
    SPATE_STEP_DONE,   /* `answer` is zlib's; Z_OK if all input was consumed */
    SPATE_STEP_PAUSED, /* output reached `pause`: raise that, or take output, and call again */
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
    uint64_t allowed; /* how many more bytes may come out; UINT64_MAX: no limit */
    bool progressed;  /* since the first call */
    int answer;
    spate_step_outcome outcome;
} spate_step;

/* A spate_stepwise: false if `interrupt` (may be NULL) was seen. */
bool spate_step_run(void *step, spate_interrupt *interrupt);

#endif
