/* Prints MB/s of inflating one gzip file: whole, as a stream, and zlib alone; then of walking it as a tar. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

#include "archive/tar.h"
#include "digest/digest.h"

#define ROUNDS 7
#define STEP ((size_t)256 * 1024)

static uint8_t *input;
static size_t input_length;
static spate_buffer output;

static double now(void) {
    struct timespec time;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 ? (double)time.tv_sec + (double)time.tv_nsec / 1e9 : 0;
}

static void whole(void) {
    spate_error error;
    if (spate_inflate(SPATE_GZIP_FIRST, input, input_length, (size_t)4 << 30, &output, NULL, &error) != SPATE_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
}

static void stream(void) {
    spate_inflate_stream *opened;
    uint8_t *piece = malloc(STEP);
    size_t produced = 1;
    spate_status status = piece == NULL ? SPATE_NO_MEMORY
                                        : spate_inflate_open(&opened, SPATE_GZIP_FIRST, input, input_length, UINT64_MAX, NULL);
    while (status == SPATE_OK && produced > 0) {
        status = spate_inflate_read(opened, piece, STEP, &produced, NULL);
    }
    if (status != SPATE_OK) {
        exit(1);
    }
    spate_inflate_close(opened);
    free(piece);
}

/* The floor to compare with: zlib's own gzip reading into a buffer that is large enough. */
static void zlib_alone(void) {
    z_stream zlib = {0};
    if (inflateInit2(&zlib, 31) != Z_OK) {
        exit(1);
    }
    zlib.next_in = input;
    zlib.avail_in = (uInt)input_length;
    zlib.next_out = output.bytes;
    zlib.avail_out = (uInt)output.capacity;
    if (inflate(&zlib, Z_FINISH) != Z_STREAM_END || inflateEnd(&zlib) != Z_OK) {
        exit(1);
    }
}

static void walk(void) {
    spate_tar *tar;
    spate_tar_entry entry;
    bool more = true;
    if (spate_tar_open_memory(&tar, output.bytes, output.length, NULL) != SPATE_OK) {
        exit(1);
    }
    while (spate_tar_next(tar, &entry, &more, NULL) == SPATE_OK && more) {
    }
    spate_tar_close(tar);
}

static void hash(void) {
    uint8_t digest[SPATE_SHA256_BYTES];
    if (spate_digest_once(SPATE_SHA256, output.bytes, output.length, digest) != SPATE_OK) {
        exit(1);
    }
}

/* The best of some rounds, by this thread's processor time: the machine may be shared. */
static void measure(const char *name, void (*work)(void)) {
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        work();
        double taken = now() - start;
        best = taken < best ? taken : best;
    }
    printf("%-24s %8.3f ms %9.0f MB/s\n", name, best * 1e3, (double)output.length / 1e6 / best);
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "usage: %s FILE.gz\n", argv[0]);
        return 2;
    }
    long length = ftell(file);
    rewind(file);
    input = malloc((size_t)length + 1);
    input_length = input == NULL ? 0 : fread(input, 1, (size_t)length, file);
    if (fclose(file) != 0 || input_length != (size_t)length) {
        return 1;
    }
    whole();
    printf("%zu bytes, inflated %zu\n", input_length, output.length);
    measure(spate_inflate_backend(), whole);
    measure("stream", stream);
    measure("zlib " ZLIB_VERSION " alone", zlib_alone);
    measure("SHA-256", hash);
    measure("walk as tar", walk);
    spate_buffer_free(&output);
    free(input);
    return 0;
}
