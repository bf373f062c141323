#include "shared/inflate.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef SPATE_HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

/* The first guess of the output's size uses the length in the trailer up to this multiple of the input. Text rarely
 * compresses better than 10 : 1. */
#define TRUSTED_RATIO 16
#define SMALLEST_GUESS ((size_t)64 * 1024)
#define GZIP_SMALLEST 18

/* Reused by each thread: the decompressors have large tables, and allocating them takes longer than inflating a small
 * file. */
typedef struct thread_inflaters {
#ifdef SPATE_HAVE_LIBDEFLATE
    struct libdeflate_decompressor *libdeflate;
#endif
    z_stream zlib;
    bool zlib_made;
} thread_inflaters;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t inflaters_key;
static bool key_made;

static void free_inflaters(void *value) {
    thread_inflaters *inflaters = value;
#ifdef SPATE_HAVE_LIBDEFLATE
    libdeflate_free_decompressor(inflaters->libdeflate);
#endif
    if (inflaters->zlib_made)
        (void)inflateEnd(&inflaters->zlib); /* fails only for a stream that was not initialized */
    free(inflaters);
}

static void make_key(void) {
    key_made = pthread_key_create(&inflaters_key, free_inflaters) == 0;
}

static spate_status no_memory(spate_error *error) {
    return spate_fail(error, SPATE_NO_MEMORY, NULL, "no memory to inflate");
}

/* Returns NULL if out of memory. */
static thread_inflaters *inflaters_of_thread(void) {
    if (pthread_once(&once, make_key) != 0 || !key_made)
        return NULL;
    thread_inflaters *inflaters = pthread_getspecific(inflaters_key);
    if (inflaters != NULL)
        return inflaters;
    inflaters = calloc(1, sizeof *inflaters);
    if (inflaters != NULL && pthread_setspecific(inflaters_key, inflaters) != 0) {
        free(inflaters);
        return NULL;
    }
    return inflaters;
}

size_t spate_gzip_claimed_length(const uint8_t *input, size_t length) {
    if (length < GZIP_SMALLEST)
        return 0;
    const uint8_t *end = input + length;
    return (size_t)end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 | (size_t)end[-1] << 24;
}

