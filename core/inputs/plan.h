/* The inputs of a record in their final order, with clean paths relative to roots, grouped by directory. */
#ifndef SPATE_INPUTS_PLAN_H
#define SPATE_INPUTS_PLAN_H

#include "inputs/format.h"
#include "inputs/inputs.h"

typedef struct inputs_planned {
    spate_input_kind kind;
    uint32_t flags;
    uint32_t root;      /* index into place->roots + 1, or 0 if the path is absolute */
    const char *path;   /* path on this machine; the directory for LISTED, the missing path for ABSENT */
    const char *folder; /* directory, relative to the root */
    const char *name;   /* name in the directory; "" for LISTED */
    const uint8_t *expected;
    /* Filled in by spate_inputs_take: */
    int reason; /* errno, or 0 */
    disk_entry entry;
    char *target;            /* only for LINK; allocated with malloc */
    const char *target_rest; /* target relative to target_root */
    uint32_t target_root;    /* like `root`, for the target */
} inputs_planned;

/* The items with the same root and directory. */
typedef struct inputs_group {
    inputs_planned *first; /* sorted: LISTED, then existing paths, then ABSENT */
    size_t count;
    bool listed;
    size_t absent_count;
    int reason;
    const char *culprit; /* path of the input that caused `reason` */
    disk_folder folder;
} inputs_group;

typedef struct inputs_fact {
    spate_input_kind kind;
    const char *name;
    bool set;
    uint8_t sha256[SPATE_SHA256_LENGTH];
} inputs_fact;

/* Initialize with zeros. Release with spate_inputs_plan_free. */
typedef struct inputs_plan {
    const spate_inputs_place *place;
    inputs_planned *items;
    size_t count;
    size_t capacity;
    inputs_group *groups;
    size_t group_count;
    inputs_fact *facts;
    size_t fact_count;
} inputs_plan;

/* Fills in the plan. Returns SPATE_STALE if a path exists that should be absent, and SPATE_CORRUPT for an invalid
 * path. */
spate_status spate_inputs_plan(inputs_plan *plan, const spate_input *inputs, size_t count,
                               const spate_inputs_place *place, spate_error *error);
/*
 * The last step of spate_inputs_plan: sorts, drops duplicates and forms the groups. Returns SPATE_STALE if a file was
 * read with two different contents.
 */
spate_status spate_inputs_order(inputs_plan *plan, spate_error *error);
/* Examines all inputs. Returns the same statuses as spate_inputs_write. */
spate_status spate_inputs_take(inputs_plan *plan, const spate_inputs_options *options, const spate_cancel *cancel,
                               spate_error *error);
void spate_inputs_planned_free(inputs_planned *item);
void spate_inputs_plan_free(inputs_plan *plan);

/* ---- recorded paths (clean, and relative to a root if possible) and environment variables ---- */

/* Returns the root's path, or NULL if the root is unknown on this machine. */
const char *spate_inputs_root_path(const spate_inputs_place *place, const char *name);
/*
 * Finds the innermost root that contains the path. Returns the root's index + 1 and sets *rest to the path relative to
 * it. Returns 0 and the whole path if no root contains it, or if the path has a ".." component, because it could leave
 * the root.
 */
uint32_t spate_inputs_root_of(const spate_inputs_place *place, const char *path, const char **rest);
/* Whether `path` is "<root>/<rest>", or "<root>" if `rest` is empty. If `root` is NULL, whether `path` is `rest`. */
bool spate_inputs_is_below(const char *path, const char *root, const char *rest);

/*
 * Removes doubled and trailing slashes and "." components. Keeps "..", because its meaning depends on symlinks. Returns
 * false if the path is not absolute or is too long.
 */
bool spate_inputs_clean(const char *path, char clean[SPATE_INPUTS_PATH_MAX]);
/* Returns the length of the directory part of a clean path and sets *name to the rest. Splits "/" into "/" and "". */
size_t spate_inputs_split(const char *path, const char **name);

/* Returns NULL if the variable is unset. */
const char *spate_inputs_value(const spate_inputs_place *place, const char *name);

#endif
