/*
 * Feeds arbitrary bytes to the decoder as header blocks of one connection. Checks that the decoder respects its limits,
 * and that a second decoder reads the same fields after they have been encoded again. The first byte of the input is
 * the length of each block minus 1. Also reads the input as frames.
 */
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "hpack.h"
#include "request_fields.h"

#define MAX_BYTES 4096
#define MAX_FIELDS 40

typedef struct relay {
    spate_hpack_encoder *encoder;
    spate_hpack_output *output;
    spate_request_fields check;
    uint64_t sum;
    size_t bytes, fields;
} relay;

static void require(bool condition) {
    if (!condition)
        abort();
}

static uint64_t add(uint64_t sum, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ bytes[i]) * 1099511628211u;
    return sum * 31 + length;
}

static bool take(void *context, const spate_hpack_field *field) {
    relay *r = context;
    r->sum = add(add(r->sum, field->name, field->name_length), field->value, field->value_length);
    r->bytes += field->name_length + field->value_length + 32;
    r->fields++;
    spate_request_fields_take(&r->check, field);
    if (r->encoder)
        require(spate_hpack_encode(r->encoder, field, (spate_hpack_policy)(r->fields % 4), r->output) == SPATE_HPACK_OK);
    return true;
}

static void frames(const uint8_t *data, size_t size) {
    spate_frame_reader reader = {.max_length = 16384};
    size_t at = 0;
    while (at < size) {
        spate_frame frame;
        spate_frame_error error = {0, NULL};
        spate_frame_status status = spate_frame_read(&reader, data + at, size - at, &frame, &error);
        if (status == SPATE_FRAME_PARTIAL)
            return;
        require((status == SPATE_FRAME_READ) == (error.reason == NULL));
        if (status == SPATE_FRAME_CONNECTION_ERROR)
            return;
        require(frame.offset + frame.content <= SPATE_FRAME_HEADER_BYTES + frame.length);
        at += SPATE_FRAME_HEADER_BYTES + frame.length;
    }
    require(at == size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    spate_hpack_decoder first, second;
    spate_hpack_encoder encoder;
    spate_hpack_output output = {NULL, 0, 0};
    spate_hpack_totals totals, again;
    spate_hpack_init();
    frames(data, size);
    if (size < 2)
        return 0;
    size_t step = (size_t)data[0] + 1;
    spate_hpack_decoder_init(&first, 512);
    spate_hpack_decoder_init(&second, 512);
    spate_hpack_encoder_init(&encoder, 512);
    first.max_string = second.max_string = 2048;
    first.max_bytes = MAX_BYTES;
    first.max_fields = MAX_FIELDS;
    second.max_bytes = second.max_fields = SIZE_MAX;
    for (size_t at = 1; at < size; at += step) {
        size_t length = size - at < step ? size - at : step;
        relay sent = {.encoder = &encoder, .output = &output}, received = {.output = NULL};
        output.length = 0;
        require(spate_hpack_encode_begin(&encoder, &output) == SPATE_HPACK_OK);
        spate_hpack_status status = spate_hpack_decode(&first, data + at, length, take, &sent, &totals);
        require(sent.bytes <= MAX_BYTES && sent.fields <= MAX_FIELDS);
        require(first.table.size <= first.table.max_size && first.table.max_size <= 512);
        spate_request_fields_end(&sent.check);
        require(spate_hpack_decode(&second, output.bytes, output.length, take, &received, &again) == SPATE_HPACK_OK);
        require(sent.sum == received.sum && sent.fields == received.fields);
        require(encoder.table.size == second.table.size && encoder.table.count == second.table.count);
        if (status != SPATE_HPACK_OK)
            break;
    }
    spate_hpack_decoder_free(&first);
    spate_hpack_decoder_free(&second);
    spate_hpack_encoder_free(&encoder);
    free(output.bytes);
    return 0;
}
