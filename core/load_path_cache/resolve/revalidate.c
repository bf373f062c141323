/*
 * Checks whether directories have changed since they were recorded or listed. Each directory is checked with stat at
 * most once per moment, and listed again if it has changed.
 */
#include "load_path_cache/resolve/inner.h"

#include "base/freshness.h"
#include "base/times.h"

/* How long a check of a directory is valid. A directory that changed within this time is checked on each use. */
#define MOMENT_NS INT64_C(1000000000)
#define EACH_TIME 0

static bool same_stamp(const spate_load_path_cache_stamp *a, const spate_load_path_cache_stamp *b) {
    return a->inode == b->inode && a->device == b->device && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

static bool young(const spate_load_path_cache_stamp *stamp) {
    int64_t since = spate_load_path_cache_now() - MOMENT_NS;
    return stamp->mtime_ns > since || stamp->ctime_ns > since;
}

static void look_at(spate_resolver *r, uint32_t number) {
    struct stat stat_now;
    known_directory *here = &r->directories.at[number];
    here->moment = r->moment;
    r->counts.stats++;
    if (spate_resolver_directory_path(r, number) == 0 || stat(r->path, &stat_now) != 0 || !S_ISDIR(stat_now.st_mode)) {
        here->state = GONE;
        return;
    }
    spate_load_path_cache_stamp stamp = spate_load_path_cache_stamp_of(&stat_now);
    if (young(&stamp))
        here->moment = EACH_TIME;
    bool recorded = number < r->cached_directories &&
                    (r->cache.directories[number].flags & SPATE_LOAD_PATH_CACHE_UNLISTED) == 0 &&
                    same_stamp(&stamp, &r->cache.directories[number].stamp) && spate_times_kept(r->path, &stat_now);
    const known_listing *known = here->listing == NONE ? NULL : &r->listings.at[here->listing];
    if (recorded && !(here->state == LISTED && same_stamp(&stamp, &known->stamp))) {
        here->state = RECORDED;
        return;
    }
    if ((here->state == LISTED || here->state == CLOSED) && known && !known->doubted &&
        same_stamp(&stamp, &known->stamp))
        return;
    uint8_t state = spate_resolver_list(r, number);
    r->directories.at[number].state = state;
}

static void look_at_node(spate_resolver *r, uint32_t number, uint32_t above, uint32_t since) {
    uint32_t first = 0, count = 0, unsure = above, moment = r->moment;
    if (number < r->cached_keys)
        spate_load_path_cache_key_directories(&r->cache, number, &first, &count);
    uint32_t added = r->nodes.at[number].added;
    for (uint32_t i = 0;; i++) {
        uint32_t at;
        if (i < count)
            at = first + i;
        else if (added != NONE)
            at = added + r->cached_directories, added = r->new_directories.at[added].next;
        else
            break;
        uint32_t owner = spate_resolver_directory_root(r, at);
        uint32_t position = owner == NONE ? NONE : r->roots.at[owner].position;
        if (position == NONE)
            continue;
        if (r->directories.at[at].moment < since)
            look_at(r, at);
        if (r->directories.at[at].moment == EACH_TIME)
            moment = EACH_TIME;
        if (r->directories.at[at].state == CLOSED && position < unsure)
            unsure = position;
    }
    known_node *here = &r->nodes.at[number];
    here->unsure = unsure;
    here->moment = moment;
    here->path_age = r->path_age;
}

static bool seen(const spate_resolver *r, uint32_t number, uint32_t since) {
    const known_node *here = &r->nodes.at[number];
    return here->moment >= since && here->path_age == r->path_age;
}

uint32_t spate_resolver_reach(spate_resolver *r, const char *path, size_t length, uint32_t hash, uint32_t since,
                              uint32_t *unsure) {
    uint32_t number = spate_resolver_find_node(r, hash, path, length);
    if (number != NONE && seen(r, number, since)) {
        *unsure = r->nodes.at[number].unsure;
        return number;
    }
    *unsure = NONE;
    uint32_t so_far = SPATE_LOAD_PATH_CACHE_HASH_START;
    for (size_t at = 0;; at++) {
        if (at == 0 || at == length || path[at] == '/') {
            number = spate_resolver_find_node(r, so_far, path, at);
            if (number == NONE)
                return NONE;
            if (!seen(r, number, since))
                look_at_node(r, number, *unsure, since);
            *unsure = r->nodes.at[number].unsure;
            if (at == length)
                return number;
        }
        so_far = spate_load_path_cache_hash(so_far, path + at, 1);
    }
}

uint32_t spate_resolver_since(spate_resolver *r, bool fresh) {
    struct timespec time;
    clock_gettime(SPATE_CLOCK_COARSE, &time);
    int64_t now = spate_nanoseconds(time);
    bool over = r->trusted == 0 || now - r->moment_ns >= MOMENT_NS || now < r->moment_ns;
    if (over || fresh)
        r->moment++;
    if (over) {
        r->trusted = r->moment;
        r->moment_ns = now;
        r->plain[0] = '\0';
    }
    return fresh ? r->moment : r->trusted;
}

uint32_t spate_resolver_moment(spate_resolver *r) {
    return spate_resolver_since(r, false);
}

void spate_resolver_forget(spate_resolver *r) {
    r->trusted = 0;
    r->plain[0] = '\0';
}
