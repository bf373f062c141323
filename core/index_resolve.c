#include "index_resolve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NONE SPATE_INDEX_NONE
/* A folder with more entries is left to Ruby. */
#define LISTED_MAX 200000
#define MOMENT_NS INT64_C(1000000000)
#ifdef CLOCK_MONOTONIC_COARSE
#define SPATE_CLOCK CLOCK_MONOTONIC_COARSE
#else
#define SPATE_CLOCK CLOCK_MONOTONIC
#endif

/* What is known of a directory. RECORDED: its candidates are the index's. LISTED: they are in memory. */
enum { UNSEEN, RECORDED, LISTED, GONE, CLOSED };

typedef struct known_directory {
    uint32_t moment;  /* when it was last looked at */
    uint32_t listing; /* of `listings`, or NONE */
    uint8_t state;
} known_directory;

/* One that the index does not know. */
typedef struct new_directory {
    uint32_t root, node, next; /* next of the same node, or NONE */
} new_directory;

typedef struct known_listing {
    spate_index_stamp stamp;
    uint32_t generation; /* entries of an earlier one count no more */
    bool racy;
} known_listing;

typedef struct known_node {
    uint32_t moment;   /* when all its directories were last looked at, and those of its parents */
    uint32_t path_age; /* for which load path */
    uint32_t unsure;   /* the lowest position of a closed directory here or above, or NONE */
    uint32_t added;    /* the first new directory, or NONE */
    uint32_t listed;   /* how often one of its directories was listed: 0 = memory holds nothing of it */
} known_node;

typedef struct new_node {
    uint32_t hash, path, length;
} new_node;

/* A candidate in memory. */
typedef struct known_entry {
    uint32_t hash, node, name, length;
    uint32_t directory, generation;
    uint32_t kind;
    uint32_t next;
} known_entry;

typedef struct known_root {
    uint32_t path, length; /* into texts */
    uint32_t top;          /* its known_directory */
    uint32_t position;
} known_root;

/* A spelling of a root. */
typedef struct spelling {
    uint32_t hash, path, length, root;
    uint32_t moment; /* when it was looked at */
} spelling;

typedef struct table {
    uint32_t *slots;
    size_t count; /* a power of two, or 0 */
    size_t used;
} table;

#define LIST(type)                                                                                                     \
    struct {                                                                                                           \
        type *at;                                                                                                      \
        size_t count, capacity;                                                                                        \
    }

struct spate_resolver {
    spate_index index;
    bool indexed;
    char shared[8];
    uint32_t index_keys, index_directories, index_roots;

    LIST(known_directory) directories; /* the index's, then new ones */
    LIST(new_directory) new_directories;
    LIST(known_listing) listings;
    LIST(known_node) nodes; /* the index's keys, then new ones */
    LIST(new_node) new_nodes;
    LIST(known_entry) entries;
    LIST(known_root) roots; /* the index's, then new ones */
    LIST(spelling) spellings;
    LIST(char) texts;
    LIST(uint32_t) load_path;
    table new_node_table, entry_table, spelling_table;

    uint32_t moment;   /* the present one */
    uint32_t trusted;  /* what was looked at since this one counts as looked at */
    int64_t moment_ns; /* when the trusted one began */
    uint32_t path_age;
    uint32_t opaque;    /* the lowest position of an entry that only Ruby understands, or NONE */
    bool out_of_memory; /* from then on everything is unsure */
    spate_resolver_counts counts;
    char plain[PATH_MAX]; /* the last root of which each part is known to be no link */
    char path[PATH_MAX];
};

static void *grow(void *items, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity)
        return items;
    size_t wanted = *capacity ? *capacity * 2 : 64;
    while (wanted < count)
        wanted *= 2;
    void *grown = realloc(items, wanted * size);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

/* Room for `more` behind the list's end; false where there is none. */
#define ROOM(r, list, more)                                                                                            \
    (ensure((void **)&(r)->list.at, &(r)->list.capacity, (r)->list.count + (more), sizeof *(r)->list.at) ||            \
     ((r)->out_of_memory = true, false))

static bool ensure(void **items, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity) /* none of nothing is no failure */
        return true;
    void *grown = count < UINT32_MAX ? grow(*items, capacity, count, size) : NULL;
    if (grown == NULL)
        return false;
    *items = grown;
    return true;
}

