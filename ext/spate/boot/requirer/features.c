#include "requirer.h"

#include <string.h>

/*
 * A hash table of the paths in $LOADED_FEATURES: by whole path, and by the last one, two and three components without
 * extension. Ruby considers a feature loaded if a loaded file below a directory of the load path has a path that ends
 * with the feature's name. Only rb_provided determines this exactly, but it rebuilds the whole load path after each
 * change. This table shows quickly that there is no such file, which is the case for nearly all features when they are
 * first required.
 *
 * `known` lists the paths in the table. It is also compared with $LOADED_FEATURES to detect changes by other code.
 */
static VALUE features, known;
static const VALUE *known_address;
static uint32_t *slots;
static size_t slot_count;
typedef struct item {
    uint32_t hash;
    uint32_t number; /* index in `known` */
    uint32_t next;
} item;
static item *items;
static size_t item_count, item_capacity;
static unsigned long changes;

#define NONE UINT32_MAX
#define SAMPLES 32
#define PARTS 3

/* A file that is being loaded, with the same hashes. */
typedef struct loading {
    VALUE path;
    uint32_t hashes[PARTS];
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

/* Returns the length without the extension of the last component. */
static size_t stem_of(const char *path, size_t length) {
    for (size_t at = length; at > 0 && path[at - 1] != '/'; at--)
        if (path[at - 1] == '.')
            return at - 1;
    return length;
}

/* Computes hashes of the last component, the last two and the last three components. Returns their number. Many paths
 * of gems end with "version" or "sub/base"; three components distinguish nearly all paths. */
static int hashes_of(const char *path, size_t stem, uint32_t hashes[PARTS]) {
    size_t start = stem;
    for (int part = 0; part < PARTS; part++) {
        while (start > 0 && path[start - 1] != '/')
            start--;
        hashes[part] =
            spate_load_path_cache_hash(SPATE_LOAD_PATH_CACHE_HASH_START + (uint32_t)part, path + start, stem - start);
        if (start < 2)
            return part + 1;
        start--;
    }
    return PARTS;
}

static uint32_t whole_hash(const char *path, size_t length) {
    return spate_load_path_cache_hash(SPATE_LOAD_PATH_CACHE_HASH_START + PARTS, path, length);
}

static void put(uint32_t hash, uint32_t number) {
    if (item_count >= slot_count) {
        size_t count = slot_count ? slot_count * 2 : 1024;
        uint32_t *grown = ALLOC_N(uint32_t, count);
        memset(grown, 0, count * sizeof *grown);
        for (size_t i = 0; i < item_count; i++) {
            size_t slot = spate_load_path_cache_spread(items[i].hash, 0) & (count - 1);
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
    size_t slot = spate_load_path_cache_spread(hash, 0) & (slot_count - 1);
    items[item_count] = (item){hash, number, slots[slot] - 1};
    slots[slot] = (uint32_t)++item_count;
}

/* Adds a path. Ignores objects other than Strings: Ruby converts or rejects them at its next lookup. */
static void add(VALUE path) {
    uint32_t hashes[PARTS], number = (uint32_t)RARRAY_LEN(known);
    rb_ary_push(known, path);
    if (!RB_TYPE_P(path, T_STRING))
        return;
    const char *text = RSTRING_PTR(path);
    size_t length = (size_t)RSTRING_LEN(path);
    int parts = hashes_of(text, stem_of(text, length), hashes);
    for (int i = 0; i < parts; i++)
        put(hashes[i], number);
    put(whole_hash(text, length), number);
}

/* Whether $LOADED_FEATURES still begins with the known paths. Removing a path moves all later ones, so it suffices to
 * compare a sample on each call, and all of them from time to time. */
static bool only_appended(void) {
    long before = RARRAY_LEN(known);
    if (RARRAY_LEN(features) < before)
        return false;
    const VALUE *now = RARRAY_CONST_PTR(features), *then = RARRAY_CONST_PTR(known);
    if (before <= 4 * SAMPLES || ++changes % 64 == 0)
        return memcmp(now, then, (size_t)before * sizeof(VALUE)) == 0;
    for (long i = before - SAMPLES; i < before; i++)
        if (now[i] != then[i])
            return false;
    for (long i = 0, step = before / SAMPLES; i < before; i += step)
        if (now[i] != then[i])
            return false;
    return true;
}

static void catch_up(void) {
    if (RARRAY_LEN(features) == RARRAY_LEN(known) && RARRAY_CONST_PTR(features) == known_address)
        return;
    /* If other code has changed the Array, makes Ruby read all of it and share its memory again. The next change in
     * place then moves the memory, which is how it is detected. The name is absolute, because Ruby would expand the
     * load path for a relative one. */
    rb_provided("/");
    if (!only_appended()) {
        rb_ary_clear(known);
        item_count = 0;
        if (slots)
            memset(slots, 0, slot_count * sizeof *slots);
    }
    for (long i = RARRAY_LEN(known); i < RARRAY_LEN(features); i++)
        add(RARRAY_AREF(features, i));
    known_address = RARRAY_CONST_PTR(features);
}

/* Whether the path without its extension equals `stem` or ends with a slash and `stem`. */
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

static bool is_text(VALUE path, const char *text, size_t length) {
    return (size_t)RSTRING_LEN(path) == length && memcmp(RSTRING_PTR(path), text, length) == 0;
}

static uint32_t first_item(uint32_t hash) {
    return slot_count ? slots[spate_load_path_cache_spread(hash, 0) & (slot_count - 1)] - 1 : NONE;
}

static bool is_loaded(const char *path, size_t length) {
    uint32_t hash = whole_hash(path, length);
    for (uint32_t at = first_item(hash); at != NONE; at = items[at].next)
        if (items[at].hash == hash && is_text(RARRAY_AREF(known, items[at].number), path, length))
            return true;
    return false;
}

spate_loaded spate_features_ask(const char *feature, size_t length, const char *path, size_t path_length) {
    uint32_t hashes[PARTS];
    catch_up();
    if (path && is_loaded(path, path_length))
        return SPATE_LOADED;
    size_t stem = stem_of(feature, length);
    if (stem == 0 || !known_extension(feature + stem, length - stem))
        stem = length;
    int last = hashes_of(feature, stem, hashes) - 1;
    for (uint32_t at = first_item(hashes[last]); at != NONE; at = items[at].next)
        if (items[at].hash == hashes[last] && ends_alike(RARRAY_AREF(known, items[at].number), feature, stem))
            return SPATE_ALIKE;
    for (size_t i = 0; i < loading_count; i++) {
        VALUE other = loadings[i].path;
        if (loadings[i].hashes[last] == hashes[last] && ends_alike(other, feature, stem) &&
            !(path && is_text(other, path, path_length)))
            return SPATE_ALIKE;
    }
    return SPATE_NOT_LOADED;
}

void spate_features_begin(VALUE path) {
    if (loading_count == loading_capacity) {
        loading_capacity = loading_capacity ? loading_capacity * 2 : 64;
        REALLOC_N(loadings, loading, loading_capacity);
    }
    loading *now = &loadings[loading_count++];
    now->path = path;
    hashes_of(RSTRING_PTR(path), stem_of(RSTRING_PTR(path), (size_t)RSTRING_LEN(path)), now->hashes);
}

/* Removes a file from the list. It is nearly always the last one, but threads may finish in a different order. */
void spate_features_done(VALUE path) {
    for (size_t i = loading_count; i-- > 0;) {
        if (loadings[i].path == path) {
            MEMMOVE(&loadings[i], &loadings[i + 1], loading, --loading_count - i);
            return;
        }
    }
}
