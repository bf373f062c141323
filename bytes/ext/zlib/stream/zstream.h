/*
 * A zlib stream for Ruby: waiting input, a z_stream, growing output. Deflate, Inflate and the gzip files are built on
 * it. Everything here needs the GVL, and what is marked "raises" may leave by an exception. Output never points into a
 * Ruby object that others can see: it is memory of our own, or a hidden String's heap.
 */
#ifndef SPATE_ZLIB_ZSTREAM_H
#define SPATE_ZLIB_ZSTREAM_H

#include <ruby.h>

#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

#include "shared/inflate.h" /* the core's: spate_buffer, spate_container */
#include "stream/sum.h"

typedef enum spate_direction { SPATE_DEFLATES, SPATE_INFLATES } spate_direction;

typedef struct spate_zstream {
    z_stream zlib;
    spate_direction direction;
    VALUE self;         /* the object that embeds this struct; Qnil before spate_zstream_init */
    VALUE lock;         /* a Mutex, or Qnil as long as no call has released the GVL */
    VALUE input;        /* a frozen or hidden String of bytes not taken yet, or Qnil */
    size_t input_at;    /* bytes of it that are taken */
    VALUE dictionaries; /* of an Inflate: Adler-32 => String, or Qnil */
    VALUE owner;        /* the hidden String that output.bytes belongs to, or Qnil: they are malloc'd */
    spate_buffer output;
    size_t output_at;     /* bytes of it that were taken out */
    VALUE reused;         /* the String given as buffer: of the call that runs, or Qnil */
    uint64_t max_output;  /* of an Inflate: total_out never exceeds it. UINT64_MAX: no limit */
    bool ready;           /* between open and end */
    bool in_stream;       /* fed and not finished */
    bool finished;        /* zlib saw the stream's end */
    bool in_progress;     /* a call is running, or its block is */
    bool spent;           /* output was lost to a limit: no more output until reset */
    bool busy;            /* zlib is at work on it right now; other code sees this only in a forked child */
    spate_stream_sum sum; /* of an Inflate */
    size_t accounted;     /* bytes told to the GC as used by zlib */
} spate_zstream;

/* ---- Its life. The embedding object's mark, free, size functions call these three; they never raise. --------------- */

void spate_zstream_init(spate_zstream *z, spate_direction direction, VALUE self);
void spate_zstream_mark(const spate_zstream *z);
void spate_zstream_free(spate_zstream *z);
size_t spate_zstream_size(const spate_zstream *z); /* bytes, beside the struct itself */

/* deflateInit2 and inflateInit2; raise what zlib answers. wbits: negative is raw, + 16 is gzip. */
void spate_zstream_open_deflate(spate_zstream *z, int level, int wbits, int memory_level, int strategy);
void spate_zstream_open_inflate(spate_zstream *z, int wbits);
void spate_zstream_reset(spate_zstream *z); /* raises */
void spate_zstream_end(spate_zstream *z);   /* raises; warns where it is not ready or not finished, as the stock does */

/* ---- Work --------------------------------------------------------------------------------------------------------- */

typedef struct spate_zstream_call {
    VALUE source; /* a String; Qnil for nothing */
    int flush;
    uint64_t max_output; /* of this call; more is an error. UINT64_MAX: no limit */
    size_t pause;        /* so much output is enough: input not consumed then waits. SIZE_MAX: all */
    VALUE reused;        /* the String that gets the output, or Qnil */
    bool answers;        /* else the output waits behind earlier output */
    bool passes;         /* what follows the stream's end becomes output; else it waits as input */
} spate_zstream_call;

#define SPATE_ZSTREAM_CALL(...)                                                                                        \
    (&(spate_zstream_call){.source = Qnil, .max_output = UINT64_MAX, .pause = SIZE_MAX, .reused = Qnil, __VA_ARGS__})

/*
 * Runs waiting input, then the source, through zlib. Holds the GVL or releases it once, depending on size. If a block
 * is given, chunks of 16,384 bytes are yielded to it and, with `answers`, the rest at the stream's end; otherwise
 * returns all output. Raises zlib's errors; after any exception the stream holds the output so far and the input not
 * consumed.
 */
VALUE spate_zstream_run(spate_zstream *z, const spate_zstream_call *call);

/*
 * Call before anything that changes the stream except run: waits for another thread's call to end. Raises
 * InProgressError within the block of a call, and Error if the stream is not ready. From here to the change no Ruby
 * code may run: convert arguments before.
 */
void spate_zstream_claim(spate_zstream *z);

/* ---- Input that waits --------------------------------------------------------------------------------------------- */

size_t spate_zstream_input_length(const spate_zstream *z);
const uint8_t *spate_zstream_input(const spate_zstream *z); /* valid until the next call; never NULL */
void spate_zstream_feed(spate_zstream *z, VALUE string);    /* behind earlier input; copied if it may change */
void spate_zstream_discard_input(spate_zstream *z, size_t length);
void spate_zstream_reset_input(spate_zstream *z);
VALUE spate_zstream_detach_input(spate_zstream *z); /* a String, "" for nothing */

/* ---- Output that waits -------------------------------------------------------------------------------------------- */

size_t spate_zstream_output_length(const spate_zstream *z);
const uint8_t *spate_zstream_output(const spate_zstream *z); /* valid until the next call; never NULL */
void spate_zstream_append(spate_zstream *z, const uint8_t *bytes, size_t length); /* behind what waits */
void spate_zstream_reserve(spate_zstream *z, size_t length);                      /* room behind what waits */
VALUE spate_zstream_shift(spate_zstream *z, size_t length); /* a String of at most that many bytes */
VALUE spate_zstream_detach(spate_zstream *z);               /* all, as a String, or in the one given as buffer: */
/* Without running zlib: all output, or nil with a block; at the stream's end the block gets the rest. */
VALUE spate_zstream_answer(spate_zstream *z);

/* ---- Errors (errors.c) -------------------------------------------------------------------------------------------- */

extern VALUE spate_zlib_module; /* Spate::Zlib */
extern VALUE spate_zlib_error;  /* Spate::Zlib::Error and below */
extern VALUE spate_zlib_buf_error;
extern VALUE spate_zlib_data_error;
extern VALUE spate_zlib_stream_error;
extern VALUE spate_zlib_output_limit_error;
extern VALUE spate_zlib_in_progress_error;
extern VALUE spate_zlib_stream_class; /* ZStream, Deflate, Inflate */
extern VALUE spate_zlib_deflate_class;
extern VALUE spate_zlib_inflate_class;

/* Raises the class for zlib's code with zlib's message, or its usual text if `message` is NULL. */
NORETURN(void spate_zlib_raise(int answer, const char *message));
NORETURN(void spate_zlib_raise_limit(uint64_t max_output));

/* nil is `otherwise`; an Integer out of range raises RangeError, as FIX2INT does. */
int spate_zlib_option(VALUE value, int otherwise);
/* The value of max_output: — nil or Qundef is UINT64_MAX. Raises TypeError, ArgumentError for a negative one. */
uint64_t spate_zlib_limit(VALUE value);

/* ---- What the files define ---------------------------------------------------------------------------------------- */

void spate_init_zlib_errors(VALUE zlib);
void spate_init_stream(VALUE zlib);
void spate_init_deflater(VALUE zlib);
void spate_init_inflater(VALUE zlib);
void spate_init_checksum(VALUE zlib);
void spate_init_whole(VALUE zlib);
void spate_init_gzip(VALUE zlib);  /* gzip/gzip.c */
void spate_init_batch(VALUE zlib); /* batch/batch.c */

#endif