static uint32_t keep_text(spate_resolver *r, const char *text, size_t length) {
    if (!ROOM(r, texts, length + 1))
        return NONE;
    uint32_t at = (uint32_t)r->texts.count;
    memcpy(r->texts.at + at, text, length);
    r->texts.at[at + length] = '\0';
    r->texts.count += length + 1;
    return at;
}

/* Tables hold numbers + 1 and are never full; what is in them is found again by its hash. */
typedef uint32_t (*spread_of)(const spate_resolver *r, uint32_t number);

static bool table_room(spate_resolver *r, table *t, size_t numbers, spread_of spread) {
    if ((t->used + 1) * 2 <= t->count)
        return true;
    size_t count = t->count ? t->count * 2 : 256;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return r->out_of_memory = true, false;
    for (uint32_t i = 0; i < numbers; i++) {
        size_t slot = spread(r, i) & (count - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (count - 1);
        slots[slot] = i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->count = count;
    return true;
}

static void table_put(table *t, uint32_t spread, uint32_t number) {
    size_t slot = spread & (t->count - 1);
    while (t->slots[slot] != 0)
        slot = (slot + 1) & (t->count - 1);
    t->slots[slot] = number + 1;
    t->used++;
}

static uint32_t node_spread(const spate_resolver *r, uint32_t number) {
    return spate_index_spread(r->new_nodes.at[number].hash, 0);
}

static uint32_t spelling_spread(const spate_resolver *r, uint32_t number) {
    return spate_index_spread(r->spellings.at[number].hash, 0);
}

/* Nodes */

static const char *node_path(const spate_resolver *r, uint32_t number, size_t *length) {
    if (number < r->index_keys) {
        const spate_index_key *key = &r->index.keys[number];
        const char *text = spate_index_text(&r->index, key->path, key->length);
        *length = text ? key->length : 0;
        return text ? text : "";
    }
    const new_node *found = &r->new_nodes.at[number - r->index_keys];
    *length = found->length;
    return r->texts.at + found->path;
}

static uint32_t find_node(const spate_resolver *r, uint32_t hash, const char *path, size_t length) {
    uint32_t number = r->indexed ? spate_index_find_key(&r->index, hash, path, length) : NONE;
    if (number != NONE || r->new_node_table.count == 0)
        return number;
    size_t mask = r->new_node_table.count - 1;
    for (size_t slot = spate_index_spread(hash, 0) & mask; r->new_node_table.slots[slot]; slot = (slot + 1) & mask) {
        number = r->new_node_table.slots[slot] - 1;
        const new_node *found = &r->new_nodes.at[number];
        if (found->hash == hash && found->length == length && memcmp(r->texts.at + found->path, path, length) == 0)
            return number + r->index_keys;
    }
    return NONE;
}

static uint32_t make_node(spate_resolver *r, const char *path, size_t length) {
    uint32_t hash = spate_index_hash(SPATE_INDEX_HASH_START, path, length);
    uint32_t number = find_node(r, hash, path, length);
    if (number != NONE)
        return number;
    uint32_t text = keep_text(r, path, length);
    if (text == NONE || !ROOM(r, nodes, 1) || !ROOM(r, new_nodes, 1) ||
        !table_room(r, &r->new_node_table, r->new_nodes.count, node_spread))
        return NONE;
    number = (uint32_t)r->new_nodes.count++;
    r->new_nodes.at[number] = (new_node){hash, text, (uint32_t)length};
    r->nodes.at[r->nodes.count++] = (known_node){.unsure = NONE, .added = NONE};
    table_put(&r->new_node_table, node_spread(r, number), number);
    return number + r->index_keys;
}

/* Directories */

static uint32_t directory_root(const spate_resolver *r, uint32_t number) {
    uint32_t found = number < r->index_directories ? r->index.directories[number].root
                                                   : r->new_directories.at[number - r->index_directories].root;
    return found < r->roots.count ? found : NONE;
}

static uint32_t directory_node(const spate_resolver *r, uint32_t number) {
    uint32_t found = number < r->index_directories ? r->index.directories[number].key
                                                   : r->new_directories.at[number - r->index_directories].node;
    return found < r->nodes.count ? found : NONE;
}

static uint32_t find_directory(const spate_resolver *r, uint32_t root, uint32_t node) {
    uint32_t first = 0, count = 0;
    if (node < r->index_keys)
        spate_index_key_directories(&r->index, node, &first, &count);
    for (uint32_t low = first, high = first + count; root < r->index_roots && low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (r->index.directories[middle].root == root)
            return middle;
        if (r->index.directories[middle].root < root)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = r->nodes.at[node].added; i != NONE; i = r->new_directories.at[i].next) {
        if (r->new_directories.at[i].root == root)
            return i + r->index_directories;
    }
    return NONE;
}

static uint32_t make_directory(spate_resolver *r, uint32_t root, uint32_t node) {
    uint32_t number = find_directory(r, root, node);
    if (number != NONE)
        return number;
    if (!ROOM(r, directories, 1) || !ROOM(r, new_directories, 1))
        return NONE;
    number = (uint32_t)r->new_directories.count++;
    r->new_directories.at[number] = (new_directory){root, node, r->nodes.at[node].added};
    r->nodes.at[node].added = number;
    r->nodes.at[node].moment = 0;
    r->directories.at[r->directories.count++] = (known_directory){.listing = NONE, .state = UNSEEN};
    return number + r->index_directories;
}

static size_t join(char *out, size_t capacity, const char *head, size_t head_length, const char *tail,
                   size_t tail_length) {
    if (head_length + tail_length + 2 > capacity)
        return 0;
    memcpy(out, head, head_length);
    size_t length = head_length;
    if (tail_length > 0) {
        if (length == 0 || out[length - 1] != '/')
            out[length++] = '/';
        memcpy(out + length, tail, tail_length);
        length += tail_length;
    }
    out[length] = '\0';
    return length;
}

static size_t directory_path(spate_resolver *r, uint32_t number) {
    uint32_t owner = directory_root(r, number), place = directory_node(r, number);
    if (owner == NONE || place == NONE)
        return 0;
    const known_root *found = &r->roots.at[owner];
    size_t length;
    const char *path = node_path(r, place, &length);
    return join(r->path, sizeof r->path, r->texts.at + found->path, found->length, path, length);
}

/* Entries in memory */

static uint32_t entry_spread_of(uint32_t hash, uint32_t node) {
    return spate_index_spread(hash, node);
}

/* A file that was there when its directory was listed before needs no new entry. */
static bool renew_entry(spate_resolver *r, uint32_t hash, uint32_t owner, const char *name, size_t length,
                        uint32_t kind, uint32_t generation) {
    if (r->entry_table.count == 0)
        return false;
    size_t slot = entry_spread_of(hash, directory_node(r, owner)) & (r->entry_table.count - 1);
    for (uint32_t at = r->entry_table.slots[slot] - 1; at != NONE; at = r->entries.at[at].next) {
        known_entry *e = &r->entries.at[at];
        if (e->hash == hash && e->directory == owner && e->kind == kind && e->length == length &&
            memcmp(r->texts.at + e->name, name, length) == 0)
            return e->generation = generation, true;
    }
    return false;
}

static bool add_entry(spate_resolver *r, uint32_t owner, uint32_t place, const char *name, size_t length, uint32_t kind,
                      uint32_t generation) {
    table *t = &r->entry_table;
    uint32_t hash = spate_index_hash(SPATE_INDEX_HASH_START, name, length);
    if (generation > 1 && renew_entry(r, hash, owner, name, length, kind, generation))
        return true;
    if ((t->used + 1) > t->count) {
        size_t count = t->count ? t->count * 2 : 1024;
        uint32_t *slots = calloc(count, sizeof *slots);
        if (slots == NULL)
            return r->out_of_memory = true, false;
        for (uint32_t i = 0; i < r->entries.count; i++) {
            known_entry *e = &r->entries.at[i];
            size_t slot = entry_spread_of(e->hash, e->node) & (count - 1);
            e->next = slots[slot] - 1;
            slots[slot] = i + 1;
        }
        free(t->slots);
        t->slots = slots;
        t->count = count;
    }
    uint32_t text = keep_text(r, name, length);
    if (text == NONE || !ROOM(r, entries, 1))
        return false;
    size_t slot = entry_spread_of(hash, place) & (t->count - 1);
    uint32_t number = (uint32_t)r->entries.count++;
    r->entries.at[number] =
        (known_entry){hash, place, text, (uint32_t)length, owner, generation, kind, t->slots[slot] - 1};
    t->slots[slot] = number + 1;
    t->used++;
    return true;
}

/* Looking at directories */

static bool same_stamp(const spate_index_stamp *a, const spate_index_stamp *b) {
    return a->inode == b->inode && a->device == b->device && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

static bool add_below(spate_resolver *r, uint32_t number, const char *name, size_t length) {
    char path[PATH_MAX];
    size_t above_length;
    uint32_t owner = directory_root(r, number);
    const char *above = node_path(r, directory_node(r, number), &above_length);
    size_t whole = above_length ? join(path, sizeof path, above, above_length, name, length)
                                : (memcpy(path, name, length), length);
    uint32_t below = whole ? make_node(r, path, whole) : NONE;
    return whole == 0 || (below != NONE && make_directory(r, owner, below) != NONE);
}

static int type_of(int folder, const struct dirent *entry) {
    struct stat stat;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type;
    if (fstatat(folder, entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) != 0)
        return DT_UNKNOWN;
    return S_ISDIR(stat.st_mode)    ? DT_DIR
           : S_ISREG(stat.st_mode)  ? DT_REG
           : S_ISLNK(stat.st_mode)  ? DT_LNK
           : S_ISFIFO(stat.st_mode) ? DT_FIFO
                                    : DT_UNKNOWN;
}

static bool take_entry(spate_resolver *r, uint32_t number, uint32_t generation, int folder,
                       const struct dirent *found) {
    const char *name = found->d_name;
    size_t length = strlen(name), stem = 0;
    if (name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.')))
        return true;
    int kind = spate_index_kind(name, length, r->shared, &stem);
    int type = type_of(folder, found);
    if (kind != 0 && (type == DT_REG || type == DT_LNK || type == DT_FIFO)) {
        uint32_t check = type == DT_REG ? 0 : SPATE_INDEX_CHECK;
        if (!add_entry(r, number, directory_node(r, number), name, stem, (uint32_t)kind | check, generation))
            return false;
    }
    return (type != DT_DIR && type != DT_LNK) || add_below(r, number, name, length);
}

static uint8_t read_listing(spate_resolver *r, uint32_t number, known_listing *made, DIR *open) {
    struct stat stat;
    struct dirent *found;
    size_t seen = 0;
    if (fstat(dirfd(open), &stat) != 0)
        return CLOSED;
    made->stamp = spate_index_stamp_of(&stat);
    for (errno = 0; (found = readdir(open)) != NULL; errno = 0) {
        if (++seen > LISTED_MAX || !take_entry(r, number, made->generation, dirfd(open), found))
            return CLOSED;
    }
    made->racy = spate_index_racy(&made->stamp, spate_index_now());
    return errno == 0 ? LISTED : CLOSED;
}

/* Lists the directory at r->path. */
static uint8_t list(spate_resolver *r, uint32_t number) {
    known_directory *here = &r->directories.at[number];
    if (here->listing == NONE) {
        if (!ROOM(r, listings, 1))
            return CLOSED;
        here->listing = (uint32_t)r->listings.count++;
        r->listings.at[here->listing] = (known_listing){.generation = 0};
    }
    known_listing made = r->listings.at[here->listing];
    made.generation++;
    made.racy = false;
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
    r->nodes.at[directory_node(r, number)].listed++;
    return state;
}

static void look_at(spate_resolver *r, uint32_t number) {
    struct stat stat_now;
    known_directory *here = &r->directories.at[number];
    here->moment = r->moment;
    r->counts.stats++;
    if (directory_path(r, number) == 0 || stat(r->path, &stat_now) != 0 || !S_ISDIR(stat_now.st_mode)) {
        here->state = GONE;
        return;
    }
    spate_index_stamp stamp = spate_index_stamp_of(&stat_now);
    bool recorded = number < r->index_directories && (r->index.directories[number].flags & SPATE_INDEX_UNLISTED) == 0 &&
                    same_stamp(&stamp, &r->index.directories[number].stamp);
    const known_listing *known = here->listing == NONE ? NULL : &r->listings.at[here->listing];
    if (recorded && !(here->state == LISTED && same_stamp(&stamp, &known->stamp))) {
        here->state = RECORDED;
        return;
    }
    if ((here->state == LISTED || here->state == CLOSED) && known && !known->racy && same_stamp(&stamp, &known->stamp))
        return;
    uint8_t state = list(r, number);
    r->directories.at[number].state = state;
}

static void look_at_node(spate_resolver *r, uint32_t number, uint32_t above, uint32_t since) {
    uint32_t first = 0, count = 0, unsure = above;
    if (number < r->index_keys)
        spate_index_key_directories(&r->index, number, &first, &count);
    uint32_t added = r->nodes.at[number].added;
    for (uint32_t i = 0;; i++) {
        uint32_t at;
        if (i < count)
            at = first + i;
        else if (added != NONE)
            at = added + r->index_directories, added = r->new_directories.at[added].next;
        else
            break;
        uint32_t owner = directory_root(r, at);
        uint32_t position = owner == NONE ? NONE : r->roots.at[owner].position;
        if (position == NONE)
            continue;
        if (r->directories.at[at].moment < since)
            look_at(r, at);
        if (r->directories.at[at].state == CLOSED && position < unsure)
            unsure = position;
    }
    known_node *here = &r->nodes.at[number];
    here->unsure = unsure;
    here->moment = r->moment;
    here->path_age = r->path_age;
}

static bool seen(const spate_resolver *r, uint32_t number, uint32_t since) {
    const known_node *here = &r->nodes.at[number];
    return here->moment >= since && here->path_age == r->path_age;
}

/*
 * Looks at all directories from the tops of the roots down to `path`, each once since the moment `since`. The node of
 * `path`, or NONE where no root has it; *unsure is the lowest position that could hold more than is known.
 */
static uint32_t reach(spate_resolver *r, const char *path, size_t length, uint32_t hash, uint32_t since,
                      uint32_t *unsure) {
    uint32_t number = find_node(r, hash, path, length);
    if (number != NONE && seen(r, number, since)) {
        *unsure = r->nodes.at[number].unsure;
        return number;
    }
    *unsure = NONE;
    uint32_t so_far = SPATE_INDEX_HASH_START;
    for (size_t at = 0;; at++) {
        if (at == 0 || at == length || path[at] == '/') {
            number = find_node(r, so_far, path, at);
            if (number == NONE)
                return NONE;
            if (!seen(r, number, since))
                look_at_node(r, number, *unsure, since);
            *unsure = r->nodes.at[number].unsure;
            if (at == length)
                return number;
        }
        so_far = spate_index_hash(so_far, path + at, 1);
    }
}

/* Moments */

/* Once a second the present moment ends. */
static uint32_t since_when(spate_resolver *r, bool fresh) {
    struct timespec time;
    clock_gettime(SPATE_CLOCK, &time);
    int64_t now = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
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
    return since_when(r, false);
}

/* Roots */

static uint32_t add_root(spate_resolver *r, const char *path, size_t length) {
    uint32_t text = keep_text(r, path, length);
    uint32_t top = make_node(r, "", 0);
    if (text == NONE || top == NONE || !ROOM(r, roots, 1))
        return NONE;
    uint32_t number = (uint32_t)r->roots.count++;
    r->roots.at[number] = (known_root){text, (uint32_t)length, NONE, NONE};
    uint32_t directory = make_directory(r, number, top);
    if (directory == NONE)
        return r->roots.count--, NONE;
    r->roots.at[number].top = directory;
    return number;
}

/* Whether no part of an existing absolute path is a symbolic link. Of two paths the common part is looked at once. */
static bool plain_path(spate_resolver *r, const char *path, size_t length) {
    struct stat stat;
    char part[PATH_MAX];
    size_t common = 0;
    if (length < 2 || length >= sizeof part || path[length - 1] == '/')
        return false;
    for (size_t i = 0; i < length && path[i] == r->plain[i]; i++) {
        if (path[i + 1] == '/' && r->plain[i + 1] == '/')
            common = i + 1;
    }
    memcpy(part, path, length + 1);
    for (size_t at = common + 1; at <= length; at++) {
        if (at < length && path[at] != '/')
            continue;
        const char *name = path + at - 1;
        while (*name != '/')
            name--;
        size_t size = (size_t)(path + at - ++name);
        if (size == 0 || (name[0] == '.' && (size == 1 || (size == 2 && name[1] == '.'))))
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
        if (size == 0 || (path[start] == '.' && (size == 1 || (size == 2 && path[start + 1] == '.'))))
            return false;
        start = end + 1;
    }
    return true;
}

/* As File.expand_path does, without a look at the file system. The result is not longer. */
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

/* What does not exist has no real path: Ruby takes it as it is spelled, and tidies it at each look-up. */
static uint32_t real_root(spate_resolver *r, char *given, size_t length) {
    char real[PATH_MAX];
    if (!plain_path(r, given, length)) {
        if (realpath(given, real) != NULL)
            given = real, length = strlen(real);
        else
            length = tidy(given);
    }
    uint32_t hash = spate_index_hash(SPATE_INDEX_HASH_START, given, length);
    uint32_t number = r->indexed ? spate_index_find_root(&r->index, hash, given, length) : NONE;
    for (uint32_t i = r->index_roots; number == NONE && i < r->roots.count; i++) {
        if (r->roots.at[i].length == length && memcmp(r->texts.at + r->roots.at[i].path, given, length) == 0)
            number = i;
    }
    return number == NONE ? add_root(r, given, length) : number;
}

static uint32_t find_spelling(const spate_resolver *r, uint32_t hash, const char *path, size_t length) {
    const table *t = &r->spelling_table;
    for (size_t slot = spate_index_spread(hash, 0) & (t->count - 1); t->slots[slot];
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
    uint32_t hash = spate_index_hash(SPATE_INDEX_HASH_START, path, length);
    table *t = &r->spelling_table;
    if (!table_room(r, t, r->spellings.count, spelling_spread) || !ROOM(r, spellings, 1))
        return NONE;
    uint32_t number = find_spelling(r, hash, path, length);
    if (number != NONE && r->spellings.at[number].moment >= r->trusted)
        return r->spellings.at[number].root;
    memcpy(given, path, length);
    given[length] = '\0';
    uint32_t found = real_root(r, given, length);
    if (number == NONE) {
        uint32_t text = keep_text(r, path, length);
        if (text == NONE)
            return NONE;
        number = (uint32_t)r->spellings.count++;
        r->spellings.at[number] = (spelling){hash, text, (uint32_t)length, found, 0};
        table_put(t, spelling_spread(r, number), number);
    }
    r->spellings.at[number].root = found;
    r->spellings.at[number].moment = r->moment;
    return r->out_of_memory ? NONE : found;
}

spate_status spate_resolver_load_path(spate_resolver *r, const uint32_t *roots, size_t count) {
    if (count >= NONE || !ensure((void **)&r->load_path.at, &r->load_path.capacity, count, sizeof(uint32_t)))
        return SPATE_NO_MEMORY;
    for (size_t i = 0; i < r->load_path.count; i++) {
        if (r->load_path.at[i] < r->roots.count)
            r->roots.at[r->load_path.at[i]].position = NONE;
    }
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

/* Finding */

/* A feature as `require` takes it apart. */
typedef struct name {
    const char *path;
    size_t key_length; /* without the slash behind it */
    uint32_t key_hash;
    const char *base;
    size_t length; /* of base, without the extension where that was given */
} name;

typedef struct best {
    uint32_t position[SPATE_INDEX_KIND + 1];
    uint32_t root[SPATE_INDEX_KIND + 1];
} best;

static size_t candidate_path(spate_resolver *r, char *out, size_t capacity, uint32_t owner, const name *n,
                             size_t base_length, int kind) {
    const known_root *found = &r->roots.at[owner];
    const char *extension = kind == SPATE_INDEX_RUBY ? ".rb" : kind == SPATE_INDEX_SHARED ? r->shared : "";
    size_t feature = (size_t)(n->base - n->path) + base_length, tail = strlen(extension);
    if (found->length + feature + tail + 2 > capacity)
        return 0;
    size_t length = join(out, capacity, r->texts.at + found->path, found->length, n->path, feature);
    memcpy(out + length, extension, tail + 1);
    return length + tail;
}

/* Behind a symbolic link may be anything, and something else tomorrow. */
static bool loadable(spate_resolver *r, uint32_t owner, const name *n, size_t length, int kind) {
    struct stat stat_now;
    r->counts.stats++;
    return candidate_path(r, r->path, sizeof r->path, owner, n, length, kind) > 0 && stat(r->path, &stat_now) == 0 &&
           (S_ISREG(stat_now.st_mode) || S_ISFIFO(stat_now.st_mode));
}

typedef void (*consider)(spate_resolver *r, void *context, uint32_t directory, uint32_t kind, const name *n,
                         size_t length);

/* Hands over each candidate that counts now: of directories as recorded, and as listed last. */
static void each_candidate(spate_resolver *r, uint32_t number, const name *n, size_t length, consider take,
                           void *context) {
    uint32_t hash = spate_index_hash(SPATE_INDEX_HASH_START, n->base, length);
    if (number < r->index_keys) {
        size_t count;
        uint32_t feature = spate_index_find_feature(&r->index, number, hash, n->base, length);
        const uint32_t *candidates = spate_index_candidates(&r->index, feature, &count);
        for (size_t i = 0; i < count; i++) {
            uint32_t directory = candidates[i] >> SPATE_INDEX_KIND_BITS;
            if (directory < r->index_directories && r->directories.at[directory].state == RECORDED)
                take(r, context, directory, candidates[i] & 7, n, length);
        }
    }
    if (r->nodes.at[number].listed == 0 || r->entry_table.count == 0)
        return;
    uint32_t at = r->entry_table.slots[entry_spread_of(hash, number) & (r->entry_table.count - 1)] - 1;
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
    uint32_t owner = directory_root(r, directory);
    int plain = (int)(kind & SPATE_INDEX_KIND);
    uint32_t position = owner == NONE ? NONE : r->roots.at[owner].position;
    if (position >= b->position[plain])
        return;
    if ((kind & SPATE_INDEX_CHECK) && !loadable(r, owner, n, length, plain))
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

static bool take_apart(const char *feature, size_t length, name *n) {
    if (length > SPATE_INDEX_PATH_MAX / 2 || !clean(feature, length))
        return false;
    size_t slash = length;
    while (slash > 0 && feature[slash - 1] != '/')
        slash--;
    n->path = feature;
    n->base = feature + slash;
    n->length = length - slash;
    n->key_length = slash ? slash - 1 : 0;
    n->key_hash = spate_index_hash(SPATE_INDEX_HASH_START, feature, n->key_length);
    return true;
}

static bool ends(const char *text, size_t length, const char *end, size_t *stem) {
    size_t tail = strlen(end);
    if (length < tail || memcmp(text + length - tail, end, tail) != 0)
        return false;
    *stem = length - tail;
    return true;
}

/* As Ruby's load.c: with .rb only that; with .so or .o that, then as a name without extension; else .rb in the whole
 * load path before the platform's own in the whole load path. */
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
        ANSWER(rake ? SPATE_INDEX_RAKE : SPATE_INDEX_RUBY, stem);
        return SPATE_ABSENT;
    }
    if (ends(n->base, n->length, ".rb", &stem)) {
        if (stem == 0) /* a file that is called ".rb" */
            return SPATE_UNSURE;
        b = best_of(r, number, n, stem);
        ANSWER(SPATE_INDEX_RUBY, stem);
        return SPATE_ABSENT;
    }
    if (ends(n->base, n->length, r->shared, &stem) || ends(n->base, n->length, ".so", &stem) ||
        ends(n->base, n->length, ".o", &stem)) {
        if (stem == 0)
            return SPATE_UNSURE;
        b = best_of(r, number, n, stem);
        ANSWER(SPATE_INDEX_SHARED, stem);
    }
    b = best_of(r, number, n, n->length);
    ANSWER(SPATE_INDEX_RUBY, n->length);
    ANSWER(SPATE_INDEX_SHARED, n->length);
    return SPATE_ABSENT;
#undef ANSWER
}

spate_answer spate_resolver_find(spate_resolver *r, const char *feature, size_t length, bool load, bool fresh,
                                 spate_found *found) {
    name n;
    uint32_t unsure;
    if (r->out_of_memory || !take_apart(feature, length, &n))
        return SPATE_UNSURE;
    uint32_t number = reach(r, n.path, n.key_length, n.key_hash, since_when(r, fresh), &unsure);
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
    char path[SPATE_INDEX_PATH_MAX];
    uint32_t owner = directory_root(r, directory);
    int plain = (int)(kind & SPATE_INDEX_KIND);
    size_t size = owner == NONE ? 0 : candidate_path(r, path, sizeof path, owner, n, length, plain);
    if (size && ((kind & SPATE_INDEX_CHECK) == 0 || loadable(r, owner, n, length, plain)))
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
    uint32_t number = reach(r, n.path, n.key_length, n.key_hash, since_when(r, false), &unsure);
    if (number == NONE)
        return SPATE_ABSENT;
    for (size_t i = 0; i < 3; i++) {
        if (ends(n.base, n.length, given[i], &stem) && stem > 0)
            each_candidate(r, number, &n, stem, report_one, &to);
    }
    each_candidate(r, number, &n, n.length, report_one, &to);
    return SPATE_FOUND;
}

/* Making */

static bool fill(spate_resolver *r) {
    if (!r->indexed)
        return make_node(r, "", 0) != NONE;
    const spate_index_header *header = r->index.header;
    if (!ROOM(r, directories, header->directories + 1) || !ROOM(r, nodes, header->keys + 1) ||
        !ROOM(r, roots, header->roots + 1))
        return false;
    r->directories.count = header->directories;
    r->nodes.count = header->keys;
    for (size_t i = 0; i < r->directories.count; i++)
        r->directories.at[i] = (known_directory){.listing = NONE, .state = UNSEEN};
    for (size_t i = 0; i < r->nodes.count; i++)
        r->nodes.at[i] = (known_node){.unsure = NONE, .added = NONE};
    for (uint32_t i = 0; i < header->roots; i++) {
        const spate_index_root *found = &r->index.roots[i];
        const char *path = spate_index_text(&r->index, found->path, found->length);
        uint32_t text = path ? keep_text(r, path, found->length) : keep_text(r, "", 0);
        if (text == NONE)
            return false;
        r->roots.at[r->roots.count++] = (known_root){text, path ? found->length : 0, NONE, NONE};
    }
    return make_node(r, "", 0) != NONE;
}

spate_status spate_resolver_new(spate_resolver **resolver, const spate_index *index, const char *shared) {
    spate_resolver *r = *resolver = calloc(1, sizeof *r);
    if (r == NULL)
        return SPATE_NO_MEMORY;
    strncpy(r->shared, shared, sizeof r->shared - 1);
    r->opaque = NONE;
    if (index != NULL && strncmp(index->header->shared, r->shared, sizeof r->shared) == 0) {
        r->index = *index;
        r->indexed = true;
        r->index_keys = index->header->keys;
        r->index_directories = index->header->directories;
        r->index_roots = index->header->roots;
    }
    if (fill(r))
        return SPATE_OK;
    spate_resolver_free(r);
    *resolver = NULL;
    return SPATE_NO_MEMORY;
}

void spate_resolver_free(spate_resolver *r) {
    if (r == NULL)
        return;
    free(r->directories.at);
    free(r->new_directories.at);
    free(r->listings.at);
    free(r->nodes.at);
    free(r->new_nodes.at);
    free(r->entries.at);
    free(r->roots.at);
    free(r->spellings.at);
    free(r->texts.at);
    free(r->load_path.at);
    free(r->new_node_table.slots);
    free(r->entry_table.slots);
    free(r->spelling_table.slots);
    free(r);
}

size_t spate_resolver_bytes(const spate_resolver *r) {
    return sizeof *r + r->directories.capacity * sizeof(known_directory) + r->nodes.capacity * sizeof(known_node) +
           r->entries.capacity * sizeof(known_entry) + r->texts.capacity + r->roots.capacity * sizeof(known_root) +
           r->new_directories.capacity * sizeof(new_directory) +
           (r->new_node_table.count + r->entry_table.count + r->spelling_table.count) * sizeof(uint32_t);
}

spate_resolver_counts spate_resolver_counted(const spate_resolver *r) {
    return r->counts;
}

void spate_resolver_forget(spate_resolver *r) {
    r->trusted = 0;
}
