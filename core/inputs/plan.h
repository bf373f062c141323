/* The inputs of a record in its order: clean paths, roots, absences by their folder. */
#ifndef SPATE_INPUTS_PLAN_H
#define SPATE_INPUTS_PLAN_H

#include "inputs/format.h"
#include "inputs/inputs.h"

typedef struct inputs_planned {
    spate_input_kind kind;
    uint32_t flags;
    uint32_t root;      /* number in the place + 1; 0: no root */
    const char *path;   /* path to look at on this machine; the folder for LISTED, the missing name for ABSENT */
    const char *folder; /* folder below the root */
    const char *name;   /* name in the folder; "" for LISTED */
    const uint8_t *expected;
    /* Filled in by spate_inputs_take: */
    int reason; /* errno; 0: no failure */
    disk_entry entry;
    char *target;            /* only for LINK; malloc'ed */
    const char *target_rest; /* the rest of the target below its root */
    uint32_t target_root;    /* like root, for the target */
} inputs_planned;

/* Items with one root and folder. */
typedef struct inputs_group {
    inputs_planned *first; /* LISTED first, then existing paths, then ABSENT */
    size_t count;
    bool listed;
    size_t absent_count;
    int reason;
    const char *culprit; /* the input that caused the errno */
    disk_folder folder;
} inputs_group;

typedef struct inputs_fact {
    spate_input_kind kind;
    const char *name;
    bool set;
    uint8_t sha256[SPATE_SHA256_LENGTH];
} inputs_fact;

/* Initialize with zeros; free with spate_inputs_plan_free. */
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

/* Fills in the plan. SPATE_STALE if a path exists that should be absent, SPATE_CORRUPT for invalid paths. */
spate_status spate_inputs_plan(inputs_plan *plan, const spate_input *inputs, size_t count,
                               const spate_inputs_place *place, spate_error *error);
/*
 * The last step of spate_inputs_plan: sorts, drops duplicates and forms the groups. SPATE_STALE if one file was read
 * with two different contents.
 */
spate_status spate_inputs_order(inputs_plan *plan, spate_error *error);
/* Looks at all inputs. Returns the same statuses as spate_inputs_write. */
spate_status spate_inputs_take(inputs_plan *plan, const spate_inputs_options *options, const spate_cancel *cancel,
                               spate_error *error);
void spate_inputs_planned_free(inputs_planned *item);
void spate_inputs_plan_free(inputs_plan *plan);

/* Paths as recorded (clean, and below a root if possible) and the values of the environment. */

/* NULL if the root is unknown here. */
const char *spate_inputs_root_path(const spate_inputs_place *place, const char *name);
/*
 * The number + 1 of the innermost root that contains the path, and the rest of the path. 0 and the whole path if no
 * root contains it, or if it has ".." and could leave the root.
 */
uint32_t spate_inputs_root_of(const spate_inputs_place *place, const char *path, const char **rest);
/* Whether `path` is "<root>/<rest>", or "<root>" if rest is empty. Without a root: whether `path` is `rest`. */
bool spate_inputs_is_below(const char *path, const char *root, const char *rest);

/*
 * Drops doubled and trailing slashes and "." parts; ".." stays, since its target depends on links. Returns false if the
 * path is not absolute or is too long.
 */
bool spate_inputs_clean(const char *path, char clean[SPATE_INPUTS_PATH_MAX]);
/* The length of the folder part of a clean path; *name is the rest. "/" is split into "/" and "". */
size_t spate_inputs_split(const char *path, const char **name);

/* NULL if the variable is unset. */
const char *spate_inputs_value(const spate_inputs_place *place, const char *name);

#endif
