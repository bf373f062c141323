/*
 * A zlib stream for Ruby: waiting input, a z_stream, growing output. Deflate, Inflate and the gzip files are built on
 * it. All functions need the GVL. Those marked "raises" may raise. The output is in allocated memory or in a hidden
 * String, never in an object that Ruby code can see.
 */
#ifndef SPATE_ZLIB_ZSTREAM_H
#define SPATE_ZLIB_ZSTREAM_H

#include "shared/inflate.h" /* in core/: spate_buffer, spate_container */
#include "stream/step.h"

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

typedef enum spate_direction { SPATE_DEFLATES, SPATE_INFLATES } spate_direction;

typedef struct spate_zstream {
    z_stream zlib;
    spate_direction direction;
    VALUE self;         /* the object that embeds this struct; Qnil before spate_zstream_init */
    VALUE lock;         /* a Mutex, or Qnil as long as no call has released the GVL */
    VALUE input;        /* a frozen or hidden String with waiting input, or Qnil */
    size_t input_at;    /* consumed bytes of `input` */
    VALUE dictionaries; /* Hash of an Inflate: Adler-32 => String; or Qnil */
    VALUE owner;        /* the hidden String that owns output.bytes; Qnil if they are allocated by malloc */
    spate_buffer output;
    size_t output_at;         /* bytes of `output` that were already returned */
    VALUE reused;             /* the String passed as `buffer:` to the running call, or Qnil */
    uint64_t max_output;      /* limit of an Inflate's total_out; UINT64_MAX: no limit */
    bool ready;               /* the stream is open */
    bool in_stream;           /* the stream has begun and is not finished */
    bool finished;            /* zlib has reached the stream's end */
    bool in_progress;         /* a call or its block is running */
    bool exhausted;           /* a limit was exceeded: no more output until reset */
    bool busy;                /* zlib is running; other code can see this only in a forked child */
    spate_stream_adler adler; /* for an Inflate */
    size_t accounted;         /* bytes used by zlib, as reported to the GC */
} spate_zstream;

/* ---- Lifecycle --------------------------------------------------------------------------------------------------- */

/* For the mark, free and size functions of the object that embeds the stream. They do not raise. */
void spate_zstream_init(spate_zstream *z, spate_direction direction, VALUE self);
void spate_zstream_mark(const spate_zstream *z);
void spate_zstream_free(spate_zstream *z);
size_t spate_zstream_size(const spate_zstream *z); /* bytes, without the struct itself */

/* deflateInit2 and inflateInit2. wbits: negative for raw, + 16 for gzip. Raise zlib's errors. */
void spate_zstream_open_deflate(spate_zstream *z, int level, int wbits, int memory_level, int strategy);
void spate_zstream_open_inflate(spate_zstream *z, int wbits);
void spate_zstream_reset(spate_zstream *z); /* raises */
void spate_zstream_end(spate_zstream *z);   /* raises; warns if it is not finished, like Ruby's zlib */

/* ---- Processing -------------------------------------------------------------------------------------------------- */

typedef struct spate_zstream_call {
    VALUE source; /* a String, or Qnil */
    int flush;
    uint64_t max_output;  /* of this call, in bytes; more output raises an error. UINT64_MAX: no limit */
    size_t pause;         /* bytes of output after which the remaining input is kept. SIZE_MAX: no pause */
    VALUE reused;         /* a String for the output (buffer:), or Qnil */
    bool returns_output;  /* else the output is appended to earlier output */
    bool passes_trailing; /* bytes after the stream's end become output; else they are kept as input */
} spate_zstream_call;

#define SPATE_ZSTREAM_CALL(...)                                                                                        \
    (&(spate_zstream_call){.source = Qnil, .max_output = UINT64_MAX, .pause = SIZE_MAX, .reused = Qnil, __VA_ARGS__})

/*
 * Processes the waiting input, then the source. Depending on their size, holds the GVL or releases it once. With a
 * block, yields chunks of 16,384 bytes and, with `returns_output`, the rest at the stream's end; without a block
 * returns all output, or nil. Raises zlib's errors; after any exception, the stream contains the output so far and the
 * unconsumed input.
 */
