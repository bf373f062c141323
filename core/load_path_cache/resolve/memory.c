/*
 * Listings of directories that have changed or are missing in the load-path cache. Entries of earlier listings are kept
 * but are not valid; they become valid again if their file returns.
 */
#include "load_path_cache/resolve/inner.h"

#include "base/freshness.h"

#include <errno.h>

/* Larger directories are left to Ruby. */
#define LISTED_MAX 200000

/* Reuses the entry of a file that was found by an earlier listing of the directory. */
static bool renew_entry(spate_resolver *r, uint32_t hash, uint32_t owner, const char *name, size_t length,
                        uint32_t kind, uint32_t generation) {
    if (r->entry_table.count == 0)
        return false;
    size_t slot =
        spate_load_path_cache_spread(hash, spate_resolver_directory_node(r, owner)) & (r->entry_table.count - 1);
    for (uint32_t at = r->entry_table.slots[slot] - 1; at != NONE; at = r->entries.at[at].next) {
        known_entry *e = &r->entries.at[at];
        if (e->hash == hash && e->directory == owner && e->kind == kind && e->length == length &&
            memcmp(r->texts.at + e->name, name, length) == 0)
            return e->generation = generation, true;
    }
    return false;
}

static bool grow_entry_table(spate_resolver *r) {
    table *t = &r->entry_table;
    size_t count = t->count ? t->count * 2 : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return r->out_of_memory = true, false;
    for (uint32_t i = 0; i < r->entries.count; i++) {
        known_entry *e = &r->entries.at[i];
        size_t slot = spate_load_path_cache_spread(e->hash, e->node) & (count - 1);
        e->next = slots[slot] - 1;
        slots[slot] = i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->count = count;
    return true;
}

static bool add_entry(spate_resolver *r, uint32_t owner, const char *name, size_t length, uint32_t kind,
                      uint32_t generation) {
    table *t = &r->entry_table;
    uint32_t hash = spate_load_path_cache_hash(SPATE_LOAD_PATH_CACHE_HASH_START, name, length);
    if (generation > 1 && renew_entry(r, hash, owner, name, length, kind, generation))
        return true;
    if (t->used + 1 > t->count && !grow_entry_table(r))
        return false;
    uint32_t text = spate_resolver_keep_text(r, name, length);
    if (text == NONE || !ROOM(r, entries, 1))
        return false;
    uint32_t place = spate_resolver_directory_node(r, owner);
    size_t slot = spate_load_path_cache_spread(hash, place) & (t->count - 1);
    uint32_t number = (uint32_t)r->entries.count++;
    r->entries.at[number] =
        (known_entry){hash, place, text, (uint32_t)length, owner, generation, kind, t->slots[slot] - 1};
    t->slots[slot] = number + 1;
    t->used++;
    return true;
}

/* Adds a subdirectory. Skips it if its path is too long to be opened. */
static bool add_below(spate_resolver *r, uint32_t number, const char *name, size_t length) {
    char path[PATH_MAX];
    size_t above_length;
    uint32_t owner = spate_resolver_directory_root(r, number);
    const char *above = spate_resolver_node_path(r, spate_resolver_directory_node(r, number), &above_length);
    size_t whole = spate_load_path_cache_join(path, sizeof path, above, above_length, name, length);
    uint32_t below = whole ? spate_resolver_make_node(r, path, whole) : NONE;
    return whole == 0 || (below != NONE && spate_resolver_make_directory(r, owner, below) != NONE);
}

static bool take_entry(spate_resolver *r, uint32_t number, uint32_t generation, int folder,
                       const struct dirent *found) {
    spate_load_path_cache_entry entry;
    if (!spate_load_path_cache_entry_read(&entry, folder, found, r->shared))
        return true;
    if (entry.kind != 0 && !add_entry(r, number, entry.name, entry.stem, entry.kind, generation))
        return false;
    return !entry.folder || add_below(r, number, entry.name, entry.length);
}

static uint8_t read_listing(spate_resolver *r, uint32_t number, known_listing *made, DIR *open) {
    struct stat stat;
    struct dirent *found;
    size_t seen = 0;
    int64_t now = spate_load_path_cache_now();
    if (fstat(dirfd(open), &stat) != 0)
        return CLOSED;
    made->stamp = spate_load_path_cache_stamp_of(&stat);
    for (errno = 0; (found = readdir(open)) != NULL; errno = 0)
        if (++seen > LISTED_MAX || !take_entry(r, number, made->generation, dirfd(open), found))
            return CLOSED;
    made->doubted = !spate_times_kept(r->path, &stat) || spate_times_recent(made->stamp.ctime_ns, now);
    return errno == 0 ? LISTED : CLOSED;
}

uint8_t spate_resolver_list(spate_resolver *r, uint32_t number) {
    known_directory *here = &r->directories.at[number];
    if (here->listing == NONE) {
        if (!ROOM(r, listings, 1))
            return CLOSED;
        here->listing = (uint32_t)r->listings.count++;
        r->listings.at[here->listing] = (known_listing){.generation = 0};
    }
    known_listing made = r->listings.at[here->listing];
    made.generation++;
    made.doubted = false;
    r->counts.listings++;
    DIR *open = opendir(r->path);
    uint8_t state = open                                                    ? read_listing(r, number, &made, open)
                    : errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? GONE
                                                                            : CLOSED;
    if (open)
        closedir(open);
    if (r->out_of_memory)
        state = CLOSED;
    r->listings.at[r->directories.at[number].listing] = made;
    r->nodes.at[spate_resolver_directory_node(r, number)].listed++;
    return state;
}
