#include "hpack.h"
#include "huffman.h"

#include <stdlib.h>
#include <string.h>

typedef struct cursor {
    const uint8_t *at;
    const uint8_t *end;
} cursor;

typedef struct text {
    const uint8_t *bytes;
    size_t length;
} text;

const char *spate_hpack_reason(spate_hpack_status status) {
    switch (status) {
    case SPATE_HPACK_OK: return "no error";
    case SPATE_HPACK_TRUNCATED: return "the header block ends within a field";
    case SPATE_HPACK_INTEGER: return "an integer in the header block is too long";
    case SPATE_HPACK_INDEX: return "invalid table index in the header block";
    case SPATE_HPACK_HUFFMAN: return "invalid Huffman code in the header block";
    case SPATE_HPACK_TABLE_SIZE: return "a table size update is too large, out of place or missing";
    case SPATE_HPACK_STRING: return "a string in the header block is too long";
    case SPATE_HPACK_STOPPED: return "the header block was rejected";
    case SPATE_HPACK_MEMORY: return "out of memory";
    }
    return "unknown";
}

void spate_hpack_init(void) {
    spate_huffman_init();
}

void spate_hpack_decoder_init(spate_hpack_decoder *decoder, size_t table_size) {
    memset(decoder, 0, sizeof *decoder);
    decoder->settings_size = table_size;
    decoder->table.max_size = table_size;
}

void spate_hpack_decoder_free(spate_hpack_decoder *decoder) {
    spate_hpack_table_free(&decoder->table);
    free(decoder->name.bytes);
    free(decoder->value.bytes);
    decoder->name = decoder->value = (spate_hpack_scratch){NULL, 0};
}

void spate_hpack_decoder_settings(spate_hpack_decoder *decoder, size_t table_size) {
    decoder->settings_size = table_size;
    decoder->update_due = decoder->table.max_size > table_size;
}

/* Larger scratch buffers are freed after each block, because there may be ten thousand connections. */
#define SCRATCH_KEPT 4096

static void trim(spate_hpack_scratch *scratch) {
    if (scratch->capacity <= SCRATCH_KEPT)
        return;
    free(scratch->bytes);
    *scratch = (spate_hpack_scratch){NULL, 0};
}

static bool reserve(spate_hpack_scratch *scratch, size_t length) {
    size_t capacity = scratch->capacity ? scratch->capacity : 128;
    if (length <= scratch->capacity && scratch->bytes)
        return true;
    while (capacity < length)
        capacity *= 2;
    uint8_t *bytes = realloc(scratch->bytes, capacity);
    if (!bytes)
        return false;
    scratch->bytes = bytes;
    scratch->capacity = capacity;
    return true;
}

/*
 * Section 5.1. Accepts up to four bytes after the prefix (2^28). Longer encodings are rejected, even if their extra
 * bytes are zeros.
 */
