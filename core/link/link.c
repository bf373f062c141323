#define _GNU_SOURCE
#include "link/link.h"

#include "base/file.h"
#include "link/walk.h"
#include "manifest/manifest.h"
#include "store/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Number of entries that a thread claims at a time: several small trees, or a part of a large one, in which consecutive
 * files mostly share a directory.
 */
#define ITEM_ENTRIES 96
/* Fixed cost of a tree, in entries: creating its directory and the parents. */
#define TREE_WEIGHT 4

/* The state of a job while it runs. */
typedef struct task {
    spate_link_job *job;
    spate_layers layers;
    char *path; /* absolute path of the destination */
    size_t path_length;
    size_t base_length; /* length of the prefix of `path` that is the base of the walk */
    spate_placing placing;
    spate_failure failure;
    pthread_mutex_t lock; /* protects the next three fields: */
    bool opened;
    int folder;              /* destination, open while there are unfinished pieces; -1 if walks start at the common
                              * root */
    size_t pieces;           /* number of unfinished pieces */
    atomic_bool has_folders; /* whether directory modes must be set at the end */
    atomic_size_t linked;
    atomic_size_t copied;
} task;

/* A range of a job's entries, or of the links if `task` is NULL. */
typedef struct piece {
    task *task;
    size_t begin;
    size_t end;
} piece;

typedef struct linking {
    spate_store *store;
    int objects; /* the store's objects directory; AT_FDCWD if it could not be opened, and then full paths are used */
    const char *root;
    int root_folder; /* -1 without a common root */
    spate_links *links;
    spate_failure links_failure;
    atomic_size_t links_made;
    task *tasks;
    size_t task_count;
    piece *pieces;
    size_t *items; /* for each item, the index of its first piece */
    size_t item_count;
    const spate_cancel *cancel;
} linking;

/*
 * Creates the parent directory of a path and sets *spot. The first `base_length` bytes of the path are the walk's base.
 */
static spate_status find_spot(spate_walk *walk, const char *path, size_t base_length, spate_spot *spot,
                              spate_error *error) {
    const char *relative = path + base_length + 1;
    size_t folder = spate_folder_length(relative, strlen(relative));
    const char *name = relative + folder + (folder > 0);
    if (name[0] == '\0' || name[0] == '/' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        errno = EINVAL;
        return spate_fail_errno(error, path, "link");
    }
    *spot = (spate_spot){.folder = spate_walk_to(walk, relative, folder, NULL), .name = name, .path = path};
    return spot->folder < 0 ? spate_fail_errno(error, path, "mkdir") : SPATE_OK;
}

/* ---- destinations ---- */

/* Enters a directory below the root that probably exists. Opening it is cheaper than a failing mkdir. */
static void go_ahead(const task *t, spate_walk *walk, size_t length) {
    if (length <= t->base_length)
        return;
    walk->there = true;
    spate_walk_to(walk, t->path + t->base_length + 1, length - t->base_length - 1, NULL);
    walk->there = false; /* a failure is ignored: the next step creates the directory or reports the error */
}

/* Returns the length of the directory prefix shared with the previous task. Another thread may have created these
 * directories. */
static size_t shared_length(const linking *l, const task *t) {
    size_t shared = t->base_length;
    if (t == l->tasks || !(t - 1)->path)
        return shared;
    const char *before = (t - 1)->path;
    for (size_t i = 0; t->path[i] != '\0' && t->path[i] == before[i]; i++)
        if (t->path[i] == '/' && i > shared)
            shared = i;
    return shared;
}

/* Creates the destination; called by the first thread that works on the task. Its parents may be symlinks unless there
 * is a common root. */
