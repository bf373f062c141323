#include "requirer.h"

#include <string.h>

/*
 * $LOADED_FEATURES by the last one and the last two parts of each path, extension aside. Ruby takes a feature for loaded
 * when a file of the load path that ends like it was; only rb_provided knows for sure, and it makes the whole load path
 * anew after each change of it. Here is known at once when there is no such file, which is so for nearly all that is
 * required for the first time.
 *
 * `known` are the paths in the table, by number, and what tells whether $LOADED_FEATURES was changed by other hands.
 */
static VALUE features, known;
static const VALUE *known_address;
static uint32_t *slots;
static size_t slot_count;
typedef struct item {
    uint32_t hash;
    uint32_t number; /* of `known` */
    uint32_t next;
} item;
static item *items;
static size_t item_count, item_capacity;
static unsigned long changes;

#define NONE UINT32_MAX
#define SAMPLES 32

/* Files being loaded through here, by the same hashes. */
typedef struct loading {
    VALUE path;
    uint32_t one, two;
} loading;
static loading *loadings;
static size_t loading_count, loading_capacity;

static void mark(void *unused) {
    for (size_t i = 0; i < loading_count; i++)
        rb_gc_mark(loadings[i].path);
}

static const rb_data_type_t marker_type = {"Spate::Native::Requirer/loading", {mark, NULL, NULL}, 0, 0, 0};
static VALUE marker;

void spate_features_init(void) {
    features = rb_gv_get("$LOADED_FEATURES");
    known = rb_ary_new();
    rb_gc_register_address(&features);
    rb_gc_register_address(&known);
    rb_gc_register_address(&marker);
    marker = TypedData_Wrap_Struct(0, &marker_type, &marker);
}

/* Without what follows the last dot of the last part. */
static size_t stem_of(const char *path, size_t length) {
    for (size_t at = length; at > 0 && path[at - 1] != '/'; at--) {
        if (path[at - 1] == '.')
            return at - 1;
    }
    return length;
}

/* Hashes of the last part, and of the last two: `two` is 0 where there is one part only. */
static void hashes_of(const char *path, size_t stem, uint32_t *one, uint32_t *two) {
    size_t last = stem;
    while (last > 0 && path[last - 1] != '/')
        last--;
    *one = spate_index_hash(SPATE_INDEX_HASH_START, path + last, stem - last);
    *two = 0;
    if (last < 2)
        return;
    size_t above = last - 1;
    while (above > 0 && path[above - 1] != '/')
        above--;
    *two = spate_index_hash(SPATE_INDEX_HASH_START + 1, path + above, stem - above);
}

static void put(uint32_t hash, uint32_t number) {
    if (item_count >= slot_count) {
        size_t count = slot_count ? slot_count * 2 : 1024;
        uint32_t *grown = ALLOC_N(uint32_t, count);
        memset(grown, 0, count * sizeof *grown);
        for (size_t i = 0; i < item_count; i++) {
            size_t slot = spate_index_spread(items[i].hash, 0) & (count - 1);
            items[i].next = grown[slot] - 1;
            grown[slot] = (uint32_t)i + 1;
        }
        xfree(slots);
        slots = grown;
        slot_count = count;
    }
    if (item_count == item_capacity) {
        item_capacity = item_capacity ? item_capacity * 2 : 1024;
        REALLOC_N(items, item, item_capacity);
    }
    size_t slot = spate_index_spread(hash, 0) & (slot_count - 1);
    items[item_count] = (item){hash, number, slots[slot] - 1};
    slots[slot] = (uint32_t)++item_count;
}

/* What is no String, Ruby converts or refuses at its next look-up. */
static void add(VALUE path) {
    uint32_t one, two, number = (uint32_t)RARRAY_LEN(known);
    rb_ary_push(known, path);
    if (!RB_TYPE_P(path, T_STRING))
        return;
    hashes_of(RSTRING_PTR(path), stem_of(RSTRING_PTR(path), (size_t)RSTRING_LEN(path)), &one, &two);
    put(one, number);
    if (two)
        put(two, number);
}

/* Whether what is known is how $LOADED_FEATURES begins. Who removes a path moves those behind it; some are looked at
 * each time, all of them every now and then. */
