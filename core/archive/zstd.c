#include "archive/zstd.h"

#include "base/descriptor.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __APPLE__
#define LIBRARY "libzstd.1.dylib"
#else
#define LIBRARY "libzstd.so.1"
#endif
#define PIECE ((size_t)128 << 10)
#define OLDEST 10400

/* Constants of the library's stable interface, from its manual. */
#define PARAMETER_LEVEL 100
#define PARAMETER_WINDOW_LOG 101
#define PARAMETER_CHECKSUM 201
#define PARAMETER_WINDOW_LOG_MAX 100
#define WINDOW_LOG 23 /* the window size of level 19, and the limit for decompression */
enum { CONTINUE = 0, END = 2 };

typedef struct input {
    const void *bytes;
    size_t length;
    size_t at;
} input;

typedef struct output {
    void *bytes;
    size_t capacity;
    size_t at;
} output;

/* In the same order as `names`. */
typedef struct library {
    unsigned (*version)(void);
    unsigned (*is_error)(size_t code);
    const char *(*error_name)(size_t code);
    void *(*make_compressor)(void);
    size_t (*free_compressor)(void *context);
    size_t (*set_compressor)(void *context, int parameter, int value);
    size_t (*compress)(void *context, output *out, input *in, int end);
    void *(*make_expander)(void);
    size_t (*free_expander)(void *context);
    size_t (*set_expander)(void *context, int parameter, int value);
    size_t (*expand)(void *context, output *out, input *in);
} library;

static const char *const names[] = {"ZSTD_versionNumber",     "ZSTD_isError",         "ZSTD_getErrorName",
                                    "ZSTD_createCCtx",        "ZSTD_freeCCtx",        "ZSTD_CCtx_setParameter",
                                    "ZSTD_compressStream2",   "ZSTD_createDCtx",      "ZSTD_freeDCtx",
                                    "ZSTD_DCtx_setParameter", "ZSTD_decompressStream"};
#define NAMES (sizeof(names) / sizeof(*names))
_Static_assert(sizeof(library) == NAMES * sizeof(void *), "a name for each function");

static library zstd;
static char missing[256];
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    void *found[NAMES];
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror();
        snprintf(missing, sizeof(missing), "%s", reason ? reason : LIBRARY " cannot be loaded");
        return;
    }
    for (size_t i = 0; i < NAMES && !missing[0]; i++) {
        found[i] = dlsym(handle, names[i]);
        if (!found[i])
            snprintf(missing, sizeof(missing), LIBRARY " has no %s", names[i]);
    }
    if (!missing[0])
        memcpy(&zstd, found, sizeof(zstd));
    if (!missing[0] && zstd.version() < OLDEST)
        snprintf(missing, sizeof(missing), LIBRARY " is of version %u, expected %u or newer", zstd.version(), OLDEST);
    if (missing[0])
        dlclose(handle);
}

const char *spate_zstd_missing(void) {
    if (pthread_once(&loaded, load) != 0)
        return "pthread_once failed";
    return missing[0] ? missing : NULL;
}

/* State shared by compression and decompression. `context` is a ZSTD_CCtx or ZSTD_DCtx. */
typedef struct work {
    int from;
    int to;
    void *context;
    uint8_t *in;
    uint8_t *out;
    const spate_cancel *cancel;
    spate_error *error;
} work;

static spate_status begin(work *w, void *(*make)(void)) {
    w->context = make();
    w->in = malloc(PIECE);
    w->out = malloc(PIECE);
    return w->context && w->in && w->out ? SPATE_OK : spate_fail(w->error, SPATE_NO_MEMORY, "", "no memory for zstd");
}

static spate_status end(work *w, size_t (*release)(void *), spate_status status) {
    size_t code = w->context ? release(w->context) : 0;
    free(w->in);
    free(w->out);
    if (status == SPATE_OK && zstd.is_error(code))
        return spate_fail(w->error, SPATE_CORRUPT, "", "zstd: %s", zstd.error_name(code));
    return status;
}

/* Also returns SPATE_CORRUPT for a valid frame that requires a larger window or more memory. */
static spate_status checked(const work *w, size_t code) {
    return zstd.is_error(code) ? spate_fail(w->error, SPATE_CORRUPT, "", "zstd: %s", zstd.error_name(code)) : SPATE_OK;
}

