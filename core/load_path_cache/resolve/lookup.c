/* Finds a feature's candidates, and the one that Ruby's `require` or `load` would choose. */
#include "load_path_cache/resolve/inner.h"

/* A feature, split as `require` does. */
typedef struct name {
    const char *path;
    size_t key_length; /* without the trailing slash */
    uint32_t key_hash;
    const char *base;
    size_t length; /* length of `base`; a given extension is not removed */
} name;

typedef struct best {
    uint32_t position[SPATE_LOAD_PATH_CACHE_KIND + 1];
    uint32_t root[SPATE_LOAD_PATH_CACHE_KIND + 1];
} best;

static size_t candidate_path(spate_resolver *r, char *out, size_t capacity, uint32_t owner, const name *n,
                             size_t base_length, int kind) {
    const known_root *found = &r->roots.at[owner];
    const char *extension = kind == SPATE_LOAD_PATH_CACHE_RUBY     ? ".rb"
                            : kind == SPATE_LOAD_PATH_CACHE_SHARED ? r->shared
                                                                   : "";
    size_t feature = (size_t)(n->base - n->path) + base_length, tail = strlen(extension);
    if (found->length + feature + tail + 2 > capacity)
        return 0;
    size_t length =
        spate_load_path_cache_join(out, capacity, r->texts.at + found->path, found->length, n->path, feature);
    memcpy(out + length, extension, tail + 1);
    return length + tail;
}

/* Whether the file can be loaded. Symlinks are checked each time, because their target may be of any type and may
 * change. */
static bool loadable(spate_resolver *r, uint32_t owner, const name *n, size_t length, int kind) {
    struct stat stat_now;
    r->counts.stats++;
    return candidate_path(r, r->path, sizeof r->path, owner, n, length, kind) > 0 && stat(r->path, &stat_now) == 0 &&
           (S_ISREG(stat_now.st_mode) || S_ISFIFO(stat_now.st_mode));
}

typedef void (*consider)(spate_resolver *r, void *context, uint32_t directory, uint32_t kind, const name *n,
                         size_t length);

/* Calls `take` for each valid candidate, from recorded directories and from listings. */
static void each_candidate(spate_resolver *r, uint32_t number, const name *n, size_t length, consider take,
                           void *context) {
    uint32_t hash = spate_load_path_cache_hash(SPATE_LOAD_PATH_CACHE_HASH_START, n->base, length);
    if (number < r->cached_keys) {
        size_t count;
        uint32_t feature = spate_load_path_cache_find_feature(&r->cache, number, hash, n->base, length);
        const uint32_t *candidates = spate_load_path_cache_candidates(&r->cache, feature, &count);
        for (size_t i = 0; i < count; i++) {
            uint32_t directory = candidates[i] >> SPATE_LOAD_PATH_CACHE_KIND_BITS;
            if (directory < r->cached_directories && r->directories.at[directory].state == RECORDED)
                take(r, context, directory, candidates[i] & 7, n, length);
        }
    }
    if (r->nodes.at[number].listed == 0 || r->entry_table.count == 0)
        return;
    uint32_t at = r->entry_table.slots[spate_load_path_cache_spread(hash, number) & (r->entry_table.count - 1)] - 1;
    for (; at != NONE; at = r->entries.at[at].next) {
        const known_entry *e = &r->entries.at[at];
        const known_directory *d = &r->directories.at[e->directory];
        if (e->hash == hash && e->node == number && d->state == LISTED && e->length == length &&
            r->listings.at[d->listing].generation == e->generation &&
            memcmp(r->texts.at + e->name, n->base, length) == 0)
            take(r, context, e->directory, e->kind, n, length);
    }
}

static void keep_best(spate_resolver *r, void *context, uint32_t directory, uint32_t kind, const name *n,
                      size_t length) {
    best *b = context;
    uint32_t owner = spate_resolver_directory_root(r, directory);
    int plain = (int)(kind & SPATE_LOAD_PATH_CACHE_KIND);
    uint32_t position = owner == NONE ? NONE : r->roots.at[owner].position;
    if (position >= b->position[plain])
        return;
    if ((kind & SPATE_LOAD_PATH_CACHE_CHECK) && !loadable(r, owner, n, length, plain))
        return;
    b->position[plain] = position;
    b->root[plain] = owner;
}

static best best_of(spate_resolver *r, uint32_t number, const name *n, size_t length) {
    best b;
    memset(&b, 0xff, sizeof b);
    if (number != NONE)
        each_candidate(r, number, n, length, keep_best, &b);
    return b;
}

static spate_answer found_at(spate_resolver *r, const best *b, int kind, const name *n, size_t length,
                             spate_found *found) {
    found->position = b->position[kind];
    found->kind = kind;
    found->length = candidate_path(r, found->path, sizeof found->path, b->root[kind], n, length, kind);
    return found->length ? SPATE_FOUND : SPATE_UNSURE;
}

static bool clean(const char *path, size_t length) {
    if (length == 0 || path[0] == '~')
        return false;
    for (size_t start = 0; start <= length;) {
        size_t end = start;
        while (end < length && path[end] != '/') {
            if (path[end] == '\0')
                return false;
            end++;
        }
        size_t size = end - start;
        if (size == 0 || spate_load_path_cache_is_dots(path + start, size))
            return false;
        start = end + 1;
    }
    return true;
}

