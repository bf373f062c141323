#ifndef SPATE_FRAME_H
#define SPATE_FRAME_H

/* Frames of HTTP/2: RFC 9113, sections 4 and 6. Takes bytes, knows neither streams' states nor Ruby. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPATE_FRAME_HEADER_BYTES 9
#define SPATE_FRAME_LONGEST 0xffffffu

enum {
    SPATE_FRAME_DATA,
    SPATE_FRAME_HEADERS,
    SPATE_FRAME_PRIORITY,
    SPATE_FRAME_RST_STREAM,
    SPATE_FRAME_SETTINGS,
    SPATE_FRAME_PUSH_PROMISE,
    SPATE_FRAME_PING,
    SPATE_FRAME_GOAWAY,
    SPATE_FRAME_WINDOW_UPDATE,
    SPATE_FRAME_CONTINUATION
};

enum {
    SPATE_FLAG_ACK = 0x1,
    SPATE_FLAG_END_STREAM = 0x1,
    SPATE_FLAG_END_HEADERS = 0x4,
    SPATE_FLAG_PADDED = 0x8,
    SPATE_FLAG_PRIORITY = 0x20
};

/* RFC 9113, section 7: those that a frame alone can cause. */
enum { SPATE_PROTOCOL_ERROR = 0x1, SPATE_FRAME_SIZE_ERROR = 0x6 };

typedef struct spate_frame {
    uint32_t length; /* of the payload with its padding: what flow control counts */
    uint8_t type;
    uint8_t flags;
    uint32_t stream;
    uint32_t offset;  /* of the content, from the frame's first byte */
    uint32_t content; /* bytes of the payload without padding and priority */
    uint32_t count;   /* frames: 1, or more where DATA was joined */
    uint32_t size;    /* of all of these, with their headers */
    /* RST_STREAM, GOAWAY: the error code. WINDOW_UPDATE: the increment. HEADERS, PRIORITY: the stream depended on. */
    uint32_t word;
    uint32_t last_stream; /* GOAWAY */
} spate_frame;

typedef enum spate_frame_status {
    SPATE_FRAME_READ,
    SPATE_FRAME_PARTIAL,          /* more bytes are needed; only the header may be filled in */
    SPATE_FRAME_STREAM_ERROR,     /* the frame was read whole; its stream is to be reset */
    SPATE_FRAME_CONNECTION_ERROR, /* section 5.4.1 */
} spate_frame_status;

typedef struct spate_frame_fault {
    uint32_t code;
    const char *reason;
} spate_frame_fault;

typedef struct spate_frame_reader {
    uint32_t max_length;   /* our SETTINGS_MAX_FRAME_SIZE */
    uint32_t continuation; /* the stream whose header block is open (section 6.10), or 0 */
} spate_frame_reader;

/*
 * Reads one frame and checks all that a frame alone can have wrong: length, stream identifier, padding, the order of
 * CONTINUATION. A length that is too large is told as soon as the header is there.
 */
spate_frame_status spate_frame_read(spate_frame_reader *reader, const uint8_t *bytes, size_t length, spate_frame *frame,
                                    spate_frame_fault *fault);

/*
 * Joins to a DATA frame without padding, which was read from `bytes`, those that follow it on its stream: they become
 * one frame whose `length` and `content` are the sums and whose flags are the last one's, `most` at the most, none with
 * less than `least` bytes unless it ends the stream. What is out of order is left to be read by itself.
 */
void spate_frame_join(const spate_frame_reader *reader, const uint8_t *bytes, size_t length, spate_frame *frame,
                      uint32_t most, uint32_t least);

/* Copies the content of DATA that was read, and perhaps joined, from `bytes`: frame->content bytes. */
void spate_frame_copy(const spate_frame *frame, const uint8_t *bytes, uint8_t *to);

/* Writes nine bytes. */
void spate_frame_write_header(uint8_t *at, uint32_t length, uint8_t type, uint8_t flags, uint32_t stream);

static inline uint32_t spate_load32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline void spate_store32(uint8_t *at, uint32_t number) {
    at[0] = (uint8_t)(number >> 24);
    at[1] = (uint8_t)(number >> 16);
    at[2] = (uint8_t)(number >> 8);
    at[3] = (uint8_t)number;
}

#endif
