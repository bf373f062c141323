#define _GNU_SOURCE
#include "link/link.h"

#include "base/file.h"
#include "base/folders.h"
#include "manifest/layers.h"
#include "store/place.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How many files a thread links before it looks for more: they mostly share a folder. */
#define ITEM_FILES 64

/* A job while it runs. */
typedef struct task {
    spate_link_job *job;
    spate_layers layers;
    size_t destination_length;
    spate_placing placing;
    spate_failure failure;
    atomic_size_t linked;
    atomic_size_t copied;
} task;

/* A part of a job's files. */
typedef struct item {
    task *task;
    size_t begin;
    size_t end;
} item;

typedef struct linking {
    spate_store *store;
    task *tasks;
    item *items;
    const spate_cancel *cancel;
} linking;

static spate_status destination_path(const task *t, const char *path, size_t length, char *out, spate_error *error) {
    return spate_join(t->job->destination, t->destination_length, path, length, out, "link", error);
}

/* ---- folders ---- */

static spate_status make_folder(const task *t, const spate_folder *folder, spate_error *error) {
    char path[PATH_MAX];
    struct stat info;
    spate_status status = destination_path(t, folder->path, folder->length, path, error);
    if (status != SPATE_OK || mkdir(path, 0777) == 0)
        return status;
    int reason = errno;
    if (reason == EEXIST && lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return SPATE_OK;
    errno = reason == EEXIST ? ENOTDIR : reason; /* a symlink in place of a folder is not followed */
    return spate_fail_errno(error, path, "mkdir");
}

static spate_status make_folders(task *t, spate_error *error) {
    spate_folders folders = {0};
    struct stat info;
    t->placing.fresh = lstat(t->job->destination, &info) != 0 && errno == ENOENT;
    spate_status status = spate_layers_open(&t->layers, t->job->manifests, t->job->manifest_count, error);
    if (status == SPATE_OK)
        status = spate_make_directories(t->job->destination, 0777, error);
    for (size_t i = 0; i < t->layers.count && status == SPATE_OK; i++) {
        spate_entry entry = spate_layers_entry(&t->layers, i, NULL);
        bool fits = entry.type == SPATE_ENTRY_DIRECTORY
                        ? spate_folders_add(&folders, entry.path, strlen(entry.path), entry.mode)
                        : spate_folders_add_parent(&folders, entry.path);
        if (!fits)
            status = spate_fail(error, SPATE_NO_MEMORY, entry.path, "no memory for folders");
    }
    for (size_t i = 0; i < folders.count && status == SPATE_OK; i++)
        status = make_folder(t, &folders.items[i], error);
    spate_folders_free(&folders);
    return status;
}

static void make_folders_of(void *context, size_t index) {
    linking *l = context;
    task *t = &l->tasks[index];
    spate_error error;
    spate_status status = spate_cancelled(l->cancel, &error);
    if (status == SPATE_OK)
        status = make_folders(t, &error);
    spate_failure_note(&t->failure, status, &error);
}

/* ---- files ---- */

/*
 * Objects are never trusted blindly: a stat within one boot, the content's hash once after another. SPATE_STALE:
 * damaged.
 */
static spate_status verify(const linking *l, const task *t, const spate_placed *placed, spate_entry *entry,
                           spate_error *error) {
    const spate_manifest *manifest = t->job->manifests[placed->manifest];
    bool hash = !spate_manifest_trusts(manifest, placed->entry);
    spate_object_state state;
    int64_t mtime_ns = 0;
    spate_status status = spate_store_examine(l->store, entry, hash, &state, &mtime_ns, error);
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

static spate_status link_file(const linking *l, task *t, const spate_placed *placed, spate_entry *entry,
                              spate_error *error) {
    char object[PATH_MAX];
    char path[PATH_MAX];
    bool copied = false;
    spate_status status = verify(l, t, placed, entry, error);
    if (status == SPATE_OK)
        status = destination_path(t, entry->path, strlen(entry->path), path, error);
    if (status == SPATE_OK) {
        spate_store_object_path(l->store, entry->sha256, entry->mode, object);
        status = spate_place_file(&t->placing, object, path, entry, &copied, error);
    }
    if (copied)
        atomic_fetch_add_explicit(&t->copied, 1, memory_order_relaxed);
    return status;
}

static void link_item(void *context, size_t index) {
    const linking *l = context;
    const item *i = &l->items[index];
    task *t = i->task;
    size_t linked = 0;
    for (size_t at = i->begin; at < i->end && !spate_failed(&t->failure); at++) {
        spate_placed placed;
        spate_error error;
        spate_entry entry = spate_layers_entry(&t->layers, at, &placed);
        spate_status status = spate_cancelled(l->cancel, &error);
        if (status == SPATE_OK && entry.type == SPATE_ENTRY_FILE) {
            status = link_file(l, t, &placed, &entry, &error);
            linked += status == SPATE_OK;
        }
        if (spate_failure_note(&t->failure, status, &error) && status == SPATE_STALE) {
            t->job->damaged_manifest = placed.manifest;
            t->job->damaged_entry = placed.entry;
        }
    }
    atomic_fetch_add_explicit(&t->linked, linked, memory_order_relaxed);
}

/* ---- symlinks, and modes that the archive gives folders ---- */

static spate_status finish(task *t, spate_error *error) {
    char path[PATH_MAX];
    for (size_t i = 0; i < t->layers.count; i++) {
        spate_entry entry = spate_layers_entry(&t->layers, i, NULL);
        if (entry.type == SPATE_ENTRY_FILE)
            continue;
        spate_status status = destination_path(t, entry.path, strlen(entry.path), path, error);
        if (status == SPATE_OK && entry.type == SPATE_ENTRY_SYMLINK)
            status = spate_place_symlink(&t->placing, entry.target, path, error);
        else if (status == SPATE_OK && chmod(path, entry.mode) != 0)
            status = spate_fail_errno(error, path, "chmod");
        if (status != SPATE_OK)
            return status;
    }
    return SPATE_OK;
}

/* ---- the whole ---- */

static size_t list_items(task *tasks, size_t count, item *items) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (spate_failed(&tasks[i].failure))
            continue;
        for (size_t begin = 0; begin < tasks[i].layers.count; begin += ITEM_FILES) {
            size_t end = begin + ITEM_FILES < tasks[i].layers.count ? begin + ITEM_FILES : tasks[i].layers.count;
            if (items)
                items[used] = (item){&tasks[i], begin, end};
            used++;
        }
    }
    return used;
}

