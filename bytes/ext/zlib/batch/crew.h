/*
 * Many buffers through zlib, libdeflate or CRC-32 at once, on several threads. No Ruby.
 *
 *   items ──► crew of threads ──► direct: memory that the caller made, where the size could be guessed
 *                             ├─► slab:   small results, one behind the other in a thread's own memory
 *                             └─► own:    malloc'd by themselves
 */
#ifndef SPATE_ZLIB_BATCH_CREW_H
#define SPATE_ZLIB_BATCH_CREW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/release.h"

#define SPATE_BATCH_THREADS_MAX 256

typedef enum spate_batch_work { SPATE_BATCH_INFLATE, SPATE_BATCH_DEFLATE, SPATE_BATCH_CRC32 } spate_batch_work;

/* AUTO: gzip if it begins like one, else zlib. */
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
    const uint8_t *input; /* borrowed */
    size_t length;
    uint8_t *output;       /* before: direct memory or NULL */
    size_t capacity;       /* of direct memory */
    size_t produced;       /* bytes of output; or the CRC-32 */
    unsigned worker;       /* whose slab */
    bool locked;           /* the caller's */
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
    spate_slab *first; /* in the order in which they were filled */
    spate_slab *last;
} spate_batch_worker;

typedef struct spate_batch {
    spate_batch_work work;
    spate_batch_format format;
    int level;
    bool identical;
    uint32_t mtime;
    uint64_t max_output; /* of each item */
    spate_item *items;
    size_t count;
    unsigned threads;
    atomic_size_t next;
    atomic_bool no_memory;
    spate_interrupt *interrupt;
    spate_batch_worker *workers;
} spate_batch;

/* Runs all unfinished items; false if the interrupt came first (call again to continue). */
bool spate_batch_run(void *batch, spate_interrupt *interrupt);

/* Inflates one item now and returns its length; the item is then done, unless it is bad or larger than `most`. */
size_t spate_batch_sample(spate_batch *batch, spate_item *item, size_t most);

/* Frees the slabs before the one with this output. For items in ascending order. */
void spate_batch_release_slabs_before(spate_batch *batch, const spate_item *item);

/* Frees everything that the crew allocated. Items and workers are the caller's. */
void spate_batch_clear(spate_batch *batch);

spate_batch_format spate_batch_format_of(const spate_batch *batch, const spate_item *item);

#endif
