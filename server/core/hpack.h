#ifndef SPATE_HPACK_H
#define SPATE_HPACK_H

/* HPACK: header compression for HTTP/2, RFC 7541. Takes bytes, knows neither frames nor Ruby. */
#include "hpack_table.h"

typedef enum spate_hpack_status {
    SPATE_HPACK_OK,
    SPATE_HPACK_TRUNCATED,  /* the block ends within a field */
    SPATE_HPACK_INTEGER,    /* an integer is longer than any that could be meant (section 5.1) */
    SPATE_HPACK_INDEX,      /* index 0, or one past the table's end (sections 6.1, 2.3.3) */
    SPATE_HPACK_HUFFMAN,    /* EOS, or wrong padding (section 5.2) */
    SPATE_HPACK_TABLE_SIZE, /* an update that is too large, behind a field, or missing (sections 4.2, 6.3) */
    SPATE_HPACK_STRING,     /* a string longer than max_string */
    SPATE_HPACK_STOPPED,    /* the receiver of the fields answered false */
    SPATE_HPACK_MEMORY
} spate_hpack_status;

/* What went wrong, in words. */
const char *spate_hpack_reason(spate_hpack_status status);

/* Before anything else, once a process. */
void spate_hpack_init(void);

typedef struct spate_hpack_scratch {
    uint8_t *bytes;
    size_t capacity;
} spate_hpack_scratch;

/* One direction of one connection. All zero is a decoder with an empty table and no room for anything: set the limits. */
typedef struct spate_hpack_decoder {
    spate_hpack_table table;
    size_t settings_size; /* the largest table that the peer may ask for: our SETTINGS_HEADER_TABLE_SIZE */
    bool update_due;      /* settings_size went below the table's: the next block must begin with an update */
    size_t max_string;    /* bytes of one name or value */
    size_t max_bytes;     /* of all fields of a block, 32 added for each */
    size_t max_fields;    /* in a block */
    spate_hpack_scratch name, value;
} spate_hpack_decoder;

/* What a block came to; filled as far as it was read. */
typedef struct spate_hpack_tally {
    size_t bytes; /* with 32 a field */
    size_t fields;
    bool over; /* one of the limits was passed; later fields went into the table and no further */
} spate_hpack_tally;

/* Takes a field, whose bytes are valid during the call. False stops the decoder. */
typedef bool (*spate_hpack_receiver)(void *context, const spate_hpack_field *field);

void spate_hpack_decoder_init(spate_hpack_decoder *decoder, size_t table_size);
void spate_hpack_decoder_free(spate_hpack_decoder *decoder);
/* When the peer acknowledged another SETTINGS_HEADER_TABLE_SIZE. */
void spate_hpack_decoder_settings(spate_hpack_decoder *decoder, size_t table_size);

/*
 * A whole header block (section 3.1). Past the limits fields are still read, so that the table stays the peer's, and are not
 * given out: the block costs no more than its own bytes. Any status but OK ends the connection (section 2.3.3).
 */
spate_hpack_status spate_hpack_decode(spate_hpack_decoder *decoder, const uint8_t *block, size_t length,
                                      spate_hpack_receiver receiver, void *context, spate_hpack_tally *tally);

typedef enum spate_hpack_policy {
    SPATE_HPACK_AUTO,  /* by the field's name */
    SPATE_HPACK_INDEX_IT,
    SPATE_HPACK_PLAIN, /* a literal without indexing (section 6.2.2) */
    SPATE_HPACK_NEVER  /* a literal that nobody may index (section 6.2.3) */
} spate_hpack_policy;

typedef struct spate_hpack_output {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
} spate_hpack_output;

typedef struct spate_hpack_encoder {
    spate_hpack_table table;
    size_t own_size;      /* no larger table, whatever the peer offers */
    size_t smallest_size; /* since the last block */
    bool update_due;
} spate_hpack_encoder;

void spate_hpack_encoder_init(spate_hpack_encoder *encoder, size_t own_size);
void spate_hpack_encoder_free(spate_hpack_encoder *encoder);
/* The peer's SETTINGS_HEADER_TABLE_SIZE; the next block tells of it. */
void spate_hpack_encoder_settings(spate_hpack_encoder *encoder, size_t table_size);
/* To be called before a block's first field. */
spate_hpack_status spate_hpack_encode_begin(spate_hpack_encoder *encoder, spate_hpack_output *output);
/* Appends one field; names must be in lower case. */
spate_hpack_status spate_hpack_encode(spate_hpack_encoder *encoder, const spate_hpack_field *field,
                                      spate_hpack_policy policy, spate_hpack_output *output);

#endif
