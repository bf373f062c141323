/*
 * The scan that makes an index: breadth first below each root, one open, stat and listing a directory. It stays out of
 * no folder that Ruby could load from: hidden ones, node_modules, loops of symbolic links and what is beyond the limits
 * are written as "not listed", and a program that asks for something in them lists them then.
 */
#include "index.h"

#include "crc32c.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DIRECTORIES_A_ROOT 20000u
#define DEPTH_MAX 40u
#define ROUNDS 3

typedef struct vector {
    void *items;
    size_t count, capacity, size;
} vector;

/* Room for `count` more, zeroed as NULL where there is no memory. */
static void *vector_add(vector *list, size_t count) {
    if (list->items == NULL || list->count + count > list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        while (capacity < list->count + count)
            capacity *= 2;
        void *items = realloc(list->items, capacity * list->size);
        if (items == NULL)
            return NULL;
        list->items = items;
        list->capacity = capacity;
    }
    void *added = (char *)list->items + list->count * list->size;
    list->count += count;
    return added;
}

typedef struct found_key {
    uint32_t path, length, hash;
    uint32_t number; /* once sorted */
} found_key;

typedef struct found_directory {
    spate_index_stamp stamp;
    uint32_t root, key, flags, depth;
    uint32_t above; /* the directory that this one was found in, or SPATE_INDEX_NONE */
    uint32_t number;
} found_directory;

typedef struct found_file {
    uint32_t key, name, length, directory, kind;
} found_file;

typedef struct scan {
    vector roots;       /* spate_index_root */
    vector keys;        /* found_key */
    vector directories; /* found_directory; also the queue */
    vector files;       /* found_file */
    vector pool;        /* char */
    uint32_t *key_slots;
    size_t key_slot_count;
    const char *shared, *ignored;
    char path[PATH_MAX];
} scan;

static uint32_t keep_text(scan *s, const char *text, size_t length) {
    char *kept = s->pool.count + length < UINT32_MAX ? vector_add(&s->pool, length) : NULL;
    if (kept == NULL)
        return SPATE_INDEX_NONE;
    memcpy(kept, text, length);
    return (uint32_t)(kept - (char *)s->pool.items);
}

static found_key *key_at(scan *s, uint32_t number) {
    return (found_key *)s->keys.items + number;
}

static found_directory *directory_at(scan *s, size_t number) {
    return (found_directory *)s->directories.items + number;
}

static bool grow_key_slots(scan *s) {
    size_t count = s->key_slot_count ? s->key_slot_count * 2 : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return false;
    for (uint32_t i = 0; i < s->keys.count; i++) {
        size_t slot = spate_index_spread(key_at(s, i)->hash, 0);
        while (slots[slot & (count - 1)] != 0)
            slot++;
        slots[slot & (count - 1)] = i + 1;
    }
    free(s->key_slots);
    s->key_slots = slots;
    s->key_slot_count = count;
    return true;
}

static uint32_t key_of(scan *s, const char *path, size_t length) {
    uint32_t hash = spate_index_hash(SPATE_INDEX_HASH_START, path, length);
    if ((s->keys.count + 1) * 2 > s->key_slot_count && !grow_key_slots(s))
        return SPATE_INDEX_NONE;
    size_t slot = spate_index_spread(hash, 0) & (s->key_slot_count - 1);
    for (; s->key_slots[slot] != 0; slot = (slot + 1) & (s->key_slot_count - 1)) {
        found_key *key = key_at(s, s->key_slots[slot] - 1);
        if (key->length == length && memcmp((char *)s->pool.items + key->path, path, length) == 0)
            return s->key_slots[slot] - 1;
    }
    uint32_t text = keep_text(s, path, length);
    found_key *key = text == SPATE_INDEX_NONE ? NULL : vector_add(&s->keys, 1);
    if (key == NULL)
        return SPATE_INDEX_NONE;
    *key = (found_key){text, (uint32_t)length, hash, 0};
    return s->key_slots[slot] = (uint32_t)s->keys.count, (uint32_t)s->keys.count - 1;
}

