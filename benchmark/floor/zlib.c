/*
 * The lower bound of the zlib benchmark: only runs zlib or libdeflate on many pieces, on THREADS threads.
 *
 *   zlib CORPUS inflate|deflate libdeflate|zlib THREADS kept|reused
 *
 * CORPUS: the number of pieces, then the lengths of each piece deflated and plain (8 bytes each, native byte order),
 * then the deflated pieces (RFC 1950), then the plain ones. kept: each result has a separate buffer, as in a batch.
 * reused: each thread has one buffer. Prints wall seconds, CPU seconds and the number of bytes written.
 */
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

#include "crew.h"

static uint64_t count;
static const uint64_t *lengths;
static const uint64_t *plain_lengths;
static const uint8_t **pieces;
static int inflating, with_libdeflate, kept;
static atomic_uint_fast64_t made;

#ifdef HAVE_LIBDEFLATE
static __thread struct libdeflate_decompressor *decompressor;
static __thread struct libdeflate_compressor *compressor;
#endif
static __thread z_stream stream;
static __thread int stream_made;
static __thread uint8_t *scratch;
static __thread size_t scratch_size;

static uint8_t *room(size_t size) {
    if (kept)
        return malloc(size);
    if (scratch_size < size) {
        free(scratch);
        scratch = malloc(scratch_size = size);
    }
    return scratch;
}

static size_t through_zlib(const uint8_t *in, size_t length, uint8_t *out, size_t size) {
    if (!stream_made)
        stream_made = inflating ? inflateInit(&stream) == Z_OK : deflateInit(&stream, 6) == Z_OK;
    else if (inflating)
        inflateReset(&stream);
    else
        deflateReset(&stream);
    stream.next_in = (Bytef *)(uintptr_t)in;
    stream.avail_in = (uInt)length;
    stream.next_out = out;
    stream.avail_out = (uInt)size;
    if ((inflating ? inflate(&stream, Z_FINISH) : deflate(&stream, Z_FINISH)) != Z_STREAM_END)
        fail("zlib");
    return size - stream.avail_out;
}

static size_t through_libdeflate(const uint8_t *in, size_t length, uint8_t *out, size_t size) {
#ifdef HAVE_LIBDEFLATE
    size_t produced = 0;
    if (inflating) {
        if (!decompressor)
            decompressor = libdeflate_alloc_decompressor();
        if (libdeflate_zlib_decompress(decompressor, in, length, out, size, &produced) != LIBDEFLATE_SUCCESS)
            fail("libdeflate");
        return produced;
    }
    if (!compressor)
        compressor = libdeflate_alloc_compressor(6);
    return libdeflate_zlib_compress(compressor, in, length, out, size);
#else
    (void)in, (void)length, (void)out, (void)size;
    exit(77);
#endif
}

static void work(size_t i) {
    size_t size = inflating ? plain_lengths[i] : compressBound(plain_lengths[i]);
    uint8_t *out = room(size);
    size_t length = inflating ? lengths[i] : plain_lengths[i];
    size_t produced = (with_libdeflate ? through_libdeflate : through_zlib)(pieces[i], length, out, size);
    if (kept && !inflating)
        out = realloc(out, produced);
    atomic_fetch_add(&made, produced);
}

static uint8_t *read_all(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        fail(path);
    long size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc((size_t)size);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size)
        fail(path);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    if (argc != 6)
        return 2;
    uint8_t *corpus = read_all(argv[1]);
    inflating = strcmp(argv[2], "inflate") == 0;
    with_libdeflate = strcmp(argv[3], "libdeflate") == 0;
    kept = strcmp(argv[5], "kept") == 0;
    memcpy(&count, corpus, 8);
    lengths = (const uint64_t *)(corpus + 8);
    plain_lengths = lengths + count;
    pieces = malloc(count * sizeof *pieces);
    const uint8_t *at = (const uint8_t *)(plain_lengths + count);
    for (uint64_t i = 0; !inflating && i < count; i++)
        at += lengths[i];
    for (uint64_t i = 0; i < count; i++) {
        pieces[i] = at;
        at += inflating ? lengths[i] : plain_lengths[i];
    }
    double began = seconds(), cpu = cpu_seconds();
    unsigned threads = (unsigned)atoi(argv[4]);
    size_t step = count / (threads * 4);
    run(threads, count, step < 1 ? 1 : step > 16 ? 16 : step, work);
    printf("%.6f %.6f %llu\n", seconds() - began, cpu_seconds() - cpu, (unsigned long long)made);
    return 0;
}
