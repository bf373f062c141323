#include <ruby/encoding.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "batch/crew.h"
#include "base/ruby_string.h"
#include "whole/whole.h"

/*
 * Spate::Zlib.inflate_all and its siblings: an Array of Strings in, one release of the GVL, an Array of results out.
 * lib/spate/zlib/batch.rb checks the arguments and handles bad items.
 */

/* For inputs of at least this length a String is made to inflate into, so that nothing is copied. */
#define DIRECT_INPUT ((size_t)4 * 1024)
/* How many items are inflated beforehand if the format does not tell the size, and their longest input. */
#define SAMPLES 16
#define SAMPLE_INPUT ((size_t)64 * 1024)
#define SAMPLE_OUTPUT ((size_t)512 * 1024)
/* A gzip footer is trusted up to this multiple of the input; a guess from samples has its own, in hundredths. */
#define TRUSTED_RATIO 32
#define MOST_GUESSED 800
/* The most room that is made beforehand for all inputs: footers that lie cost no more. */
#define MOST_ROOM 16
/* Below this many bytes of input a second thread costs more than it gains. */
#define ALONE_BELOW ((size_t)64 * 1024)

typedef struct batch {
    spate_batch crew;
    VALUE strings; /* Array of our own */
    VALUE outputs; /* Array of hidden Strings, as DIRECT items fill them, or Qnil */
    VALUE results;
    uint8_t *copies; /* of embedded strings, which the GC may move */
    size_t at;       /* how far locking or unlocking came */
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
    if (b->crew.workers && b->crew.items)
        spate_batch_clear(&b->crew);
    free(b->crew.items);
    free(b->crew.workers);
    free(b->copies);
    b->crew.items = NULL;
    b->crew.workers = NULL;
    b->copies = NULL;
    b->crew.count = 0;
}

static void batch_free(void *pointer) {
    clear(pointer);
    xfree(pointer);
}

static size_t batch_size(const void *pointer) {
    const batch *b = pointer;
    return sizeof *b + b->crew.count * sizeof(spate_item);
}