static spate_status make_destination(const linking *l, task *t, spate_walk *walk, spate_error *error) {
    char parent[PATH_MAX];
    if (l->root) {
        const char *relative = t->path + t->base_length + 1;
        go_ahead(t, walk, shared_length(l, t));
        if (spate_walk_to(walk, relative, strlen(relative), &t->placing.fresh) < 0)
            return spate_fail_errno(error, t->path, "mkdir");
        return SPATE_OK;
    }
    if (t->path_length >= sizeof(parent)) {
        errno = ENAMETOOLONG;
        return spate_fail_errno(error, t->path, "mkdir");
    }
    t->placing.fresh = mkdir(t->path, 0777) == 0;
    size_t length = spate_folder_length(t->path, t->path_length);
    if (!t->placing.fresh && errno == ENOENT && length > 0) {
        memcpy(parent, t->path, length);
        parent[length] = '\0';
        spate_status status = spate_make_directories(parent, 0777, error);
        if (status != SPATE_OK)
            return status;
        t->placing.fresh = mkdir(t->path, 0777) == 0;
    }
    spate_status status = t->placing.fresh ? SPATE_OK : spate_make_directories(t->path, 0777, error);
    if (status != SPATE_OK)
        return status;
    t->folder = open(t->path, SPATE_FOLDER_FLAGS);
    return t->folder < 0 ? spate_fail_errno(error, t->path, "open") : SPATE_OK;
}

static spate_status open_task(const linking *l, task *t, spate_walk *walk, spate_error *error) {
    spate_status status = SPATE_OK;
    pthread_mutex_lock(&t->lock);
    if (!t->opened)
        status = make_destination(l, t, walk, error);
    else if (l->root)
        go_ahead(t, walk, t->path_length);
    t->opened = true;
    if (!l->root)
        spate_walk_begin(walk, t->folder);
    pthread_mutex_unlock(&t->lock);
    return status;
}

static void leave_task(const linking *l, task *t, spate_walk *walk) {
    if (!l->root)
        spate_walk_end(walk);
    pthread_mutex_lock(&t->lock);
    if (--t->pieces == 0 && t->folder >= 0) {
        close(t->folder);
        t->folder = -1;
    }
    pthread_mutex_unlock(&t->lock);
}

/* ---- entries ---- */

/*
 * Verifies an object before it is linked: with stat if it has been hashed since the machine booted, otherwise by
 * hashing it. Returns SPATE_STALE if it is missing or damaged.
 */
static spate_status verify(const linking *l, const task *t, const spate_placed *placed, const spate_spot *object,
                           spate_entry *entry, spate_error *error) {
    const spate_manifest *manifest = t->job->manifests[placed->manifest];
    bool hash = !spate_manifest_trusts(manifest, placed->entry);
    spate_object_state state;
    int64_t mtime_ns = 0;
    spate_status status =
        hash ? spate_store_examine(l->store, entry, true, &state, &mtime_ns, error)
             : spate_store_look(l->store, object->folder, object->name, object->path, entry, &state, &mtime_ns, error);
    if (status != SPATE_OK)
        return status;
    if (state != SPATE_OBJECT_GOOD)
        return spate_fail(error, SPATE_STALE, entry->path, "object in the store %s",
                          state == SPATE_OBJECT_MISSING ? "is missing" : "was changed");
    if (hash)
        spate_manifest_note(manifest, placed->entry, mtime_ns);
    entry->mtime_ns = mtime_ns;
    return SPATE_OK;
}

static spate_status link_file(const linking *l, task *t, const spate_placed *placed, const spate_spot *spot,
                              spate_entry *entry, spate_error *error) {
    char path[PATH_MAX];
    bool copied = false;
    spate_store_object_path(l->store, entry->sha256, entry->mode, path);
    const char *name = l->objects == AT_FDCWD ? path : spate_store_object_name(l->store, path);
    const spate_spot object = {l->objects, name, path};
    spate_status status = verify(l, t, placed, &object, entry, error);
    if (status == SPATE_OK)
        status = spate_place_file(&t->placing, &object, spot, entry, &copied, error);
    if (copied)
        atomic_fetch_add_explicit(&t->copied, 1, memory_order_relaxed);
    return status;
}

