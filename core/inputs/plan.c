#define _GNU_SOURCE
#include "inputs/plan.h"

#include "inputs/look/look.h"
#include "machine/processor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The kernel's limit for symlinks in a path. */
#define LINKS_MAX 40
#define ROOTS_MAX 255

/* ---- items ---- */

static bool room(inputs_plan *plan) {
    if (plan->count < plan->capacity)
        return true;
    size_t capacity = plan->capacity ? plan->capacity * 2 : 256;
    inputs_planned *grown = realloc(plan->items, capacity * sizeof(*grown));
    if (!grown)
        return false;
    plan->items = grown;
    plan->capacity = capacity;
    return true;
}

static bool is_root(const inputs_plan *plan, const char *path) {
    const char *rest;
    return spate_inputs_root_of(plan->place, path, &rest) > 0 && *rest == '\0';
}

/*
 * Stores the path, its directory and its name in one allocation. The name of a root itself is ".", because the root's
 * path differs between machines.
 */
static bool lay_out(inputs_planned *item, const inputs_plan *plan, const char *path) {
    size_t length = strlen(path);
    size_t folder_length = length;
    const char *name = "";
    bool movable = item->kind != SPATE_INPUT_LINK && item->kind != SPATE_INPUT_ABSENT;
    if (strcmp(path, "/") == 0 || (movable && is_root(plan, path)))
        name = ".";
    else
        folder_length = spate_inputs_split(path, &name);
    if (item->kind == SPATE_INPUT_LISTED)
        folder_length = length, name = "";
    char *text = malloc(length + 1 + folder_length + 1 + strlen(name) + 1);
    if (!text)
        return false;
    char *folder = text + length + 1;
    char *name_copy = folder + folder_length + 1;
    memcpy(text, path, length + 1);
    memcpy(folder, path, folder_length);
    folder[folder_length] = '\0';
    strcpy(name_copy, name);
    item->path = text;
    item->name = name_copy;
    item->root = spate_inputs_root_of(plan->place, folder, &item->folder);
    return true;
}

static spate_status add(inputs_plan *plan, spate_input_kind kind, const spate_input *input, const char *path) {
    if (!room(plan))
        return SPATE_NO_MEMORY;
    inputs_planned *item = &plan->items[plan->count];
    *item = (inputs_planned){.kind = kind, .flags = input->flags, .expected = input->sha256};
    if (kind != SPATE_INPUT_LOOKED)
        item->flags &= ~(uint32_t)(SPATE_INPUT_MTIME | SPATE_INPUT_TYPE);
    if (kind == SPATE_INPUT_LINK || kind == SPATE_INPUT_LISTED || kind == SPATE_INPUT_ABSENT)
        item->flags = 0;
    if (kind != input->kind || kind == SPATE_INPUT_LINK || kind == SPATE_INPUT_ABSENT || kind == SPATE_INPUT_LOOKED)
        item->expected = NULL;
    if (!lay_out(item, plan, path))
        return SPATE_NO_MEMORY;
    plan->count++;
    return SPATE_OK;
}

/* ---- absences: recorded as whole paths, so that creating a parent directory has no effect; follows dangling links
 * ---- */

/* Replaces `path` with the path to check next: the symlink's target and the rest of the path after the link. */
static spate_status go_on(char *path, const char *link, size_t link_length, spate_error *error) {
    char target[SPATE_INPUTS_PATH_MAX];
    char joined[3 * SPATE_INPUTS_PATH_MAX];
    const char *name;
    size_t length;
    int reason = spate_inputs_target(link, target, &length);
    if (reason != 0)
        return spate_fail(error, SPATE_STALE, link, "the link changed while it was recorded");
    size_t folder = target[0] == '/' ? 0 : spate_inputs_split(link, &name);
    memcpy(joined, link, folder);
    joined[folder] = '/';
    memcpy(joined + folder + 1, target, length);
    strcpy(joined + folder + 1 + length, path + link_length);
    if (!spate_inputs_clean(joined, path))
        return spate_fail(error, SPATE_CORRUPT, link, "a path that is too long");
    return SPATE_OK;
}