static const rb_data_type_t batch_type = {
    .wrap_struct_name = "spate/zlib/batch",
    .function = {.dmark = batch_mark, .dfree = batch_free, .dsize = batch_size},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

/* ---- Inputs ------------------------------------------------------------------------------------------------------- */

static bool embedded(VALUE string) {
    return !RB_FL_TEST_RAW(string, RSTRING_NOEMBED);
}

/*
 * A frozen String that shares its bytes with the one that cannot be locked: another batch has it, or this one has it
 * twice.
 */
static VALUE fixed(batch *b, size_t i, VALUE string) {
    VALUE frozen = rb_str_new_frozen(string);
    rb_ary_store(b->strings, (long)i, frozen);
    return frozen;
}

/* The bytes must not be changed or freed meanwhile: frozen Strings cannot change, others are locked. */
static VALUE lock_some(VALUE argument) {
    batch *b = (batch *)argument;
    for (; b->at < b->crew.count; b->at++) {
        VALUE string = RARRAY_AREF(b->strings, b->at);
        spate_item *item = &b->crew.items[b->at];
        if (!embedded(string) && !OBJ_FROZEN_RAW(string)) {
            if (b->copying) {
                string = fixed(b, b->at, string);
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

/* After an exception the results so far are useless. */
static VALUE unlock(VALUE argument) {
    batch *b = (batch *)argument;
    for (size_t i = 0; i < b->crew.count; i++) {
        if (!b->crew.items[i].locked)
            continue;
        b->crew.items[i].locked = false;
        rb_str_unlocktmp(RARRAY_AREF(b->strings, i));
    }
    if (!b->done)
        clear(b);
    return Qnil;
}

static void copy_embedded(batch *b) {
    size_t total = 0;
    for (size_t i = 0; i < b->crew.count; i++)
        if (embedded(RARRAY_AREF(b->strings, i)))
            total += b->crew.items[i].length;
    if (!total)
        return;
    uint8_t *at = b->copies = malloc(total);
    if (!at)
        rb_memerror();
    for (size_t i = 0; i < b->crew.count; i++) {
        VALUE string = RARRAY_AREF(b->strings, i);
        spate_item *item = &b->crew.items[i];
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

/* ---- Room for results --------------------------------------------------------------------------------------------- */

static size_t claimed(const spate_item *item) {
    size_t most = item->length > SIZE_MAX / TRUSTED_RATIO ? SIZE_MAX : item->length * TRUSTED_RATIO;
    size_t claim = spate_gzip_claimed_length(item->input, item->length);
    return claim < most ? claim : 0;
}

/* How far an input expands, in hundredths: the densest of some items that are inflated now, with the GVL. */
static size_t sampled_ratio(batch *b) {
    size_t step = b->crew.count / SAMPLES ? b->crew.count / SAMPLES : 1;
    size_t ratio = 0;
    size_t made = 0;
    unsigned taken = 0;
    for (size_t i = 0; i < b->crew.count && taken < SAMPLES && made < SAMPLE_OUTPUT; i += step) {
        spate_item *item = &b->crew.items[i];
        if (item->length < DIRECT_INPUT || item->length > SAMPLE_INPUT)
            continue;
        size_t length = spate_batch_sample(&b->crew, item, SAMPLE_OUTPUT);
        taken++;
        made += length;
        size_t own = length * 100 / item->length;
        ratio = own > ratio ? own : ratio;
    }
    ratio += ratio / 2; /* what is not filled is not even touched; what is too small is inflated twice */
    return ratio < MOST_GUESSED ? ratio : MOST_GUESSED;
}

static void make_room(batch *b, size_t total) {
    size_t ratio = 0;
    size_t left = total > SIZE_MAX / MOST_ROOM ? SIZE_MAX : total * MOST_ROOM;
    bool sampled = false;
    for (size_t i = 0; i < b->crew.count; i++) {
        spate_item *item = &b->crew.items[i];
        if (item->length < DIRECT_INPUT || item->state != SPATE_ITEM_UNDONE)
            continue;
        size_t size = 0;
        if (spate_batch_format_of(&b->crew, item) == SPATE_BATCH_GZIP) {
            size = claimed(item);
        } else {
            if (!sampled)
                ratio = sampled_ratio(b);
            sampled = true;
            if (item->state != SPATE_ITEM_UNDONE)
                continue;
            size = item->length / 100 * ratio;
        }
        if (size < DIRECT_INPUT || size > b->crew.max_output || size > left)
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

/* ---- Results ------------------------------------------------------------------------------------------------------ */

static VALUE direct_result(batch *b, size_t i) {
    VALUE string = RARRAY_AREF(b->outputs, i);
    long length = (long)b->crew.items[i].produced;
    rb_obj_reveal(string, rb_cString);
    rb_str_set_len(string, length);
    return rb_str_resize(string, length); /* gives back what was guessed too much */
}

static VALUE result(batch *b, size_t i) {
    spate_item *item = &b->crew.items[i];
    switch ((spate_item_state)item->state) {
    case SPATE_ITEM_DIRECT: return direct_result(b, i);
    case SPATE_ITEM_SUM: return UINT2NUM((unsigned)item->produced);
    case SPATE_ITEM_SLAB:
        spate_batch_release_slabs_before(&b->crew, item);
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
    for (size_t i = 0; i < b->crew.count; i++)
        total += b->crew.items[i].length;
    if (total < ALONE_BELOW)
        b->crew.threads = 1;
    if (b->crew.work == SPATE_BATCH_INFLATE)
        make_room(b, total);
    if (total < SPATE_HOLD_BELOW) {
        spate_interrupt none = {0};
        spate_batch_run(&b->crew, &none);
    } else {
        spate_release_stepwise(spate_batch_run, &b->crew);
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
    b->crew.threads = threads_for(threads, count);
    b->crew.items = calloc(count ? count : 1, sizeof *b->crew.items);
    b->crew.workers = calloc(b->crew.threads, sizeof *b->crew.workers);
    if (!b->crew.items || !b->crew.workers)
        rb_memerror();
    for (unsigned i = 0; i < b->crew.threads; i++) {
        b->crew.workers[i].batch = &b->crew;
        b->crew.workers[i].number = i;
    }
    b->crew.count = count;
}

/*
 * batch(kind, strings, threads, format, level, max_output): [results, indexes of bad items]. kind: 0 inflate, 1 deflate,
 * 2 CRC-32; format: 0 gzip or zlib, 1 zlib, 2 gzip, 3 raw.
 */
static VALUE run_batch(VALUE self, VALUE kind, VALUE strings, VALUE threads, VALUE format, VALUE level,
                       VALUE max_output) {
    batch *b;
    VALUE object = TypedData_Make_Struct(0, batch, &batch_type, b);
    b->outputs = b->results = Qnil;
    b->strings = rb_ary_dup(rb_convert_type(strings, T_ARRAY, "Array", "to_ary"));
    rb_obj_hide(b->strings); /* from ObjectSpace */
    b->crew.work = (spate_batch_work)NUM2INT(kind);
    b->crew.format = (spate_batch_format)NUM2INT(format);
    b->crew.level = NUM2INT(level);
    b->crew.max_output = spate_zlib_limit(max_output);
    b->crew.identical = spate_zlib_identical();
    b->crew.mtime = (uint32_t)time(NULL);
    prepare(b, threads);
    rb_ensure(run, (VALUE)b, unlock, (VALUE)b);
    if (atomic_load(&b->crew.no_memory))
        rb_memerror();

    VALUE bad = Qnil;
    b->results = rb_ary_new_capa((long)b->crew.count);
    for (size_t i = 0; i < b->crew.count; i++) {
        if (b->crew.items[i].state == SPATE_ITEM_FAILED) {
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
