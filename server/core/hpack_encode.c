#include "hpack.h"
#include "huffman.h"

#include <stdlib.h>
#include <string.h>

/*
 * `changing`: fields whose values rarely repeat on a connection; indexing them would only evict other fields. `secret`:
 * fields that are never indexed, so that an attacker cannot guess them by probing a table (section 7.1.3).
 */
static const char *const changing[] = {"age",
                                       "content-length",
                                       "content-range",
                                       "date",
                                       "etag",
                                       "expires",
                                       "if-match",
                                       "if-none-match",
                                       "if-range",
                                       "if-modified-since",
                                       "if-unmodified-since",
                                       "last-modified",
                                       "link",
                                       "location",
                                       "range",
                                       ":path",
                                       NULL};
static const char *const secret[] = {"authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key", NULL};

void spate_hpack_encoder_init(spate_hpack_encoder *encoder, size_t own_size) {
    memset(encoder, 0, sizeof *encoder);
    encoder->own_size = own_size;
    encoder->table.max_size = own_size < 4096 ? own_size : 4096;
    encoder->smallest_size = encoder->table.max_size;
    encoder->update_due = own_size < 4096;
}

void spate_hpack_encoder_free(spate_hpack_encoder *encoder) {
    spate_hpack_table_free(&encoder->table);
}

void spate_hpack_encoder_settings(spate_hpack_encoder *encoder, size_t table_size) {
    size_t size = table_size < encoder->own_size ? table_size : encoder->own_size;
    if (size == encoder->table.max_size)
        return;
    spate_hpack_table_resize(&encoder->table, size);
    if (!encoder->update_due || size < encoder->smallest_size)
        encoder->smallest_size = size;
    encoder->update_due = true;
}

static bool reserve(spate_hpack_output *output, size_t more) {
    size_t capacity = output->capacity ? output->capacity : 256;
    if (output->capacity - output->length >= more)
        return true;
    while (capacity - output->length < more)
        capacity *= 2;
    uint8_t *bytes = realloc(output->bytes, capacity);
    if (!bytes)
        return false;
    output->bytes = bytes;
    output->capacity = capacity;
    return true;
}

/* Maximum encoded length of a 64-bit integer. */
#define INTEGER_BYTES 11

static void write_integer(spate_hpack_output *output, uint8_t pattern, unsigned prefix, size_t number) {
    size_t most = ((size_t)1 << prefix) - 1;
    if (number < most) {
        output->bytes[output->length++] = (uint8_t)(pattern | number);
        return;
    }
    output->bytes[output->length++] = (uint8_t)(pattern | most);
    for (number -= most; number >= 128; number >>= 7)
        output->bytes[output->length++] = (uint8_t)(number | 0x80);
    output->bytes[output->length++] = (uint8_t)number;
}

static bool write_string(spate_hpack_output *output, const uint8_t *bytes, size_t length) {
    size_t encoded = spate_huffman_encoded_length(bytes, length);
    if (!reserve(output, INTEGER_BYTES + length))
        return false;
    if (encoded < length) {
        write_integer(output, 0x80, 7, encoded);
        output->length += spate_huffman_encode(bytes, length, output->bytes + output->length);
    } else {
        write_integer(output, 0, 7, length);
        if (length)
            memcpy(output->bytes + output->length, bytes, length);
        output->length += length;
    }
    return true;
}

static bool one_of(const char *const *names, const spate_hpack_field *field) {
    for (; *names; names++)
        if (strlen(*names) == field->name_length && memcmp(*names, field->name, field->name_length) == 0)
            return true;
    return false;
}

/* A field larger than half of the table is not indexed, because it would evict too many other fields. */
static spate_hpack_policy policy_of(const spate_hpack_encoder *encoder, const spate_hpack_field *field) {
    if (field->never_indexed || one_of(secret, field))
        return SPATE_HPACK_NEVER;
    size_t size = field->name_length + field->value_length + SPATE_HPACK_ENTRY_OVERHEAD;
    return size > encoder->table.max_size / 2 || one_of(changing, field) ? SPATE_HPACK_PLAIN : SPATE_HPACK_INDEX_IT;
}

spate_hpack_status spate_hpack_encode_begin(spate_hpack_encoder *encoder, spate_hpack_output *output) {
    if (!encoder->update_due)
        return SPATE_HPACK_OK;
    if (!reserve(output, (size_t)2 * INTEGER_BYTES))
        return SPATE_HPACK_MEMORY;
    if (encoder->smallest_size < encoder->table.max_size)
        write_integer(output, 0x20, 5, encoder->smallest_size);
    write_integer(output, 0x20, 5, encoder->table.max_size);
    encoder->update_due = false;
    return SPATE_HPACK_OK;
}

spate_hpack_status spate_hpack_encode(spate_hpack_encoder *encoder, const spate_hpack_field *field,
                                      spate_hpack_policy policy, spate_hpack_output *output) {
    uint32_t name_index, index;
    if (policy == SPATE_HPACK_AUTO)
        policy = policy_of(encoder, field);
    index = spate_hpack_table_find(&encoder->table, field, &name_index);
    if (!reserve(output, INTEGER_BYTES))
        return SPATE_HPACK_MEMORY;
    if (index && policy != SPATE_HPACK_NEVER) {
        write_integer(output, 0x80, 7, index);
        return SPATE_HPACK_OK;
    }
    if (index && !name_index)
        name_index = index;
    if (policy == SPATE_HPACK_INDEX_IT)
        write_integer(output, 0x40, 6, name_index);
    else
        write_integer(output, policy == SPATE_HPACK_NEVER ? 0x10 : 0, 4, name_index);
    if (!name_index && !write_string(output, field->name, field->name_length))
        return SPATE_HPACK_MEMORY;
    if (!write_string(output, field->value, field->value_length))
        return SPATE_HPACK_MEMORY;
    if (policy == SPATE_HPACK_INDEX_IT && !spate_hpack_table_insert(&encoder->table, field))
        return SPATE_HPACK_MEMORY;
    return SPATE_HPACK_OK;
}