static spate_status place_entry(const linking *l, task *t, spate_walk *walk, size_t index, size_t *linked,
                                spate_placed *placed, spate_error *error) {
    char path[PATH_MAX];
    spate_spot spot;
    spate_entry entry = spate_layers_entry(&t->layers, index, placed);
    spate_status status = spate_cancelled(l->cancel, error);
    if (status == SPATE_OK)
        status = spate_join(t->path, t->path_length, entry.path, strlen(entry.path), path, "link", error);
    if (status == SPATE_OK)
        status = find_spot(walk, path, t->base_length, &spot, error);
    if (status != SPATE_OK)
        return status;
    if (entry.type == SPATE_ENTRY_SYMLINK)
        return spate_place_symlink(t->placing.fresh, entry.target, &spot, error);
    if (entry.type == SPATE_ENTRY_DIRECTORY) {
        const char *relative = path + t->base_length + 1;
        atomic_store_explicit(&t->has_folders, true, memory_order_relaxed);
        return spate_walk_to(walk, relative, strlen(relative), NULL) < 0 ? spate_fail_errno(error, path, "mkdir")
                                                                         : SPATE_OK;
    }
    status = link_file(l, t, placed, &spot, &entry, error);
    *linked += status == SPATE_OK;
    return status;
}

static void work_on_tree(const linking *l, const piece *p, spate_walk *walk) {
    task *t = p->task;
    size_t linked = 0;
    spate_error error;
    spate_status status = spate_cancelled(l->cancel, &error);
    if (status == SPATE_OK && !spate_failed(&t->failure))
        status = open_task(l, t, walk, &error);
    spate_failure_note(&t->failure, status, &error);
    for (size_t at = p->begin; at < p->end && !spate_failed(&t->failure); at++) {
        spate_placed placed = {0, 0};
        walk->there = at == p->begin && at > 0; /* most directories of the first entry contain the previous one, too */
        status = place_entry(l, t, walk, at, &linked, &placed, &error);
        if (spate_failure_note(&t->failure, status, &error) && status == SPATE_STALE) {
            t->job->damaged_manifest = placed.manifest;
            t->job->damaged_entry = placed.entry;
        }
    }
    walk->there = false;
    atomic_fetch_add_explicit(&t->linked, linked, memory_order_relaxed);
    leave_task(l, t, walk);
}

/* Sets directory modes as in the archives. This is done last, because files cannot be created in a read-only
 * directory. */
static spate_status finish(const task *t, spate_walk *walk, spate_error *error) {
    char path[PATH_MAX];
    spate_spot spot;
    spate_status status = SPATE_OK;
    for (size_t i = 0; i < t->layers.count && status == SPATE_OK; i++) {
        spate_entry entry = spate_layers_entry(&t->layers, i, NULL);
        if (entry.type != SPATE_ENTRY_DIRECTORY)
            continue;
        status = spate_join(t->path, t->path_length, entry.path, strlen(entry.path), path, "chmod", error);
        if (status == SPATE_OK)
            status = find_spot(walk, path, t->base_length, &spot, error);
        if (status == SPATE_OK && fchmodat(spot.folder, spot.name, entry.mode, 0) != 0)
            status = spate_fail_errno(error, path, "chmod");
    }
    return status;
}

static void finish_task(const linking *l, task *t) {
    spate_walk walk;
    spate_error error;
    if (!atomic_load(&t->has_folders) || spate_failed(&t->failure))
        return;
    int folder = l->root ? l->root_folder : open(t->path, SPATE_FOLDER_FLAGS);
    spate_status status = folder < 0 ? spate_fail_errno(&error, t->path, "open") : SPATE_OK;
    spate_walk_begin(&walk, folder);
    if (status == SPATE_OK)
        status = finish(t, &walk, &error);
    spate_walk_end(&walk);
    if (!l->root && folder >= 0)
        close(folder);
    spate_failure_note(&t->failure, status, &error);
}

