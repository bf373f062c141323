/* Shared only among the files that implement zstream.h. */
#ifndef SPATE_ZLIB_ZSTREAM_INNER_H
#define SPATE_ZLIB_ZSTREAM_INNER_H

#include "stream/zstream.h"

static inline void spate_zstream_set(spate_zstream *z, VALUE *slot, VALUE value) {
    RB_OBJ_WRITE(z->self, slot, value);
}

static inline VALUE spate_zstream_lock(spate_zstream *z) {
    if (NIL_P(z->lock))
        spate_zstream_set(z, &z->lock, rb_mutex_new());
    return z->lock;
}

/* life.c */
void spate_zstream_must_be_ready(const spate_zstream *z); /* raises */
/* Raises within the block of a call that is running, and where it ran in a thread that a fork has left behind. */
void spate_zstream_refuse_recursion(spate_zstream *z);

/* bytes.c */
void spate_zstream_set_input(spate_zstream *z, VALUE string, size_t at);
void spate_zstream_compact(spate_zstream *z); /* output, to the front of its memory */
void spate_zstream_disown(spate_zstream *z);  /* releases the owner that output has moved out of */
void spate_zstream_forget_output(spate_zstream *z);
VALUE spate_zstream_fill_reused(spate_zstream *z, size_t length); /* so much output, into the String given as buffer: */
void spate_zstream_passthrough(spate_zstream *z); /* waiting input becomes output, as after a stream's end */

#endif
