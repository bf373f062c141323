/*
 * Inflates and deflates arbitrary bytes in one call and in steps, and compares the results with zlib's. A build with
 * libdeflate may accept input that zlib rejects (an incomplete code, a length code that RFC 1951 does not define).
 * Other differences are failures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oneshot/bytes.h"
#include "stream/step.h"

#define MAX_OUTPUT ((size_t)1 << 20)

#define require(condition) ((condition) ? (void)0 : fail(#condition, __LINE__))

static void fail(const char *condition, int line) {
    fprintf(stderr, "line %d: not %s\n", line, condition);
    abort();
}

typedef struct reference {
    int answer;
    size_t consumed;
    size_t length;
    bool limited;
    uLong adler;
    uint8_t bytes[MAX_OUTPUT + 1];
} reference;

/* Inflates with zlib in one call. The output buffer has one byte more than the limit, to detect that it is exceeded. */
static void inflate_by_zlib(spate_container container, const uint8_t *input, size_t length, size_t max, reference *is) {
    z_stream zlib;
    require(spate_oneshot_open_inflate(&zlib, container) == Z_OK);
    zlib.next_in = (Bytef *)(uintptr_t)input;
    zlib.avail_in = (uInt)length;
    zlib.next_out = is->bytes;
    zlib.avail_out = (uInt)max + 1;
    is->answer = inflate(&zlib, Z_FINISH);
    is->length = zlib.total_out;
    is->consumed = zlib.total_in;
    is->limited = is->length > max;
    is->adler = zlib.adler;
    require(inflateEnd(&zlib) == Z_OK);
}

static void compare_whole(spate_container container, const uint8_t *input, size_t length, size_t max,
                          const reference *is) {
    static spate_buffer output;
    spate_oneshot_result result;
    spate_oneshot_inflate_bytes(container, input, length, max, true, &output, &result);
    require(output.length <= max);
    require(result.answer == Z_OK || output.length == 0);
    if (is->limited) {
        require(result.limited);
    } else if (is->answer == Z_STREAM_END) {
        require(result.answer == Z_OK && !result.limited);
        require(output.length == is->length && memcmp(output.bytes, is->bytes, is->length) == 0);
        require(result.consumed == is->consumed);
        require(result.sum == crc32_z(0, is->bytes, is->length));
    } else {
#ifndef SPATE_HAVE_LIBDEFLATE
        require(result.answer == is->answer);
#else
        require(result.answer == is->answer ||
                ((result.answer == Z_OK || result.limited) && is->answer != Z_BUF_ERROR));
#endif
    }
}

/* Inflates in steps with pauses and a separate checksum, and compares output and return code with zlib's. */
static void compare_steps(spate_container container, const uint8_t *input, size_t length, size_t max, size_t pause,
                          const reference *is) {
    static spate_buffer output;
    z_stream zlib;
    require(spate_oneshot_open_inflate(&zlib, container) == Z_OK);
    output.length = 0;
    spate_stream_adler adler;
    spate_stream_adler_open(&adler, &zlib, container == SPATE_ZLIB ? MAX_WBITS : -MAX_WBITS);
    spate_step step = {.zlib = &zlib,
                       .adler = &adler,
                       .inflates = true,
                       .flush = Z_FINISH,
                       .input = input,
                       .length = length,
                       .output = &output,
                       .pause = pause,
                       .allowed = max};
    do {
        require(spate_step_run(&step, NULL));
        step.pause = output.length + pause;
    } while (step.outcome == SPATE_STEP_PAUSED);
    require(is->limited == (step.outcome == SPATE_STEP_LIMITED));
    if (!is->limited) {
        require(step.answer == is->answer);
        require(step.at == is->consumed ||
                is->answer != Z_STREAM_END); /* for damaged input, it depends on the output space */
        require(output.length == is->length);
        require(zlib.adler == is->adler);
    }
    require(output.length <= max && memcmp(output.bytes, is->bytes, output.length) == 0);
    require(inflateEnd(&zlib) == Z_OK || is->answer != Z_STREAM_END);
}

static void try_inflate(spate_container container, const uint8_t *input, size_t length, size_t max, size_t pause) {
    static reference is;
    inflate_by_zlib(container, input, length, max, &is);
    compare_whole(container, input, length, max, &is);
    compare_steps(container, input, length, max, pause, &is);
}

static void must_inflate_to(spate_container container, const spate_buffer *packed, const uint8_t *input,
                            size_t length) {
    static reference is;
    inflate_by_zlib(container, packed->bytes, packed->length, MAX_OUTPUT, &is);
    require(is.answer == Z_STREAM_END && is.consumed == packed->length);
    require(is.length == length && memcmp(is.bytes, input, length) == 0);
}

static void deflate_in_pieces(spate_container container, const uint8_t *input, size_t length, int level, size_t piece,
                              spate_buffer *output) {
    z_stream zlib;
    require(spate_oneshot_open_deflate(&zlib, container, level) == Z_OK);
    output->length = 0;
    for (size_t at = 0, taken; at < length || at == 0; at += taken + (length == 0)) {
        taken = length - at < piece ? length - at : piece;
        spate_step step = {.zlib = &zlib,
                           .flush = at + taken == length ? Z_FINISH : Z_NO_FLUSH,
                           .input = input + at,
                           .length = taken,
                           .output = output,
                           .pause = SIZE_MAX,
                           .allowed = UINT64_MAX};
        require(spate_step_run(&step, NULL) && step.outcome == SPATE_STEP_DONE);
    }
    require(deflateEnd(&zlib) == Z_OK);
}

static void try_deflate(spate_container container, const uint8_t *input, size_t length, int level, size_t piece) {
    static spate_buffer whole, identical, pieces;
    require(spate_oneshot_deflate_bytes(container, input, length, level, false, &whole));
    must_inflate_to(container, &whole, input, length);
    require(spate_oneshot_deflate_bytes(container, input, length, level, true, &identical));
    must_inflate_to(container, &identical, input, length);
    deflate_in_pieces(container, input, length, level, piece, &pieces);
    must_inflate_to(container, &pieces, input, length);
    if (level != 0)
        require(pieces.length == identical.length && memcmp(pieces.bytes, identical.bytes, pieces.length) == 0);
    try_inflate(container, whole.bytes, whole.length, MAX_OUTPUT, piece);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    static const spate_container containers[] = {SPATE_ZLIB, SPATE_RAW, SPATE_GZIP_FIRST, SPATE_ZLIB};
    static const size_t limits[] = {0, 1, 100, 5000, 65536, MAX_OUTPUT, MAX_OUTPUT, MAX_OUTPUT};
    static const size_t pauses[] = {1, 17, 4096, MAX_OUTPUT};
    if (length < 2)
        return 0;
    uint8_t choice = *input++; /* container, limit, pause, direction */
    uint8_t level = *input++;
    length -= 2;
    spate_container container = containers[choice & 3];
    size_t pause = pauses[choice >> 5 & 3];
    if (choice & 128)
        try_deflate(container == SPATE_GZIP_FIRST ? SPATE_RAW : container, input, length, level % 11 - 1, pause);
    else
        try_inflate(container, input, length, limits[choice >> 2 & 7], pause);
    return 0;
}
