/* Spate::Native::LoadPathCache: builds a load-path cache without the GVL, and reads one. */
#include "requirer.h"

#include "load_path_cache/load_path_cache.h"

#include <ruby/thread.h>
#include <stdlib.h>

typedef struct building {
    const char **paths;
    size_t count, fingerprinted;
    char shared[8];
    const char *ignored;
    uint8_t *bytes;
    size_t length;
    spate_status status;
    spate_error error;
} building;

static void *build(void *argument) {
    building *b = argument;
    b->status = spate_load_path_cache_build(b->paths, b->count, b->fingerprinted, b->shared, b->ignored, &b->bytes,
                                            &b->length, &b->error);
    return NULL;
}

/* If an exception is pending for this thread, it is raised when the thread has the GVL again. */
static VALUE build_without_lock(VALUE argument) {
    building *b = (building *)argument;
    rb_thread_call_without_gvl(build, b, NULL, NULL);
    if (b->status != SPATE_OK)
        spate_raise(&b->error);
    return rb_str_new((const char *)b->bytes, (long)b->length);
}

static VALUE end_building(VALUE argument) {
    building *b = (building *)argument;
    xfree((void *)b->paths);
    free(b->bytes);
    return Qnil;
}

/* Pointers into frozen Strings, valid as long as `frozen`. */
static const char **texts_of(VALUE frozen) {
    long count = RARRAY_LEN(frozen);
    const char **texts = ALLOC_N(const char *, count + 1);
    for (long i = 0; i < count; i++)
        texts[i] = RSTRING_PTR(rb_ary_entry(frozen, i));
    return texts;
}

static VALUE frozen_texts(VALUE paths) {
    Check_Type(paths, T_ARRAY);
    VALUE frozen = rb_ary_new_capa(RARRAY_LEN(paths));
    for (long i = 0; i < RARRAY_LEN(paths); i++) {
        VALUE text = rb_ary_entry(paths, i);
        StringValueCStr(text);
        rb_ary_push(frozen, rb_str_new_frozen(text));
    }
    return frozen;
}

/* build(paths, fingerprinted, ignored = nil) -> bytes. `paths` are absolute; the first `fingerprinted` of them are the
 * load path. `ignored` is a comma-separated list of names and absolute paths of directories that are not scanned. */
static VALUE load_path_cache_build(int argc, VALUE *argv, VALUE self) {
    building b = {0};
    VALUE paths, fingerprinted, ignored;
    rb_scan_args(argc, argv, "21", &paths, &fingerprinted, &ignored);
    VALUE frozen = frozen_texts(paths);
    if (!NIL_P(ignored)) {
        StringValueCStr(ignored);
        ignored = rb_str_new_frozen(ignored);
        b.ignored = RSTRING_PTR(ignored);
    }
    size_t limit = NUM2SIZET(fingerprinted);
    snprintf(b.shared, sizeof b.shared, "%s", DLEXT);
    b.count = (size_t)RARRAY_LEN(frozen);
    b.fingerprinted = limit < b.count ? limit : b.count;
    b.paths = texts_of(frozen);
    VALUE bytes = rb_ensure(build_without_lock, (VALUE)&b, end_building, (VALUE)&b);
    RB_GC_GUARD(frozen);
    RB_GC_GUARD(ignored);
    return bytes;
}

static void put(VALUE facts, const char *name, uint32_t number) {
    rb_hash_aset(facts, ID2SYM(rb_intern(name)), UINT2NUM(number));
}

/* facts(bytes) -> Hash with the fingerprint and the counts of the load-path cache; nil if it is unusable. */
static VALUE load_path_cache_facts(VALUE self, VALUE bytes) {
    spate_load_path_cache cache;
    StringValue(bytes);
    VALUE aligned = spate_aligned_bytes(bytes);
    if (spate_load_path_cache_open(&cache, (const uint8_t *)RSTRING_PTR(aligned), (size_t)RSTRING_LEN(aligned), NULL) !=
        SPATE_OK)
        return Qnil;
    VALUE facts = rb_hash_new();
    rb_hash_aset(facts, ID2SYM(rb_intern("fingerprint")),
                 spate_hex_string(cache.header->fingerprint, SPATE_SIPHASH_BYTES));
    put(facts, "roots", cache.header->roots);
    put(facts, "directories", cache.header->directories);
    put(facts, "features", cache.header->features);
    put(facts, "candidates", cache.header->candidates);
    RB_GC_GUARD(aligned);
    return facts;
}

/* Returns a frozen String whose memory is 8-aligned: the given String or a copy. */
VALUE spate_aligned_bytes(VALUE bytes) {
    if (OBJ_FROZEN(bytes) && (uintptr_t)RSTRING_PTR(bytes) % 8 == 0 && RSTRING_LEN(bytes) > 256)
        return bytes;
    VALUE copy = rb_str_buf_new(RSTRING_LEN(bytes) + 256); /* too long to be embedded, so its memory comes from malloc
                                                            * and is aligned */
    rb_str_buf_append(copy, bytes);
    return rb_obj_freeze(copy);
}

void spate_init_load_path_cache(VALUE native) {
    VALUE cache = rb_define_module_under(native, "LoadPathCache");
    rb_define_singleton_method(cache, "build", load_path_cache_build, -1);
    rb_define_singleton_method(cache, "facts", load_path_cache_facts, 1);
}
