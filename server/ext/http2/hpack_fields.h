#ifndef SPATE_SERVER_HPACK_FIELDS_H
#define SPATE_SERVER_HPACK_FIELDS_H

/* Conversion of fields, for hpack_decoder.c and hpack_encoder.c. */
#include "native.h"

#include <ruby/encoding.h>

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
