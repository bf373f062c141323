#include "requirer.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/*
 * $LOAD_PATH is always the same Array. `snapshot` is its content when the resolver was last updated. Array#replace
 * shares the memory of long Arrays until one of them is changed, so equal addresses mean that nothing has changed.
 */
static VALUE load_path, snapshot;
/* The resolver's root index for each entry. */
static uint32_t *numbers;
static long numbers_capacity;
/*
 * has_objects: an entry is not a String, and its to_path may return another path each time. has_relative: an entry is
 * relative, and depends on the working directory. told: the resolver has been updated.
 */
static bool has_objects, has_relative, told;
static uint32_t told_moment;
/* How often the resolver has been replaced. */
static unsigned long replaced;
static VALUE object_paths;
static char working_directory[PATH_MAX];

void spate_load_path_init(void) {
    load_path = rb_gv_get("$LOAD_PATH");
    snapshot = rb_ary_new();
    object_paths = rb_ary_new();
    rb_gc_register_address(&load_path);
    rb_gc_register_address(&snapshot);
    rb_gc_register_address(&object_paths);
}

void spate_load_path_forget(void) {
    told = false;
    replaced++;
    rb_ary_clear(snapshot);
}

static bool same_entries(void) {
    long count = RARRAY_LEN(load_path);
    if (count != RARRAY_LEN(snapshot))
        return false;
    const VALUE *now = RARRAY_CONST_PTR(load_path), *then = RARRAY_CONST_PTR(snapshot);
    return now == then || memcmp(now, then, (size_t)count * sizeof(VALUE)) == 0;
}

/* Calls to_path of entries that are not Strings, each time, like Ruby. */
static VALUE object_texts(void) {
    VALUE texts = rb_ary_new();
    for (long i = 0; i < RARRAY_LEN(load_path); i++) {
        VALUE entry = RARRAY_AREF(load_path, i);
        if (!RB_TYPE_P(entry, T_STRING))
            rb_ary_push(texts, rb_get_path(entry));
    }
    return texts;
}

static bool same_objects(void) {
    return !has_objects || RTEST(rb_equal(object_texts(), object_paths));
}

static bool same_directory(void) {
    char now[PATH_MAX];
    return !has_relative || (getcwd(now, sizeof now) != NULL && strcmp(now, working_directory) == 0);
}

/* Whether the text can be used as a path without conversion. Ruby converts other encodings itself. */
static bool plain_text(VALUE text) {
    if (RSTRING_LEN(text) == 0 || memchr(RSTRING_PTR(text), '\0', (size_t)RSTRING_LEN(text)))
        return false;
    if (!rb_enc_asciicompat(rb_enc_get(text)))
        return false;
    return rb_enc_str_asciionly_p(text) ||
           (rb_enc_get_index(text) == rb_utf8_encindex() && rb_filesystem_encindex() == rb_utf8_encindex());
}

static uint32_t number_of_text(spate_resolver *resolver, VALUE text) {
    const char *path = RSTRING_PTR(text);
    size_t length = (size_t)RSTRING_LEN(text);
    char whole[PATH_MAX];
    if (!plain_text(text) || path[0] == '~')
        return SPATE_LOAD_PATH_CACHE_NONE;
    if (path[0] == '/')
        return spate_resolver_root(resolver, path, length);
    if (!has_relative && getcwd(working_directory, sizeof working_directory) == NULL)
        return SPATE_LOAD_PATH_CACHE_NONE;
    has_relative = true;
    size_t taken = strlen(working_directory);
    if (taken + length + 2 > sizeof whole)
        return SPATE_LOAD_PATH_CACHE_NONE;
    memcpy(whole, working_directory, taken);
    whole[taken] = '/';
    memcpy(whole + taken + 1, path, length);
    return spate_resolver_root(resolver, whole, taken + 1 + length);
}

/* Returns the root index of an entry. Ruby skips an empty entry when it looks for .rb and .so, but not in other cases,
 * so only Ruby can interpret it. Freezes Strings, as Ruby does before its first lookup. */
static uint32_t number_of(spate_resolver *resolver, VALUE entry) {
    if (!RB_TYPE_P(entry, T_STRING)) {
        unsigned long before = replaced;
        has_objects = true;
        entry = rb_get_path(entry);
        if (replaced != before)
            return SPATE_LOAD_PATH_CACHE_NONE;
        rb_ary_push(object_paths, entry);
    } else if (!OBJ_FROZEN(entry)) {
        rb_str_freeze(entry);
    }
    return number_of_text(resolver, entry);
}

static void make_room(long count) {
    if (count <= numbers_capacity)
        return;
    numbers_capacity = count * 2;
    REALLOC_N(numbers, uint32_t, numbers_capacity);
}

/* Entries that equal the snapshot at either end keep their indexes, because most changes add or remove only a few. In a
 * later moment, all entries are resolved: Ruby also resolves the real path of each entry after a change. */
static void common_ends(long count, uint32_t moment, long *head, long *tail) {
    long before = RARRAY_LEN(snapshot), least = before < count ? before : count;
    const VALUE *now = RARRAY_CONST_PTR(load_path), *then = RARRAY_CONST_PTR(snapshot);
    *head = *tail = 0;
    if (!told || told_moment != moment || has_objects || has_relative)
        return;
    while (*head < least && now[*head] == then[*head])
        ++*head;
    while (*tail < least - *head && now[count - 1 - *tail] == then[before - 1 - *tail])
        ++*tail;
}

static bool update_resolver(spate_resolver *resolver) {
    long count = RARRAY_LEN(load_path), before = RARRAY_LEN(snapshot), head, tail;
    unsigned long resolvers = replaced;
    uint32_t moment = spate_resolver_moment(resolver);
    common_ends(count, moment, &head, &tail);
    make_room(count > before ? count : before);
    MEMMOVE(numbers + count - tail, numbers + before - tail, uint32_t, tail);
    has_objects = has_relative = false;
    rb_ary_clear(object_paths);
    for (long i = head; i < count - tail; i++) {
        uint32_t number = number_of(resolver, RARRAY_AREF(load_path, i));
        if (RARRAY_LEN(load_path) != count || replaced != resolvers) /* a to_path method has changed the load path or
                                                                      * the resolver */
            return told = false;
        numbers[i] = number;
    }
    rb_ary_replace(snapshot, load_path);
    told = spate_resolver_load_path(resolver, numbers, (size_t)count) == SPATE_OK;
    told_moment = moment;
    return told;
}

bool spate_load_path_sync(void) {
    if (told && same_objects() && told && same_entries() && same_directory()) /* same_objects calls to_path, which may
                                                                               * reset `told` */
        return true;
    return update_resolver(requirer.resolver);
}
