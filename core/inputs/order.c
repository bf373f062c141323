/* Sorts the inputs by root and directory, then in the order that inputs_group requires. Drops duplicates. */
#include "inputs/plan.h"

#include <stdlib.h>
#include <string.h>

static int by_fact(const void *left, const void *right) {
    const inputs_fact *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int place_in_group(const inputs_planned *item) {
    return item->kind == SPATE_INPUT_LISTED ? 0 : item->kind == SPATE_INPUT_ABSENT ? 2 : 1;
}

static int by_folder(const inputs_planned *a, const inputs_planned *b) {
    if (a->root != b->root)
        return a->root < b->root ? -1 : 1;
    return strcmp(a->folder, b->folder);
}

static int by_place(const void *left, const void *right) {
    const inputs_planned *a = left, *b = right;
    int order = by_folder(a, b);
    if (order == 0)
        order = place_in_group(a) - place_in_group(b);
    if (order == 0)
        order = strcmp(a->name, b->name);
    if (order == 0 && a->kind != b->kind)
        order = a->kind < b->kind ? -1 : 1;
    if (order == 0 && a->flags != b->flags)
        order = a->flags < b->flags ? -1 : 1;
    return order;
}

void spate_inputs_planned_free(inputs_planned *item) {
    free((void *)(uintptr_t)item->path);
    free(item->target);
}

static bool contradict(const inputs_planned *a, const inputs_planned *b) {
    return a->expected && b->expected && memcmp(a->expected, b->expected, SPATE_SHA256_LENGTH) != 0;
}

static spate_status drop_doubles(inputs_plan *plan, spate_error *error) {
    size_t kept = 0;
    spate_status status = SPATE_OK;
    for (size_t i = 0; i < plan->count; i++) {
        inputs_planned *item = &plan->items[i];
        inputs_planned *last = kept > 0 ? &plan->items[kept - 1] : NULL;
        if (!last || by_place(last, item) != 0) {
            plan->items[kept++] = *item;
            continue;
        }
        if (contradict(last, item))
            status = spate_fail(error, SPATE_STALE, last->path, "was read with two contents");
        if (!last->expected)
            last->expected = item->expected;
        spate_inputs_planned_free(item);
    }
    plan->count = kept;
    return status;
}

static void drop_double_facts(inputs_plan *plan) {
    size_t kept = 0;
    for (size_t i = 0; i < plan->fact_count; i++)
        if (kept == 0 || by_fact(&plan->facts[kept - 1], &plan->facts[i]) != 0)
            plan->facts[kept++] = plan->facts[i];
    plan->fact_count = kept;
}

static bool make_groups(inputs_plan *plan) {
    plan->groups = calloc(plan->count + 1, sizeof(*plan->groups));
    if (!plan->groups)
        return false;
    for (size_t i = 0; i < plan->count; i++) {
        inputs_planned *item = &plan->items[i];
        if (i == 0 || by_folder(item - 1, item) != 0)
            plan->groups[plan->group_count++].first = item;
        inputs_group *last = &plan->groups[plan->group_count - 1];
        last->count++;
        last->listed = last->listed || item->kind == SPATE_INPUT_LISTED;
        last->absent_count += item->kind == SPATE_INPUT_ABSENT;
    }
    return true;
}

spate_status spate_inputs_order(inputs_plan *plan, spate_error *error) {
    if (plan->count > 1)
        qsort(plan->items, plan->count, sizeof(*plan->items), by_place);
    qsort(plan->facts, plan->fact_count, sizeof(*plan->facts), by_fact);
    drop_double_facts(plan);
    spate_status status = drop_doubles(plan, error);
    if (status == SPATE_OK && !make_groups(plan))
        status = spate_fail(error, SPATE_NO_MEMORY, "", "no memory for inputs");
    return status;
}
