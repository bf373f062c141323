#include "batch/pool.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "gzip/gzip.h"
#include "oneshot/oneshot.h"

/* Longer results are allocated separately. */
#define SLAB_RESULT_MAX ((size_t)64 * 1024)
#define SLAB_SIZE ((size_t)1024 * 1024)

/*
 * libdeflate cannot be interrupted: longer items are processed by zlib in steps. These lengths take about 30 ms; higher
 * levels and zlib are slower.
 */
#define UNINTERRUPTED_OUTPUT ((uint64_t)16 * 1024 * 1024)
#define UNINTERRUPTED_INPUT ((size_t)2 * 1024 * 1024)
#define UNINTERRUPTED_SLOW_INPUT ((size_t)256 * 1024)
#define STEP ((size_t)256 * 1024)

/* Maximum number of items that a thread takes at once. */
#define CHUNK_MAX 64

static bool interrupted(const spate_batch *batch) {
    return batch->interrupt && batch->interrupt->requested;
}

static void set_state(spate_item *item, spate_item_state state) {
    atomic_store_explicit(&item->state, (uint8_t)state, memory_order_release);
}

static spate_item_state state_of(spate_item *item) {
    return (spate_item_state)atomic_load_explicit(&item->state, memory_order_acquire);
}

static void fail_for_memory(spate_batch *batch) {
    atomic_store(&batch->no_memory, true);
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

static uint8_t *slab_room(spate_batch_worker *worker, size_t length) {
    spate_slab *slab = worker->last;
    if (!slab || slab->size - slab->used < length) {
        slab = malloc(sizeof *slab + SLAB_SIZE);
        if (!slab)
            return NULL;
        slab->next = NULL;
        slab->used = 0;
        slab->size = SLAB_SIZE;
        if (worker->last)
            worker->last->next = slab;
        else
            worker->first = slab;
        worker->last = slab;
    }
    uint8_t *room = slab->bytes + slab->used;
    slab->used += length ? length : 1; /* each result has a distinct address, see spate_batch_release_slabs_before */
    return room;
}

/*
 * Stores the bytes of `scratch` as the item's result. Copies a short result, and takes over the memory of a long one.
 */
static void keep(spate_batch_worker *worker, spate_item *item, spate_buffer *scratch) {
    item->produced = scratch->length;
    if (scratch->length <= SLAB_RESULT_MAX) {
        item->output = slab_room(worker, scratch->length);
        if (!item->output) {
            fail_for_memory(worker->batch);
            return;
        }
        memcpy(item->output, scratch->bytes, scratch->length);
        item->worker = worker->number;
        set_state(item, SPATE_ITEM_SLAB);
        return;
    }
    uint8_t *fitting = realloc(scratch->bytes, scratch->length);
    item->output = fitting ? fitting : scratch->bytes;
    memset(scratch, 0, sizeof *scratch);
    set_state(item, SPATE_ITEM_OWN);
}

/* ---- Inflate ----------------------------------------------------------------------------------------------------- */

spate_batch_format spate_batch_format_of(const spate_batch *batch, const spate_item *item) {
    if (batch->format != SPATE_BATCH_AUTO)
        return batch->format;
    bool gzip = item->length >= 2 && item->input[0] == 0x1f && item->input[1] == 0x8b;
    return gzip ? SPATE_BATCH_GZIP : SPATE_BATCH_ZLIB;
}

static uint32_t read32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static bool grow(spate_buffer *buffer, uint64_t most) {
    if (buffer->capacity >= most)
        return false;
    size_t wanted = buffer->capacity < STEP ? STEP : buffer->capacity * 2;
    return spate_buffer_reserve(buffer, wanted < most ? wanted : (size_t)most) == SPATE_OK;
}

/* Returns zlib's code; Z_BUF_ERROR also for a limit, lack of memory or an interrupt. */
static int inflate_stepwise(spate_batch *batch, z_stream *zlib, const uint8_t *input, size_t length,
                            spate_buffer *output) {
    size_t at = 0;
    output->length = 0;
    for (;;) {
        if (interrupted(batch) || (output->length == output->capacity && !grow(output, batch->max_output)))
            return Z_BUF_ERROR;
        size_t room = output->capacity - output->length < STEP ? output->capacity - output->length : STEP;
        size_t left = length - at < UINT_MAX ? length - at : UINT_MAX;
        zlib->next_in = (Bytef *)(uintptr_t)(input + at);
        zlib->avail_in = (uInt)left;
        zlib->next_out = output->bytes + output->length;
        zlib->avail_out = (uInt)room;
        int answer = inflate(zlib, Z_NO_FLUSH);
        size_t took = left - zlib->avail_in;
        size_t made = room - zlib->avail_out;
        at += took;
        output->length += made;
        if (answer != Z_OK || (took == 0 && made == 0))
            return answer == Z_OK ? Z_BUF_ERROR : answer;
    }
}

/* Inflates the whole item with zlib, which checks header and trailer. Returns false if it is invalid or interrupted. */
static bool inflate_long(spate_batch *batch, spate_item *item, spate_batch_format format, spate_buffer *output) {
    z_stream zlib = {0};
    int wbits = format == SPATE_BATCH_GZIP ? MAX_WBITS + 16 : format == SPATE_BATCH_RAW ? -MAX_WBITS : MAX_WBITS;
    if (inflateInit2(&zlib, wbits) != Z_OK) {
        fail_for_memory(batch);
        return false;
    }
    int answer = inflate_stepwise(batch, &zlib, item->input, item->length, output);
    (void)inflateEnd(&zlib);
    return answer == Z_STREAM_END;
}

typedef enum outcome { GOOD, BAD, TOO_LONG } outcome;

/* Inflates at most `most` bytes into `output`. */
static outcome inflate_short(const spate_item *item, spate_batch_format format, uint64_t most, spate_buffer *output) {
    spate_oneshot_result result;
    if (format != SPATE_BATCH_GZIP) {
        spate_oneshot_inflate_bytes(format == SPATE_BATCH_RAW ? SPATE_RAW : SPATE_ZLIB, item->input, item->length, most,
                                    false, output, &result);
        return result.limited ? TOO_LONG : result.answer == Z_OK ? GOOD : BAD;
    }
    size_t header = spate_gzip_header_length(item->input, item->length);
    if (!header)
        return BAD;
    const uint8_t *body = item->input + header;
    size_t length = item->length - header;
    spate_oneshot_inflate_bytes(SPATE_RAW, body, length, most, true, output, &result);
    if (result.limited)
        return TOO_LONG;
    if (result.answer != Z_OK || length - result.consumed < SPATE_GZIP_FOOTER)
        return BAD;
    const uint8_t *footer = body + result.consumed;
    return read32(footer) == result.sum && read32(footer + 4) == (uint32_t)output->length ? GOOD : BAD;
}

static bool inflate_direct(spate_item *item, spate_batch_format format, outcome *was) {
    spate_buffer direct = {.bytes = item->output, .capacity = item->capacity};
    *was = inflate_short(item, format, item->capacity, &direct); /* no more than the capacity, so it is never moved */
    if (*was != GOOD)
        return false;
    item->produced = direct.length;
    set_state(item, SPATE_ITEM_DIRECT);
    return true;
}

static void inflate_item(spate_batch_worker *worker, spate_item *item, spate_buffer *scratch) {
    spate_batch *batch = worker->batch;
    spate_batch_format format = spate_batch_format_of(batch, item);
    outcome was = TOO_LONG;
    if (item->output && item->capacity && inflate_direct(item, format, &was))
        return;
    uint64_t most = batch->max_output < UNINTERRUPTED_OUTPUT ? batch->max_output : UNINTERRUPTED_OUTPUT;
    if (was == TOO_LONG)
        was = inflate_short(item, format, most, scratch);
    if (was == TOO_LONG && most < batch->max_output)
        was = inflate_long(batch, item, format, scratch) ? GOOD : BAD;
    if (was == GOOD)
        keep(worker, item, scratch);
    else if (!interrupted(batch))
        set_state(item, SPATE_ITEM_FAILED); /* a separate call for this item raises its error */
}

/* ---- Deflate ----------------------------------------------------------------------------------------------------- */

static bool deflate_long(spate_batch *batch, const spate_item *item, int wbits, spate_buffer *output) {
    z_stream zlib = {0};
    if (deflateInit2(&zlib, batch->level, Z_DEFLATED, wbits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    size_t at = 0;
    int answer = Z_OK;
    while (answer == Z_OK && !interrupted(batch)) {
        if (output->capacity - output->length < STEP && !grow(output, SIZE_MAX))
            break;
        size_t left = item->length - at < STEP ? item->length - at : STEP;
        size_t room = output->capacity - output->length < UINT_MAX ? output->capacity - output->length : UINT_MAX;
        zlib.next_in = (Bytef *)(uintptr_t)(item->input + at);
        zlib.avail_in = (uInt)left;
        zlib.next_out = output->bytes + output->length;
        zlib.avail_out = (uInt)room;
        answer = deflate(&zlib, at + left == item->length ? Z_FINISH : Z_NO_FLUSH);
        at += left - zlib.avail_in;
        output->length += room - zlib.avail_out;
    }
    (void)deflateEnd(&zlib);
    return answer == Z_STREAM_END;
}

static bool deflate_short(spate_batch *batch, const spate_item *item, spate_buffer *output) {
    spate_container container = batch->format == SPATE_BATCH_ZLIB ? SPATE_ZLIB : SPATE_RAW;
    return spate_oneshot_deflate_bytes(container, item->input, item->length, batch->level, batch->identical, output);
}

static bool wrap_gzip(spate_batch *batch, const spate_item *item, spate_buffer *output) {
    size_t length = output->length;
    if (spate_buffer_reserve(output, length + SPATE_GZIP_HEADER + SPATE_GZIP_FOOTER) != SPATE_OK)
        return false;
    memmove(output->bytes + SPATE_GZIP_HEADER, output->bytes, length);
    spate_gzip_write_header(output->bytes, batch->level, batch->mtime);
    uint8_t *footer = output->bytes + SPATE_GZIP_HEADER + length;
    uint32_t sum = spate_crc32(0, item->input, item->length);
    for (int i = 0; i < 4; i++) {
        footer[i] = (uint8_t)(sum >> (8 * i));
        footer[4 + i] = (uint8_t)(item->length >> (8 * i));
    }
    output->length = length + SPATE_GZIP_HEADER + SPATE_GZIP_FOOTER;
    return true;
}

static void deflate_item(spate_batch_worker *worker, spate_item *item, spate_buffer *scratch) {
    spate_batch *batch = worker->batch;
    scratch->length = 0;
    bool slow = batch->identical || batch->level > 6;
    bool good = item->length > (slow ? UNINTERRUPTED_SLOW_INPUT : UNINTERRUPTED_INPUT)
                    ? deflate_long(batch, item, batch->format == SPATE_BATCH_ZLIB ? MAX_WBITS : -MAX_WBITS, scratch)
                    : deflate_short(batch, item, scratch);
    if (good && batch->format == SPATE_BATCH_GZIP)
        good = wrap_gzip(batch, item, scratch);
    if (good)
        keep(worker, item, scratch);
    else if (!interrupted(batch))
        fail_for_memory(batch); /* the only possible error */
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

static void crc32_item(spate_item *item) {
    item->produced = spate_crc32(0, item->input, item->length);
    set_state(item, SPATE_ITEM_SUM);
}

static void run_item(spate_batch_worker *worker, spate_item *item, spate_buffer *scratch) {
    if (state_of(item) != SPATE_ITEM_UNDONE)
        return;
    switch (worker->batch->work) {
    case SPATE_BATCH_INFLATE: inflate_item(worker, item, scratch); return;
    case SPATE_BATCH_DEFLATE: deflate_item(worker, item, scratch); return;
    case SPATE_BATCH_CRC32: crc32_item(item); return;
    }
}

static size_t chunk_of(const spate_batch *batch, size_t taken) {
    size_t share = taken < batch->count ? (batch->count - taken) / ((size_t)batch->threads * 4) : 1;
    return share < 1 ? 1 : share > CHUNK_MAX ? CHUNK_MAX : share;
}

static void *worker_main(void *argument) {
    spate_batch_worker *worker = argument;
    spate_batch *batch = worker->batch;
    spate_buffer scratch = {0};
    for (;;) {
        size_t chunk = chunk_of(batch, atomic_load(&batch->next));
        size_t begin = atomic_fetch_add(&batch->next, chunk);
        if (begin >= batch->count)
            break;
        size_t end = batch->count - begin < chunk ? batch->count : begin + chunk;
        for (size_t i = begin; i < end; i++) {
            if (interrupted(batch) || atomic_load_explicit(&batch->no_memory, memory_order_relaxed))
                goto out;
            run_item(worker, &batch->items[i], &scratch);
        }
    }
out:
    spate_buffer_free(&scratch);
    return NULL;
}

/* Starts up to `threads` - 1 threads. Failures are ignored, because the calling thread also processes items. */
static unsigned start_threads(spate_batch *batch, pthread_t *ids) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    bool masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0; /* the new threads must not receive signals */
    unsigned started = 0;
    while (started + 1 < batch->threads &&
           pthread_create(&ids[started], NULL, worker_main, &batch->workers[started + 1]) == 0)
        started++;
    if (masked)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

bool spate_batch_run(void *context, spate_interrupt *interrupt) {
    spate_batch *batch = context;
    pthread_t ids[SPATE_BATCH_THREADS_MAX];
    batch->interrupt = interrupt;
    atomic_store(&batch->next, 0); /* when a run is continued, finished items are skipped */
    unsigned started = start_threads(batch, ids);
    worker_main(&batch->workers[0]);
    for (unsigned i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    bool stopped = interrupted(batch);
    batch->interrupt = NULL;
    if (!stopped || atomic_load(&batch->no_memory))
        return true;
    for (size_t i = 0; i < batch->count; i++)
        if (state_of(&batch->items[i]) == SPATE_ITEM_UNDONE)
            return false;
    return true;
}

size_t spate_batch_sample(spate_batch *batch, spate_item *item, size_t max) {
    spate_buffer scratch = {0};
    uint64_t limit = batch->max_output < max ? batch->max_output : max;
    outcome was = inflate_short(item, spate_batch_format_of(batch, item), limit, &scratch);
    size_t length = was == TOO_LONG ? (size_t)limit : scratch.length;
    if (was == GOOD)
        keep(&batch->workers[0], item, &scratch);
    spate_buffer_free(&scratch);
    return length;
}

void spate_batch_release_slabs_before(spate_batch *batch, const spate_item *item) {
    spate_batch_worker *worker = &batch->workers[item->worker];
    spate_slab *slab = worker->first;
    while (slab && !(item->output >= slab->bytes && item->output < slab->bytes + slab->size)) {
        worker->first = slab->next;
        free(slab);
        slab = worker->first;
    }
}

void spate_batch_clear(spate_batch *batch) {
    for (unsigned i = 0; i < batch->threads; i++) {
        for (spate_slab *slab = batch->workers[i].first, *next; slab; slab = next) {
            next = slab->next;
            free(slab);
        }
        batch->workers[i].first = batch->workers[i].last = NULL;
    }
    for (size_t i = 0; i < batch->count; i++)
        if (state_of(&batch->items[i]) == SPATE_ITEM_OWN)
            free(batch->items[i].output);
}