VALUE spate_zstream_run(spate_zstream *z, const spate_zstream_call *call);

/*
 * Call it before changing the stream other than through spate_zstream_run: waits for a running call of another thread.
 * Raises InProgressError within the block of a call, and Error if the stream is not ready. No Ruby code may run between
 * this call and the change, so arguments must be converted before.
 */
void spate_zstream_claim(spate_zstream *z);

/* ---- Waiting input ----------------------------------------------------------------------------------------------- */

size_t spate_zstream_input_length(const spate_zstream *z);
const uint8_t *spate_zstream_input(const spate_zstream *z); /* valid until the next call; never NULL */
void spate_zstream_feed(spate_zstream *z, VALUE string);    /* appends; copies the String if it may change */
void spate_zstream_discard_input(spate_zstream *z, size_t length);
void spate_zstream_reset_input(spate_zstream *z);
VALUE spate_zstream_detach_input(spate_zstream *z); /* removes and returns it, a String */

/* ---- Waiting output ---------------------------------------------------------------------------------------------- */

size_t spate_zstream_output_length(const spate_zstream *z);
const uint8_t *spate_zstream_output(const spate_zstream *z); /* valid until the next call; never NULL */
void spate_zstream_append(spate_zstream *z, const uint8_t *bytes, size_t length); /* raises */
void spate_zstream_reserve(spate_zstream *z, size_t length); /* space for `length` more bytes; raises */
VALUE spate_zstream_shift(spate_zstream *z, size_t length);  /* removes and returns at most `length` bytes; raises */
VALUE spate_zstream_detach(spate_zstream *z);                /* removes and returns all, in `reused` if given; raises */
/* Returns all output without running zlib. With a block returns nil, and yields the output at the stream's end. */
VALUE spate_zstream_take_output(spate_zstream *z);

/* ---- Errors (errors.c) ------------------------------------------------------------------------------------------- */

extern VALUE spate_zlib_module; /* Spate::Zlib */
extern VALUE spate_zlib_error;  /* Spate::Zlib::Error and its subclasses */
extern VALUE spate_zlib_buf_error;
extern VALUE spate_zlib_data_error;
extern VALUE spate_zlib_stream_error;
extern VALUE spate_zlib_output_limit_error;
extern VALUE spate_zlib_in_progress_error;
extern VALUE spate_zlib_stream_class; /* ZStream, Deflate, Inflate */
extern VALUE spate_zlib_deflate_class;
extern VALUE spate_zlib_inflate_class;

/* Raises the error class of zlib's code `answer` with `message`, or zlib's standard text if it is NULL. */
NORETURN(void spate_zlib_raise(int answer, const char *message));
NORETURN(void spate_zlib_raise_limit(uint64_t max_output));

/* Converts an Integer, or returns `otherwise` for nil. Raises RangeError, TypeError. */
int spate_zlib_option(VALUE value, int otherwise);
/* Converts a max_output: argument; nil or Qundef is UINT64_MAX. Raises TypeError, ArgumentError if negative. */
uint64_t spate_zlib_limit(VALUE value);

/* ---- Initialization ---------------------------------------------------------------------------------------------- */

void spate_init_zlib_errors(VALUE zlib);
void spate_init_stream(VALUE zlib);
void spate_init_deflater(VALUE zlib);
void spate_init_inflater(VALUE zlib);
void spate_init_checksum(VALUE zlib);
void spate_init_oneshot(VALUE zlib);
void spate_init_gzip(VALUE zlib);  /* gzip/gzip.c */
void spate_init_batch(VALUE zlib); /* batch/batch.c */

/* The Ruby objects of streams: TypedData of Deflate and Inflate, and ZStream's methods. */

VALUE spate_zstream_allocate(VALUE class, spate_direction direction);
spate_zstream *spate_zstream_of(VALUE self);    /* raises TypeError */
spate_zstream *spate_zstream_ready(VALUE self); /* raises TypeError, or Error when closed */
VALUE spate_zstream_set_dictionary(VALUE self, VALUE dictionary);
void spate_zstream_copy(spate_zstream *to, spate_zstream *from);

#endif