static spate_status take(const work *w, input *in) {
    int64_t got = spate_read_full(w->from, w->in, PIECE);
    if (got < 0)
        return spate_fail_errno(w->error, "", "read");
    *in = (input){w->in, (size_t)got, 0};
    return spate_cancelled(w->cancel, w->error);
}

static spate_status write_output(const work *w, const output *out) {
    return spate_write_all(w->to, out->bytes, out->at) ? SPATE_OK : spate_fail_errno(w->error, "", "write");
}

static spate_status compress_all(work *w) {
    for (bool last = false; !last;) {
        input in;
        spate_status status = take(w, &in);
        last = in.length < PIECE;
        for (size_t left = 1; status == SPATE_OK && (last ? left != 0 : in.at < in.length);) {
            output out = {w->out, PIECE, 0};
            left = zstd.compress(w->context, &out, &in, last ? END : CONTINUE);
            status = checked(w, left);
            if (status == SPATE_OK)
                status = write_output(w, &out);
        }
        if (status != SPATE_OK)
            return status;
    }
    return SPATE_OK;
}

spate_status spate_zstd_compress(int from, int to, int level, const spate_cancel *cancel, spate_error *error) {
    const char *reason = spate_zstd_missing();
    if (reason)
        return spate_fail(error, SPATE_SYSTEM, "", "%s", reason);
    work w = {.from = from, .to = to, .cancel = cancel, .error = error};
    spate_status status = begin(&w, zstd.make_compressor);
    if (status == SPATE_OK)
        status = checked(&w, zstd.set_compressor(w.context, PARAMETER_LEVEL, level));
    if (status == SPATE_OK)
        status = checked(&w, zstd.set_compressor(w.context, PARAMETER_WINDOW_LOG, WINDOW_LOG));
    if (status == SPATE_OK)
        status = checked(&w, zstd.set_compressor(w.context, PARAMETER_CHECKSUM, 1));
    if (status == SPATE_OK)
        status = compress_all(&w);
    return end(&w, zstd.free_compressor, status);
}

static spate_status expand_piece(work *w, input *in, uint64_t *left, size_t *hint) {
    for (bool full = true; *hint != 0 && (in->at < in->length || full);) {
        output out = {w->out, PIECE, 0};
        *hint = zstd.expand(w->context, &out, in);
        spate_status status = checked(w, *hint);
        if (status != SPATE_OK)
            return status;
        if (out.at > *left)
            return spate_fail(w->error, SPATE_LIMIT, "", "zstd: more bytes than are allowed");
        *left -= out.at;
        full = out.at == out.capacity;
        status = write_output(w, &out);
        if (status != SPATE_OK)
            return status;
    }
    return SPATE_OK;
}

static spate_status expand_all(work *w, uint64_t left) {
    size_t hint = 1; /* 0 at the frame's end */
    for (;;) {
        input in;
        spate_status status = take(w, &in);
        if (status == SPATE_OK && hint != 0 && in.length > 0)
            status = expand_piece(w, &in, &left, &hint);
        if (status != SPATE_OK)
            return status;
        if (in.at < in.length)
            return spate_fail(w->error, SPATE_CORRUPT, "", "zstd: bytes behind the frame");
        if (in.length < PIECE)
            return hint == 0 ? SPATE_OK : spate_fail(w->error, SPATE_TRUNCATED, "", "zstd: ends within the frame");
    }
}

spate_status spate_zstd_expand(int from, int to, uint64_t max, const spate_cancel *cancel, spate_error *error) {
    const char *reason = spate_zstd_missing();
    if (reason)
        return spate_fail(error, SPATE_SYSTEM, "", "%s", reason);
    work w = {.from = from, .to = to, .cancel = cancel, .error = error};
    spate_status status = begin(&w, zstd.make_expander);
    if (status == SPATE_OK)
        status = checked(&w, zstd.set_expander(w.context, PARAMETER_WINDOW_LOG_MAX, WINDOW_LOG));
    if (status == SPATE_OK)
        status = expand_all(&w, max);
    return end(&w, zstd.free_expander, status);
}
