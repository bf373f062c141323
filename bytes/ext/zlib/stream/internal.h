/* Private declarations of the files that implement zstream.h. */
#ifndef SPATE_ZLIB_ZSTREAM_INTERNAL_H
#define SPATE_ZLIB_ZSTREAM_INTERNAL_H

#include "stream/zstream.h"

static inline void spate_zstream_set(spate_zstream *z, VALUE *slot, VALUE value) {
    RB_OBJ_WRITE(z->self, slot, value);
}

static inline VALUE spate_zstream_lock(spate_zstream *z) {
    if (NIL_P(z->lock))
        spate_zstream_set(z, &z->lock, rb_mutex_new());
    return z->lock;
}

/* lifecycle.c */
void spate_zstream_must_be_ready(const spate_zstream *z); /* raises */
/* Raises within the block of a running call, and in a forked child if a thread of the parent was using the stream. */
void spate_zstream_refuse_recursion(spate_zstream *z);

/* bytes.c */
void spate_zstream_set_input(spate_zstream *z, VALUE string, size_t at);
void spate_zstream_compact(spate_zstream *z); /* moves the output to the start of its memory */
void spate_zstream_disown(spate_zstream *z);  /* drops the owner if the output has moved out of it */
void spate_zstream_forget_output(spate_zstream *z);
VALUE spate_zstream_fill_reused(spate_zstream *z, size_t length); /* moves `length` bytes of output to `reused` */
void spate_zstream_passthrough(spate_zstream *z);                 /* appends the waiting input to the output */

#endif
