/*
 * A thread pool that inflates, deflates or checksums many buffers. No Ruby.
 *
 *   items ──► threads ──► direct: memory allocated by the caller, if it could estimate the size
 *                     ├─► slab:   small results, one after another in memory of a thread
 *                     └─► own:    allocated by malloc for each result
 */
#ifndef SPATE_ZLIB_BATCH_POOL_H
#define SPATE_ZLIB_BATCH_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/release.h"

#define SPATE_BATCH_THREADS_MAX 256

typedef enum spate_batch_work { SPATE_BATCH_INFLATE, SPATE_BATCH_DEFLATE, SPATE_BATCH_CRC32 } spate_batch_work;

/* AUTO: gzip if the input begins with gzip's magic number, else zlib. */
typedef enum spate_batch_format {
    SPATE_BATCH_AUTO,
    SPATE_BATCH_ZLIB,
    SPATE_BATCH_GZIP,
    SPATE_BATCH_RAW
} spate_batch_format;

typedef enum spate_item_state {
    SPATE_ITEM_UNDONE,
    SPATE_ITEM_DIRECT,
    SPATE_ITEM_SLAB,
    SPATE_ITEM_OWN,
    SPATE_ITEM_SUM,
    SPATE_ITEM_FAILED
} spate_item_state;

typedef struct spate_item {
    const uint8_t *input; /* owned by the caller */
    size_t length;
    uint8_t *output;       /* the result; before the run: direct memory or NULL */
    size_t capacity;       /* size of the direct memory */
    size_t produced;       /* bytes of output, or the CRC-32 */
    unsigned worker;       /* the number of the worker that owns the slab */
    bool locked;           /* for the caller's use */
    _Atomic uint8_t state; /* spate_item_state */
} spate_item;

typedef struct spate_slab {
    struct spate_slab *next;
    size_t used;
    size_t size;
    uint8_t bytes[];
} spate_slab;

typedef struct spate_batch_worker {
    struct spate_batch *batch;
    unsigned number;
    spate_slab *first; /* the slabs, in the order in which they were filled */
    spate_slab *last;
} spate_batch_worker;

typedef struct spate_batch {
    spate_batch_work work;
    spate_batch_format format;
    int level;
    bool identical;
    uint32_t mtime;
    uint64_t max_output; /* maximum output of each item in bytes */
    spate_item *items;
    size_t count;
    unsigned threads;
    atomic_size_t next;
    atomic_bool no_memory;
    spate_interrupt *interrupt;
    spate_batch_worker *workers;
} spate_batch;

/* A spate_stepwise: processes all unfinished items. Sets `no_memory` when out of memory. */
bool spate_batch_run(void *batch, spate_interrupt *interrupt);

/* Inflates one item and returns its length, at most `max`. The item is done, unless it is invalid or larger. */
size_t spate_batch_sample(spate_batch *batch, spate_item *item, size_t max);

/* Frees the slabs before the one with the output of `item`. Call it for items in ascending order. */
void spate_batch_release_slabs_before(spate_batch *batch, const spate_item *item);

/* Frees the memory that the pool allocated. The caller frees items and workers. */
void spate_batch_clear(spate_batch *batch);

/* Returns the format of an item: that of the batch or, for AUTO, the detected one. */

spate_batch_format spate_batch_format_of(const spate_batch *batch, const spate_item *item);
#endif
