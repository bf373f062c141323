#ifndef SPATE_HPACK_H
#define SPATE_HPACK_H

/* HPACK: header compression for HTTP/2, RFC 7541. Independent of frames and of Ruby. */
#include "hpack_table.h"

typedef enum spate_hpack_status {
    SPATE_HPACK_OK,
    SPATE_HPACK_TRUNCATED,  /* the block ends within a field */
    SPATE_HPACK_INTEGER,    /* an integer is too long (section 5.1) */
    SPATE_HPACK_INDEX,      /* index 0, or past the end of the table (sections 6.1, 2.3.3) */
    SPATE_HPACK_HUFFMAN,    /* EOS, or invalid padding (section 5.2) */
    SPATE_HPACK_TABLE_SIZE, /* a table size update is too large, after a field, or missing (sections 4.2, 6.3) */
    SPATE_HPACK_STRING,     /* a string is longer than max_string */
    SPATE_HPACK_STOPPED,    /* the receiver returned false */
    SPATE_HPACK_MEMORY      /* out of memory */
} spate_hpack_status;

/* Returns the error message of a status, in static memory. */
const char *spate_hpack_reason(spate_hpack_status status);

/* Must be called before any other function. Later calls do nothing. Not thread-safe. */
void spate_hpack_init(void);

typedef struct spate_hpack_scratch {
    uint8_t *bytes;
    size_t capacity;
} spate_hpack_scratch;

/* Decodes the header blocks of one connection. The caller must set the max_ limits, which are 0 after init. */
typedef struct spate_hpack_decoder {
    spate_hpack_table table;
    size_t settings_size; /* SETTINGS_HEADER_TABLE_SIZE, the largest table that the peer may use */
    bool update_due;      /* settings_size is less than the table's max_size: the next block must begin with a table
                           * size update */
    size_t max_string;    /* bytes of one name or value */
    size_t max_bytes;     /* bytes of all fields of a block, plus 32 per field */
    size_t max_fields;    /* fields of a block */
    spate_hpack_scratch name, value;
} spate_hpack_decoder;

/* Totals of one block, also filled after an error. */
typedef struct spate_hpack_totals {
    size_t bytes; /* bytes of all fields, plus 32 per field */
    size_t fields;
    bool over; /* a limit was exceeded; further fields were not passed to the receiver */
} spate_hpack_totals;

/* Called with each field, whose bytes are valid during the call. Returning false stops the decoder. */
typedef bool (*spate_hpack_receiver)(void *context, const spate_hpack_field *field);

/*
 * Initializes a decoder. `table_size`: the initial SETTINGS_HEADER_TABLE_SIZE in bytes. Free it with
 * spate_hpack_decoder_free.
 */
void spate_hpack_decoder_init(spate_hpack_decoder *decoder, size_t table_size);
/* Frees the decoder's memory, not the struct itself. */
void spate_hpack_decoder_free(spate_hpack_decoder *decoder);
/* Must be called when the peer acknowledges a new SETTINGS_HEADER_TABLE_SIZE (bytes). */
void spate_hpack_decoder_settings(spate_hpack_decoder *decoder, size_t table_size);

/*
 * Decodes a complete header block (section 3.1) of `length` bytes, passes its fields to `receiver` and sets `totals`.
 * Beyond max_bytes or max_fields, fields still update the table but are not passed on, so the cost of a block is
 * limited by its length. After any status but OK the connection must be closed (section 2.3.3).
 */
spate_hpack_status spate_hpack_decode(spate_hpack_decoder *decoder, const uint8_t *block, size_t length,
                                      spate_hpack_receiver receiver, void *context, spate_hpack_totals *totals);

typedef enum spate_hpack_policy {
    SPATE_HPACK_AUTO, /* depends on the field's name */
    SPATE_HPACK_INDEX_IT,
    SPATE_HPACK_PLAIN, /* a literal without indexing (section 6.2.2) */
    SPATE_HPACK_NEVER  /* a never-indexed literal (section 6.2.3) */
} spate_hpack_policy;

/* A growing buffer. Initialize it with zeros. The caller frees `bytes` with free. */
typedef struct spate_hpack_output {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
} spate_hpack_output;

/* Encodes the header blocks of one connection. */
typedef struct spate_hpack_encoder {
    spate_hpack_table table;
    size_t own_size;      /* upper limit of the table size, even if the peer allows more */
    size_t smallest_size; /* smallest size of the table since the last block */
    bool update_due;      /* the next block must begin with a table size update */
} spate_hpack_encoder;

/* Initializes an encoder. `own_size`: maximum bytes of the table. Free it with spate_hpack_encoder_free. */
void spate_hpack_encoder_init(spate_hpack_encoder *encoder, size_t own_size);
/* Frees the encoder's memory, not the struct itself. */
void spate_hpack_encoder_free(spate_hpack_encoder *encoder);
/* Applies the peer's SETTINGS_HEADER_TABLE_SIZE (bytes); the next block begins with a table size update. */
void spate_hpack_encoder_settings(spate_hpack_encoder *encoder, size_t table_size);
/* Starts a block: must be called before the first field. Appends to `output`. Returns OK or MEMORY. */
spate_hpack_status spate_hpack_encode_begin(spate_hpack_encoder *encoder, spate_hpack_output *output);
/* Appends one field to `output`. Its name must be lowercase. Returns OK or MEMORY. */
spate_hpack_status spate_hpack_encode(spate_hpack_encoder *encoder, const spate_hpack_field *field,
                                      spate_hpack_policy policy, spate_hpack_output *output);

#endif
