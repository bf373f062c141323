#ifndef SPATE_FRAME_H
#define SPATE_FRAME_H

/* Reads and writes HTTP/2 frames: RFC 9113, sections 4 and 6. Independent of stream states and of Ruby. */
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

/* RFC 9113, section 7: the error codes that a single frame can cause. */
enum { SPATE_PROTOCOL_ERROR = 0x1, SPATE_FRAME_SIZE_ERROR = 0x6 };

typedef struct spate_frame {
    uint32_t length; /* bytes of the payload with padding, as counted by flow control */
    uint8_t type;
    uint8_t flags;
    uint32_t stream;
    uint32_t offset;  /* offset of the content from the frame's first byte */
    uint32_t content; /* bytes of the payload without padding and priority */
    uint32_t count;   /* number of frames: 1, or more after spate_frame_join */
    uint32_t size;    /* bytes of these frames, headers included */
    /* RST_STREAM, GOAWAY: the error code. WINDOW_UPDATE: the increment. HEADERS, PRIORITY: the parent stream. */
    uint32_t word;
    uint32_t last_stream; /* GOAWAY */
} spate_frame;

typedef enum spate_frame_status {
    SPATE_FRAME_READ,
    SPATE_FRAME_PARTIAL,          /* more bytes are needed; only the header may be filled in */
    SPATE_FRAME_STREAM_ERROR,     /* the frame is complete; its stream must be reset */
    SPATE_FRAME_CONNECTION_ERROR, /* section 5.4.1 */
} spate_frame_status;

typedef struct spate_frame_error {
    uint32_t code;
    const char *reason; /* static memory */
} spate_frame_error;

typedef struct spate_frame_reader {
    uint32_t max_length;   /* the receiver's SETTINGS_MAX_FRAME_SIZE */
    uint32_t continuation; /* the stream whose header block is open (section 6.10), or 0 */
} spate_frame_reader;

/*
 * Reads the frame at the start of `bytes` and checks everything that does not depend on other streams: length, stream
 * identifier, padding, the order of CONTINUATION. Sets `error` for STREAM_ERROR and CONNECTION_ERROR. A payload longer
 * than max_length is an error as soon as the header is complete.
 */
spate_frame_status spate_frame_read(spate_frame_reader *reader, const uint8_t *bytes, size_t length, spate_frame *frame,
                                    spate_frame_error *error);

/*
 * Joins the DATA frame `frame`, read from `bytes`, with the DATA frames that follow on the same stream. `length`,
 * `content` and `size` become sums, and `flags` are those of the last frame. Joins at most `max_count` frames in total,
 * each with at least `min_content` bytes unless it ends the stream. Stops before padded, invalid or incomplete frames.
 */
void spate_frame_join(const spate_frame_reader *reader, const uint8_t *bytes, size_t length, spate_frame *frame,
                      uint32_t max_count, uint32_t min_content);

/* Copies the content (frame->content bytes) of a DATA frame, joined or not, that was read from `bytes`. */
void spate_frame_copy(const spate_frame *frame, const uint8_t *bytes, uint8_t *to);

/* Writes a header of SPATE_FRAME_HEADER_BYTES to `at`. `length`: bytes of the payload. */
void spate_frame_write_header(uint8_t *at, uint32_t length, uint8_t type, uint8_t flags, uint32_t stream);

/* Reads a number in network byte order. */
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