static spate_hpack_status read_integer(cursor *c, unsigned prefix, uint64_t *number) {
    uint64_t most = (1u << prefix) - 1;
    if (c->at == c->end)
        return SPATE_HPACK_TRUNCATED;
    *number = *c->at++ & most;
    if (*number < most)
        return SPATE_HPACK_OK;
    for (unsigned shift = 0; shift < 28; shift += 7) {
        if (c->at == c->end)
            return SPATE_HPACK_TRUNCATED;
        uint8_t byte = *c->at++;
        *number += (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return SPATE_HPACK_OK;
    }
    return SPATE_HPACK_INTEGER;
}

/* Section 5.2. A string without Huffman code is not copied: the result points into the block. */
static spate_hpack_status read_string(const spate_hpack_decoder *decoder, cursor *c, spate_hpack_scratch *scratch,
                                      text *string) {
    uint64_t length;
    if (c->at == c->end)
        return SPATE_HPACK_TRUNCATED;
    bool huffman = *c->at & 0x80;
    spate_hpack_status status = read_integer(c, 7, &length);
    if (status)
        return status;
    if (length > decoder->max_string)
        return SPATE_HPACK_STRING;
    if (length > (size_t)(c->end - c->at))
        return SPATE_HPACK_TRUNCATED;
    *string = (text){c->at, (size_t)length};
    c->at += length;
    if (!huffman)
        return SPATE_HPACK_OK;
    if (!reserve(scratch, spate_huffman_decoded_bound(string->length)))
        return SPATE_HPACK_MEMORY;
    if (!spate_huffman_decode(string->bytes, string->length, scratch->bytes, &string->length))
        return SPATE_HPACK_HUFFMAN;
    string->bytes = scratch->bytes;
    return string->length > decoder->max_string ? SPATE_HPACK_STRING : SPATE_HPACK_OK;
}

/* Copies the name of a table entry: inserting may move or evict the entry (section 4.4). */
static spate_hpack_status name_at(spate_hpack_decoder *decoder, uint64_t index, text *name) {
    spate_hpack_field field;
    if (!spate_hpack_table_at(&decoder->table, index, &field))
        return SPATE_HPACK_INDEX;
    if (index > SPATE_HPACK_STATIC_ENTRIES) {
        if (!reserve(&decoder->name, field.name_length))
            return SPATE_HPACK_MEMORY;
        if (field.name_length)
            memcpy(decoder->name.bytes, field.name, field.name_length);
        field.name = decoder->name.bytes;
    }
    *name = (text){field.name, field.name_length};
    return SPATE_HPACK_OK;
}

static spate_hpack_status read_literal(spate_hpack_decoder *decoder, cursor *c, unsigned prefix,
                                       spate_hpack_field *field) {
    uint64_t index;
    text name, value;
    spate_hpack_status status = read_integer(c, prefix, &index);
    if (status)
        return status;
    status = index ? name_at(decoder, index, &name) : read_string(decoder, c, &decoder->name, &name);
    if (status)
        return status;
    status = read_string(decoder, c, &decoder->value, &value);
    *field = (spate_hpack_field){name.bytes, name.length, value.bytes, value.length, false};
    return status;
}

/* Section 6.3. Table size updates are allowed only before the first field. */
static spate_hpack_status read_update(spate_hpack_decoder *decoder, cursor *c, const spate_hpack_totals *totals) {
    uint64_t size;
    spate_hpack_status status = read_integer(c, 5, &size);
    if (status)
        return status;
    if (totals->fields > 0 || size > decoder->settings_size)
        return SPATE_HPACK_TABLE_SIZE;
    spate_hpack_table_resize(&decoder->table, (size_t)size);
    decoder->update_due = false;
    return SPATE_HPACK_OK;
}

static spate_hpack_status emit(spate_hpack_decoder *decoder, const spate_hpack_field *field,
                               spate_hpack_receiver receiver, void *context, spate_hpack_totals *totals) {
    totals->fields++;
    totals->bytes += field->name_length + field->value_length + SPATE_HPACK_ENTRY_OVERHEAD;
    if (totals->fields > decoder->max_fields || totals->bytes > decoder->max_bytes)
        totals->over = true;
    return totals->over || receiver(context, field) ? SPATE_HPACK_OK : SPATE_HPACK_STOPPED;
}

static spate_hpack_status read_field(spate_hpack_decoder *decoder, cursor *c, spate_hpack_receiver receiver,
                                     void *context, spate_hpack_totals *totals) {
    spate_hpack_field field;
    spate_hpack_status status;
    uint8_t first = *c->at;
    if (decoder->update_due)
        return SPATE_HPACK_TABLE_SIZE;
    if (first & 0x80) {
        uint64_t index;
        status = read_integer(c, 7, &index);
        if (status)
            return status;
        if (!spate_hpack_table_at(&decoder->table, index, &field))
            return SPATE_HPACK_INDEX;
        return emit(decoder, &field, receiver, context, totals);
    }
    bool indexed = first & 0x40;
    status = read_literal(decoder, c, indexed ? 6 : 4, &field);
    if (status)
        return status;
    field.never_indexed = !indexed && (first & 0x10);
    if (indexed && !spate_hpack_table_insert(&decoder->table, &field))
        return SPATE_HPACK_MEMORY;
    return emit(decoder, &field, receiver, context, totals);
}

spate_hpack_status spate_hpack_decode(spate_hpack_decoder *decoder, const uint8_t *block, size_t length,
                                      spate_hpack_receiver receiver, void *context, spate_hpack_totals *totals) {
    cursor c = {block, block + length};
    spate_hpack_status status = SPATE_HPACK_OK;
    *totals = (spate_hpack_totals){0, 0, false};
    while (status == SPATE_HPACK_OK && c.at < c.end) {
        bool update = (*c.at & 0xe0) == 0x20;
        status = update ? read_update(decoder, &c, totals) : read_field(decoder, &c, receiver, context, totals);
    }
    trim(&decoder->name);
    trim(&decoder->value);
    return status;
}
