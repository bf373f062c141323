/* Resolves the entries of a load path to real paths. Each spelling is resolved once per moment. */
#include "load_path_cache/resolve/inner.h"

static uint32_t spelling_spread(const spate_resolver *r, uint32_t number) {
    return spate_load_path_cache_spread(r->spellings.at[number].hash, 0);
}

static uint32_t add_root(spate_resolver *r, const char *path, size_t length) {
    uint32_t text = spate_resolver_keep_text(r, path, length);
    uint32_t top = spate_resolver_make_node(r, "", 0);
    if (text == NONE || top == NONE || !ROOM(r, roots, 1))
        return NONE;
    uint32_t number = (uint32_t)r->roots.count++;
    r->roots.at[number] = (known_root){text, (uint32_t)length, NONE};
    if (spate_resolver_make_directory(r, number, top) == NONE)
        return r->roots.count--, NONE;
    return number;
}

/*
 * Whether the absolute path exists and contains no symlink. A prefix shared with the previous path is not checked
 * again.
 */
static bool plain_path(spate_resolver *r, const char *path, size_t length) {
    struct stat stat;
    char part[PATH_MAX];
    size_t common = 0;
    if (length < 2 || length >= sizeof part || path[length - 1] == '/')
        return false;
    for (size_t i = 0; i < length && path[i] == r->plain[i]; i++)
        if (path[i + 1] == '/' && r->plain[i + 1] == '/')
            common = i + 1;
    memcpy(part, path, length + 1);
    for (size_t at = common + 1; at <= length; at++) {
        if (at < length && path[at] != '/')
            continue;
        const char *name = path + at - 1;
        while (*name != '/')
            name--;
        size_t size = (size_t)(path + at - ++name);
        if (size == 0 || spate_load_path_cache_is_dots(name, size))
            return false;
        part[at] = '\0';
        r->counts.stats++;
        if (lstat(part, &stat) != 0 || S_ISLNK(stat.st_mode))
            return false;
        if (at < length)
            part[at] = '/';
    }
    memcpy(r->plain, path, length + 1);
    return true;
}

/* Like File.expand_path. Does not access the file system. The result is never longer than the input. */
static size_t tidy(char *path) {
    size_t length = 0;
    for (const char *part = path; *part != '\0';) {
        const char *end = strchr(part + 1, '/');
        size_t size = end ? (size_t)(end - part) : strlen(part);
        if (size == 3 && part[1] == '.' && part[2] == '.') {
            while (length > 0 && path[--length] != '/')
                continue;
        } else if (size > 1 && !(size == 2 && part[1] == '.')) {
            memmove(path + length, part, size);
            length += size;
        }
        part += size;
    }
    if (length == 0)
        path[length++] = '/';
    path[length] = '\0';
    return length;
}

/* A missing directory has no real path. Ruby uses it as spelled, and normalizes it at each lookup. */
static uint32_t real_root(spate_resolver *r, char *given, size_t length) {
    char real[PATH_MAX];
    if (!plain_path(r, given, length)) {
        if (realpath(given, real) != NULL)
            given = real, length = strlen(real);
        else
            length = tidy(given);
    }
    uint32_t hash = spate_load_path_cache_hash(SPATE_LOAD_PATH_CACHE_HASH_START, given, length);
    uint32_t number = r->has_cache ? spate_load_path_cache_find_root(&r->cache, hash, given, length) : NONE;
    for (uint32_t i = r->cached_roots; number == NONE && i < r->roots.count; i++)
        if (r->roots.at[i].length == length && memcmp(r->texts.at + r->roots.at[i].path, given, length) == 0)
            number = i;
    return number == NONE ? add_root(r, given, length) : number;
}

static uint32_t find_spelling(const spate_resolver *r, uint32_t hash, const char *path, size_t length) {
    const table *t = &r->spelling_table;
    for (size_t slot = spate_load_path_cache_spread(hash, 0) & (t->count - 1); t->slots[slot];
         slot = (slot + 1) & (t->count - 1)) {
        const spelling *known = &r->spellings.at[t->slots[slot] - 1];
        if (known->hash == hash && known->length == length && memcmp(r->texts.at + known->path, path, length) == 0)
            return t->slots[slot] - 1;
    }
    return NONE;
}

uint32_t spate_resolver_root(spate_resolver *r, const char *path, size_t length) {
    char given[PATH_MAX];
    if (length < 1 || length >= sizeof given || path[0] != '/' || memchr(path, '\0', length))
        return NONE;
    uint32_t hash = spate_load_path_cache_hash(SPATE_LOAD_PATH_CACHE_HASH_START, path, length);
    table *t = &r->spelling_table;
    if (!spate_table_room(r, t, r->spellings.count, spelling_spread) || !ROOM(r, spellings, 1))
        return NONE;
    uint32_t number = find_spelling(r, hash, path, length);
    if (number != NONE && r->trusted != 0 && r->spellings.at[number].moment >= r->trusted)
        return r->spellings.at[number].root;
    memcpy(given, path, length);
    given[length] = '\0';
    uint32_t found = real_root(r, given, length);
    if (number == NONE) {
        uint32_t text = spate_resolver_keep_text(r, path, length);
        if (text == NONE)
            return NONE;
        number = (uint32_t)r->spellings.count++;
        r->spellings.at[number] = (spelling){hash, text, (uint32_t)length, found, 0};
        spate_table_put(t, spelling_spread(r, number), number);
    }
    r->spellings.at[number].root = found;
    r->spellings.at[number].moment = r->moment;
    return r->out_of_memory ? NONE : found;
}

spate_status spate_resolver_load_path(spate_resolver *r, const uint32_t *roots, size_t count) {
    if (count >= NONE ||
        !spate_resolver_ensure((void **)&r->load_path.at, &r->load_path.capacity, count, sizeof(uint32_t)))
        return SPATE_NO_MEMORY;
    for (size_t i = 0; i < r->load_path.count; i++)
        if (r->load_path.at[i] < r->roots.count)
            r->roots.at[r->load_path.at[i]].position = NONE;
    r->opaque = NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = r->load_path.at[i] = roots[i];
        if (number >= r->roots.count)
            r->opaque = i < r->opaque ? i : r->opaque;
        else if (r->roots.at[number].position == NONE)
            r->roots.at[number].position = i;
    }
    r->load_path.count = count;
    r->path_age++;
    return SPATE_OK;
}
