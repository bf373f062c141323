#include "native.h"

typedef enum gem_state { NOT_OPENED, OPENED, NOT_USABLE } gem_state;

/* The root directory of a gem, and the compile cache of its files. */
typedef struct gem {
    char *root; /* without trailing slash */
    char *compile_cache_path;
    uint32_t hash; /* hash of `root` */
    uint32_t length;
    gem_state state;
    spate_compile_cache *compile_cache;
} gem;

static gem *gems;
static size_t gem_count;
/* A hash table of gems by root. Each slot is an index + 1, or 0 if it is free. */
static uint32_t *slots;
static uint32_t slot_mask;

static uint32_t *slot_of(uint32_t hash, const char *root, size_t length) {
    uint32_t at = hash & slot_mask;
    for (; slots[at] != 0; at = (at + 1) & slot_mask) {
        const gem *candidate = &gems[slots[at] - 1];
        if (candidate->hash == hash && candidate->length == length && memcmp(candidate->root, root, length) == 0)
            break;
    }
    return &slots[at];
}

static gem *gem_at(uint32_t hash, const char *root, size_t length) {
    uint32_t index = *slot_of(hash, root, length);
    return index == 0 ? NULL : &gems[index - 1];
}

static void open_gem(gem *asked, const uint8_t *key) {
    spate_compile_cache_fault fault = SPATE_COMPILE_CACHE_FINE;
    spate_status status = spate_compile_cache_open(&asked->compile_cache, asked->compile_cache_path, key,
                                                   spate_trusts_owners(), &fault, NULL);
    asked->state = status == SPATE_OK ? OPENED : NOT_USABLE;
    if (status != SPATE_OK && fault != SPATE_COMPILE_CACHE_MISSING)
        spate_record_problem(asked->compile_cache_path, spate_compile_cache_fault_name(fault));
}

size_t spate_gem_caches_of(const char *path, size_t length, const uint8_t *key, spate_loaded_compile_cache *found,
                           size_t max) {
    size_t count = 0;
    size_t from = 0;
    uint32_t hash = 0;
    if (gem_count == 0)
        return 0;
    for (size_t at = 1; at < length; at++) {
        if (path[at] != '/')
            continue;
        hash = spate_compile_cache_hash_more(hash, path + from, at - from);
        from = at;
        gem *candidate = gem_at(hash, path, at);
        if (!candidate)
            continue;
        if (candidate->state == NOT_OPENED)
            open_gem(candidate, key);
        if (candidate->state != OPENED)
            continue;
        if (count == max)
            count--;
        memmove(found + 1, found, count * sizeof(*found));
        found[0] = (spate_loaded_compile_cache){.compile_cache = candidate->compile_cache,
                                                .path = candidate->compile_cache_path};
        count++;
    }
    return count;
}

/* ---- setting ---- */

static char *copied(const char *text, size_t length) {
    char *copy = ruby_xmalloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static VALUE text_of(VALUE text) {
    text = rb_get_path(text);
    StringValueCStr(text);
    return rb_str_new_frozen(text);
}

/* Reuses an open compile cache, because strings may point into it. */
static void take_over(gem *made, const gem *old, size_t old_count) {
    for (size_t i = 0; i < old_count; i++)
        if (old[i].state == OPENED && strcmp(old[i].compile_cache_path, made->compile_cache_path) == 0) {
            made->state = OPENED;
            made->compile_cache = old[i].compile_cache;
        }
}

void spate_gem_caches_set(VALUE hash) {
    VALUE pairs = rb_ary_new();
    if (!NIL_P(hash)) {
        VALUE given = rb_funcall(rb_convert_type(hash, T_HASH, "Hash", "to_hash"), rb_intern("to_a"), 0);
        for (long i = 0; i < RARRAY_LEN(given); i++) {
            VALUE pair = rb_ary_entry(given, i);
            rb_ary_push(pairs, rb_assoc_new(text_of(rb_ary_entry(pair, 0)), text_of(rb_ary_entry(pair, 1))));
        }
    }
    /* Runs no Ruby code from here on. The paths of replaced entries are never freed, because they may be in use. */
    const gem *old = gems;
    size_t old_count = gem_count;
    size_t count = (size_t)RARRAY_LEN(pairs);
    uint32_t capacity = 2;
    while (capacity < 2 * count)
        capacity *= 2;
    gem *made = ruby_xcalloc(count + 1, sizeof(*made));
    uint32_t *made_slots = ruby_xcalloc(capacity, sizeof(*made_slots));
    ruby_xfree(slots);
    gems = made;
    gem_count = 0;
    slots = made_slots;
    slot_mask = capacity - 1;
    for (size_t i = 0; i < count; i++) {
        VALUE pair = rb_ary_entry(pairs, (long)i);
        VALUE root = rb_ary_entry(pair, 0);
        VALUE path = rb_ary_entry(pair, 1);
        size_t length = (size_t)RSTRING_LEN(root);
        while (length > 1 && RSTRING_PTR(root)[length - 1] == '/')
            length--;
        uint32_t root_hash = spate_compile_cache_hash(RSTRING_PTR(root), length);
        uint32_t *slot = slot_of(root_hash, RSTRING_PTR(root), length);
        if (*slot != 0)
            continue;
        gem *next = &gems[gem_count];
        next->root = copied(RSTRING_PTR(root), length);
        next->compile_cache_path = copied(RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
        next->hash = root_hash;
        next->length = (uint32_t)length;
        take_over(next, old, old_count);
        *slot = (uint32_t)++gem_count;
    }
    ruby_xfree((void *)(uintptr_t)old);
    RB_GC_GUARD(pairs);
}

void spate_gem_caches_rest(void) {
    for (size_t i = 0; i < gem_count; i++)
        if (gems[i].state == OPENED)
            spate_compile_cache_rest(gems[i].compile_cache);
}

VALUE spate_gem_caches_hash(void) {
    VALUE hash = rb_hash_new();
    for (size_t i = 0; i < gem_count; i++)
        rb_hash_aset(hash, spate_utf8(gems[i].root, gems[i].length),
                     spate_utf8(gems[i].compile_cache_path, strlen(gems[i].compile_cache_path)));
    return hash;
}
