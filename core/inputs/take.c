/* Examines the inputs of a record on several threads: stamps, modes, link targets and digests. */
#define _GNU_SOURCE
#include "inputs/plan.h"

#include "base/pool.h"
#include "inputs/look/look.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Minimum number of inputs for which threads are worth their cost. */
#define ENOUGH_FOR_THREADS 64
#define THREADS_MAX 4

/* Negative, to differ from errnos: the content is not the one that was read, or an absent path exists. */
#define OTHER_CONTENT -1
#define APPEARED -2

typedef struct taking {
    inputs_plan *plan;
    bool portable;
    const spate_cancel *cancel;
} taking;

static bool cancelled(const taking *t) {
    return t->cancel && t->cancel->requested;
}

static bool other_than_expected(const inputs_planned *item, const uint8_t *found) {
    return item->expected && memcmp(item->expected, found, SPATE_SHA256_LENGTH) != 0;
}

/* ---- existing paths ---- */

static int take_content(inputs_planned *item, inputs_look *look) {
    bool follow = (item->flags & SPATE_INPUT_NOFOLLOW) == 0;
    inputs_digest which = INPUTS_CONTENT;
    int reason = ENOEXEC;
    if (item->kind == SPATE_INPUT_LIBRARY) {
        reason = spate_inputs_digest(item->path, follow, INPUTS_PROMISE, look);
        which = reason == 0 ? INPUTS_PROMISE : INPUTS_CONTENT;
    }
    if (reason == ENOEXEC || (reason == 0 && item->expected))
        reason = spate_inputs_digest(item->path, follow, INPUTS_CONTENT, look);
    if (reason != 0)
        return reason;
    if (other_than_expected(item, look->digests[INPUTS_CONTENT]))
        return OTHER_CONTENT;
    memcpy(item->entry.sha256, look->digests[which], SPATE_SHA256_LENGTH);
    item->entry.flags |= which == INPUTS_PROMISE ? ENTRY_ELF : 0;
    return 0;
}

static int take_target(inputs_planned *item, const spate_inputs_place *place) {
    char target[SPATE_INPUTS_PATH_MAX];
    size_t length;
    int reason = spate_inputs_target(item->path, target, &length);
    if (reason != 0)
        return reason;
    item->target = malloc(length + 1);
    if (!item->target)
        return ENOMEM;
    memcpy(item->target, target, length + 1);
    item->target_root = spate_inputs_root_of(place, item->target, &item->target_rest);
    if (*item->target_rest == '/')
        item->target_root = 0, item->target_rest = item->target;
    return 0;
}

static int take_item(const taking *t, inputs_planned *item) {
    inputs_look look;
    disk_entry *entry = &item->entry;
    entry->flags = (uint8_t)item->flags;
    if (item->kind == SPATE_INPUT_LINK)
        return take_target(item, t->plan->place);
    spate_inputs_look(item->path, (item->flags & SPATE_INPUT_NOFOLLOW) == 0, &look);
    if (look.reason == EACCES && item->kind == SPATE_INPUT_LOOKED) {
        entry->flags |= ENTRY_DENIED;
        return 0;
    }
    if (look.reason != 0)
        return look.reason;
    if (item->kind != SPATE_INPUT_LOOKED && !S_ISREG(look.mode))
        item->kind = SPATE_INPUT_LOOKED;
    int reason = item->kind == SPATE_INPUT_LOOKED ? 0 : take_content(item, &look);
    entry->mode = look.mode;
    entry->size = S_ISREG(look.mode) ? look.size : 0;
    if (item->kind != SPATE_INPUT_LOOKED && !t->portable)
        entry->stamp = spate_inputs_stamp(&look);
    if ((item->flags & SPATE_INPUT_TYPE) != 0) {
        entry->mode &= S_IFMT;
        entry->size = 0;
    }
    if ((item->flags & SPATE_INPUT_MTIME) != 0)
        entry->stamp.mtime_ns = (int64_t)LE64(look.stamp.mtime_ns);
    return reason;
}

static void take_one(void *context, size_t index) {
    taking *t = context;
    inputs_planned *item = &t->plan->items[index];
    if (item->kind == SPATE_INPUT_LISTED || item->kind == SPATE_INPUT_ABSENT)
        return;
    item->reason = cancelled(t) ? ECANCELED : take_item(t, item);
    item->entry.kind = (uint8_t)item->kind;
}