static spate_status run(linking *l, spate_pool *pool, size_t count) {
    spate_status status = spate_pool_run(pool, count, make_folders_of, l);
    if (status != SPATE_OK)
        return status;
    size_t items = list_items(l->tasks, count, NULL);
    l->items = malloc((items + 1) * sizeof(*l->items));
    if (!l->items)
        return SPATE_NO_MEMORY;
    list_items(l->tasks, count, l->items);
    status = spate_pool_run(pool, items, link_item, l);
    free(l->items);
    for (size_t i = 0; i < count && status == SPATE_OK; i++) {
        spate_error error;
        task *t = &l->tasks[i];
        if (!spate_failed(&t->failure))
            spate_failure_note(&t->failure, finish(t, &error), &error);
    }
    return status;
}

spate_status spate_link(spate_store *store, spate_pool *pool, spate_link_job *jobs, size_t count,
                        const spate_cancel *cancel) {
    linking l = {.store = store, .tasks = calloc(count + 1, sizeof(task)), .cancel = cancel};
    if (!l.tasks)
        return SPATE_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        task *t = &l.tasks[i];
        jobs[i].damaged_entry = jobs[i].damaged_manifest = 0;
        t->job = &jobs[i];
        t->destination_length = strlen(jobs[i].destination);
        spate_placing_begin(&t->placing, jobs[i].method);
    }
    spate_way_take(spate_store_way(store));
    spate_status ran = run(&l, pool, count);
    spate_way_leave(spate_store_way(store));
    spate_status status = ran;
    for (size_t i = 0; i < count; i++) {
        jobs[i].linked = atomic_load(&l.tasks[i].linked);
        jobs[i].copied = atomic_load(&l.tasks[i].copied);
        jobs[i].status = spate_failure_of(&l.tasks[i].failure, &jobs[i].error);
        if (ran != SPATE_OK && jobs[i].status == SPATE_OK)
            jobs[i].status = spate_fail(&jobs[i].error, ran, "", "no memory for linking");
        if (status == SPATE_OK)
            status = jobs[i].status;
        spate_layers_close(&l.tasks[i].layers);
    }
    free(l.tasks);
    return status;
}