static bool add_directory(scan *s, uint32_t root, uint32_t key, uint32_t above, uint32_t flags) {
    found_directory *added = vector_add(&s->directories, 1);
    if (added == NULL)
        return false;
    uint32_t depth = above == SPATE_INDEX_NONE ? 0 : directory_at(s, above)->depth + 1;
    *added = (found_directory){.root = root, .key = key, .flags = flags, .depth = depth, .above = above};
    return true;
}

/* The path of a directory into s->path; its length, or 0 where it is too long. */
static size_t path_of(scan *s, const found_directory *directory) {
    spate_index_root root = ((spate_index_root *)s->roots.items)[directory->root];
    const found_key *key = key_at(s, directory->key);
    size_t length = root.length;
    if (length + key->length + 2 > sizeof s->path)
        return 0;
    memcpy(s->path, (char *)s->pool.items + root.path, length);
    if (key->length > 0) {
        s->path[length++] = '/';
        memcpy(s->path + length, (char *)s->pool.items + key->path, key->length);
        length += key->length;
    }
    s->path[length] = '\0';
    return length;
}

static bool loops(scan *s, uint32_t number) {
    spate_index_stamp stamp = directory_at(s, number)->stamp;
    for (uint32_t above = directory_at(s, number)->above; above != SPATE_INDEX_NONE;
         above = directory_at(s, above)->above) {
        const spate_index_stamp *other = &directory_at(s, above)->stamp;
        if (other->inode == stamp.inode && other->device == stamp.device)
            return true;
    }
    return false;
}

static bool is_word(const char *word, size_t length, const char *text) {
    return length > 0 && strncmp(word, text, length) == 0 && text[length] == '\0';
}

/* `number`: the directory that has one of that name. */
static bool left_out(scan *s, uint32_t number, const char *name) {
    if (name[0] == '.' || strcmp(name, "node_modules") == 0)
        return true;
    for (const char *word = s->ignored; word && *word;) {
        size_t length = strcspn(word, ",");
        if (word[0] != '/') {
            if (is_word(word, length, name))
                return true;
        } else {
            size_t above = path_of(s, directory_at(s, number));
            if (above > 0 && length > above && word[above] == '/' && strncmp(word, s->path, above) == 0 &&
                is_word(word + above + 1, length - above - 1, name))
                return true;
        }
        word += length + (word[length] == ',');
    }
    return false;
}

static bool add_below(scan *s, uint32_t number, const char *name, size_t length) {
    found_directory here = *directory_at(s, number);
    const found_key *key = key_at(s, here.key);
    char path[PATH_MAX];
    size_t taken = 0;
    if (key->length + length + 2 > sizeof path)
        return true;
    if (key->length > 0) {
        memcpy(path, (char *)s->pool.items + key->path, key->length);
        taken = key->length;
        path[taken++] = '/';
    }
    memcpy(path + taken, name, length);
    uint32_t below = key_of(s, path, taken + length);
    return below != SPATE_INDEX_NONE &&
           add_directory(s, here.root, below, number, left_out(s, number, name) ? SPATE_INDEX_UNLISTED : 0);
}

static bool add_file(scan *s, uint32_t number, const char *name, size_t length, uint32_t kind) {
    uint32_t text = keep_text(s, name, length);
    found_file *file = text == SPATE_INDEX_NONE ? NULL : vector_add(&s->files, 1);
    if (file == NULL)
        return false;
    *file = (found_file){directory_at(s, number)->key, text, (uint32_t)length, number, kind};
    return true;
}

/* The type of an entry, asked of the file system only where the listing does not say. */
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