const char *spate_inflate_backend(void) {
#ifdef SPATE_HAVE_LIBDEFLATE
    return "libdeflate " LIBDEFLATE_VERSION_STRING;
#else
    return "zlib " ZLIB_VERSION;
#endif
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t times(size_t factor, size_t value) {
    return value > SIZE_MAX / factor ? SIZE_MAX : factor * value;
}

static size_t first_guess(spate_container container, const uint8_t *input, size_t length) {
    size_t plausible = larger(times(TRUSTED_RATIO, length), SMALLEST_GUESS);
    if (container == SPATE_GZIP || container == SPATE_GZIP_FIRST)
        return smaller(larger(spate_gzip_claimed_length(input, length), 1), plausible);
    return larger(times(4, length), SMALLEST_GUESS);
}

static spate_status over_limit(size_t max_output, spate_error *error) {
    return spate_fail(error, SPATE_LIMIT, NULL, "more than %zu bytes when inflated", max_output);
}

/* Increases the capacity of the output. Returns SPATE_LIMIT if it has reached the limit. */
static spate_status grow(spate_buffer *output, size_t length, size_t max_output, spate_error *error) {
    if (output->capacity >= max_output)
        return over_limit(max_output, error);
    size_t wanted = larger(times(2, output->capacity), larger(times(4, length), SMALLEST_GUESS));
    return spate_buffer_reserve(output, smaller(wanted, max_output)) == SPATE_OK ? SPATE_OK : no_memory(error);
}

static uInt as_available(size_t bytes) {
    return bytes > UINT_MAX ? UINT_MAX : (uInt)bytes;
}

static spate_status ready_zlib(thread_inflaters *inflaters, spate_error *error) {
    if (inflaters->zlib_made)
        return inflateReset(&inflaters->zlib) == Z_OK ? SPATE_OK : no_memory(error);
    if (inflateInit2(&inflaters->zlib, -MAX_WBITS) != Z_OK)
        return no_memory(error);
    inflaters->zlib_made = true;
    return SPATE_OK;
}

static spate_status inflate_with_zlib(thread_inflaters *inflaters, const uint8_t *input, size_t length,
                                      size_t max_output, spate_buffer *output, size_t *used, spate_error *error) {
    spate_status status = ready_zlib(inflaters, error);
    if (status != SPATE_OK)
        return status;
    z_stream *zlib = &inflaters->zlib;
    size_t read = 0;
    for (;;) {
        uint8_t beyond; /* receives one byte when the limit is reached, to detect a longer stream */
        size_t room = smaller(output->capacity, max_output) - output->length;
        if (room == 0 && output->capacity < max_output) {
            status = grow(output, length, max_output, error);
            if (status != SPATE_OK)
                return status;
            continue;
        }
        zlib->next_in = (Bytef *)(uintptr_t)(input + read);
        zlib->avail_in = as_available(length - read);
        zlib->next_out = room == 0 ? &beyond : output->bytes + output->length;
        zlib->avail_out = room == 0 ? 1 : as_available(room);
        uInt had_in = zlib->avail_in;
        uInt had_out = zlib->avail_out;

        int answer = inflate(zlib, Z_NO_FLUSH);
        size_t took = had_in - zlib->avail_in;
        size_t produced = had_out - zlib->avail_out;
        read += took;
        if (room == 0 && produced > 0)
            return over_limit(max_output, error);
        output->length += produced;
        switch (answer) {
        case Z_STREAM_END: *used = read; return SPATE_OK;
        case Z_OK: break;
        case Z_BUF_ERROR: break; /* made no progress: handled below */
        case Z_MEM_ERROR: return no_memory(error);
        default:
            return spate_fail(error, SPATE_CORRUPT, NULL, "the compressed data is damaged: %s",
                              zlib->msg == NULL ? "unknown block" : zlib->msg);
        }
        if (took == 0 && produced == 0)
            return spate_fail(error, SPATE_TRUNCATED, NULL, "the compressed data ends before its last block");
    }
}

/* A backend inflates one deflate stream, appends the content to `output` and sets *used to the length of the stream. */
typedef spate_status backend(thread_inflaters *inflaters, const uint8_t *input, size_t length, size_t max_output,
                             spate_buffer *output, size_t *used, spate_error *error);

#ifdef SPATE_HAVE_LIBDEFLATE
static spate_status inflate_with_libdeflate(thread_inflaters *inflaters, const uint8_t *input, size_t length,
                                            size_t max_output, spate_buffer *output, size_t *used, spate_error *error) {
    if (inflaters->libdeflate == NULL) {
        inflaters->libdeflate = libdeflate_alloc_decompressor();
        if (inflaters->libdeflate == NULL)
            return no_memory(error);
    }
    for (;;) { /* libdeflate cannot resume when the output is full: start again with more memory */
        size_t room = smaller(output->capacity, max_output) - output->length;
        size_t produced = 0;
        enum libdeflate_result result = libdeflate_deflate_decompress_ex(
            inflaters->libdeflate, input, length, output->bytes + output->length, room, used, &produced);
        if (result == LIBDEFLATE_SUCCESS) {
            output->length += produced;
            return SPATE_OK;
        }
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE)
            return SPATE_CORRUPT;
        spate_status status = grow(output, length, max_output, error);
        if (status != SPATE_OK)
            return status;
    }
}
#endif