static bool take_apart(const char *feature, size_t length, name *n) {
    if (length > SPATE_LOAD_PATH_CACHE_PATH_MAX / 2 || !clean(feature, length))
        return false;
    size_t slash = length;
    while (slash > 0 && feature[slash - 1] != '/')
        slash--;
    n->path = feature;
    n->base = feature + slash;
    n->length = length - slash;
    n->key_length = slash ? slash - 1 : 0;
    n->key_hash = spate_load_path_cache_hash(SPATE_LOAD_PATH_CACHE_HASH_START, feature, n->key_length);
    return true;
}

static bool ends(const char *text, size_t length, const char *end, size_t *stem) {
    size_t tail = strlen(end);
    if (length < tail || memcmp(text + length - tail, end, tail) != 0)
        return false;
    *stem = length - tail;
    return true;
}

/*
 * Follows Ruby's load.c. ".rb" matches only a Ruby file. ".so" or ".o" matches a shared object, or else a name without
 * extension. Without an extension, a .rb file anywhere in the load path has priority over any shared object.
 */
static spate_answer find(spate_resolver *r, uint32_t number, uint32_t unsure, const name *n, bool load,
                         spate_found *found) {
    size_t stem;
    best b;
#define ANSWER(kind, size)                                                                                             \
    if (b.position[kind] != NONE)                                                                                      \
        return b.position[kind] <= unsure ? found_at(r, &b, kind, n, size, found) : SPATE_UNSURE;                      \
    if (unsure != NONE)                                                                                                \
    return SPATE_UNSURE

    if (load) {
        if (!ends(n->base, n->length, ".rake", &stem) && !ends(n->base, n->length, ".rb", &stem))
            return SPATE_UNSURE;
        bool rake = stem + 5 == n->length;
        if (stem == 0)
            return SPATE_UNSURE;
        stem = rake ? n->length : stem;
        b = best_of(r, number, n, stem);
        ANSWER(rake ? SPATE_LOAD_PATH_CACHE_RAKE : SPATE_LOAD_PATH_CACHE_RUBY, stem);
        return SPATE_ABSENT;
    }
    if (ends(n->base, n->length, ".rb", &stem)) {
        if (stem == 0) /* a file named ".rb" */
            return SPATE_UNSURE;
        b = best_of(r, number, n, stem);
        ANSWER(SPATE_LOAD_PATH_CACHE_RUBY, stem);
        return SPATE_ABSENT;
    }
    if (ends(n->base, n->length, r->shared, &stem) || ends(n->base, n->length, ".so", &stem) ||
        ends(n->base, n->length, ".o", &stem)) {
        if (stem == 0)
            return SPATE_UNSURE;
        b = best_of(r, number, n, stem);
        ANSWER(SPATE_LOAD_PATH_CACHE_SHARED, stem);
    }
    b = best_of(r, number, n, n->length);
    ANSWER(SPATE_LOAD_PATH_CACHE_RUBY, n->length);
    ANSWER(SPATE_LOAD_PATH_CACHE_SHARED, n->length);
    return SPATE_ABSENT;
#undef ANSWER
}

spate_answer spate_resolver_find(spate_resolver *r, const char *feature, size_t length, bool load, bool fresh,
                                 spate_found *found) {
    name n;
    uint32_t unsure;
    if (r->out_of_memory || !take_apart(feature, length, &n))
        return SPATE_UNSURE;
    uint32_t number =
        spate_resolver_reach(r, n.path, n.key_length, n.key_hash, spate_resolver_since(r, fresh), &unsure);
    if (r->out_of_memory)
        return SPATE_UNSURE;
    return find(r, number, unsure < r->opaque ? unsure : r->opaque, &n, load, found);
}

typedef struct report {
    spate_candidate_seen seen;
    void *context;
} report;

static void report_one(spate_resolver *r, void *context, uint32_t directory, uint32_t kind, const name *n,
                       size_t length) {
    report *to = context;
    char path[SPATE_LOAD_PATH_CACHE_PATH_MAX];
    uint32_t owner = spate_resolver_directory_root(r, directory);
    int plain = (int)(kind & SPATE_LOAD_PATH_CACHE_KIND);
    size_t size = owner == NONE ? 0 : candidate_path(r, path, sizeof path, owner, n, length, plain);
    if (size && ((kind & SPATE_LOAD_PATH_CACHE_CHECK) == 0 || loadable(r, owner, n, length, plain)))
        to->seen(to->context, path, size, r->roots.at[owner].position, plain);
}

spate_answer spate_resolver_each(spate_resolver *r, const char *feature, size_t length, spate_candidate_seen seen_one,
                                 void *context) {
    static const char *const given[] = {".rb", ".so", ".o"};
    name n;
    uint32_t unsure;
    size_t stem;
    report to = {seen_one, context};
    if (r->out_of_memory || !take_apart(feature, length, &n))
        return SPATE_UNSURE;
    uint32_t number =
        spate_resolver_reach(r, n.path, n.key_length, n.key_hash, spate_resolver_since(r, false), &unsure);
    if (number == NONE)
        return SPATE_ABSENT;
    for (size_t i = 0; i < 3; i++)
        if (ends(n.base, n.length, given[i], &stem) && stem > 0)
            each_candidate(r, number, &n, stem, report_one, &to);
    each_candidate(r, number, &n, n.length, report_one, &to);
    return SPATE_FOUND;
}