/* ---- links outside of the trees ---- */

static spate_status make_link(const linking *l, const spate_symlink *link, spate_walk *walk, spate_error *error) {
    char path[PATH_MAX];
    spate_spot spot;
    size_t root_length = strlen(l->root);
    spate_status status = spate_join(l->root, root_length, link->path, strlen(link->path), path, "symlink", error);
    if (status == SPATE_OK)
        status = find_spot(walk, path, root_length, &spot, error);
    if (status != SPATE_OK)
        return status;
    return link->target ? spate_place_symlink(false, link->target, &spot, error)
                        : spate_place_text(link->text, link->length, link->mode, &spot, error);
}

static void work_on_links(linking *l, const piece *p, spate_walk *walk) {
    size_t made = 0;
    walk->there = true;
    for (size_t i = p->begin; i < p->end && !spate_failed(&l->links_failure); i++) {
        spate_error error;
        spate_status status = spate_cancelled(l->cancel, &error);
        if (status == SPATE_OK)
            status = make_link(l, &l->links->items[i], walk, &error);
        made += status == SPATE_OK;
        spate_failure_note(&l->links_failure, status, &error);
    }
    walk->there = false;
    atomic_fetch_add_explicit(&l->links_made, made, memory_order_relaxed);
}

/* ---- dividing the work ---- */

static void work(void *context, size_t index) {
    linking *l = context;
    spate_walk walk;
    spate_walk_begin(&walk, l->root_folder);
    for (size_t i = l->items[index]; i < l->items[index + 1]; i++)
        if (l->pieces[i].task)
            work_on_tree(l, &l->pieces[i], &walk);
        else
            work_on_links(l, &l->pieces[i], &walk);
    spate_walk_end(&walk);
}

/* Divides `count` entries into pieces. A tree without entries still gets one, which creates its directory. */
static void add_pieces(linking *l, task *t, size_t count, size_t *used) {
    size_t begin = 0;
    do {
        size_t end = count - begin > ITEM_ENTRIES ? begin + ITEM_ENTRIES : count;
        l->pieces[(*used)++] = (piece){t, begin, end};
        if (t)
            t->pieces++;
        begin = end;
    } while (begin < count);
}

static spate_status divide(linking *l) {
    size_t links = l->links ? l->links->count : 0;
    size_t most = 1 + links / ITEM_ENTRIES;
    for (size_t i = 0; i < l->task_count; i++)
        most += 1 + l->tasks[i].layers.count / ITEM_ENTRIES;
    l->pieces = malloc(most * sizeof(*l->pieces));
    l->items = malloc((most + 1) * sizeof(*l->items));
    if (!l->pieces || !l->items)
        return SPATE_NO_MEMORY;
    size_t used = 0;
    for (size_t i = 0; i < l->task_count; i++)
        if (!spate_failed(&l->tasks[i].failure))
            add_pieces(l, &l->tasks[i], l->tasks[i].layers.count, &used);
    if (links > 0)
        add_pieces(l, NULL, links, &used);
    size_t weight = ITEM_ENTRIES;
    for (size_t i = 0; i < used; i++) {
        if (weight >= ITEM_ENTRIES) {
            l->items[l->item_count++] = i;
            weight = 0;
        }
        weight += l->pieces[i].end - l->pieces[i].begin + TREE_WEIGHT;
    }
    l->items[l->item_count] = used;
    return SPATE_OK;
}

/* ---- running the jobs ---- */

static spate_status absolute_path(const linking *l, task *t, spate_error *error) {
    const char *destination = t->job->destination;
    size_t length = strlen(destination);
    size_t root_length = l->root ? strlen(l->root) : 0;
    t->path = malloc(root_length + length + 2);
    if (!t->path)
        return spate_fail(error, SPATE_NO_MEMORY, destination, "no memory for a path");
    t->path_length = length;
    t->base_length = length;
    if (!l->root) {
        memcpy(t->path, destination, length + 1);
        return SPATE_OK;
    }
    memcpy(t->path, l->root, root_length);
    t->path[root_length] = '/';
    memcpy(t->path + root_length + 1, destination, length + 1);
    t->path_length = root_length + 1 + length;
    t->base_length = root_length;
    return SPATE_OK;
}