/* Inflates one member with its header and trailer. Sets *end to the offset of its end. */
static spate_status inflate_member_with(backend *inflate_stream, thread_inflaters *inflaters, spate_container container,
                                        const uint8_t *input, size_t length, size_t max_output, spate_buffer *output,
                                        size_t *end, spate_error *error) {
    size_t header = 0;
    spate_status status = spate_container_open(container, input, length, &header, error);
    if (status != SPATE_OK)
        return status;
    size_t start = output->length;
    size_t used = 0;
    status = inflate_stream(inflaters, input + header, length - header, max_output, output, &used, error);
    if (status != SPATE_OK)
        return status;
    size_t produced = output->length - start;
    uint32_t sum =
        spate_container_sum(container, spate_container_sum_start(container), output->bytes + start, produced);
    size_t trailer = 0;
    size_t at = header + used;
    status = spate_container_close(container, input + at, length - at, sum, produced, &trailer, error);
    *end = at + trailer;
    return status;
}

static spate_status inflate_member(thread_inflaters *inflaters, spate_container container, const uint8_t *input,
                                   size_t length, size_t max_output, spate_buffer *output, size_t *end,
                                   spate_error *error) {
#ifdef SPATE_HAVE_LIBDEFLATE
    size_t start = output->length;
    spate_status status = inflate_member_with(inflate_with_libdeflate, inflaters, container, input, length, max_output,
                                              output, end, error);
    if (status == SPATE_OK || status == SPATE_LIMIT || status == SPATE_NO_MEMORY)
        return status;
    /*
     * Tries zlib for a better error: libdeflate does not distinguish truncated from damaged input, and detects some
     * damage later.
     */
    output->length = start;
#endif
    return inflate_member_with(inflate_with_zlib, inflaters, container, input, length, max_output, output, end, error);
}

spate_status spate_inflate_attempt(spate_container container, const uint8_t *input, size_t length, size_t max_output,
                                   spate_buffer *output, size_t *consumed) {
    output->length = 0;
    *consumed = 0;
#ifdef SPATE_HAVE_LIBDEFLATE
    thread_inflaters *inflaters = inflaters_of_thread();
    size_t guess = smaller(first_guess(container, input, length), max_output);
    if (inflaters == NULL || (output->capacity == 0 && spate_buffer_reserve(output, larger(guess, 1)) != SPATE_OK))
        return SPATE_NO_MEMORY;
    if (length == 0)
        return SPATE_TRUNCATED;
    spate_status status = inflate_member_with(inflate_with_libdeflate, inflaters, container, input, length, max_output,
                                              output, consumed, NULL);
    if (status != SPATE_OK)
        output->length = 0;
    return status;
#else
    (void)container, (void)input, (void)length, (void)max_output;
    return SPATE_CORRUPT;
#endif
}

static spate_status inflate_members(spate_container container, const uint8_t *input, size_t length, size_t max_output,
                                    spate_buffer *output, size_t *consumed, spate_error *error) {
    thread_inflaters *inflaters = inflaters_of_thread();
    size_t guess = smaller(first_guess(container, input, length), max_output);
    if (inflaters == NULL || spate_buffer_reserve(output, larger(guess, 1)) != SPATE_OK)
        return no_memory(error);
    size_t at = 0;
    bool another = true;
    while (another) {
        size_t end = 0;
        spate_status status =
            inflate_member(inflaters, container, input + at, length - at, max_output, output, &end, error);
        if (status != SPATE_OK)
            return status;
        at += end;
        if (consumed != NULL) {
            *consumed = at;
            return SPATE_OK;
        }
        status = spate_container_next(container, input + at, length - at, &another, error);
        if (status != SPATE_OK)
            return status;
    }
    return SPATE_OK;
}

spate_status spate_inflate(spate_container container, const uint8_t *input, size_t length, size_t max_output,
                           spate_buffer *output, size_t *consumed, spate_error *error) {
    static const uint8_t nothing;

    output->length = 0;
    if (consumed != NULL)
        *consumed = 0;
    if (length == 0)
        input = &nothing; /* `input` may be NULL, and arithmetic on NULL is undefined */
    spate_status status = inflate_members(container, input, length, max_output, output, consumed, error);
    if (status != SPATE_OK)
        output->length = 0;
    return status;
}
