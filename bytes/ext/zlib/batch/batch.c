#include <ruby/encoding.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/ruby_string.h"
#include "batch/pool.h"
#include "oneshot/oneshot.h"

/*
 * Spate::Zlib.inflate_all, deflate_all and crc32_all: process an Array of Strings with one release of the GVL.
 * lib/spate/zlib/batch.rb checks the arguments and raises the errors of invalid items.
 */

/* Inputs of at least this length are inflated directly into a String. */
#define DIRECT_INPUT ((size_t)4 * 1024)
/*
 * Some items are inflated in advance to estimate sizes that the format does not store: their number and maximum sizes.
 */
#define SAMPLES 16
#define SAMPLE_INPUT ((size_t)64 * 1024)
#define SAMPLE_OUTPUT ((size_t)512 * 1024)
/*
 * TRUSTED_RATIO: the size in a gzip footer is trusted up to this multiple of the input. MOST_GUESSED: maximum estimate
 * from samples, in percent of the input.
 */
#define TRUSTED_RATIO 32
#define MOST_GUESSED 800
/*
 * Maximum memory that is allocated in advance for all results, as a multiple of the input. Limits the cost of wrong
 * footers.
 */
#define MOST_ROOM 16
/* Below this many bytes of input a second thread does not pay off. */
#define ALONE_BELOW ((size_t)64 * 1024)

typedef struct batch {
    spate_batch pool;
    VALUE strings; /* a private Array */
    VALUE outputs; /* Array of hidden Strings, filled by DIRECT items, or Qnil */
    VALUE results;
    uint8_t *copies; /* copies of embedded Strings, which the GC may move */
    size_t at;       /* number of Strings locked so far */
    bool copying;    /* a String could not be locked */
    bool done;
} batch;

static void batch_mark(void *pointer) {
    batch *b = pointer;
    rb_gc_mark(b->strings);
    rb_gc_mark(b->outputs);
    rb_gc_mark(b->results);
}

static void clear(batch *b) {
    if (b->pool.workers && b->pool.items)
        spate_batch_clear(&b->pool);
    free(b->pool.items);
    free(b->pool.workers);
    free(b->copies);
    b->pool.items = NULL;
    b->pool.workers = NULL;
    b->copies = NULL;
    b->pool.count = 0;
}

static void batch_free(void *pointer) {
    clear(pointer);
    xfree(pointer);
}

static size_t batch_size(const void *pointer) {
    const batch *b = pointer;
    return sizeof *b + b->pool.count * sizeof(spate_item);
}