static void prepare(linking *l, spate_link_job *job, task *t) {
    spate_error error;
    job->damaged_entry = job->damaged_manifest = 0;
    t->job = job;
    t->folder = -1;
    spate_placing_begin(&t->placing, job->method);
    spate_status status = absolute_path(l, t, &error);
    if (status == SPATE_OK)
        status = spate_layers_open(&t->layers, job->manifests, job->manifest_count, &error);
    if (pthread_mutex_init(&t->lock, NULL) != 0 && status == SPATE_OK)
        status = spate_fail(&error, SPATE_NO_MEMORY, job->destination, "no memory for a lock");
    spate_failure_note(&t->failure, status, &error);
}

static spate_status run(linking *l, spate_pool *pool, spate_error *error) {
    if (l->root) {
        spate_status status = spate_make_directories(l->root, 0777, error);
        if (status != SPATE_OK)
            return status;
        l->root_folder = open(l->root, SPATE_FOLDER_FLAGS);
        if (l->root_folder < 0)
            return spate_fail_errno(error, l->root, "open");
    }
    l->objects = spate_store_objects(l->store);
    if (l->objects < 0)
        l->objects = AT_FDCWD;
    spate_status status = divide(l);
    if (status == SPATE_OK)
        status = spate_pool_run(pool, l->item_count, work, l);
    if (l->objects != AT_FDCWD)
        close(l->objects);
    if (status != SPATE_OK)
        return spate_fail(error, status, "", "no memory for linking");
    for (size_t i = 0; i < l->task_count; i++)
        finish_task(l, &l->tasks[i]);
    return SPATE_OK;
}

/* Stores the result of a task in its job. `ran` is the status of the run as a whole. */
static void settle(task *t, spate_status ran, const spate_error *error) {
    spate_link_job *job = t->job;
    spate_failure_note(&t->failure, ran, error);
    job->linked = atomic_load(&t->linked);
    job->copied = atomic_load(&t->copied);
    job->status = spate_failure_of(&t->failure, &job->error);
    pthread_mutex_destroy(&t->lock);
    spate_layers_close(&t->layers);
    free(t->path);
}

spate_status spate_link_below(spate_store *store, spate_pool *pool, const char *root, spate_link_job *jobs,
                              size_t count, spate_links *links, const spate_cancel *cancel) {
    spate_error error;
    linking l = {.store = store,
                 .root = root,
                 .root_folder = -1,
                 .links = links,
                 .tasks = calloc(count + 1, sizeof(task)),
                 .task_count = count,
                 .cancel = cancel};
    if (!l.tasks)
        return SPATE_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        prepare(&l, &jobs[i], &l.tasks[i]);
    spate_way_take(spate_store_way(store));
    spate_status ran = run(&l, pool, &error);
    spate_way_leave(spate_store_way(store));
    spate_status status = ran;
    for (size_t i = 0; i < count; i++) {
        settle(&l.tasks[i], ran, &error);
        if (status == SPATE_OK)
            status = jobs[i].status;
    }
    if (links) {
        spate_failure_note(&l.links_failure, ran, &error);
        links->made = atomic_load(&l.links_made);
        links->status = spate_failure_of(&l.links_failure, &links->error);
        if (status == SPATE_OK)
            status = links->status;
    }
    if (l.root_folder >= 0)
        close(l.root_folder);
    free(l.items);
    free(l.pieces);
    free(l.tasks);
    return status;
}

spate_status spate_link(spate_store *store, spate_pool *pool, spate_link_job *jobs, size_t count,
                        const spate_cancel *cancel) {
    return spate_link_below(store, pool, NULL, jobs, count, NULL, cancel);
}