static bool take_entry(scan *s, uint32_t number, int folder, const struct dirent *entry) {
    const char *name = entry->d_name;
    size_t length = strlen(name), stem = 0;
    if (name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.')))
        return true;
    int kind = spate_index_kind(name, length, s->shared, &stem);
    int type = type_of(folder, entry);
    if (kind != 0 && (type == DT_REG || type == DT_LNK || type == DT_FIFO)) {
        uint32_t check = type == DT_REG ? 0 : SPATE_INDEX_CHECK;
        if (!add_file(s, number, name, stem, (uint32_t)kind | check))
            return false;
    }
    /* A link may lead to a folder, or to none yet. */
    return (type != DT_DIR && type != DT_LNK) || add_below(s, number, name, length);
}

static void unlisted(scan *s, uint32_t number) {
    directory_at(s, number)->flags |= SPATE_INDEX_UNLISTED;
    memset(&directory_at(s, number)->stamp, 0, sizeof(spate_index_stamp));
}

/* Stat first, then the listing: a change in between shows when the stat is compared. */
static bool list(scan *s, uint32_t number, DIR *listing) {
    struct stat stat;
    struct dirent *entry;
    size_t files = s->files.count, directories = s->directories.count;
    if (fstat(dirfd(listing), &stat) != 0)
        return unlisted(s, number), true;
    directory_at(s, number)->stamp = spate_index_stamp_of(&stat);
    if (loops(s, number))
        return unlisted(s, number), true;
    for (errno = 0; (entry = readdir(listing)) != NULL; errno = 0) {
        if (!take_entry(s, number, dirfd(listing), entry))
            return false;
    }
    bool racy = spate_index_racy(&directory_at(s, number)->stamp, spate_index_now());
    if (errno != 0 || racy) {
        s->files.count = files;
        s->directories.count = directories;
        unlisted(s, number);
        directory_at(s, number)->flags |= racy ? SPATE_INDEX_RACY : 0;
    }
    return true;
}

static bool visit(scan *s, uint32_t number) {
    if (path_of(s, directory_at(s, number)) == 0)
        return unlisted(s, number), true;
    int folder = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = folder < 0 ? NULL : fdopendir(folder);
    if (listing == NULL) {
        if (folder >= 0)
            close(folder);
        return unlisted(s, number), true;
    }
    bool fine = list(s, number, listing);
    closedir(listing);
    return fine;
}

static bool scan_root(scan *s, const char *path, size_t length) {
    uint32_t root = (uint32_t)s->roots.count;
    size_t first = s->directories.count;
    uint32_t text = keep_text(s, path, length);
    spate_index_root *added = text == SPATE_INDEX_NONE ? NULL : vector_add(&s->roots, 1);
    uint32_t top = added == NULL ? SPATE_INDEX_NONE : key_of(s, "", 0);
    if (top == SPATE_INDEX_NONE || !add_directory(s, root, top, SPATE_INDEX_NONE, 0))
        return false;
    *added = (spate_index_root){text, (uint32_t)length};
    for (size_t i = first; i < s->directories.count; i++) {
        found_directory *directory = directory_at(s, i);
        if (i - first >= DIRECTORIES_A_ROOT || directory->depth > DEPTH_MAX || i >= SPATE_INDEX_DIRECTORIES_MAX)
            directory->flags |= SPATE_INDEX_UNLISTED;
        if ((directory->flags & SPATE_INDEX_UNLISTED) == 0 && !visit(s, (uint32_t)i))
            return false;
    }
    return true;
}

static bool known_root(scan *s, const char *path, size_t length) {
    const spate_index_root *roots = s->roots.items;
    for (size_t i = 0; i < s->roots.count; i++) {
        if (roots[i].length == length && memcmp((char *)s->pool.items + roots[i].path, path, length) == 0)
            return true;
    }
    return false;
}

static bool scan_all(scan *s, const char *const *paths, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char real[PATH_MAX];
        const char *path = realpath(paths[i], real) ? real : paths[i];
        size_t length = strlen(path);
        if (path[0] != '/' || length >= SPATE_INDEX_PATH_MAX || known_root(s, path, length))
            continue;
        if (s->roots.count >= SPATE_INDEX_ROOTS_MAX)
            break;
        if (!scan_root(s, path, length))
            return false;
    }
    return s->keys.count > 0 || key_of(s, "", 0) != SPATE_INDEX_NONE;
}

static void clear(scan *s) {
    free(s->roots.items);
    free(s->keys.items);
    free(s->directories.items);
    free(s->files.items);
    free(s->pool.items);
    free(s->key_slots);
}

