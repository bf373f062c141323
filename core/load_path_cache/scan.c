/*
 * The scan for a load-path cache: breadth first below each root, with one open, stat and listing per directory. It must
 * not omit a directory from which Ruby could load. Directories are recorded as "unlisted" if they are hidden, named
 * node_modules or ignored, part of a symlink loop, beyond the limits, or if their times are inconclusive. A program
 * lists such a directory when it requires a file in it.
 */
#include "load_path_cache/catalog.h"

#include "base/freshness.h"
#include "base/times.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define DIRECTORIES_A_ROOT 20000u
#define DEPTH_MAX 40u

static bool loops(index_catalog *c, uint32_t number) {
    spate_load_path_cache_stamp stamp = spate_catalog_directory(c, number)->stamp;
    for (uint32_t above = spate_catalog_directory(c, number)->above; above != SPATE_LOAD_PATH_CACHE_NONE;
         above = spate_catalog_directory(c, above)->above) {
        const spate_load_path_cache_stamp *other = &spate_catalog_directory(c, above)->stamp;
        if (other->inode == stamp.inode && other->device == stamp.device)
            return true;
    }
    return false;
}

static bool is_word(const char *word, size_t length, const char *text) {
    return length > 0 && strncmp(word, text, length) == 0 && text[length] == '\0';
}

/* `number` is the index of the parent directory. */
static bool left_out(index_catalog *c, const char *ignored, uint32_t number, const char *name) {
    if (name[0] == '.' || strcmp(name, "node_modules") == 0)
        return true;
    for (const char *word = ignored; word && *word;) {
        size_t length = strcspn(word, ",");
        if (word[0] != '/') {
            if (is_word(word, length, name))
                return true;
        } else {
            size_t above = spate_catalog_path(c, spate_catalog_directory(c, number));
            if (above > 0 && length > above && word[above] == '/' && strncmp(word, c->path, above) == 0 &&
                is_word(word + above + 1, length - above - 1, name))
                return true;
        }
        word += length + (word[length] == ',');
    }
    return false;
}

/* Adds a subdirectory. Skips it if its path is too long to be opened. */
static bool add_below(index_catalog *c, const scan_rules *rules, uint32_t number,
                      const spate_load_path_cache_entry *entry) {
    found_directory here = *spate_catalog_directory(c, number);
    const found_key *key = spate_catalog_key(c, here.key);
    char path[PATH_MAX];
    size_t length = spate_load_path_cache_join(path, sizeof path, spate_catalog_text(c, key->path), key->length,
                                               entry->name, entry->length);
    if (length == 0)
        return true;
    uint32_t below = spate_catalog_add_key(c, path, length);
    uint32_t flags = left_out(c, rules->ignored, number, entry->name) ? SPATE_LOAD_PATH_CACHE_UNLISTED : 0;
    return below != SPATE_LOAD_PATH_CACHE_NONE && spate_catalog_add_directory(c, here.root, below, number, flags);
}

static bool take_entry(index_catalog *c, const scan_rules *rules, uint32_t number, int folder,
                       const struct dirent *found) {
    spate_load_path_cache_entry entry;
    if (!spate_load_path_cache_entry_read(&entry, folder, found, rules->shared))
        return true;
    if (entry.kind != 0 && !spate_catalog_add_file(c, number, &entry))
        return false;
    return !entry.folder || add_below(c, rules, number, &entry);
}

static void unlisted(index_catalog *c, uint32_t number) {
    spate_catalog_directory(c, number)->flags |= SPATE_LOAD_PATH_CACHE_UNLISTED;
    memset(&spate_catalog_directory(c, number)->stamp, 0, sizeof(spate_load_path_cache_stamp));
}

