#include "frame.h"

#include <string.h>

typedef spate_frame_status (*payload_reader)(const uint8_t *payload, spate_frame *frame, spate_frame_error *error);

static spate_frame_status connection_error(spate_frame_error *error, uint32_t code, const char *reason) {
    *error = (spate_frame_error){code, reason};
    return SPATE_FRAME_CONNECTION_ERROR;
}

static spate_frame_status stream_error(spate_frame_error *error, uint32_t code, const char *reason) {
    *error = (spate_frame_error){code, reason};
    return SPATE_FRAME_STREAM_ERROR;
}

/* Excludes the pad length and the padding from the content: sections 6.1 and 6.2. */
static spate_frame_status unpad(const uint8_t *payload, spate_frame *frame, spate_frame_error *error) {
    if (!(frame->flags & SPATE_FLAG_PADDED))
        return SPATE_FRAME_READ;
    if (frame->length < 1)
        return connection_error(error, SPATE_FRAME_SIZE_ERROR, "a padded frame has no pad length");
    if (payload[0] >= frame->length)
        return connection_error(error, SPATE_PROTOCOL_ERROR, "the padding is as long as the payload or longer");
    frame->offset += 1;
    frame->content -= 1u + payload[0];
    return SPATE_FRAME_READ;
}

static spate_frame_status read_data(const uint8_t *payload, spate_frame *frame, spate_frame_error *error) {
    if (frame->stream == 0)
        return connection_error(error, SPATE_PROTOCOL_ERROR, "DATA on stream 0");
    return unpad(payload, frame, error);
}

static spate_frame_status read_headers(const uint8_t *payload, spate_frame *frame, spate_frame_error *error) {
    if (frame->stream == 0)
        return connection_error(error, SPATE_PROTOCOL_ERROR, "HEADERS on stream 0");
    spate_frame_status status = unpad(payload, frame, error);
    if (status != SPATE_FRAME_READ || !(frame->flags & SPATE_FLAG_PRIORITY))
        return status;
    if (frame->content < 5)
        return connection_error(error, SPATE_FRAME_SIZE_ERROR, "HEADERS is too short for its priority");
    frame->word = spate_load32(payload + frame->offset - SPATE_FRAME_HEADER_BYTES) & 0x7fffffff;
    frame->offset += 5;
    frame->content -= 5;
    return SPATE_FRAME_READ;
}

static spate_frame_status read_priority(const uint8_t *payload, spate_frame *frame, spate_frame_error *error) {
    if (frame->stream == 0)
        return connection_error(error, SPATE_PROTOCOL_ERROR, "PRIORITY on stream 0");
    if (frame->length != 5)
        return stream_error(error, SPATE_FRAME_SIZE_ERROR, "PRIORITY is not 5 bytes long");
    frame->word = spate_load32(payload) & 0x7fffffff;
    if (frame->word == frame->stream)
        return stream_error(error, SPATE_PROTOCOL_ERROR, "a stream depends on itself");
    return SPATE_FRAME_READ;
}

static spate_frame_status read_rst_stream(const uint8_t *payload, spate_frame *frame, spate_frame_error *error) {
    if (frame->stream == 0)
        return connection_error(error, SPATE_PROTOCOL_ERROR, "RST_STREAM on stream 0");
    if (frame->length != 4)
        return connection_error(error, SPATE_FRAME_SIZE_ERROR, "RST_STREAM is not 4 bytes long");
    frame->word = spate_load32(payload);
    return SPATE_FRAME_READ;
}

static spate_frame_status read_settings(const uint8_t *payload, spate_frame *frame, spate_frame_error *error) {
    (void)payload;
    if (frame->stream != 0)
        return connection_error(error, SPATE_PROTOCOL_ERROR, "SETTINGS on a stream");
    if ((frame->flags & SPATE_FLAG_ACK) && frame->length != 0)
        return connection_error(error, SPATE_FRAME_SIZE_ERROR, "an acknowledgement of SETTINGS has a payload");
    if (frame->length % 6 != 0)
        return connection_error(error, SPATE_FRAME_SIZE_ERROR, "the length of SETTINGS is not a multiple of 6");
    return SPATE_FRAME_READ;
}

static spate_frame_status read_push_promise(const uint8_t *payload, spate_frame *frame, spate_frame_error *error) {
    (void)payload;
    (void)frame;
    return connection_error(error, SPATE_PROTOCOL_ERROR, "PUSH_PROMISE from a client");
}

static spate_frame_status read_ping(const uint8_t *payload, spate_frame *frame, spate_frame_error *error) {
    (void)payload;
    if (frame->stream != 0)
        return connection_error(error, SPATE_PROTOCOL_ERROR, "PING on a stream");
    if (frame->length != 8)
        return connection_error(error, SPATE_FRAME_SIZE_ERROR, "PING is not 8 bytes long");
    return SPATE_FRAME_READ;
}

static spate_frame_status read_goaway(const uint8_t *payload, spate_frame *frame, spate_frame_error *error) {
    if (frame->stream != 0)
        return connection_error(error, SPATE_PROTOCOL_ERROR, "GOAWAY on a stream");
    if (frame->length < 8)
        return connection_error(error, SPATE_FRAME_SIZE_ERROR, "GOAWAY is shorter than 8 bytes");
    frame->last_stream = spate_load32(payload) & 0x7fffffff;
    frame->word = spate_load32(payload + 4);
    frame->offset += 8;
    frame->content -= 8;
    return SPATE_FRAME_READ;
}