static void begin(scan *s, const char *shared) {
    memset(s, 0, sizeof *s);
    s->roots.size = sizeof(spate_index_root);
    s->keys.size = sizeof(found_key);
    s->directories.size = sizeof(found_directory);
    s->files.size = sizeof(found_file);
    s->pool.size = 1;
    s->shared = shared;
}

/* Sorting: the same trees give the same bytes, whatever order their folders list in. qsort hands no context through. */
static _Thread_local const char *sort_pool;

static int compare_text(uint32_t a, uint32_t a_length, uint32_t b, uint32_t b_length) {
    uint32_t common = a_length < b_length ? a_length : b_length;
    int order = common ? memcmp(sort_pool + a, sort_pool + b, common) : 0;
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int by_path(const void *a, const void *b) {
    const found_key *left = *(found_key *const *)a, *right = *(found_key *const *)b;
    return compare_text(left->path, left->length, right->path, right->length);
}

static int by_key_and_root(const void *a, const void *b) {
    const found_directory *left = *(found_directory *const *)a, *right = *(found_directory *const *)b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return (left->root > right->root) - (left->root < right->root);
}

static int by_feature(const void *a, const void *b) {
    const found_file *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    int order = compare_text(left->name, left->length, right->name, right->length);
    if (order)
        return order;
    if (left->directory != right->directory)
        return left->directory < right->directory ? -1 : 1;
    return (left->kind > right->kind) - (left->kind < right->kind);
}

/* Pointers to the items, sorted: each item can then be told its number. */
static void **sorted(const vector *list, int (*compare)(const void *, const void *)) {
    void **pointers = malloc((list->count + 1) * sizeof *pointers);
    if (pointers == NULL)
        return NULL;
    for (size_t i = 0; i < list->count; i++)
        pointers[i] = (char *)list->items + i * list->size;
    qsort(pointers, list->count, sizeof *pointers, compare);
    return pointers;
}

static uint32_t slots_for(size_t entries) {
    uint32_t slots = 16;
    while (slots < entries * 2)
        slots *= 2;
    return slots;
}

static void enter(uint32_t *slots, uint32_t count, uint32_t spread, uint32_t number) {
    uint32_t slot = spread & (count - 1);
    while (slots[slot] != 0)
        slot = (slot + 1) & (count - 1);
    slots[slot] = number + 1;
}

static bool same_feature(const scan *s, const found_file *a, const found_file *b) {
    const char *pool = s->pool.items;
    return a->key == b->key && a->length == b->length && memcmp(pool + a->name, pool + b->name, a->length) == 0;
}

/* Fills in the number of features and the length of all texts. */
static void count_texts(const scan *s, size_t *features, size_t *pool) {
    const spate_index_root *roots = s->roots.items;
    const found_key *keys = s->keys.items;
    const found_file *files = s->files.items;
    *features = *pool = 0;
    for (size_t i = 0; i < s->roots.count; i++)
        *pool += roots[i].length;
    for (size_t i = 0; i < s->keys.count; i++)
        *pool += keys[i].length;
    for (size_t i = 0; i < s->files.count; i++) {
        if (i == 0 || !same_feature(s, &files[i - 1], &files[i])) {
            *features += 1;
            *pool += files[i].length;
        }
    }
}

typedef struct writer {
    scan *s;
    found_key **keys;
    found_directory **directories;
    spate_index_header header;
    uint8_t *bytes;
    char *pool;
    uint32_t pooled;
} writer;

/* Into the pool that is written: in the order of what it names, each feature's name once. */
static uint32_t pool_text(writer *w, uint32_t text, uint32_t length) {
    uint32_t at = w->pooled;
    memcpy(w->pool + at, (char *)w->s->pool.items + text, length);
    w->pooled += length;
    return at;
}

static void write_keys(writer *w, spate_index_key *out, uint32_t *slots) {
    uint32_t directory = 0;
    for (uint32_t i = 0; i < w->header.keys; i++) {
        const found_key *key = w->keys[i];
        uint32_t first = directory;
        while (directory < w->header.directories && w->directories[directory]->key == i)
            directory++;
        out[i] = (spate_index_key){pool_text(w, key->path, key->length), key->length, first, directory - first};
        enter(slots, w->header.key_slots, spate_index_spread(key->hash, 0), i);
    }
}

static void write_directories(writer *w, spate_index_directory *out) {
    for (uint32_t i = 0; i < w->header.directories; i++) {
        const found_directory *found = w->directories[i];
        out[i] = (spate_index_directory){found->stamp, found->root, found->key, found->flags, 0};
    }
}

static void write_roots(writer *w, spate_index_root *out, uint32_t *slots) {
    const spate_index_root *roots = w->s->roots.items;
    for (uint32_t i = 0; i < w->header.roots; i++) {
        out[i] = (spate_index_root){pool_text(w, roots[i].path, roots[i].length), roots[i].length};
        uint32_t hash =
            spate_index_hash(SPATE_INDEX_HASH_START, (char *)w->s->pool.items + roots[i].path, roots[i].length);
        enter(slots, w->header.root_slots, spate_index_spread(hash, 0), i);
    }
}

static void write_features(writer *w, spate_index_feature *out, uint32_t *candidates, uint32_t *slots) {
    const found_file *files = w->s->files.items;
    uint32_t feature = 0;
    for (uint32_t i = 0; i < w->header.candidates; i++) {
        candidates[i] = files[i].directory << SPATE_INDEX_KIND_BITS | files[i].kind;
        if (i > 0 && same_feature(w->s, &files[i - 1], &files[i]))
            continue;
        out[feature] =
            (spate_index_feature){files[i].key, pool_text(w, files[i].name, files[i].length), files[i].length, i};
        uint32_t hash =
            spate_index_hash(SPATE_INDEX_HASH_START, (char *)w->s->pool.items + files[i].name, files[i].length);
        enter(slots, w->header.feature_slots, spate_index_spread(hash, files[i].key), feature++);
    }
}

/* Keys are numbered by path, directories by key and root, files follow both. */
static bool number_all(writer *w) {
    scan *s = w->s;
    sort_pool = s->pool.items;
    w->keys = (found_key **)sorted(&s->keys, by_path);
    if (w->keys == NULL)
        return false;
    for (uint32_t i = 0; i < s->keys.count; i++)
        w->keys[i]->number = i;
    for (size_t i = 0; i < s->directories.count; i++)
        directory_at(s, i)->key = key_at(s, directory_at(s, i)->key)->number;
    w->directories = (found_directory **)sorted(&s->directories, by_key_and_root);
    if (w->directories == NULL)
        return false;
    for (uint32_t i = 0; i < s->directories.count; i++)
        w->directories[i]->number = i;
    found_file *files = s->files.items;
    for (size_t i = 0; i < s->files.count; i++) {
        files[i].key = key_at(s, files[i].key)->number;
        files[i].directory = directory_at(s, files[i].directory)->number;
    }
    if (s->files.count > 0)
        qsort(files, s->files.count, sizeof *files, by_feature);
    return true;
}

static spate_status write_all(writer *w, size_t *length, spate_error *error) {
    scan *s = w->s;
    spate_index_header *header = &w->header;
    size_t features, pool;
    count_texts(s, &features, &pool);
    if (s->directories.count > SPATE_INDEX_DIRECTORIES_MAX || features > SPATE_INDEX_FEATURES_MAX ||
        s->files.count > 2 * SPATE_INDEX_FEATURES_MAX)
        return spate_fail(error, SPATE_LIMIT, "", "%zu directories and %zu features are too many for an index",
                          s->directories.count, features);
    memcpy(header->magic, SPATE_INDEX_MAGIC, sizeof header->magic);
    header->endian = SPATE_INDEX_ENDIAN;
    header->version = SPATE_INDEX_VERSION;
    header->roots = (uint32_t)s->roots.count;
    header->keys = (uint32_t)s->keys.count;
    header->directories = (uint32_t)s->directories.count;
    header->features = (uint32_t)features;
    header->candidates = (uint32_t)s->files.count;
    header->root_slots = slots_for(header->roots);
    header->key_slots = slots_for(header->keys);
    header->feature_slots = slots_for(header->features);
    header->pool = (uint32_t)pool;

    size_t at[10] = {sizeof *header};
    const size_t sizes[] = {header->directories * sizeof(spate_index_directory),
                            header->roots * sizeof(spate_index_root),
                            header->keys * sizeof(spate_index_key),
                            header->features * sizeof(spate_index_feature),
                            header->candidates * sizeof(uint32_t),
                            header->root_slots * sizeof(uint32_t),
                            header->key_slots * sizeof(uint32_t),
                            header->feature_slots * sizeof(uint32_t),
                            header->pool};
    for (size_t i = 0; i < 9; i++)
        at[i + 1] = at[i] + sizes[i];
    if (at[9] > SPATE_INDEX_LENGTH_MAX)
        return spate_fail(error, SPATE_LIMIT, "", "an index of %zu bytes is too long", at[9]);
    header->length = *length = at[9];
    w->bytes = calloc(1, at[9]);
    if (w->bytes == NULL)
        return spate_fail(error, SPATE_NO_MEMORY, "", "no memory for an index of %zu bytes", at[9]);
    w->pool = (char *)w->bytes + at[8];
#define SECTION(number) ((void *)(w->bytes + at[number]))
    write_directories(w, SECTION(0));
    write_roots(w, SECTION(1), SECTION(5));
    write_keys(w, SECTION(2), SECTION(6));
    write_features(w, SECTION(3), SECTION(4), SECTION(7));
#undef SECTION
    memcpy(w->bytes, header, sizeof *header);
    size_t summed = offsetof(spate_index_header, checksum) + sizeof header->checksum;
    header->checksum = spate_crc32c(0, w->bytes + summed, *length - summed);
    memcpy(w->bytes, header, sizeof *header);
    return SPATE_OK;
}

static bool any_racy(const scan *s) {
    for (size_t i = 0; i < s->directories.count; i++) {
        const found_directory *directory = (const found_directory *)s->directories.items + i;
        if (directory->flags & SPATE_INDEX_RACY)
            return true;
    }
    return false;
}

spate_status spate_index_build(const char *const *paths, size_t count, size_t fingerprinted, const char *shared,
                               const char *ignored, uint8_t **bytes, size_t *length, spate_error *error) {
    scan s;
    writer w = {.s = &s};
    spate_status status = SPATE_OK;
    *bytes = NULL;
    *length = 0;
    begin(&s, shared);
    s.ignored = ignored;
    for (int round = 1; status == SPATE_OK; round++) {
        if (!scan_all(&s, paths, count))
            status = spate_fail(error, SPATE_NO_MEMORY, "", "no memory for an index of %zu roots", count);
        else if (round == ROUNDS || !any_racy(&s))
            break;
        /* Folders that were being written a moment ago are listed again when their times are past. */
        nanosleep(&(struct timespec){0, SPATE_INDEX_RACY_NS + 5000000}, NULL);
        clear(&s);
        begin(&s, shared);
        s.ignored = ignored;
    }
    size_t *lengths = malloc((fingerprinted + 1) * sizeof *lengths);
    if (status == SPATE_OK && lengths == NULL)
        status = spate_fail(error, SPATE_NO_MEMORY, "", "no memory for an index of %zu roots", count);
    if (status == SPATE_OK) {
        for (size_t i = 0; i < fingerprinted; i++)
            lengths[i] = strlen(paths[i]);
        spate_index_fingerprint(paths, lengths, fingerprinted, w.header.fingerprint);
        strncpy(w.header.shared, shared, sizeof w.header.shared - 1);
        status = number_all(&w) ? write_all(&w, length, error)
                                : spate_fail(error, SPATE_NO_MEMORY, "", "no memory for an index");
    }
    free(lengths);
    free(w.keys);
    free(w.directories);
    clear(&s);
    *bytes = w.bytes;
    return status;
}
