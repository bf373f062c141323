#include "oneshot/bytes.h"

#include <string.h>

#include "stream/step.h"

static int wbits_of(spate_container container) {
    switch (container) {
    case SPATE_RAW: return -MAX_WBITS;
    case SPATE_ZLIB: return MAX_WBITS;
    case SPATE_GZIP:
    case SPATE_GZIP_FIRST: break;
    }
    return MAX_WBITS + 16;
}

int spate_oneshot_open_inflate(z_stream *zlib, spate_container container) {
    memset(zlib, 0, sizeof *zlib);
    return inflateInit2(zlib, wbits_of(container));
}

int spate_oneshot_open_deflate(z_stream *zlib, spate_container container, int level) {
    memset(zlib, 0, sizeof *zlib);
    return deflateInit2(zlib, level, Z_DEFLATED, wbits_of(container), 8, Z_DEFAULT_STRATEGY);
}

static void ask_zlib(spate_container container, const uint8_t *input, size_t length, uint64_t max_output,
                     spate_buffer *output, spate_oneshot_result *result) {
    z_stream zlib;
    result->answer = spate_oneshot_open_inflate(&zlib, container);
    if (result->answer != Z_OK)
        return;
    spate_step step = {.zlib = &zlib,
                       .inflates = true,
                       .flush = Z_FINISH,
                       .input = input,
                       .length = length,
                       .output = output,
                       .pause = SIZE_MAX,
                       .allowed = max_output};
    output->length = 0;
    spate_step_run(&step, NULL);
    result->limited = step.outcome == SPATE_STEP_LIMITED;
    result->answer = step.answer == Z_STREAM_END ? Z_OK : step.answer;
    result->message = zlib.msg;
    result->consumed = step.at;
    (void)inflateEnd(&zlib);
}

void spate_oneshot_inflate_bytes(spate_container container, const uint8_t *input, size_t length, uint64_t max_output,
                                 bool want_sum, spate_buffer *output, spate_oneshot_result *result) {
    *result = (spate_oneshot_result){0};
    size_t most = max_output > SIZE_MAX ? SIZE_MAX : (size_t)max_output;
    spate_status status = spate_inflate_attempt(container, input, length, most, output, &result->consumed);
    switch (status) {
    case SPATE_OK: break;
    case SPATE_LIMIT:
        result->limited = true;
        result->answer = Z_BUF_ERROR;
        break;
    case SPATE_NO_MEMORY: result->answer = Z_MEM_ERROR; break;
    default: ask_zlib(container, input, length, max_output, output, result);
    }
    if (result->answer != Z_OK)
        output->length = 0;
    else if (want_sum)
        result->sum = spate_crc32(0, output->bytes, output->length);
}

static bool deflate_with_zlib(spate_container container, const uint8_t *input, size_t length, int level,
                              spate_buffer *output) {
    z_stream zlib;
    if (spate_oneshot_open_deflate(&zlib, container, level) != Z_OK)
        return false;
    spate_step step = {.zlib = &zlib,
                       .flush = Z_FINISH,
                       .input = input,
                       .length = length,
                       .output = output,
                       .pause = SIZE_MAX,
                       .allowed = UINT64_MAX};
    output->length = 0;
    spate_step_run(&step, NULL);
    (void)deflateEnd(&zlib);
    return step.answer == Z_STREAM_END;
}

bool spate_oneshot_deflate_bytes(spate_container container, const uint8_t *input, size_t length, int level,
                                 bool identical, spate_buffer *output) {
    return (!identical && spate_compress(container, level, input, length, output)) ||
           deflate_with_zlib(container, input, length, level, output);
}
