#ifndef SPATE_SERVER_NATIVE_H
#define SPATE_SERVER_NATIVE_H

#include <ruby.h>
#include <spate/bytes.h>
#include <write_buffer.h>

#include "hpack.h"

#ifndef RBOOL /* Ruby 3.2 */
#define RBOOL(condition) ((condition) ? Qtrue : Qfalse)
#endif

extern const spate_bytes_abi *spate_bytes;
extern const spate_write_buffer_abi *spate_write_buffer;

/*
 * Encodes the header block of a response. `status`: nil for trailers. `fields`: a Hash of names to a String or an Array
 * of Strings. Returns a block that the HpackEncoder owns and that is valid until its next call. Raises TypeError or
 * ArgumentError for invalid fields before anything is encoded, so the table stays in sync with the peer's.
 */
const spate_hpack_output *spate_encoder_block(VALUE encoder, VALUE status, VALUE fields);
/* Raises Spate::Server::HTTP2::ConnectionError. */
NORETURN(void spate_raise_connection_error(uint32_t code, const char *reason));
/* Raises Spate::Server::HTTP2::StreamError. */
NORETURN(void spate_raise_stream_error(uint32_t code, uint32_t stream, const char *reason));

void spate_init_hpack_decoder(VALUE native);
void spate_init_hpack_encoder(VALUE native);
void spate_init_frame_reader(VALUE native);
void spate_init_frames(VALUE native);

#endif
