/* The Ruby objects of streams: TypedData of Deflate and Inflate, and ZStream's methods. */
#ifndef SPATE_ZLIB_STREAM_H
#define SPATE_ZLIB_STREAM_H

#include "stream/zstream.h"

VALUE spate_zstream_allocate(VALUE class, spate_direction direction);
spate_zstream *spate_zstream_of(VALUE self);    /* raises TypeError */
spate_zstream *spate_zstream_ready(VALUE self); /* raises TypeError, or Error when closed */
VALUE spate_zstream_set_dictionary(VALUE self, VALUE dictionary);
void spate_zstream_copy(spate_zstream *to, spate_zstream *from);

#endif