static bool only_grew(void) {
    long before = RARRAY_LEN(known);
    if (RARRAY_LEN(features) < before)
        return false;
    const VALUE *now = RARRAY_CONST_PTR(features), *then = RARRAY_CONST_PTR(known);
    if (before <= 4 * SAMPLES || ++changes % 64 == 0)
        return memcmp(now, then, (size_t)before * sizeof(VALUE)) == 0;
    for (long i = before - SAMPLES; i < before; i++) {
        if (now[i] != then[i])
            return false;
    }
    for (long i = 0, step = before / SAMPLES; i < before; i += step) {
        if (now[i] != then[i])
            return false;
    }
    return true;
}

static void catch_up(void) {
    if (RARRAY_LEN(features) == RARRAY_LEN(known) && RARRAY_CONST_PTR(features) == known_address)
        return;
    /* Ruby looks through the Array where others changed it, and shares its memory again: the next change in place then
     * moves it. An absolute name, as a relative one would make it expand the load path. */
    rb_provided("/");
    if (!only_grew()) {
        rb_ary_clear(known);
        item_count = 0;
        if (slots)
            memset(slots, 0, slot_count * sizeof *slots);
    }
    for (long i = RARRAY_LEN(known); i < RARRAY_LEN(features); i++)
        add(RARRAY_AREF(features, i));
    known_address = RARRAY_CONST_PTR(features);
}

/* Whether a path's end, extension aside, is the feature's stem: after a slash, or all of it. */
static bool ends_alike(VALUE path, const char *stem, size_t length) {
    const char *text = RSTRING_PTR(path);
    size_t own = stem_of(text, (size_t)RSTRING_LEN(path));
    return own >= length && memcmp(text + own - length, stem, length) == 0 &&
           (own == length || text[own - length - 1] == '/');
}

static bool known_extension(const char *extension, size_t length) {
    return (length == 3 && memcmp(extension, ".rb", 3) == 0) || (length == 3 && memcmp(extension, ".so", 3) == 0) ||
           (length == 2 && memcmp(extension, ".o", 2) == 0) ||
           (length == strlen(DLEXT) && memcmp(extension, DLEXT, length) == 0);
}

spate_loaded spate_features_ask(const char *feature, size_t length, const char *path, size_t path_length) {
    uint32_t one, two;
    spate_loaded answer = SPATE_NOT_LOADED;
    catch_up();
    size_t stem = stem_of(feature, length);
    if (stem == 0 || !known_extension(feature + stem, length - stem))
        stem = length;
    hashes_of(feature, stem, &one, &two);
    for (uint32_t at = slot_count ? slots[spate_index_spread(two ? two : one, 0) & (slot_count - 1)] - 1 : NONE;
         at != NONE; at = items[at].next) {
        if (items[at].hash != (two ? two : one))
            continue;
        VALUE loaded = RARRAY_AREF(known, items[at].number);
        if (path && (size_t)RSTRING_LEN(loaded) == path_length && memcmp(RSTRING_PTR(loaded), path, path_length) == 0)
            return SPATE_LOADED;
        if (ends_alike(loaded, feature, stem))
            answer = SPATE_ALIKE;
    }
    for (size_t i = 0; answer == SPATE_NOT_LOADED && i < loading_count; i++) {
        VALUE other = loadings[i].path;
        if ((two ? loadings[i].two == two : loadings[i].one == one) && ends_alike(other, feature, stem) &&
            !(path && (size_t)RSTRING_LEN(other) == path_length && memcmp(RSTRING_PTR(other), path, path_length) == 0))
            answer = SPATE_ALIKE;
    }
    return answer;
}

void spate_features_begin(VALUE path) {
    if (loading_count == loading_capacity) {
        loading_capacity = loading_capacity ? loading_capacity * 2 : 64;
        REALLOC_N(loadings, loading, loading_capacity);
    }
    loading *now = &loadings[loading_count++];
    now->path = path;
    hashes_of(RSTRING_PTR(path), stem_of(RSTRING_PTR(path), (size_t)RSTRING_LEN(path)), &now->one, &now->two);
}

/* Nearly always the last; threads may end in another order. */
void spate_features_done(VALUE path) {
    for (size_t i = loading_count; i-- > 0;) {
        if (loadings[i].path == path) {
            MEMMOVE(&loadings[i], &loadings[i + 1], loading, --loading_count - i);
            return;
        }
    }
}
