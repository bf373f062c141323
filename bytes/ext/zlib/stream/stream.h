/* The Ruby side of streams, shared by Deflate and Inflate: their TypedData, and ZStream's methods. */
#ifndef SPATE_ZLIB_STREAM_H
#define SPATE_ZLIB_STREAM_H

#include "stream/zstream.h"

VALUE spate_zstream_allocate(VALUE class, spate_direction direction);
spate_zstream *spate_zstream_of(VALUE self);    /* raises TypeError */
spate_zstream *spate_zstream_ready(VALUE self); /* raises Error where it is closed, too */
VALUE spate_zstream_set_dictionary(VALUE self, VALUE dictionary);
void spate_zstream_copy(spate_zstream *to, spate_zstream *from);

#endif