/* ---- directories: examined first, so that their times reveal a name that is created afterwards ---- */

static int take_names(inputs_group *group, const char *path, inputs_look *look) {
    int reason = spate_inputs_digest(path, true, INPUTS_NAMES, look);
    if (reason == 0 && other_than_expected(group->first, look->digests[INPUTS_NAMES]))
        reason = OTHER_CONTENT;
    memcpy(group->folder.listing, look->digests[INPUTS_NAMES], SPATE_SHA256_LENGTH);
    return reason;
}

static int check_absents(inputs_group *group) {
    inputs_look look;
    for (size_t i = group->count - group->absent_count; i < group->count; i++) {
        group->culprit = group->first[i].path;
        spate_inputs_look(group->culprit, false, &look);
        if (!inputs_means_absent(look.reason))
            return look.reason == 0 ? APPEARED : look.reason;
    }
    return 0;
}

static int take_group(const taking *t, inputs_group *group) {
    char path[SPATE_INPUTS_PATH_MAX];
    const char *name;
    inputs_look look;
    strcpy(path, group->listed ? group->first->path : group->first[group->count - 1].path);
    if (!group->listed)
        path[spate_inputs_split(path, &name)] = '\0';
    spate_inputs_look(path, true, &look);
    group->culprit = group->listed ? group->first->path : group->first[group->count - 1].path;
    int reason = group->listed ? take_names(group, path, &look) : look.reason;
    if (!group->listed && inputs_means_absent(reason))
        reason = 0;
    if (reason == 0 && look.reason == 0 && !t->portable)
        group->folder.stamp = spate_inputs_stamp(&look);
    return reason == 0 ? check_absents(group) : reason;
}

static void take_folder(void *context, size_t index) {
    taking *t = context;
    inputs_group *group = &t->plan->groups[index];
    if (!group->listed && group->absent_count == 0)
        return;
    group->reason = cancelled(t) ? ECANCELED : take_group(t, group);
}

/* ---- all inputs ---- */

static spate_status fail(int reason, const char *path, spate_error *error) {
    if (reason == 0)
        return SPATE_OK;
    if (reason == OTHER_CONTENT || reason == APPEARED)
        return spate_fail(error, SPATE_STALE, path, reason == APPEARED ? "exists" : "differs from what was read");
    if (reason == ECANCELED)
        return spate_fail(error, SPATE_CANCELLED, path, "cancelled");
    if (reason == ENOMEM)
        return spate_fail(error, SPATE_NO_MEMORY, path, "no memory to look at it");
    if (inputs_means_absent(reason) || reason == EINVAL)
        return spate_fail(error, SPATE_STALE, path, reason == EINVAL ? "is not a link" : "does not exist");
    errno = reason;
    return spate_fail_errno(error, path, "read");
}

static spate_status first_failure(const inputs_plan *plan, spate_error *error) {
    for (size_t i = 0; i < plan->count; i++)
        if (plan->items[i].reason != 0)
            return fail(plan->items[i].reason, plan->items[i].path, error);
    for (size_t i = 0; i < plan->group_count; i++)
        if (plan->groups[i].reason != 0)
            return fail(plan->groups[i].reason, plan->groups[i].culprit, error);
    return SPATE_OK;
}

static unsigned threads_for(const inputs_plan *plan, unsigned wanted) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (plan->count < ENOUGH_FOR_THREADS)
        return 1;
    if (wanted > 0)
        return wanted;
    return processors < 1 ? 1 : processors < THREADS_MAX ? (unsigned)processors : THREADS_MAX;
}

spate_status spate_inputs_take(inputs_plan *plan, const spate_inputs_options *options, const spate_cancel *cancel,
                               spate_error *error) {
    taking t = {.plan = plan, .portable = options->portable, .cancel = cancel};
    spate_pool *pool;
    spate_status status = spate_pool_new(&pool, threads_for(plan, options->threads));
    if (status == SPATE_OK)
        status = spate_pool_run(pool, plan->group_count, take_folder, &t);
    if (status == SPATE_OK)
        status = spate_pool_run(pool, plan->count, take_one, &t);
    spate_pool_free(pool);
    return status == SPATE_OK ? first_failure(plan, error) : spate_fail(error, status, "", "no memory for threads");
}
