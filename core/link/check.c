#define _GNU_SOURCE
#include "base/file.h"
#include "link/link.h"
#include "link/walk.h"
#include "manifest/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ITEM_ENTRIES 256

/* A range of a job's entries, and the differences found in it. */
typedef struct item {
    size_t job;
    size_t begin;
    size_t end;
    spate_difference *found;
    size_t count;
} item;

typedef struct checking {
    const spate_link_job *jobs;
    spate_layers *layers;
    item *items;
    const uid_t *owner; /* NULL to skip the check of owners */
    atomic_int failed;  /* a spate_status */
    atomic_int number;  /* errno if `failed` is SPATE_SYSTEM */
} checking;

/* Results of `difference_of` in addition to spate_difference_kind. */
#define SAME (-1)
#define UNKNOWN (-2) /* the check failed with errno */

/* Compares the path below `folder` with the entry. Returns SAME or a kind of difference. */
static int compare(int folder, const char *path, const spate_entry *entry, const uid_t *owner) {
    struct stat info;
    char target[PATH_MAX];
    if (fstatat(folder, path, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return SPATE_FILE_MISSING;
    if (entry->type == SPATE_ENTRY_DIRECTORY)
        return S_ISDIR(info.st_mode) ? SAME : SPATE_FILE_TYPE;
    if (entry->type == SPATE_ENTRY_SYMLINK) {
        if (!S_ISLNK(info.st_mode))
            return SPATE_FILE_TYPE;
        ssize_t length = readlinkat(folder, path, target, sizeof(target));
        bool same = length >= 0 && (size_t)length == strlen(entry->target) &&
                    memcmp(target, entry->target, (size_t)length) == 0;
        return same ? SAME : SPATE_FILE_CHANGED;
    }
    if (!S_ISREG(info.st_mode))
        return SPATE_FILE_TYPE;
    bool same = (uint64_t)info.st_size == entry->size && spate_mtime_ns(&info) == entry->mtime_ns &&
                (info.st_mode & 07777) == entry->mode;
    if (owner && info.st_nlink > 1 && info.st_uid != *owner && info.st_uid != 0)
        return SPATE_FILE_CHANGED;
    return same ? SAME : SPATE_FILE_CHANGED;
}

/* Whether this errno means that the directory is missing, rather than that resources are short. */
static bool absent(int number) {
    return number == ENOENT || number == ENOTDIR || number == EACCES || number == ELOOP || number == ENAMETOOLONG;
}

/* The last directory below the tree's root that was checked. It and its parents are directories, not symlinks. */
typedef struct way {
    int base;
    size_t length;
    char path[PATH_MAX];
} way;

/* Returns the length of the leading part of the path that has already been checked. */
static size_t known_length(const way *w, const char *path, size_t length) {
    size_t known = 0;
    for (size_t at = 0; at <= length && at <= w->length; at++) {
        bool path_ends = at == length || path[at] == '/';
        bool way_ends = at == w->length || w->path[at] == '/';
        if (path_ends && way_ends)
            known = at;
        if (path_ends != way_ends || at == length || path[at] != w->path[at])
            break;
    }
    return known;
}

/* Checks that all parents of the path are directories. Returns 0 or an errno (ENOTDIR for a symlink). Each directory
 * takes one fstatat relative to the base; opening and closing them would take twice as many system calls. */
static int check_parents(way *w, const char *path, size_t length) {
    size_t known = known_length(w, path, length);
    if (known == length)
        return 0;
    if (length >= sizeof(w->path))
        return ENAMETOOLONG;
    memcpy(w->path, path, length);
    w->length = known;
    while (w->length < length) {
        struct stat info;
        size_t begin = w->length + (w->length > 0);
        const char *slash = memchr(path + begin, '/', length - begin);
        size_t end = slash ? (size_t)(slash - path) : length;
        w->path[end] = '\0';
        if (fstatat(w->base, w->path, &info, AT_SYMLINK_NOFOLLOW) != 0)
            return errno;
        if (!S_ISDIR(info.st_mode))
            return ENOTDIR;
        if (slash)
            w->path[end] = '/';
        w->length = end;
    }
    return 0;
}

/* If a file or symlink has replaced a directory, entries below it are reported as SPATE_FILE_TYPE. */
static int difference_of(way *w, const spate_entry *entry, const uid_t *owner) {
    int reason = check_parents(w, entry->path, spate_folder_length(entry->path, strlen(entry->path)));
    if (reason == 0)
        return compare(w->base, entry->path, entry, owner);
    if (reason == ENOTDIR)
        return SPATE_FILE_TYPE;
    errno = reason;
    return absent(reason) ? SPATE_FILE_MISSING : UNKNOWN;
}

static void fail(checking *c, int number) {
    atomic_store(&c->number, number);
    atomic_store(&c->failed, SPATE_SYSTEM);
}

/* ---- guarded directories ---- */

#define OTHERS_WRITE 022

static bool is_guarded(const char *path, const uid_t *owner, bool still) {
    struct stat info;
    if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode) || (still && spate_mtime_ns(&info) != SPATE_STILL_NS))
        return false;
    return !owner || ((info.st_uid == *owner || info.st_uid == 0) && (info.st_mode & OTHERS_WRITE) == 0);
}