/* Calls stat before the listing, so that a later comparison detects a change in between. */
static bool list(index_catalog *c, const scan_rules *rules, uint32_t number, DIR *listing) {
    struct stat stat;
    struct dirent *entry;
    size_t files = c->files.count, directories = c->directories.count;
    int64_t now = spate_load_path_cache_now();
    if (fstat(dirfd(listing), &stat) != 0)
        return unlisted(c, number), true;
    spate_catalog_directory(c, number)->stamp = spate_load_path_cache_stamp_of(&stat);
    bool kept = spate_times_kept(c->path, &stat), racy = kept && spate_times_recent(spate_ctime_ns(&stat), now);
    if (!kept || loops(c, number))
        return unlisted(c, number), true;
    for (errno = 0; (entry = readdir(listing)) != NULL; errno = 0)
        if (!take_entry(c, rules, number, dirfd(listing), entry))
            return false;
    if (errno != 0 || racy) {
        c->files.count = files;
        c->directories.count = directories;
        unlisted(c, number);
        spate_catalog_directory(c, number)->flags |= racy ? SPATE_LOAD_PATH_CACHE_RACY : 0;
    }
    return true;
}

static bool visit(index_catalog *c, const scan_rules *rules, uint32_t number) {
    if (spate_catalog_path(c, spate_catalog_directory(c, number)) == 0)
        return unlisted(c, number), true;
    int folder = open(c->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = folder < 0 ? NULL : fdopendir(folder);
    if (listing == NULL) {
        if (folder >= 0)
            close(folder);
        return unlisted(c, number), true;
    }
    bool fine = list(c, rules, number, listing);
    closedir(listing);
    return fine;
}

static bool scan_root(index_catalog *c, const scan_rules *rules, const char *path, size_t length) {
    uint32_t root = (uint32_t)c->roots.count;
    size_t first = c->directories.count;
    uint32_t text = spate_catalog_add_text(c, path, length);
    spate_load_path_cache_root *added = text == SPATE_LOAD_PATH_CACHE_NONE ? NULL : spate_vector_add(&c->roots, 1);
    uint32_t top = added == NULL ? SPATE_LOAD_PATH_CACHE_NONE : spate_catalog_add_key(c, "", 0);
    if (top == SPATE_LOAD_PATH_CACHE_NONE || !spate_catalog_add_directory(c, root, top, SPATE_LOAD_PATH_CACHE_NONE, 0))
        return false;
    *added = (spate_load_path_cache_root){text, (uint32_t)length};
    for (size_t i = first; i < c->directories.count; i++) {
        found_directory *directory = spate_catalog_directory(c, i);
        if (i - first >= DIRECTORIES_A_ROOT || directory->depth > DEPTH_MAX ||
            i >= SPATE_LOAD_PATH_CACHE_DIRECTORIES_MAX)
            directory->flags |= SPATE_LOAD_PATH_CACHE_UNLISTED;
        if ((directory->flags & SPATE_LOAD_PATH_CACHE_UNLISTED) == 0 && !visit(c, rules, (uint32_t)i))
            return false;
    }
    return true;
}

static bool known_root(index_catalog *c, const char *path, size_t length) {
    const spate_load_path_cache_root *roots = c->roots.items;
    for (size_t i = 0; i < c->roots.count; i++)
        if (roots[i].length == length && memcmp(spate_catalog_text(c, roots[i].path), path, length) == 0)
            return true;
    return false;
}

bool spate_load_path_cache_scan(index_catalog *c, const scan_rules *rules, const char *const *paths, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char real[PATH_MAX];
        const char *path = realpath(paths[i], real) ? real : paths[i];
        size_t length = strlen(path);
        if (path[0] != '/' || length >= SPATE_LOAD_PATH_CACHE_PATH_MAX || known_root(c, path, length))
            continue;
        if (c->roots.count >= SPATE_LOAD_PATH_CACHE_ROOTS_MAX)
            break;
        if (!scan_root(c, rules, path, length))
            return false;
    }
    return c->keys.count > 0 || spate_catalog_add_key(c, "", 0) != SPATE_LOAD_PATH_CACHE_NONE;
}
