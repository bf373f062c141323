#include "stream/internal.h"

#include <stdlib.h>
#include <string.h>

/* The lifecycle of a stream, and locking. */

/* ---- Lifecycle --------------------------------------------------------------------------------------------------- */

void spate_zstream_init(spate_zstream *z, spate_direction direction, VALUE self) {
    memset(z, 0, sizeof *z);
    z->direction = direction;
    z->self = self;
    z->lock = z->input = z->dictionaries = z->owner = z->reused = Qnil;
    z->max_output = UINT64_MAX;
}

void spate_zstream_mark(const spate_zstream *z) {
    rb_gc_mark(z->lock);
    rb_gc_mark(z->input);
    rb_gc_mark(z->dictionaries);
    rb_gc_mark(z->owner);
    rb_gc_mark(z->reused);
}

static void account(spate_zstream *z, size_t bytes) {
    rb_gc_adjust_memory_usage((ssize_t)bytes - (ssize_t)z->accounted);
    z->accounted = bytes;
}

static int end_zlib(spate_zstream *z) {
    return z->direction == SPATE_INFLATES ? inflateEnd(&z->zlib) : deflateEnd(&z->zlib);
}

void spate_zstream_free(spate_zstream *z) {
    if (z->busy)
        return; /* see abandon */
    if (z->ready) {
        (void)end_zlib(z); /* discards unfinished output */
        account(z, 0);
    }
    spate_buffer_free(&z->output);
}

size_t spate_zstream_size(const spate_zstream *z) {
    return z->accounted + (z->output.borrowed ? 0 : z->output.capacity);
}

/* Memory of a deflate stream according to zconf.h. */
static size_t deflate_memory(int wbits, int memory_level) {
    int bits = abs(wbits) & 15;
    return ((size_t)1 << (bits + 2)) + ((size_t)1 << (memory_level + 9)) + 6 * 1024;
}

static void opened(spate_zstream *z, int answer, size_t memory) {
    if (answer != Z_OK)
        spate_zlib_raise(answer, z->zlib.msg);
    z->ready = true;
    z->exhausted = false;
    account(z, memory);
}

void spate_zstream_open_deflate(spate_zstream *z, int level, int wbits, int memory_level, int strategy) {
    if (z->ready)
        rb_raise(spate_zlib_error, "stream is already initialized");
    int answer = deflateInit2(&z->zlib, level, Z_DEFLATED, wbits, memory_level, strategy);
    opened(z, answer, answer == Z_OK ? deflate_memory(wbits, memory_level) : 0);
}

void spate_zstream_open_inflate(spate_zstream *z, int wbits) {
    if (z->ready)
        rb_raise(spate_zlib_error, "stream is already initialized");
    opened(z, inflateInit2(&z->zlib, wbits), (size_t)40 * 1024);
    spate_stream_adler_open(&z->adler, &z->zlib, wbits);
}

void spate_zstream_reset(spate_zstream *z) {
    spate_zstream_claim(z);
    int answer = z->direction == SPATE_INFLATES ? inflateReset(&z->zlib) : deflateReset(&z->zlib);
    if (answer != Z_OK)
        spate_zlib_raise(answer, z->zlib.msg);
    spate_stream_adler_reset(&z->adler);
    z->in_stream = z->finished = z->exhausted = false;
    spate_zstream_forget_output(z);
    spate_zstream_reset_input(z);
}

/*
 * Closes a stream in a forked child whose parent had a thread using it. If zlib was running, its state is unknown: the
 * memory is leaked, because freeing it might be a double free.
 */
static void abandon(spate_zstream *z) {
    if (z->busy) {
        memset(&z->output, 0, sizeof z->output);
        memset(&z->zlib, 0, sizeof z->zlib);
    } else {
        (void)end_zlib(z);
    }
    account(z, 0);
    z->ready = z->in_stream = z->finished = z->in_progress = z->busy = false;
    spate_zstream_forget_output(z);
    spate_zstream_reset_input(z);
}

/* Whether the process was forked while a thread of the parent was using the stream. */
static bool lost(const spate_zstream *z) {
    return z->in_progress && !RTEST(rb_mutex_locked_p(z->lock));
}

void spate_zstream_end(spate_zstream *z) {
    if (lost(z)) {
        abandon(z);
        return;
    }
    spate_zstream_claim(z);
    if (z->in_stream) {
        rb_warning("attempt to close unfinished zstream; reset forced.");
        spate_zstream_reset(z);
    }
    spate_zstream_reset_input(z);
    int answer = end_zlib(z);
    z->ready = z->in_stream = z->finished = false;
    account(z, 0);
    if (answer != Z_OK)
        spate_zlib_raise(answer, z->zlib.msg);
}

void spate_zstream_copy(spate_zstream *to, spate_zstream *from) {
    spate_zstream_claim(from);
    if (to->ready || to->direction != from->direction)
        rb_raise(spate_zlib_error, "stream is already initialized");
    spate_buffer output = {0};
    size_t length = spate_zstream_output_length(from);
    if (length > 0 && spate_buffer_reserve(&output, length) != SPATE_OK)
        rb_memerror();
    bool inflates = from->direction == SPATE_INFLATES;
    int answer = inflates ? inflateCopy(&to->zlib, &from->zlib) : deflateCopy(&to->zlib, &from->zlib);
    if (answer != Z_OK) {
        spate_buffer_free(&output);
        spate_zlib_raise(answer, NULL);
    }
    if (length > 0)
        memcpy(output.bytes, spate_zstream_output(from), length);
    output.length = length;
    spate_zstream_forget_output(to); /* remaining output of a closed stream */
    to->output = output;
    to->input_at = from->input_at;
    to->max_output = from->max_output;
    to->ready = true;
    to->in_stream = from->in_stream;
    to->finished = from->finished;
    to->exhausted = from->exhausted;
    to->adler = from->adler;
    account(to, from->accounted);
    spate_zstream_set(to, &to->input, from->input);
    spate_zstream_set(to, &to->dictionaries, NIL_P(from->dictionaries) ? Qnil : rb_hash_dup(from->dictionaries));
}

/* ---- Locking ----------------------------------------------------------------------------------------------------- */

/*
 * Other threads wait for the lock while a call is running. Within the block of that call, waiting would be a deadlock.
 */
void spate_zstream_refuse_recursion(spate_zstream *z) {
    if (lost(z))
        rb_raise(spate_zlib_error, "zstream was in use by another thread when the process was forked");
    if (z->in_progress && RTEST(rb_funcall(spate_zstream_lock(z), rb_intern("owned?"), 0)))
        rb_raise(spate_zlib_in_progress_error, "zlib stream is in progress");
}

void spate_zstream_must_be_ready(const spate_zstream *z) {
    if (!z->ready)
        rb_raise(spate_zlib_error, "stream is not ready");
}

void spate_zstream_claim(spate_zstream *z) {
    while (z->in_progress) {
        spate_zstream_refuse_recursion(z);
        rb_mutex_lock(z->lock);
        rb_mutex_unlock(z->lock);
    }
    spate_zstream_must_be_ready(z);
}