static const rb_data_type_t batch_type = {
    .wrap_struct_name = "spate/zlib/batch",
    .function = {.dmark = batch_mark, .dfree = batch_free, .dsize = batch_size},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

/* ---- Inputs ------------------------------------------------------------------------------------------------------ */

static bool embedded(VALUE string) {
    return !RB_FL_TEST_RAW(string, RSTRING_NOEMBED);
}

/*
 * Replaces a String that cannot be locked (another batch uses it, or it occurs twice in this one) with a frozen String
 * that shares its bytes.
 */
static VALUE frozen_copy(batch *b, size_t i, VALUE string) {
    VALUE frozen = rb_str_new_frozen(string);
    rb_ary_store(b->strings, (long)i, frozen);
    return frozen;
}

/* Locks the Strings that are not frozen, so that their bytes are not changed or freed during the run. */
static VALUE lock_some(VALUE argument) {
    batch *b = (batch *)argument;
    for (; b->at < b->pool.count; b->at++) {
        VALUE string = RARRAY_AREF(b->strings, b->at);
        spate_item *item = &b->pool.items[b->at];
        if (!embedded(string) && !OBJ_FROZEN_RAW(string)) {
            if (b->copying) {
                string = frozen_copy(b, b->at, string);
            } else {
                rb_str_locktmp(string); /* raises */
                item->locked = true;
            }
        }
        item->input = (const uint8_t *)RSTRING_PTR(string);
        item->length = (size_t)RSTRING_LEN(string);
    }
    return Qnil;
}

/* Also frees the results if the run raised. */
static VALUE unlock(VALUE argument) {
    batch *b = (batch *)argument;
    for (size_t i = 0; i < b->pool.count; i++) {
        if (!b->pool.items[i].locked)
            continue;
        b->pool.items[i].locked = false;
        rb_str_unlocktmp(RARRAY_AREF(b->strings, i));
    }
    if (!b->done)
        clear(b);
    return Qnil;
}

static void copy_embedded(batch *b) {
    size_t total = 0;
    for (size_t i = 0; i < b->pool.count; i++)
        if (embedded(RARRAY_AREF(b->strings, i)))
            total += b->pool.items[i].length;
    if (!total)
        return;
    uint8_t *at = b->copies = malloc(total);
    if (!at)
        rb_memerror();
    for (size_t i = 0; i < b->pool.count; i++) {
        VALUE string = RARRAY_AREF(b->strings, i);
        spate_item *item = &b->pool.items[i];
        if (!embedded(string))
            continue;
        memcpy(at, RSTRING_PTR(string), item->length);
        item->input = at;
        at += item->length;
    }
}

static void lock(batch *b) {
    int state = 0;
    b->at = 0;
    rb_protect(lock_some, (VALUE)b, &state);
    if (state) {
        rb_set_errinfo(Qnil);
        b->copying = true;
        lock_some((VALUE)b);
    }
    copy_embedded(b);
}

/* ---- Memory for results ------------------------------------------------------------------------------------------ */

static size_t claimed(const spate_item *item) {
    size_t most = item->length > SIZE_MAX / TRUSTED_RATIO ? SIZE_MAX : item->length * TRUSTED_RATIO;
    size_t claim = spate_gzip_claimed_length(item->input, item->length);
    return claim < most ? claim : 0;
}

/* Inflates some items now, with the GVL held. Returns their maximum expansion in percent. */
static size_t sampled_ratio(batch *b) {
    size_t step = b->pool.count / SAMPLES ? b->pool.count / SAMPLES : 1;
    size_t ratio = 0;
    size_t made = 0;
    unsigned taken = 0;
    for (size_t i = 0; i < b->pool.count && taken < SAMPLES && made < SAMPLE_OUTPUT; i += step) {
        spate_item *item = &b->pool.items[i];
        if (item->length < DIRECT_INPUT || item->length > SAMPLE_INPUT)
            continue;
        size_t length = spate_batch_sample(&b->pool, item, SAMPLE_OUTPUT);
        taken++;
        made += length;
        size_t own = length * 100 / item->length;
        ratio = own > ratio ? own : ratio;
    }
    ratio += ratio / 2; /* too little memory means inflating twice; too much costs little, because it is never
                         * touched */
    return ratio < MOST_GUESSED ? ratio : MOST_GUESSED;
}

static void make_room(batch *b, size_t total) {
    size_t ratio = 0;
    size_t left = total > SIZE_MAX / MOST_ROOM ? SIZE_MAX : total * MOST_ROOM;
    bool sampled = false;
    for (size_t i = 0; i < b->pool.count; i++) {
        spate_item *item = &b->pool.items[i];
        if (item->length < DIRECT_INPUT || item->state != SPATE_ITEM_UNDONE)
            continue;
        size_t size = 0;
        if (spate_batch_format_of(&b->pool, item) == SPATE_BATCH_GZIP) {
            size = claimed(item);
        } else {
            if (!sampled)
                ratio = sampled_ratio(b);
            sampled = true;
            if (item->state != SPATE_ITEM_UNDONE)
                continue;
            size = item->length / 100 * ratio;
        }
        if (size < DIRECT_INPUT || size > b->pool.max_output || size > left)
            continue;
        left -= size;
        if (NIL_P(b->outputs))
            b->outputs = rb_obj_hide(rb_ary_new());
        VALUE string = rb_str_buf_new((long)size);
        if (embedded(string))
            continue;
        rb_obj_hide(string);
        rb_ary_store(b->outputs, (long)i, string);
        item->output = (uint8_t *)RSTRING_PTR(string);
        item->capacity = size;
    }
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

static VALUE direct_result(batch *b, size_t i) {
    VALUE string = RARRAY_AREF(b->outputs, i);
    long length = (long)b->pool.items[i].produced;
    rb_obj_reveal(string, rb_cString);
    rb_str_set_len(string, length);
    return rb_str_resize(string, length); /* frees unused memory */
}

static VALUE result(batch *b, size_t i) {
    spate_item *item = &b->pool.items[i];
    switch ((spate_item_state)item->state) {
    case SPATE_ITEM_DIRECT: return direct_result(b, i);
    case SPATE_ITEM_SUM: return UINT2NUM((unsigned)item->produced);
    case SPATE_ITEM_SLAB:
        spate_batch_release_slabs_before(&b->pool, item);
        return rb_str_new((const char *)item->output, (long)item->produced);
    case SPATE_ITEM_OWN: {
        VALUE string = spate_string_of(item->output, item->produced);
        free(item->output);
        item->output = NULL;
        item->state = SPATE_ITEM_UNDONE;
        return string;
    }
    default: return Qnil;
    }
}

static VALUE run(VALUE argument) {
    batch *b = (batch *)argument;
    size_t total = 0;
    lock(b);
    for (size_t i = 0; i < b->pool.count; i++)
        total += b->pool.items[i].length;
    if (total < ALONE_BELOW)
        b->pool.threads = 1;
    if (b->pool.work == SPATE_BATCH_INFLATE)
        make_room(b, total);
    if (total < SPATE_HOLD_BELOW) {
        spate_interrupt none = {0};
        spate_batch_run(&b->pool, &none);
    } else {
        spate_release_stepwise(spate_batch_run, &b->pool);
    }
    b->done = true;
    return Qnil;
}

static unsigned processors(void) {
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (unsigned)CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : (unsigned)online;
}

static unsigned threads_for(VALUE wanted, size_t count) {
    unsigned threads = NIL_P(wanted) ? processors() : NUM2UINT(wanted);
    threads = threads > SPATE_BATCH_THREADS_MAX ? SPATE_BATCH_THREADS_MAX : threads;
    return threads > count ? (unsigned)(count ? count : 1) : threads;
}

static void prepare(batch *b, VALUE threads) {
    size_t count = (size_t)RARRAY_LEN(b->strings);
    for (size_t i = 0; i < count; i++) {
        VALUE string = RARRAY_AREF(b->strings, i);
        if (!RB_TYPE_P(string, T_STRING))
            rb_ary_store(b->strings, (long)i, rb_str_to_str(string));
    }
    b->pool.threads = threads_for(threads, count);
    b->pool.items = calloc(count ? count : 1, sizeof *b->pool.items);
    b->pool.workers = calloc(b->pool.threads, sizeof *b->pool.workers);
    if (!b->pool.items || !b->pool.workers)
        rb_memerror();
    for (unsigned i = 0; i < b->pool.threads; i++) {
        b->pool.workers[i].batch = &b->pool;
        b->pool.workers[i].number = i;
    }
    b->pool.count = count;
}

/*
 * batch(kind, strings, threads, format, level, max_output): returns [results, indexes of invalid items or nil]. kind: 0
 * inflate, 1 deflate, 2 CRC-32. format: 0 gzip or zlib, 1 zlib, 2 gzip, 3 raw.
 */
static VALUE run_batch(VALUE self, VALUE kind, VALUE strings, VALUE threads, VALUE format, VALUE level,
                       VALUE max_output) {
    batch *b;
    VALUE object = TypedData_Make_Struct(0, batch, &batch_type, b);
    b->outputs = b->results = Qnil;
    b->strings = rb_ary_dup(rb_convert_type(strings, T_ARRAY, "Array", "to_ary"));
    rb_obj_hide(b->strings); /* hidden from ObjectSpace */
    b->pool.work = (spate_batch_work)NUM2INT(kind);
    b->pool.format = (spate_batch_format)NUM2INT(format);
    b->pool.level = NUM2INT(level);
    b->pool.max_output = spate_zlib_limit(max_output);
    b->pool.identical = spate_zlib_identical();
    b->pool.mtime = (uint32_t)time(NULL);
    prepare(b, threads);
    rb_ensure(run, (VALUE)b, unlock, (VALUE)b);
    if (atomic_load(&b->pool.no_memory))
        rb_memerror();

    VALUE bad = Qnil;
    b->results = rb_ary_new_capa((long)b->pool.count);
    for (size_t i = 0; i < b->pool.count; i++) {
        if (b->pool.items[i].state == SPATE_ITEM_FAILED) {
            bad = NIL_P(bad) ? rb_ary_new() : bad;
            rb_ary_push(bad, SIZET2NUM(i));
        }
        rb_ary_push(b->results, result(b, i));
    }
    clear(b);
    VALUE results = b->results;
    RB_GC_GUARD(object);
    return rb_assoc_new(results, bad);
}

void spate_init_batch(VALUE zlib) {
    rb_define_private_method(rb_singleton_class(zlib), "batch", run_batch, 6);
}
