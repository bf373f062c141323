#ifndef SPATE_SERVER_NATIVE_H
#define SPATE_SERVER_NATIVE_H

#include <ruby.h>
#include <spate/bytes.h>

#include "hpack.h"

#ifndef RBOOL /* Ruby 3.2 */
#define RBOOL(condition) ((condition) ? Qtrue : Qfalse)
#endif

extern const spate_bytes_abi *spate_bytes;

/* An encoder of HPACK out of a Ruby object. TypeError for another. */
spate_hpack_encoder *spate_encoder_of(VALUE object);
/*
 * Appends a response's block: `status` is nil for trailers, `fields` a Hash of names to a String or to an Array of them.
 * TypeError and ArgumentError come before anything is encoded: the table stays what the peer has.
 */
void spate_encode_block(spate_hpack_encoder *encoder, VALUE status, VALUE fields, spate_hpack_output *output);
/* Raises Spate::Server::HTTP2::ConnectionError. */
NORETURN(void spate_raise_connection_error(uint32_t code, const char *reason));
/* Raises Spate::Server::HTTP2::StreamError. */
NORETURN(void spate_raise_stream_error(uint32_t code, uint32_t stream, const char *reason));

void spate_init_hpack(VALUE native);
void spate_init_frame(VALUE native);
void spate_init_outbox(VALUE native);
void spate_init_socket(VALUE native);
void spate_init_poller(VALUE native);

#endif
