#ifndef SPATE_SERVER_NATIVE_H
#define SPATE_SERVER_NATIVE_H

#include "hpack.h"

#include <ruby.h>
#include <ruby/encoding.h>
#include <spate/bytes.h>
#include <write_buffer.h>

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

/* Conversion of fields, for hpack_decoder.c and hpack_encoder.c. */

static inline VALUE spate_field_string(const uint8_t *bytes, size_t length) {
    return rb_enc_str_new((const char *)bytes, (long)length, rb_utf8_encoding());
}

/* Appends the block of a response to `output`. Parameters and exceptions as for spate_encoder_block. */
void spate_encode_response(spate_hpack_encoder *encoder, VALUE status, VALUE fields, spate_hpack_output *output);
/* Returns [[name, value], ...] of a dynamic table, newest first. */
VALUE spate_table_array(const spate_hpack_table *table);
/* Raises NoMemoryError, the only error of encoding. */
static inline void spate_check_encoded(spate_hpack_status status) {
    if (status != SPATE_HPACK_OK)
        rb_raise(rb_eNoMemError, "out of memory for a header block");
}

#endif