static bool is_there(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

/* Shortens the path to its deepest existing ancestor. Returns 0 if the whole path exists, otherwise lstat's errno for
 * it. */
static int deepest(char *path, struct stat *info) {
    const char *name;
    int whole = 0;
    while (lstat(path, info) != 0) {
        int reason = errno;
        whole = whole == 0 ? reason : whole;
        if (!inputs_means_absent(reason))
            break;
        path[spate_inputs_split(path, &name)] = '\0';
    }
    return whole;
}

static spate_status add_absent(inputs_plan *plan, const spate_input *input, const char *clean, spate_error *error) {
    char path[SPATE_INPUTS_PATH_MAX];
    char there[SPATE_INPUTS_PATH_MAX];
    struct stat info = {0};
    strcpy(path, clean);
    for (int links = 0; links < LINKS_MAX; links++) {
        strcpy(there, path);
        int reason = deepest(there, &info);
        if (reason == ENAMETOOLONG)
            return SPATE_OK; /* the path can never exist */
        if (reason == EACCES)
            return add(plan, SPATE_INPUT_LOOKED, input, path); /* recorded as denied */
        if (reason != 0 && !inputs_means_absent(reason))
            return spate_fail_errno(error, clean, "lstat");
        bool dangling = S_ISLNK(info.st_mode) && !is_there(there);
        if (!dangling)
            return reason == 0 ? spate_fail(error, SPATE_STALE, clean, "exists")
                               : add(plan, SPATE_INPUT_ABSENT, input, path);
        spate_status status = add(plan, SPATE_INPUT_LINK, input, there);
        if (status == SPATE_OK)
            status = go_on(path, there, strlen(there), error);
        if (status != SPATE_OK)
            return status;
    }
    return spate_fail(error, SPATE_CORRUPT, clean, "too many links");
}

/* ---- facts ---- */

static spate_status add_fact(inputs_plan *plan, const spate_input *input, spate_error *error) {
    inputs_fact *fact = &plan->facts[plan->fact_count];
    *fact = (inputs_fact){.kind = input->kind, .name = ""};
    if (input->kind == SPATE_INPUT_PROCESSOR) {
        fact->set = true;
        spate_status status = spate_processor(plan->place->processor, fact->sha256);
        if (status != SPATE_OK)
            return spate_fail(error, status, "processor", "cannot be detected");
    } else {
        const char *value = spate_inputs_value(plan->place, input->path);
        if (strlen(input->path) >= SPATE_INPUTS_PATH_MAX)
            return spate_fail(error, SPATE_CORRUPT, input->path, "a name that is too long");
        fact->name = input->path;
        fact->set = value != NULL;
        if (value)
            spate_sha256_of(value, strlen(value), fact->sha256);
    }
    plan->fact_count++;
    return SPATE_OK;
}

/* ---- plan ---- */

static spate_status add_path(inputs_plan *plan, const spate_input *input, spate_error *error) {
    char clean[SPATE_INPUTS_PATH_MAX];
    struct stat info;
    if (!spate_inputs_clean(input->path, clean)) {
        if (input->path[0] == '/' && input->kind == SPATE_INPUT_ABSENT)
            return SPATE_OK; /* too long to exist */
        return spate_fail(error, SPATE_CORRUPT, input->path, "not an absolute path, or too long");
    }
    bool absent = input->kind == SPATE_INPUT_ABSENT;
    if (input->kind == SPATE_INPUT_LOOKED) {
        bool follow = (input->flags & SPATE_INPUT_NOFOLLOW) == 0;
        absent = (follow ? stat(clean, &info) : lstat(clean, &info)) != 0 && inputs_means_absent(errno);
    }
    return absent ? add_absent(plan, input, clean, error) : add(plan, input->kind, input, clean);
}

static spate_status add_input(inputs_plan *plan, const spate_input *input, spate_error *error) {
    switch (input->kind) {
    case SPATE_INPUT_ENVIRONMENT:
    case SPATE_INPUT_PROCESSOR: return add_fact(plan, input, error);
    default: break;
    }
    if ((unsigned)input->kind >= SPATE_INPUT_KINDS)
        return spate_fail(error, SPATE_CORRUPT, input->path, "an input of unknown kind");
    spate_status status = add_path(plan, input, error);
    return status == SPATE_NO_MEMORY ? spate_fail(error, status, input->path, "no memory for inputs") : status;
}

static spate_status check_roots(const spate_inputs_place *place, spate_error *error) {
    if (place->root_count > ROOTS_MAX)
        return spate_fail(error, SPATE_LIMIT, "", "%zu roots are too many", place->root_count);
    for (size_t i = 0; i < place->root_count; i++) {
        char clean[SPATE_INPUTS_PATH_MAX];
        const spate_inputs_root *root = &place->roots[i];
        if (!spate_inputs_clean(root->path, clean) || strcmp(clean, root->path) != 0 || clean[1] == '\0' ||
            root->name[0] == '\0' || strchr(root->name, '/') || strlen(root->name) >= SPATE_INPUTS_PATH_MAX)
            return spate_fail(error, SPATE_CORRUPT, root->path, "not a clean absolute path, or no name");
    }
    return SPATE_OK;
}

spate_status spate_inputs_plan(inputs_plan *plan, const spate_input *inputs, size_t count,
                               const spate_inputs_place *place, spate_error *error) {
    plan->place = place;
    plan->facts = calloc(count + 1, sizeof(*plan->facts));
    if (!plan->facts)
        return spate_fail(error, SPATE_NO_MEMORY, "", "no memory for inputs");
    spate_status status = check_roots(place, error);
    for (size_t i = 0; i < count && status == SPATE_OK; i++)
        status = add_input(plan, &inputs[i], error);
    return status == SPATE_OK ? spate_inputs_order(plan, error) : status;
}

void spate_inputs_plan_free(inputs_plan *plan) {
    for (size_t i = 0; i < plan->count; i++)
        spate_inputs_planned_free(&plan->items[i]);
    free(plan->items);
    free(plan->groups);
    free(plan->facts);
}