static bool are_guarded(const spate_link_job *job, const uid_t *owner) {
    char path[PATH_MAX];
    size_t length = strlen(job->destination);
    if (job->guarded == 0)
        return true;
    if (job->guarded >= length || length >= sizeof(path))
        return false;
    memcpy(path, job->destination, length + 1);
    for (char *end = path + job->guarded; end; end = strchr(end + 1, '/')) {
        bool first = end == path + job->guarded;
        *end = '\0';
        if (!is_guarded(path, owner, !first))
            return false;
        *end = '/';
    }
    return true;
}

/* ---- entries ---- */

static void note(checking *c, item *i, spate_placed placed, spate_difference_kind kind, size_t room) {
    if (!i->found)
        i->found = malloc(room * sizeof(*i->found));
    if (!i->found)
        atomic_store(&c->failed, SPATE_NO_MEMORY);
    else
        i->found[i->count++] = (spate_difference){i->job, placed.manifest, placed.entry, kind};
}

static void check_entries(checking *c, item *i, int folder) {
    way w;
    w.base = folder;
    w.length = 0;
    for (size_t at = i->begin; at < i->end; at++) {
        spate_placed placed;
        spate_entry entry = spate_layers_entry(&c->layers[i->job], at, &placed);
        int kind = folder < 0 ? SPATE_FILE_MISSING : difference_of(&w, &entry, c->owner);
        if (kind == SAME)
            continue;
        if (kind == UNKNOWN) {
            fail(c, errno);
            break;
        }
        note(c, i, placed, (spate_difference_kind)kind, i->end - at);
        if (!i->found)
            break;
    }
}

static void check_item(void *context, size_t index) {
    checking *c = context;
    item *i = &c->items[index];
    if (!are_guarded(&c->jobs[i->job], c->owner)) {
        note(c, i, (spate_placed){0, 0}, SPATE_FOLDER_CHANGED, 1);
        return;
    }
    int folder = open(c->jobs[i->job].destination, SPATE_FOLDER_FLAGS);
    if (folder < 0 && !absent(errno)) {
        fail(c, errno);
        return;
    }
    check_entries(c, i, folder);
    if (folder >= 0)
        close(folder);
}

static size_t list_items(const checking *c, size_t count, item *items) {
    size_t used = 0;
    for (size_t job = 0; job < count; job++) {
        for (size_t begin = 0; begin < c->layers[job].count; begin += ITEM_ENTRIES) {
            size_t end = begin + ITEM_ENTRIES < c->layers[job].count ? begin + ITEM_ENTRIES : c->layers[job].count;
            if (items)
                items[used] = (item){.job = job, .begin = begin, .end = end};
            used++;
        }
    }
    return used;
}

static spate_status collect(const checking *c, size_t items, spate_difference **differences, size_t *count) {
    size_t total = 0;
    for (size_t i = 0; i < items; i++)
        total += c->items[i].count;
    *differences = malloc((total + 1) * sizeof(**differences));
    if (!*differences)
        return SPATE_NO_MEMORY;
    for (size_t i = 0; i < items; i++) {
        if (c->items[i].count > 0)
            memcpy(*differences + *count, c->items[i].found, c->items[i].count * sizeof(**differences));
        *count += c->items[i].count;
    }
    return SPATE_OK;
}

spate_status spate_check_trees(spate_pool *pool, const spate_link_job *jobs, size_t count, const uid_t *owner,
                               spate_difference **differences, size_t *difference_count, spate_error *error) {
    checking c = {.jobs = jobs, .owner = owner, .layers = calloc(count + 1, sizeof(spate_layers))};
    size_t items = 0;
    spate_status status = c.layers ? SPATE_OK : SPATE_NO_MEMORY;
    *differences = NULL;
    *difference_count = 0;
    for (size_t i = 0; i < count && status == SPATE_OK; i++)
        status = spate_layers_open(&c.layers[i], jobs[i].manifests, jobs[i].manifest_count, error);
    if (status == SPATE_OK) {
        items = list_items(&c, count, NULL);
        c.items = calloc(items + 1, sizeof(item));
        status = c.items ? SPATE_OK : SPATE_NO_MEMORY;
    }
    if (status == SPATE_OK) {
        list_items(&c, count, c.items);
        status = spate_pool_run(pool, items, check_item, &c);
    }
    if (status == SPATE_OK)
        status = (spate_status)atomic_load(&c.failed);
    if (status == SPATE_OK)
        status = collect(&c, items, differences, difference_count);
    for (size_t i = 0; i < items && c.items; i++)
        free(c.items[i].found);
    for (size_t i = 0; i < count && c.layers; i++)
        spate_layers_close(&c.layers[i]);
    free(c.items);
    free(c.layers);
    if (status == SPATE_SYSTEM && atomic_load(&c.number) != 0) {
        errno = atomic_load(&c.number);
        return spate_fail_errno(error, "", "cannot open a tree to check");
    }
    return status == SPATE_OK ? status : spate_fail(error, status, "", "cannot check trees");
}
