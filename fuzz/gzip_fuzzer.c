/*
 * Fuzzes inflating of gzip, zlib and raw deflate: a whole buffer and a stream must give the same result. libdeflate may
 * accept what zlib rejects, because it does not always check that a code is complete. No other difference is allowed.
 */
#include <stdlib.h>
#include <string.h>

#include "shared/inflate.h"

#define MAX_OUTPUT ((size_t)1 << 20)

static void require(bool condition) {
    if (!condition)
        abort();
}

static spate_status streamed(spate_container container, const uint8_t *input, size_t length, size_t max, size_t step,
                             spate_buffer *output) {
    spate_inflate_stream *stream;
    spate_error error = {0};
    spate_status status;
    size_t produced = 0;

    output->length = 0;
    require(spate_inflate_open(&stream, container, input, length, max, &error) == SPATE_OK);
    require(spate_buffer_reserve(output, max + step) == SPATE_OK);
    do {
        status = spate_inflate_read(stream, output->bytes + output->length, step, &produced, &error);
        output->length += produced;
        require(output->length <= max);
    } while (status == SPATE_OK && produced > 0);
    require(error.status == status);
    require(status == SPATE_OK || error.message[0] != '\0');
    spate_inflate_close(stream);
    return status;
}

static bool is_damage(spate_status status) {
    return status == SPATE_CORRUPT || status == SPATE_TRUNCATED || status == SPATE_CHECKSUM;
}

#ifdef SPATE_HAVE_LIBDEFLATE
/* Whether one of the members is rejected only by zlib. Then only one of the two reads the members after it. */
static bool accepts_more(spate_container container, const uint8_t *input, size_t length, size_t max, size_t step) {
    spate_buffer whole = {0}, stream = {0};
    size_t consumed = 0;
    bool found = false;

    while (!found && length > 0 &&
           spate_inflate(container, input, length, max, &whole, &consumed, NULL) == SPATE_OK && consumed > 0) {
        found = is_damage(streamed(container, input, consumed, max, step, &stream));
        input += consumed;
        length -= consumed;
    }
    spate_buffer_free(&whole);
    spate_buffer_free(&stream);
    return found;
}
#endif

static void compare(spate_container container, const uint8_t *input, size_t length, size_t max, size_t step) {
    static spate_buffer whole, stream;
    spate_error error = {0};
    spate_status status = spate_inflate(container, input, length, max, &whole, NULL, &error);
    spate_status other = streamed(container, input, length, max, step, &stream);

    require(error.status == status);
    require(whole.length <= max);
    if (status == SPATE_OK && other == SPATE_OK) {
        require(whole.length == stream.length);
        require(whole.length == 0 || memcmp(whole.bytes, stream.bytes, whole.length) == 0);
        return;
    }
    require(whole.length == 0 || status == SPATE_OK);
#ifdef SPATE_HAVE_LIBDEFLATE
    require(status == other || ((status == SPATE_OK || status == SPATE_LIMIT) && is_damage(other)) ||
            (is_damage(other) && accepts_more(container, input, length, max, step)));
#else
    require(status == other);
    (void)is_damage;
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    static const size_t limits[] = {0, 1, 100, 65536, MAX_OUTPUT, MAX_OUTPUT, MAX_OUTPUT, MAX_OUTPUT};
    if (length == 0)
        return 0;
    uint8_t choice = *input++; /* selects container, limit and step */
    length--;
    size_t max = limits[choice >> 2 & 7];
    compare((spate_container)(choice & 3), input, length, max, choice & 32 ? 4096 : 17);

    size_t consumed = 0;
    spate_buffer first = {0};
    if (spate_inflate((spate_container)(choice & 3), input, length, max, &first, &consumed, NULL) == SPATE_OK) {
        require(consumed <= length);
        compare((spate_container)(choice & 3), input, consumed, max, 100);
    }
    spate_buffer_free(&first);
    return 0;
}
