#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "shared/inflate.h"

/*
 *  AT_HEADER --header--> IN_BODY --last block, trailer--> AT_HEADER (another member) | AT_END
 *       \___________________\______any failure______> FAILED (each later read returns the same failure)
 */
typedef enum position { AT_HEADER, IN_BODY, AT_END, FAILED } position;

struct spate_inflate_stream {
    z_stream zlib;
    spate_container container;
    position position;
    spate_error failure;       /* set when position is FAILED */
    const uint8_t *input;      /* borrowed */
    size_t length;
    size_t at;                 /* bytes of input consumed */
    uint64_t max_output;
    uint64_t produced;         /* bytes, in all members */
    uint64_t member_produced;  /* bytes, in this member */
    uint32_t sum;
};

spate_status spate_inflate_open(spate_inflate_stream **stream, spate_container container, const uint8_t *input,
                                size_t length, uint64_t max_output, spate_error *error) {
    static const uint8_t nothing;

    *stream = NULL;
    spate_inflate_stream *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        return spate_fail(error, SPATE_NO_MEMORY, NULL, "no memory to inflate");
    if (inflateInit2(&opened->zlib, -MAX_WBITS) != Z_OK) {
        free(opened);
        return spate_fail(error, SPATE_NO_MEMORY, NULL, "no memory to inflate");
    }
    opened->container = container;
    opened->position = AT_HEADER;
    opened->input = length == 0 ? &nothing : input; /* `input` may be NULL, and arithmetic on NULL is undefined */
    opened->length = length;
    opened->max_output = max_output;
    *stream = opened;
    return SPATE_OK;
}

void spate_inflate_close(spate_inflate_stream *stream) {
    if (stream == NULL)
        return;
    (void)inflateEnd(&stream->zlib); /* fails only for a stream that was not initialized */
    free(stream);
}

static spate_status begin_member(spate_inflate_stream *stream, spate_error *error) {
    size_t header = 0;
    spate_status status = spate_container_open(stream->container, stream->input + stream->at,
                                               stream->length - stream->at, &header, error);
    if (status != SPATE_OK)
        return status;
    if (inflateReset(&stream->zlib) != Z_OK)
        return spate_fail(error, SPATE_NO_MEMORY, NULL, "no memory to inflate");
    stream->at += header;
    stream->sum = spate_container_sum_start(stream->container);
    stream->member_produced = 0;
    stream->position = IN_BODY;
    return SPATE_OK;
}

static spate_status end_member(spate_inflate_stream *stream, spate_error *error) {
    size_t trailer = 0;
    bool another = false;
    spate_status status =
        spate_container_close(stream->container, stream->input + stream->at, stream->length - stream->at, stream->sum,
                              stream->member_produced, &trailer, error);
    if (status != SPATE_OK)
        return status;
    stream->at += trailer;
    status = spate_container_next(stream->container, stream->input + stream->at, stream->length - stream->at, &another,
                                  error);
    stream->position = another ? AT_HEADER : AT_END;
    return status;
}

/* Calls zlib once to inflate into `out`, which has `capacity` > 0 bytes. */
static spate_status inflate_some(spate_inflate_stream *stream, uint8_t *out, size_t capacity, size_t *produced,
                                 spate_error *error) {
    z_stream *zlib = &stream->zlib;
    uint8_t beyond; /* receives one byte when the limit is reached, to detect a longer stream */
    uint64_t allowed = stream->max_output - stream->produced;
    size_t room = allowed < capacity ? (size_t)allowed : capacity;
    size_t left = stream->length - stream->at;

    *produced = 0;
    zlib->next_in = (Bytef *)(uintptr_t)(stream->input + stream->at);
    zlib->avail_in = left > UINT_MAX ? UINT_MAX : (uInt)left;
    zlib->next_out = room == 0 ? &beyond : out;
    zlib->avail_out = room == 0 ? 1 : room > UINT_MAX ? UINT_MAX : (uInt)room;
    uInt had_in = zlib->avail_in;
    uInt had_out = zlib->avail_out;

    int answer = inflate(zlib, Z_NO_FLUSH);
    size_t took = had_in - zlib->avail_in;
    size_t wrote = had_out - zlib->avail_out;
    stream->at += took;
    if (room == 0 && wrote > 0) {
        return spate_fail(error, SPATE_LIMIT, NULL, "more than %llu bytes when inflated",
                          (unsigned long long)stream->max_output);
    }
    stream->sum = spate_container_sum(stream->container, stream->sum, out, wrote);
    stream->produced += wrote;
    stream->member_produced += wrote;
    *produced = wrote;
    switch (answer) {
    case Z_STREAM_END: return end_member(stream, error);
    case Z_OK: break;
    case Z_BUF_ERROR: break; /* made no progress: handled below */
    case Z_MEM_ERROR: return spate_fail(error, SPATE_NO_MEMORY, NULL, "no memory to inflate");
    default:
        return spate_fail(error, SPATE_CORRUPT, NULL, "the compressed data is damaged: %s",
                          zlib->msg == NULL ? "unknown block" : zlib->msg);
    }
    if (took == 0 && wrote == 0)
        return spate_fail(error, SPATE_TRUNCATED, NULL, "the compressed data ends before its last block");
    return SPATE_OK;
}

static spate_status fill(spate_inflate_stream *stream, uint8_t *out, size_t capacity, size_t *produced,
                         spate_error *error) {
    while (*produced < capacity && stream->position != AT_END) {
        size_t wrote = 0;
        spate_status status = stream->position == AT_HEADER
                                  ? begin_member(stream, error)
                                  : inflate_some(stream, out + *produced, capacity - *produced, &wrote, error);
        if (status != SPATE_OK)
            return status;
        *produced += wrote;
    }
    return SPATE_OK;
}

spate_status spate_inflate_read(spate_inflate_stream *stream, uint8_t *out, size_t capacity, size_t *produced,
                                spate_error *error) {
    *produced = 0;
    if (stream->position == FAILED) {
        if (error != NULL)
            *error = stream->failure;
        return stream->failure.status;
    }
    spate_status status = fill(stream, out, capacity, produced, &stream->failure);
    if (status != SPATE_OK) {
        *produced = 0;
        stream->position = FAILED;
        if (error != NULL)
            *error = stream->failure;
    }
    return status;
}