static spate_frame_status read_window_update(const uint8_t *payload, spate_frame *frame, spate_frame_error *error) {
    if (frame->length != 4)
        return connection_error(error, SPATE_FRAME_SIZE_ERROR, "WINDOW_UPDATE is not 4 bytes long");
    frame->word = spate_load32(payload) & 0x7fffffff;
    if (frame->word != 0)
        return SPATE_FRAME_READ;
    if (frame->stream == 0)
        return connection_error(error, SPATE_PROTOCOL_ERROR, "WINDOW_UPDATE of the connection by 0");
    return stream_error(error, SPATE_PROTOCOL_ERROR, "WINDOW_UPDATE of a stream by 0");
}

static spate_frame_status read_continuation(const uint8_t *payload, spate_frame *frame, spate_frame_error *error) {
    (void)payload;
    (void)frame;
    (void)error;
    return SPATE_FRAME_READ;
}

static const payload_reader readers[] = {
    [SPATE_FRAME_DATA] = read_data,
    [SPATE_FRAME_HEADERS] = read_headers,
    [SPATE_FRAME_PRIORITY] = read_priority,
    [SPATE_FRAME_RST_STREAM] = read_rst_stream,
    [SPATE_FRAME_SETTINGS] = read_settings,
    [SPATE_FRAME_PUSH_PROMISE] = read_push_promise,
    [SPATE_FRAME_PING] = read_ping,
    [SPATE_FRAME_GOAWAY] = read_goaway,
    [SPATE_FRAME_WINDOW_UPDATE] = read_window_update,
    [SPATE_FRAME_CONTINUATION] = read_continuation,
};

/* Sections 4.3 and 6.10: no other frame may interrupt a header block. */
static bool in_order(const spate_frame_reader *reader, const spate_frame *frame) {
    bool continues = frame->type == SPATE_FRAME_CONTINUATION;
    return reader->continuation ? continues && frame->stream == reader->continuation : !continues;
}

spate_frame_status spate_frame_read(spate_frame_reader *reader, const uint8_t *bytes, size_t length, spate_frame *frame,
                                    spate_frame_error *error) {
    if (length < SPATE_FRAME_HEADER_BYTES)
        return SPATE_FRAME_PARTIAL;
    uint32_t payload = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
    *frame = (spate_frame){.length = payload,
                           .type = bytes[3],
                           .flags = bytes[4],
                           .stream = spate_load32(bytes + 5) & 0x7fffffff,
                           .offset = SPATE_FRAME_HEADER_BYTES,
                           .content = payload,
                           .count = 1,
                           .size = SPATE_FRAME_HEADER_BYTES + payload};
    if (payload > reader->max_length)
        return connection_error(error, SPATE_FRAME_SIZE_ERROR, "a frame is longer than SETTINGS_MAX_FRAME_SIZE");
    if (!in_order(reader, frame))
        return connection_error(error, SPATE_PROTOCOL_ERROR,
                                reader->continuation ? "a header block is interrupted by another frame"
                                                     : "CONTINUATION without an open header block");
    if (length - SPATE_FRAME_HEADER_BYTES < payload)
        return SPATE_FRAME_PARTIAL;
    if (frame->type == SPATE_FRAME_HEADERS || frame->type == SPATE_FRAME_CONTINUATION)
        reader->continuation = frame->flags & SPATE_FLAG_END_HEADERS ? 0 : frame->stream;
    if (frame->type >= sizeof readers / sizeof readers[0])
        return SPATE_FRAME_READ;
    return readers[frame->type](bytes + SPATE_FRAME_HEADER_BYTES, frame, error);
}

void spate_frame_join(const spate_frame_reader *reader, const uint8_t *bytes, size_t length, spate_frame *frame,
                      uint32_t max_count, uint32_t min_content) {
    if (frame->type != SPATE_FRAME_DATA || frame->flags & (SPATE_FLAG_END_STREAM | SPATE_FLAG_PADDED))
        return;
    spate_frame_reader copy = *reader; /* reading DATA frames does not change the reader */
    spate_frame_error error;
    spate_frame next;
    while (frame->count < max_count &&
           spate_frame_read(&copy, bytes + frame->size, length - frame->size, &next, &error) == SPATE_FRAME_READ) {
        bool ends = next.flags & SPATE_FLAG_END_STREAM;
        if (next.type != SPATE_FRAME_DATA || next.stream != frame->stream || next.flags & SPATE_FLAG_PADDED ||
            (next.content < min_content && !ends) || next.size > UINT32_MAX - frame->size)
            return;
        frame->count++;
        frame->size += next.size;
        frame->length += next.length;
        frame->content += next.content;
        frame->flags = next.flags;
        if (ends)
            return;
    }
}

void spate_frame_copy(const spate_frame *frame, const uint8_t *bytes, uint8_t *to) {
    if (frame->count == 1) {
        memcpy(to, bytes + frame->offset, frame->content);
        return;
    }
    uint32_t left = frame->content;
    for (uint32_t i = 0; i < frame->count; i++) {
        uint32_t payload = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
        if (payload > left) /* the bytes have changed since the frames were read */
            payload = left;
        memcpy(to, bytes + SPATE_FRAME_HEADER_BYTES, payload);
        to += payload;
        left -= payload;
        bytes += SPATE_FRAME_HEADER_BYTES + payload;
    }
}

void spate_frame_write_header(uint8_t *at, uint32_t length, uint8_t type, uint8_t flags, uint32_t stream) {
    at[0] = (uint8_t)(length >> 16);
    at[1] = (uint8_t)(length >> 8);
    at[2] = (uint8_t)length;
    at[3] = type;
    at[4] = flags;
    spate_store32(at + 5, stream & 0x7fffffff);
}
